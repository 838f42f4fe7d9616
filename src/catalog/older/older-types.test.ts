import { describe, expect, it } from 'vitest'
import { schemaForKind, typeSchema } from '../catalog.ts'
import { olderPackages } from './older-packages.ts'

describe('older types', () => {
  it.each([...olderPackages])('%s has its kinds, with fields that lead to types', (name, { kinds }) => {
    const seen = new Set<string>()
    const visit = (type: string): void => {
      if (seen.has(type)) return
      seen.add(type)
      for (const { schema } of typeSchema(type).fields.values()) {
        let inner = schema
        while (inner.kind === 'list' || inner.kind === 'map') inner = inner.kind === 'list' ? inner.items : inner.values
        if (inner.kind === 'object' && inner.name?.startsWith(`${name}.`)) visit(inner.name)
      }
    }
    for (const kind of kinds) visit(`${name}.${kind}`)
    expect(seen.size).toBeGreaterThanOrEqual(kinds.length)
  })

  it.each([
    ['networking.v1beta1.IngressSpec', ['ingressClassName', 'backend', 'tls', 'rules']],
    [
      'discovery.v1beta1.Endpoint',
      ['addresses', 'conditions', 'hostname', 'targetRef', 'topology', 'nodeName', 'hints'],
    ],
    [
      'apiextensions.v1beta1.CustomResourceDefinitionSpec',
      [
        'group',
        'version',
        'names',
        'scope',
        'validation',
        'subresources',
        'versions',
        'additionalPrinterColumns',
        'selectableFields',
        'conversion',
        'preserveUnknownFields',
      ],
    ],
    ['autoscaling.v2beta2.HPAScalingRules', ['stabilizationWindowSeconds', 'selectPolicy', 'policies']],
  ])('%s has its fields in the order of the wire', (name, fields) => {
    expect([...typeSchema(name).fields.keys()]).toEqual(fields)
  })

  it('refers to types of its own version', () => {
    const spec = typeSchema('extensions.v1beta1.Deployment').fields.get('spec')?.schema
    expect(spec).toBe(typeSchema('extensions.v1beta1.DeploymentSpec'))
  })

  it.each([
    ['batch', 'v1beta1', 'Job'],
    ['networking.k8s.io', 'v1beta1', 'NetworkPolicy'],
    ['apps', 'v1beta1', 'DaemonSet'],
    ['policy', 'v1beta9', 'PodDisruptionBudget'],
  ])('%s/%s never had a %s', (group, version, kind) => {
    expect(schemaForKind({ group, version, kind })).toBeUndefined()
  })
})
