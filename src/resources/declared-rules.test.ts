import { describe, expect, it } from 'vitest'
import { type FieldError, invalid, required } from '../api/field-error.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { Strategy, WriteContext } from '../registry/strategy.ts'
import { declaredRules, evaluateRules, type FieldRules } from './declared-rules.ts'
import { alsoDeclared, withDeclaredRules } from './declared-strategy.ts'

const told = (errors: readonly FieldError[]): string[] => errors.map(({ field, message }) => `${field}: ${message}`)

describe('evaluateRules', () => {
  it.each<[string, FieldRules, JsonObject, string[]]>([
    ['a field that is there', { a: { required: true, minimum: 1 } }, { a: 1 }, []],
    ['a field that is missing', { a: { required: true, minimum: 1 } }, {}, ['a: Required value']],
    ['an optional field that is missing', { a: { minimum: 1 } }, {}, []],
    ['a number', { a: { minimum: 1 } }, { a: 0 }, ['a: Invalid value: 0: must be greater than or equal to 1']],
    ['a text', { a: { maxLength: 2 } }, { a: 'ää' }, ['a: Too long: may not be more than 2 bytes']],
    ['a list', { a: { maxItems: 1 } }, { a: [1, 2] }, ['a: Too many: 2: must have at most 1 items']],
    [
      'one of several',
      { a: { enum: ['x', 'y'] } },
      { a: 'z' },
      ['a: Unsupported value: "z": supported values: "x", "y"'],
    ],
    ['a missing parent', { 'a.b': { required: true } }, {}, []],
    [
      'items',
      { 'a.l[].n': { required: true } },
      { a: { l: [{ n: 1 }, {}, { n: null }] } },
      ['a.l[1].n: Required value', 'a.l[2].n: Required value'],
    ],
    [
      'items that are values',
      { 'l[]': { minimum: 0 } },
      { l: [1, -1] },
      ['l[1]: Invalid value: -1: must be greater than or equal to 0'],
    ],
  ])('%s', (_, rules, object, expected) => {
    expect(told(evaluateRules(object, rules))).toEqual(expected)
  })

  it('knows the kinds that have rules', () => {
    expect(declaredRules('core.v1.ReplicationController')).toHaveProperty(['spec.replicas'])
    expect(declaredRules('core.v1.Pod')).toBeUndefined()
    expect(declaredRules(undefined)).toBeUndefined()
  })
})

describe('withDeclaredRules', () => {
  const rules: FieldRules = { 'spec.count': { required: true, minimum: 0 } }
  const context = { namespace: '', dryRun: false } as WriteContext
  const object = (spec: JsonObject): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata: {}, spec })
  const good = (count: number): FieldError =>
    alsoDeclared(invalid('spec.count', count, 'must be at least 0'), 'minimum')

  function world(gates: readonly string[], written: FieldError[], of: FieldRules = rules) {
    const reports: string[] = []
    const strategy: Strategy = { validate: () => written, validateUpdate: () => written }
    const joined = withDeclaredRules(strategy, of, {
      gate: (name) => gates.includes(name),
      declaredRules: {
        mismatch: (detail, about) => reports.push(`mismatch of ${about}: ${detail}`),
        failure: (detail, about) => reports.push(`failure of ${about}: ${detail}`),
      },
    })
    return { joined, reports }
  }
  const on = ['DeclarativeValidation']
  const takeover = [...on, 'DeclarativeValidationTakeover']

  it('says nothing of rules that agree, also when told twice', () => {
    const { joined, reports } = world(on, [good(-1), good(-1)])
    expect(told(joined.validateUpdate?.(object({ count: -1 }), object({}), context) ?? [])).toEqual([
      'spec.count: Invalid value: -1: must be at least 0',
      'spec.count: Invalid value: -1: must be at least 0',
    ])
    expect(reports).toEqual([])
  })

  it('reports what only one side finds, and believes the written rules', () => {
    const extra = world(on, [])
    expect(extra.joined.validate?.(object({}), context)).toEqual([])
    expect(extra.reports).toEqual([expect.stringContaining('extra error(s) found {Type="FieldValueRequired"')])
    const unmatched = world(on, [good(-1)])
    expect(unmatched.joined.validate?.(object({ count: 1 }), context)).toHaveLength(1)
    expect(unmatched.reports).toEqual([expect.stringContaining('hand written validation is authoritative')])
  })

  it('replaces what it covers when it takes over', () => {
    const { joined, reports } = world(takeover, [good(-1), required('spec.other')])
    expect(told(joined.validate?.(object({ count: -1 }), context) ?? [])).toEqual([
      'spec.other: Required value',
      'spec.count: Invalid value: -1: must be greater than or equal to 0',
    ])
    expect(reports).toEqual([])
  })

  it('takes nothing over since the strategies of kinds say what counts', () => {
    const { joined, reports } = world([...takeover, 'release:declaredByStrategy'], [good(-1)])
    expect(told(joined.validate?.(object({ count: -1 }), context) ?? [])).toEqual([
      'spec.count: Invalid value: -1: must be at least 0',
    ])
    expect(reports).toEqual([])
  })

  it('says what was validated', () => {
    const { joined, reports } = world(on, [])
    joined.validate?.(object({}), context)
    joined.validateUpdate?.(object({}), object({}), context)
    expect(reports.map((report) => report.slice(0, report.indexOf(':')))).toEqual([
      'mismatch of x_create',
      'mismatch of x_update',
    ])
  })

  it('leaves subresources and disabled gates alone', () => {
    expect(world(takeover, []).joined.validate?.(object({}), { ...context, subresource: 'scale' })).toEqual([])
    expect(world([], []).joined.validate?.(object({}), context)).toEqual([])
  })

  it.each([
    ['counts', on, []],
    ['refuses', takeover, ['<nil>: Internal error: panic during declarative validation: broken']],
  ])('%s rules that fail', (_, gates, expected) => {
    const broken: FieldRules = {
      get a(): never {
        throw new Error('broken')
      },
    }
    const { joined, reports } = world(gates, [], broken)
    expect(told(joined.validate?.(object({}), context) ?? [])).toEqual(expected)
    expect(reports[0]).toBe('failure of x_create: panic during declarative validation: broken')
  })
})
