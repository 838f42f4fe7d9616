/** The scale of a custom object: where its definition says that replicas and selector are. */

import { ageColumn, customTable } from '../../api/custom-table.ts'
import { type FieldError, invalid } from '../../api/field-error.ts'
import { schemePositions } from '../../api/golang/positions.ts'
import { goText, goType } from '../../api/golang/value.ts'
import { cloneJson, isJsonObject, type JsonObject, type JsonValue, ownValue, setKey } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { unknownError } from '../../api/status-error.ts'
import type { CustomResourceSubresourceScale } from '../../catalog/types/apiextensions-v1.ts'
import { scaleMetadata } from '../../registry/scale-metadata.ts'
import type { ScaleSubresource } from '../../registry/subresource.ts'

const maxReplicas = 2 ** 31 - 1

const stepsOf = (path: string): string[] => path.replace(/^\./, '').split('.')

/** Mirrors unstructured.NestedInt64 and NestedString: what is there and of another type is an error. */
function nested(object: JsonObject, path: string, type: 'int64' | 'string'): JsonValue | undefined {
  const found = lookUp(object, path)
  if ('problem' in found) throw unknownError(found.problem)
  const { value } = found
  if (value === undefined || goType(value) === type) return value
  throw unknownError(accessorProblem(path, value, type))
}

const scaleTable = customTable([
  { name: 'Desired', type: 'integer', description: 'How many replicas are wanted.', jsonPath: '.spec.replicas' },
  { name: 'Available', type: 'integer', description: 'How many replicas there are.', jsonPath: '.status.replicas' },
  ageColumn,
])

/** `prune` drops what the version's schema does not have: the definition may name a path that it lacks. */
export function customScale(
  scale: CustomResourceSubresourceScale,
  { prune, complete }: Required<Pick<ScaleSubresource, 'prune' | 'complete'>>,
): ScaleSubresource {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale
  return {
    type: 'scale',
    verbs: new Set(['get', 'update', 'patch']),
    replicasPath: specReplicasPath.replace(/^\./, ''),
    // It is made in its version; it is not stored in one.
    goType: 'v1.Scale',
    // What serves custom objects in the reference does not know the type.
    malformed: `no kind is registered for the type v1.Scale in scheme ${JSON.stringify(schemePositions.customResource)}`,
    table: scaleTable,
    isUnset: (object) => nested(object, specReplicasPath, 'int64') === undefined,
    toScale(object) {
      const replicas = Number(nested(object, specReplicasPath, 'int64') ?? 0)
      const status = Number(nested(object, statusReplicasPath, 'int64') ?? 0)
      const selector = labelSelectorPath === '' ? '' : (nested(object, labelSelectorPath, 'string') ?? '')
      return {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: scaleMetadata(object.metadata),
        spec: replicas === 0 ? {} : { replicas },
        status: { replicas: status, ...(selector === '' ? {} : { selector }) },
      } as KubeObject
    },
    withReplicas: (object, replicas) => withValue(object, stepsOf(specReplicasPath), replicas) as KubeObject,
    prune,
    complete,
  }
}

/** Mirrors unstructured.SetNestedField: what lies on the way is made where it is absent, and an error where it is no object. */
function withValue(object: JsonObject, steps: readonly string[], value: JsonValue): JsonObject {
  const copy = cloneJson(object)
  let inner = copy
  for (const [i, step] of steps.slice(0, -1).entries()) {
    const next = ownValue(inner, step) ?? (Object.hasOwn(inner, step) ? null : {})
    if (!isJsonObject(next)) {
      const path = `.${steps.slice(0, i + 1).join('.')}`
      throw unknownError(`value cannot be set because ${path} is not a map[string]interface{}`)
    }
    setKey(inner, step, next)
    inner = next
  }
  setKey(inner, steps.at(-1) ?? '', value)
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
  const found = lookUp(object, path)
  if ('problem' in found) return [invalid(path, 0, found.problem)]
  const { value } = found
  if (value === undefined) return []
  if (goType(value) !== 'int64') return [invalid(path, 0, accessorProblem(path, value, 'int64'))]
  const replicas = value as number | bigint
  if (replicas < 0) return [invalid(path, replicas, 'should be a non-negative integer')]
  return replicas > maxReplicas ? [invalid(path, replicas, `should be less than or equal to ${maxReplicas}`)] : []
}

function validateSelector(object: JsonObject, path: string): FieldError[] {
  const found = lookUp(object, path)
  if ('problem' in found) return [invalid(path, '', found.problem)]
  const { value } = found
  if (value === undefined || typeof value === 'string') return []
  return [invalid(path, '', accessorProblem(path, value, 'string'))]
}

/** What lies on the way must be objects, or nothing. */
function lookUp(object: JsonObject, path: string): { value: JsonValue | undefined } | { problem: string } {
  let value: JsonValue | undefined = object
  const steps = stepsOf(path)
  for (const [i, step] of steps.entries()) {
    if (value === undefined || value === null) return { value: undefined }
    if (!isJsonObject(value)) {
      return { problem: accessorProblem(`.${steps.slice(0, i + 1).join('.')}`, value, 'map[string]interface{}') }
    }
    value = ownValue(value, step)
  }
  return { value }
}

const accessorProblem = (path: string, value: JsonValue, wanted: string): string =>
  `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${wanted}`
