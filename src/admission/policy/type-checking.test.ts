import { describe, expect, it } from 'vitest'
import { DeclaredType } from '../../cel/declared-type.ts'
import type { Field, Schema } from '../../schema/schema.ts'
import type { PolicySpec } from './policy-objects.ts'
import { expressionWarnings, type KnownType, type TypeFinder } from './type-checking.ts'

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

/** A finder that has every resource asked for, as kinds of these names in their groups and versions. */
const everyType = (...kinds: string[]): TypeFinder => ({
  ofKind: () => undefined,
  ofResource: (group, version, resource) =>
    kinds.map((name): KnownType => ({ kind: { group, version, kind: `${name}-${resource}` }, type: deployment })),
})

/** The kinds that a wrong expression is told of. */
function kindsChecked(
  resourceRules: NonNullable<PolicySpec['matchConstraints']>['resourceRules'],
  finding = everyType('K'),
): string[] {
  const found = expressionWarnings(
    { matchConstraints: { resourceRules: resourceRules! }, validations: [{ expression: 'x' }] },
    finding,
  )
  return String(found[0]?.['warning'] ?? '').match(/^\S*, Kind=\S+(?=:)/gm) ?? []
}

describe('the types that a policy is about', () => {
  it.each<[string, NonNullable<PolicySpec['matchConstraints']>['resourceRules'], string[]]>([
    ['are none without rules', [], []],
    ['are none without resources', [{ apiGroups: ['a'], apiVersions: ['v1'] }], []],
    ['are none of all groups', [{ apiGroups: ['*'], apiVersions: ['v1'], resources: ['x'] }], []],
    ['are none of all versions', [{ apiGroups: ['a'], apiVersions: ['v1', '*'], resources: ['x'] }], []],
    [
      'are not those of parts and stars',
      [{ apiGroups: ['a'], apiVersions: ['v1'], resources: ['x/status', '*', '*/*', 'y'] }],
      ['a/v1, Kind=K-y'],
    ],
    [
      'are those of the other rules',
      [
        { apiGroups: ['*'], apiVersions: ['v1'], resources: ['x'] },
        { apiGroups: ['a'], apiVersions: ['v1'], resources: ['x'] },
      ],
      ['a/v1, Kind=K-x'],
    ],
    [
      'are told by group, version and kind, each once',
      [
        { apiGroups: ['b', 'a'], apiVersions: ['v2', 'v1'], resources: ['y', 'x'] },
        { apiGroups: ['a'], apiVersions: ['v1'], resources: ['x'] },
      ],
      ['a', 'b'].flatMap((group) =>
        ['v1', 'v2'].flatMap((version) => ['x', 'y'].map((kind) => `${group}/${version}, Kind=K-${kind}`)),
      ),
    ],
  ])('%s', (_, rules, expected) => {
    expect(kindsChecked(rules)).toEqual(expected)
  })

  const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `r${String(i).padStart(2, '0')}`)

  it('are at most ten of a rule, after which no rule is looked at', () => {
    const rule = (count: number, group: string) => ({
      apiGroups: [group],
      apiVersions: ['v1'],
      resources: names(count),
    })
    expect(kindsChecked([rule(11, 'a')])).toHaveLength(10)
    expect(kindsChecked([rule(10, 'a'), rule(1, 'b')])).toHaveLength(10)
    expect(kindsChecked([rule(9, 'a'), rule(9, 'b')])).toHaveLength(18)
    expect(kindsChecked([rule(6, 'a')], everyType('K', 'L'))).toHaveLength(10)
  })
})

describe('what the expressions of a policy see', () => {
  const about = spec('true').matchConstraints
  const warned = (more: PolicySpec, finding: TypeFinder = finder): string[] =>
    expressionWarnings({ matchConstraints: about, ...more }, finding).map(
      ({ fieldRef, warning }) =>
        `${fieldRef}: ${/undefined field '\w+'|undeclared reference to '\w+'|found no matching overload/.exec(String(warning))?.[0]}`,
    )

  it('is told of each expression and message that is wrong', () => {
    const validations = [
      { expression: 'object.spec.replicas > 1', messageExpression: 'object.spec.text' },
      { expression: 'object.other', messageExpression: '' },
      { expression: 'object.spec.size', messageExpression: '"fine"' },
    ]
    expect(warned({ validations })).toEqual([
      "spec.validations[0].messageExpression: undefined field 'text'",
      "spec.validations[1].expression: undefined field 'other'",
      "spec.validations[2].expression: undefined field 'size'",
    ])
    expect(warned({})).toEqual([])
  })

  it('is the type of variables, and anything of those that are wrong', () => {
    const variables = [
      { name: 'size', expression: 'object.spec.replicas' },
      { name: 'wrong', expression: 'object.other' },
    ]
    const validations = [
      { expression: 'variables.size + 1 > 2' },
      { expression: 'variables.size + "a" == ""' },
      { expression: 'variables.wrong.anything == 1' },
      { expression: 'variables.none == 1' },
    ]
    expect(warned({ variables, validations })).toEqual([
      'spec.validations[1].expression: found no matching overload',
      "spec.validations[3].expression: undefined field 'none'",
    ])
  })

  it('is the type of parameters, where there are some', () => {
    const asked: string[] = []
    const withParams: TypeFinder = {
      ...finder,
      ofKind: (apiVersion, name) => {
        asked.push(`${apiVersion} ${name}`)
        return name === 'Limits' ? deployment : undefined
      },
    }
    const validations = [{ expression: 'params.spec.replicas > 1' }, { expression: 'params.spec.size > 1' }]
    const paramKind = (name: string) => ({ paramKind: { apiVersion: 'v1', kind: name } })
    expect(warned({ validations, ...paramKind('Limits') }, withParams)).toEqual([
      "spec.validations[1].expression: undefined field 'size'",
    ])
    expect(warned({ validations, ...paramKind('Other') }, withParams)).toEqual([
      "spec.validations[0].expression: undeclared reference to 'params'",
      "spec.validations[1].expression: undeclared reference to 'params'",
    ])
    expect(asked).toEqual(['v1 Limits', 'v1 Other'])
  })
})
