import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../api/json.ts'
import { typesAt } from '../catalog/catalog.ts'
import { catalogAt } from '../catalog/releases.ts'
import { decodeValue } from './canonicalize.ts'
import { embeddedStructs } from './embedded-structs.ts'
import { structTypeName } from './go-type.ts'
import type { ObjectSchema, Schema } from './schema.ts'

const errorAt = (release: number, type: string, value: JsonValue): string | undefined =>
  decodeValue(value, typesAt(release).typeSchema(type)).error

describe('paths of type errors', () => {
  test.each<[string, JsonValue, string, string]>([
    [
      'core.v1.Pod',
      { spec: { containers: [{ livenessProbe: { httpGet: { port: {} } } }] } },
      'HTTPGetAction.spec.containers.livenessProbe.httpGet.port',
      'HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port',
    ],
    [
      'core.v1.Pod',
      { spec: { volumes: [{ hostPath: 1 }] } },
      'Volume.spec.volumes.hostPath',
      'Volume.spec.volumes.VolumeSource.hostPath',
    ],
    [
      'apps.v1.StatefulSet',
      { spec: { volumeClaimTemplates: [{ apiVersion: false }] } },
      'PersistentVolumeClaim.spec.volumeClaimTemplates.apiVersion',
      'PersistentVolumeClaim.spec.volumeClaimTemplates.TypeMeta.apiVersion',
    ],
    [
      'autoscaling.v2.HorizontalPodAutoscaler',
      { spec: { scaleTargetRef: { apiVersion: 1 } } },
      'CrossVersionObjectReference.spec.scaleTargetRef.apiVersion',
      'CrossVersionObjectReference.spec.scaleTargetRef.apiVersion',
    ],
    ['core.v1.Pod', { spec: { volumes: [{ name: 1 }] } }, 'Volume.spec.volumes.name', 'Volume.spec.volumes.name'],
    [
      'admissionregistration.v1.ValidatingAdmissionPolicy',
      { spec: { matchConstraints: { resourceRules: [{ apiGroups: [1] }] } } },
      'NamedRuleWithOperations.spec.matchConstraints.resourceRules.apiGroups',
      'NamedRuleWithOperations.spec.matchConstraints.resourceRules.RuleWithOperations.Rule.apiGroups',
    ],
    [
      'apiextensions.v1.CustomResourceDefinition',
      { spec: { versions: [{ schema: { openAPIV3Schema: { items: { items: { properties: true } } } } }] } },
      'JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items',
      'JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.items.properties',
    ],
  ])('%s %j', (type, value, before, since) => {
    expect(errorAt(34, type, value)).toContain(`Go struct field ${before} of type`)
    expect(errorAt(35, type, value)).toContain(`Go struct field ${since} of type`)
  })
})

test('every type whose fields lie in an embedded message is in the table', () => {
  const found = new Set<string>()
  const seen = new Set<Schema>()
  const visit = (schema: Schema): void => {
    if (seen.has(schema)) return
    seen.add(schema)
    if (schema.kind === 'list') visit(schema.items)
    else if (schema.kind === 'map') visit(schema.values)
    else if (schema.kind === 'object') visitFields(schema)
  }
  const visitFields = ({ name, fields }: ObjectSchema): void => {
    for (const field of fields.values()) {
      const depth = (field.proto?.path.length ?? 1) - 1
      if (embeddedStructs(structTypeName(name)).length < depth) found.add(name ?? '')
      visit(field.schema)
    }
  }
  const { resources, types } = catalogAt(36)
  for (const resource of resources) {
    const schema = types.schemaForKind(resource)
    if (schema !== undefined) visit(schema)
  }
  expect(seen.size).toBeGreaterThan(500)
  expect([...found]).toEqual([])
})
