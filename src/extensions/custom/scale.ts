/** The scale of a custom object: where its definition says that replicas and selector are. */
import { type FieldError, invalid } from '../../api/field-error.ts'
import { cloneJson, isJsonObject, type JsonObject, type JsonValue, ownValue, setKey } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { internalError } from '../../api/status-error.ts'
import type { CustomResourceSubresourceScale } from '../../catalog/types/apiextensions-v1.ts'
import { scaleMetadata } from '../../registry/scale-metadata.ts'
import type { ScaleSubresource } from '../../registry/subresource.ts'

const maxReplicas = 2 ** 31 - 1

const stepsOf = (path: string): string[] => path.replace(/^\./, '').split('.')

function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object
  for (const step of stepsOf(path)) {
    if (!isJsonObject(value)) return undefined
    value = ownValue(value, step)
  }
  return value
}

export function customScale(scale: CustomResourceSubresourceScale): ScaleSubresource {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale
  return {
    type: 'scale',
    verbs: new Set(['get', 'update', 'patch']),
    replicasPath: specReplicasPath.replace(/^\./, ''),
    toScale(object) {
      const replicas = valueAt(object, specReplicasPath)
      if (replicas === undefined) {
        throw internalError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`)
      }
      const selector = labelSelectorPath === '' ? undefined : valueAt(object, labelSelectorPath)
      return {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: scaleMetadata(object.metadata),
        spec: Number(replicas) === 0 ? {} : { replicas: Number(replicas) },
        status: {
          replicas: Number(valueAt(object, statusReplicasPath) ?? 0),
          ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
        },
      } as KubeObject
    },
    withReplicas: (object, replicas) => withValue(object, stepsOf(specReplicasPath), replicas) as KubeObject,
  }
}

function withValue(object: JsonObject, [step = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
  const copy = cloneJson(object)
  const inner = ownValue(copy, step)
  setKey(copy, step, rest.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, rest, value))
  return copy
}

/** What the parts that a scale shows must be. */
export function validateScale(
  object: JsonObject,
  scale: CustomResourceSubresourceScale | undefined,
  parts: 'all' | 'status',
): FieldError[] {
  if (scale === undefined) return []
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale
  return [
    ...(parts === 'all' ? validateReplicas(object, specReplicasPath) : []),
    ...validateReplicas(object, statusReplicasPath),
    ...(labelSelectorPath === undefined ? [] : validateSelector(object, labelSelectorPath)),
  ]
}

function validateReplicas(object: JsonObject, path: string): FieldError[] {
  const value = valueAt(object, path)
  if (value === undefined) return []
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return [invalid(path, 0, `${path} accessor error: ${goText(value)}, expected int64`)]
  }
  if (value < 0) return [invalid(path, value, 'should be a non-negative integer')]
  return value > maxReplicas ? [invalid(path, value, `should be less than or equal to ${maxReplicas}`)] : []
}

function validateSelector(object: JsonObject, path: string): FieldError[] {
  const value = valueAt(object, path)
  if (value === undefined || typeof value === 'string') return []
  return [invalid(path, '', `${path} accessor error: ${goText(value)}, expected string`)]
}

function goText(value: JsonValue): string {
  const shown = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return `${shown} is of the type ${goType(value)}`
}

function goType(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'object') return 'map[string]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'int64' : 'string'
}
