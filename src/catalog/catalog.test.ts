import { describe, expect, it } from 'vitest'
import { canonicalize } from '../schema/canonicalize.ts'
import { schemaGoType } from '../schema/go-type.ts'
import { schemaForKind, schemaOf, typeNames, typeSchema } from './catalog.ts'
import { findResource, groups, resources } from './resources.ts'

describe('types', () => {
  it('has every type, with fields that lead to types', () => {
    let fields = 0
    for (const name of typeNames()) {
      for (const field of typeSchema(name).fields.values()) {
        fields++
        expect(field.schema.kind, `${name}.${field.name}`).toBeTypeOf('string')
        if (field.schema.kind === 'list' && field.schema.topology === 'map') expect(field.schema.keys).not.toEqual([])
        if (field.proto?.shape === 'map') expect(field.schema.kind).toBe('map')
      }
    }
    expect(fields).toBe(3132)
  })

  it('reads everything about a field', () => {
    const spec = typeSchema('core.v1.PodSpec')
    const containers = spec.fields.get('containers')
    expect(containers).toMatchObject({
      required: true,
      pointer: false,
      emit: true,
      patch: { strategies: ['merge'], mergeKey: 'name' },
      proto: { path: [2], type: 'core.v1.Container', shape: 'repeated' },
      schema: { kind: 'list', topology: 'map', keys: ['name'], declared: true },
    })
    expect(spec.fields.get('restartPolicy')).toMatchObject({
      goType: 'v1.RestartPolicy',
      schema: { kind: 'string', enum: ['Always', 'Never', 'OnFailure'] },
    })
    expect(typeSchema('core.v1.ContainerPort').fields.get('protocol')?.schema.default).toBe('TCP')
    expect(typeSchema('core.v1.Probe').fields.get('httpGet')?.proto?.path).toEqual([1, 2])
    expect(typeSchema('meta.v1.OwnerReference').atomic).toBe(true)
    expect(spec.fields.get('resources')?.gates).toEqual(['PodLevelResources'])
    expect(typeSchema('meta.v1.APIResource').fields.get('verbs')?.proto).toEqual({
      path: [4],
      type: 'meta.v1.Verbs',
      shape: 'single',
    })
    expect(typeSchema('flowcontrol.v1.Subject').union?.members['user']).toBe('User')
  })

  it('is the same object every time', () => {
    expect(typeSchema('core.v1.Pod')).toBe(schemaForKind({ group: '', version: 'v1', kind: 'Pod' }))
  })

  it.each([
    ['', 'v1', 'PodSpec', undefined],
    ['', 'v1', 'Status', 'meta.v1.Status'],
    ['apps', 'v1', 'DeleteOptions', 'meta.v1.DeleteOptions'],
    ['apps', 'v1', 'Status', undefined],
    ['internal.apiserver.k8s.io', 'v1alpha1', 'StorageVersion', 'apiserverinternal.v1alpha1.StorageVersion'],
    ['rbac.authorization.k8s.io', 'v1', 'Role', 'rbac.v1.Role'],
    ['nobody.example', 'v1', 'Pod', undefined],
    ['apps.example.com', 'v1', 'Deployment', undefined],
    ['rbac.authorization.k8s.i0o', 'v1', 'Role', undefined],
    ['apps.k8s.io.example', 'v1', 'Deployment', undefined],
    ['core', 'v1', 'Pod', undefined],
    ['core.k8s.io', 'v1', 'Pod', undefined],
    ['apps.k8s.io', 'v1', 'Deployment', undefined],
    ['rbac.k8s.io', 'v1', 'Role', undefined],
    ['constructor', 'v1', 'Pod', undefined],
    ['storage', 'v1', 'StorageClass', undefined],
  ])('kind %s %s %s', (group, version, kind, name) => {
    expect(schemaForKind({ group, version, kind })?.name).toBe(name)
  })

  it('throws for a type that does not exist', () => {
    expect(() => schemaOf('core.v1.Nothing')).toThrow('the catalogue has no type core.v1.Nothing')
  })

  it.each([
    ['core.v1.Pod', 'v1.Pod'],
    ['meta.v1.Time', 'v1.Time'],
    ['machinery.util.intstr.IntOrString', 'intstr.IntOrString'],
    ['machinery.api.resource.Quantity', 'resource.Quantity'],
  ])('names %s as Go does', (name, expected) => {
    expect(schemaGoType(schemaOf(name))).toBe(expected)
  })

  it('has a canonical empty object of every kind', () => {
    for (const name of typeNames()) {
      const schema = typeSchema(name)
      const empty = canonicalize({}, schema)
      expect(canonicalize(empty, schema), name).toBe(empty)
    }
  })
})

describe('resources', () => {
  it('has a type for every kind', () => {
    for (const { kind, kindVersion, resource, subresource } of resources()) {
      expect(schemaForKind({ ...kindVersion, kind }), `${resource}/${subresource}`).toBeDefined()
    }
  })

  it('reads everything about a resource', () => {
    expect(findResource({ group: '', version: 'v1' }, 'pods')).toMatchObject({
      kind: 'Pod',
      namespaced: true,
      singular: 'pod',
      shortNames: ['po'],
      categories: ['all'],
      storage: { groupVersion: { group: '', version: 'v1' }, keyPrefix: '/registry/pods' },
      unconditionalUpdate: true,
      resetFields: { main: ['status'] },
      fieldSelectorAliases: { 'spec.host': 'spec.nodeName' },
    })
    expect(findResource({ group: 'apps', version: 'v1' }, 'deployments/scale')).toMatchObject({
      subresource: 'scale',
      kindVersion: { group: 'autoscaling', version: 'v1' },
      singular: '',
      storage: undefined,
    })
    expect(findResource({ group: 'coordination.k8s.io', version: 'v1' }, 'leases')?.unconditionalUpdate).toBe(false)
  })

  it('lists groups with the preferred version first', () => {
    expect(
      groups()
        .map(({ group }) => group)
        .slice(0, 3),
    ).toEqual(['', 'apiregistration.k8s.io', 'apps'])
    for (const { versions, preferred } of groups()) expect(versions[0]?.version).toBe(preferred)
  })
})
