import { describe, expect, it } from 'vitest'
import { DeclaredType } from '../../cel/declared-type.ts'
import type { Field, Schema } from '../../schema/schema.ts'
import { expressionWarnings, type TypeFinder } from './type-checking.ts'

const object = (name: string, fields: Readonly<Record<string, Schema>>): Schema => ({
  kind: 'object',
  name,
  fields: new Map(
    Object.entries(fields).map(([key, schema]): [string, Field] => [
      key,
      { name: key, schema, required: false, pointer: false, emit: false },
    ]),
  ),
  atomic: false,
  preserveUnknown: false,
  embedded: false,
})
const deployment = new DeclaredType(object('Deployment', { spec: object('Spec', { replicas: { kind: 'integer' } }) }))
const kind = { group: 'apps', version: 'v1', kind: 'Deployment' }
const finder: TypeFinder = {
  ofResource: (_, __, resource) => (resource === 'deployments' ? [{ kind, type: deployment }] : []),
  ofKind: () => undefined,
}
const spec = (expression: string, resources = ['deployments']) => ({
  matchConstraints: { resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], resources }] },
  validations: [{ expression }],
})

describe('checking the types of a policy', () => {
  it('finds nothing wrong with what fits', () => {
    expect(expressionWarnings(spec('object.spec.replicas < 5'), finder)).toEqual([])
  })

  it('names the field, the kind and the place', () => {
    const [warning, ...more] = expressionWarnings(spec('object.spec.size < 5'), finder)
    expect(more).toEqual([])
    expect(warning?.['fieldRef']).toBe('spec.validations[0].expression')
    expect(warning?.['warning']).toMatch(/^apps\/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'size'/)
  })

  it('checks each expression against the types in the order of their groups', () => {
    const pod = { kind: { group: '', version: 'v1', kind: 'Pod' }, type: deployment }
    const both: TypeFinder = { ...finder, ofResource: () => [{ kind, type: deployment }, pod] }
    const [warning] = expressionWarnings(spec('object.size < params.a'), both)
    expect(String(warning?.['warning']).match(/^\S*, Kind=\w+|undeclared reference to \S+/gm)).toEqual([
      '/v1, Kind=Pod',
      "undeclared reference to 'params'",
      'apps/v1, Kind=Deployment',
      "undeclared reference to 'params'",
    ])
  })

  it('says nothing about stars', () => {
    expect(expressionWarnings(spec('object.spec.size < 5', ['*']), finder)).toEqual([])
  })
})
