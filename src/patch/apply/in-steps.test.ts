/** The walks over large objects come to the same whether they go in steps or not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyList, emptyMap, type JsonObject, type JsonValue } from '../../api/json.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import type { Schema } from '../../schema/schema.ts'
import { compareValues } from './compare.ts'
import { compareInSteps } from './compare-in-steps.ts'
import { mergeInSteps, mergeValues } from './merge.ts'
import { recordUpdate, recordUpdateInSteps } from './record-update.ts'
import { anything, atomicMap, integer, keyed, list, map, object, set, text } from './test-schemas.ts'
import { toFieldSet, toFieldSetInSteps } from './to-field-set.ts'
import { ListItemError } from './topology.ts'
import { updateSets, updateSetsInSteps } from './update-sets.ts'
import { validateConfig, validateConfigInSteps } from './validate-config.ts'
import type { VersionedType } from './versioned-type.ts'

const item = object({ id: integer, v: text, tags: set(), more: map(text) })
const schema: Schema = object(() => ({
  texts: map(text),
  inner: object({ names: set(), items: keyed(['id'], item) }),
  structs: map(object({ a: text, names: set() })),
  whole: atomicMap(text),
  wholeList: list(item),
  any: anything,
}))
const type: VersionedType = { schema: () => schema, convert: (value) => value }

const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 2 })
const record = (fields: Record<string, fc.Arbitrary<JsonValue | undefined>>): fc.Arbitrary<JsonObject> =>
  fc
    .record(fields)
    .map((value) => Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)))

/** Some hundred names, so that two values have many in common, in an order of their own. */
const name = (i: number): string => `k${(i * 7919) % 2_003}`
const range = fc.record({
  from: fc.integer({ min: 0, max: 800 }),
  count: fc.constantFrom(0, 1, 1_200, 1_500),
  value: fc.constantFrom('a', 'b'),
  odd: fc.constantFrom(undefined, 'null', 'number', 'omitted', 'list', 'unknown', 'twice'),
})
type Range = typeof range extends fc.Arbitrary<infer T> ? T : never

const oddValues: Readonly<Record<string, JsonValue>> = {
  null: null,
  number: 7,
  omitted: emptyList,
  list: ['x', 'x'],
  unknown: { strange: emptyMap },
}
const odd = ({ odd: kind }: Range): JsonValue | undefined => (kind === undefined ? undefined : oddValues[kind])

const many = <T>({ from, count }: Range, each: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => each(from + i))
const withOdd = (values: JsonValue[], of: Range): JsonValue[] => {
  const extra = of.odd === 'twice' ? values[0] : odd(of)
  return extra === undefined ? values : [...values.slice(0, 700), extra, ...values.slice(700)]
}
const mapOf = (of: Range, value: (i: number) => JsonValue): JsonObject => {
  const extra = odd(of)
  return {
    ...Object.fromEntries(many(of, (i) => [name(i), value(i)])),
    ...(extra === undefined ? {} : { odd: extra, __proto__x: extra }),
  }
}

const texts = range.map((of) => mapOf(of, (i) => `${of.value}${i % 3}`))
const names = range.map((of) => withOdd(many(of, name), of))
const items = range.map((of) =>
  withOdd(
    many(of, (id) => ({ id, v: `${of.value}${id % 3}`, ...(id % 500 === 0 ? { tags: many(of, name) } : {}) })),
    of,
  ),
)
const structs = range.map((of) => mapOf(of, (i) => (i % 600 === 0 ? { names: many(of, name) } : { a: of.value })))
const anyObject = record({
  texts: some(texts),
  inner: some(record({ names: some(names), items: some(items) })),
  structs: some(structs),
  whole: some(texts),
  wholeList: some(items),
  any: some(fc.oneof(texts, items, names) as fc.Arbitrary<JsonValue>),
  odd: some(texts),
})

const outcome = <T>(of: () => T): T | string => {
  try {
    return of()
  } catch (error) {
    if (error instanceof ListItemError) return error.message
    throw error
  }
}

/** Objects with keys in the same order, which `toEqual` would not see. */
const written = (value: unknown): string => JSON.stringify(value)
const runs = { numRuns: 40 }

describe('in steps and at once', () => {
  it('a configuration is checked alike', () => {
    fc.assert(
      fc.property(anyObject, (config) => {
        const plain = validateConfig(schema, config)
        const stepwise = runToEnd(validateConfigInSteps(schema, config))
        expect(written(stepwise)).toBe(written(plain))
        expect(stepwise.known === config).toBe(plain.known === config)
      }),
      runs,
    )
  })

  it('a configuration claims the same', () => {
    fc.assert(
      fc.property(anyObject, (config) => {
        const plain = outcome(() => String(toFieldSet(schema, config)))
        expect(outcome(() => String(runToEnd(toFieldSetInSteps(schema, config))))).toBe(plain)
      }),
      runs,
    )
  })

  it('two values are merged alike, and share the same', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (live, patch) => {
        const plain = outcome(() => mergeValues(schema, live, patch))
        const stepwise = outcome(() => runToEnd(mergeInSteps(schema, live, patch)))
        expect(written(stepwise)).toBe(written(plain))
        expect(stepwise === live).toBe(plain === live)
        if (typeof stepwise !== 'object' || typeof plain !== 'object') return
        for (const key of Object.keys(live)) {
          expect((stepwise as JsonObject)[key] === live[key]).toBe((plain as JsonObject)[key] === live[key])
        }
        const again = structuredClone(live)
        const whole = outcome(() => mergeValues(schema, live, again))
        expect(outcome(() => runToEnd(mergeInSteps(schema, live, again))) === live).toBe(whole === live)
      }),
      runs,
    )
  })

  it('two values compare alike', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (before, after) => {
        const plain = outcome(() => compareValues(schema, before, after))
        const stepwise = outcome(() => runToEnd(compareInSteps(schema, before, after)))
        if (typeof plain === 'string') return void expect(stepwise).toBe(plain)
        const { added, modified, removed } = stepwise as typeof plain
        expect([added, modified, removed].map(String)).toEqual([plain.added, plain.modified, plain.removed].map(String))
      }),
      runs,
    )
  })

  it('an update takes the same', () => {
    fc.assert(
      fc.property(anyObject, anyObject, anyObject, (first, second, third) => {
        const by = (manager: string) => ({ manager, apiVersion: 'v1', time: '2026-01-01T00:00:00Z' })
        const begin = recordUpdate(type, undefined, first, by('one'))
        const plain = recordUpdate(type, begin, { ...second, metadata: begin['metadata'] }, by('two'))
        const stepwise = runToEnd(
          recordUpdateInSteps(type, begin, { ...second, metadata: begin['metadata'] }, by('two')),
        )
        expect(written(stepwise)).toBe(written(plain))
        const request = { live: second, next: third, apiVersion: 'v1', managers: new Map(), manager: 'm' }
        const own = outcome(() => String(updateSets(type, request).set))
        expect(outcome(() => String(runToEnd(updateSetsInSteps(type, request)).set))).toBe(own)
      }),
      { numRuns: 15 },
    )
  })
})
