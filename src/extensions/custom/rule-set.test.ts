import { describe, expect, test } from 'vitest'
import { FieldPath } from '../../api/field-path.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { RUNTIME_BUDGET } from '../../cel/budgets.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import { schemaFromOpenApi } from '../../schema/from-openapi.ts'
import { type RuleOutcome, RuleSet } from './rule-set.ts'

const rules = (...all: JsonObject[]): JsonObject => ({ 'x-kubernetes-validations': all })
const text = { type: 'string' }
const integer = { type: 'integer' }

const schema: JsonObject = {
  type: 'object',
  properties: {
    size: { ...integer, ...rules({ rule: 'self >= oldSelf', message: 'may only grow' }) },
    name: { ...text, ...rules({ rule: "self.startsWith('x')", messageExpression: "self + ' has no x'" }) },
    lines: { ...text, ...rules({ rule: 'false', message: 'plain', messageExpression: "'two\\nlines'" }) },
    told: {
      type: 'object',
      properties: { low: integer },
      ...rules({ rule: 'false', fieldPath: '.low', message: 'plain', messageExpression: 'self.none' }),
    },
    broken: { ...text, ...rules({ rule: 'self[5] == 1 ' }) },
    once: {
      ...text,
      ...rules({ rule: 'oldSelf.hasValue() ? self == oldSelf.value() : self != ""', optionalOldSelf: true }),
    },
    pair: {
      type: 'object',
      properties: { low: integer, high: integer },
      ...rules({ rule: 'self.low <= self.high', reason: 'FieldValueForbidden', fieldPath: '.low', message: 'too low' }),
    },
    rows: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id'],
      items: {
        type: 'object',
        properties: { id: text, v: { ...integer, ...rules({ rule: 'self >= oldSelf' }) } },
      },
    },
    map: { type: 'object', additionalProperties: { ...integer, ...rules({ rule: 'self > 0' }) } },
  },
}

function run(value: JsonValue, old?: JsonValue, budget = RUNTIME_BUDGET): RuleOutcome {
  const set = RuleSet.of(schemaFromOpenApi(schema), true)
  if (set === undefined) throw new Error('there are rules')
  return runToEnd(set.validate(value, { at: FieldPath.root, old, budget, ratchet: old !== undefined }))
}

test('a later release shows what breaks a rule, unless it is an object or a list', () => {
  const set = RuleSet.of(schemaFromOpenApi(schema), true, 35)
  const { errors } = runToEnd(
    set!.validate({ name: 'y', map: { a: 0 } }, { at: FieldPath.root, old: undefined, budget: RUNTIME_BUDGET }),
  )
  expect(errors.map(({ message }) => message)).toEqual([
    'Invalid value: "y": y has no x',
    'Invalid value: 0: failed rule: self > 0',
  ])
})

test('a value of a type that rules cannot look at is told once, whatever its rules', () => {
  const list = { type: 'array', items: { type: 'x' }, ...rules({ rule: 'false' }, { rule: 'true' }) }
  const set = RuleSet.of(schemaFromOpenApi(list), false)
  const { errors } = runToEnd(set!.validate([], { at: FieldPath.root, old: undefined, budget: RUNTIME_BUDGET }))
  expect(errors.map(({ message }) => message)).toEqual([
    'Invalid value: "array": rule compiler initialization error: failed to convert to declType for CEL validation rules',
  ])
})

const shown = ({ errors }: RuleOutcome): string[] => errors.map(({ field, message }) => `${field}: ${message}`)

describe('rules', () => {
  test.each<[string, JsonValue, JsonValue | undefined, string[]]>([
    ['a rule that holds', { name: 'xy' }, undefined, []],
    ['a message made by an expression', { name: 'y' }, undefined, ['name: Invalid value: "string": y has no x']],
    ['a message of two lines is not shown', { lines: '' }, undefined, ['lines: Invalid value: "string": plain']],
    ['a reason and a path', { pair: { low: 2, high: 1 } }, undefined, ['pair.low: Forbidden: too low']],
    ['a path, but a message that does not compile', { told: {} }, undefined, ['told: Invalid value: "object": plain']],
    ['a rule about the past without one', { size: 1 }, undefined, []],
    ['a rule about the past', { size: 1 }, { size: 2 }, ['size: Invalid value: "integer": may only grow']],
    [
      'an optional past',
      { once: '' },
      {},
      ['once: Invalid value: "string": failed rule: oldSelf.hasValue() ? self == oldSelf.value() : self != ""'],
    ],
    [
      'rows by their key',
      {
        rows: [
          { id: 'b', v: 1 },
          { id: 'a', v: 1 },
        ],
      },
      { rows: [{ id: 'a', v: 2 }] },
      ['rows[1].v: Invalid value: "integer": failed rule: self >= oldSelf'],
    ],
    ['values of maps', { map: { a: 1, b: 0 } }, undefined, ['map[b]: Invalid value: "integer": failed rule: self > 0']],
  ])('%s', (_, value, old, expected) => {
    expect(shown(run(value, old))).toEqual(expected)
  })

  test('what has not changed is forgiven, with a warning', () => {
    const outcome = run({ name: 'y', size: 3 }, { name: 'y', size: 2 })
    expect(outcome.errors).toEqual([])
    expect(outcome.warnings).toEqual(['name: Invalid value: "string": y has no x'])
  })

  test('a rule that does not compile refuses', () => {
    expect(shown(run({ broken: 'x' }))[0]).toMatch(
      /^broken: Invalid value: "string": rule compile error: compilation failed/,
    )
  })

  test('all rules share one budget', () => {
    expect(shown(run({ map: { a: 1, b: 1, c: 1 } }, undefined, 4))).toEqual([
      'map[c]: Invalid value: "integer": validation failed due to running out of cost budget, no further validation rules will be run',
    ])
  })

  test('a schema without rules has none', () => {
    expect(RuleSet.of(schemaFromOpenApi({ type: 'object', properties: { a: text } }), true)).toBeUndefined()
  })
})
