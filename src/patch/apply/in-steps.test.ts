/** The walks over large objects come to the same whether they go in steps or not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyList, emptyMap, type JsonObject, type JsonValue } from '../../api/json.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import type { Schema } from '../../schema/schema.ts'
import { compareValues } from './compare.ts'
import { compareInSteps } from './compare-in-steps.ts'
import { mergeInSteps, mergeValues } from './merge.ts'
import { recordUpdate, recordUpdateInSteps } from './record-update.ts'
import { anything, atomicMap, integer, keyed, list, map, object, set, text } from './testing/test-schemas.ts'
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
const rangeOf = (counts: readonly number[]) =>
  fc.record({
    from: fc.integer({ min: 0, max: 800 }),
    count: fc.constantFrom(...counts),
    value: fc.constantFrom('a', 'b'),
    odd: fc.constantFrom(undefined, 'null', 'number', 'omitted', 'list', 'unknown', 'twice'),
  })
const few = rangeOf([0, 1, 3])
const many = rangeOf([1_020, 1_300])
const anyCount = rangeOf([0, 1, 1_200, 1_500])
type Range = typeof few extends fc.Arbitrary<infer T> ? T : never

const oddValues: Readonly<Record<string, JsonValue>> = {
  null: null,
  number: 7,
  omitted: emptyList,
  list: ['x', 'x'],
  unknown: { strange: emptyMap },
}
const odd = ({ odd: kind }: Range): JsonValue | undefined => (kind === undefined ? undefined : oddValues[kind])

const spread = <T>({ from, count }: Range, each: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => each(from + i))
const withOdd = (values: JsonValue[], of: Range): JsonValue[] => {
  const extra = of.odd === 'twice' ? values[0] : odd(of)
  return extra === undefined ? values : [...values.slice(0, 700), extra, ...values.slice(700)]
}
const mapOf = (of: Range, value: (i: number) => JsonValue): JsonObject => {
  const extra = odd(of)
  return {
    ...Object.fromEntries(spread(of, (i) => [name(i), value(i)])),
    ...(extra === undefined ? {} : { odd: extra, __proto__x: extra }),
  }
}

const parts = {
  texts: (range: fc.Arbitrary<Range>) => range.map((of) => mapOf(of, (i) => `${of.value}${i % 3}`)),
  names: (range: fc.Arbitrary<Range>) => range.map((of) => withOdd(spread(of, name), of)),
  items: (range: fc.Arbitrary<Range>) =>
    range.map((of) =>
      withOdd(
        spread(of, (id) => ({ id, v: `${of.value}${id % 3}`, ...(id % 500 === 0 ? { tags: spread(of, name) } : {}) })),
        of,
      ),
    ),
  structs: (range: fc.Arbitrary<Range>) =>
    range.map((of) => mapOf(of, (i) => (i % 600 === 0 ? { names: spread(of, name) } : { a: of.value }))),
}

const fields = ['texts', 'names', 'items', 'structs', 'whole', 'wholeList', 'any', 'odd'] as const
type FieldName = (typeof fields)[number]

/** An object in which one field is large, or any of them. */
function anyObject(large: FieldName | 'anything' | undefined): fc.Arbitrary<JsonObject> {
  const range = (field: FieldName) => (large === 'anything' ? anyCount : field === large ? many : few)
  const maybe = <T>(value: fc.Arbitrary<T>, ...isNeededFor: FieldName[]): fc.Arbitrary<T | undefined> =>
    isNeededFor.some((field) => field === large) ? value : some(value)
  const anyValue = [parts.texts, parts.items, parts.names].map((part) => part(range('any')) as fc.Arbitrary<JsonValue>)
  const inner = record({
    names: maybe(parts.names(range('names')), 'names'),
    items: maybe(parts.items(range('items')), 'items'),
  })
  return record({
    texts: maybe(parts.texts(range('texts')), 'texts'),
    inner: maybe(inner, 'names', 'items'),
    structs: maybe(parts.structs(range('structs')), 'structs'),
    whole: maybe(parts.texts(range('whole')), 'whole'),
    wholeList: maybe(parts.items(range('wholeList')), 'wholeList'),
    any: maybe(fc.oneof(...anyValue), 'any'),
    odd: maybe(parts.texts(range('odd')), 'odd'),
  })
}

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

const claims = {
  checked(config: JsonObject): void {
    const plain = validateConfig(schema, config)
    const stepwise = runToEnd(validateConfigInSteps(schema, config))
    expect(written(stepwise)).toBe(written(plain))
    expect(stepwise.known === config).toBe(plain.known === config)
  },
  claimed(config: JsonObject): void {
    const plain = outcome(() => String(toFieldSet(schema, config)))
    expect(outcome(() => String(runToEnd(toFieldSetInSteps(schema, config))))).toBe(plain)
  },
  merged(live: JsonObject, patch: JsonObject): void {
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
  },
  compared(before: JsonObject, after: JsonObject): void {
    const plain = outcome(() => compareValues(schema, before, after))
    const stepwise = outcome(() => runToEnd(compareInSteps(schema, before, after)))
    if (typeof plain === 'string') return void expect(stepwise).toBe(plain)
    const { added, modified, removed } = stepwise as typeof plain
    expect([added, modified, removed].map(String)).toEqual([plain.added, plain.modified, plain.removed].map(String))
  },
  updated(first: JsonObject, second: JsonObject): void {
    const by = (manager: string) => ({ manager, apiVersion: 'v1', time: '2026-01-01T00:00:00Z' })
    const begin = recordUpdate(type, undefined, first, by('one'))
    const plain = recordUpdate(type, begin, { ...second, metadata: begin['metadata'] }, by('two'))
    const stepwise = runToEnd(recordUpdateInSteps(type, begin, { ...second, metadata: begin['metadata'] }, by('two')))
    expect(written(stepwise)).toBe(written(plain))
    const request = { live: first, next: second, apiVersion: 'v1', managers: new Map(), manager: 'm' }
    const own = outcome(() => String(updateSets(type, request).set))
    expect(outcome(() => String(runToEnd(updateSetsInSteps(type, request)).set))).toBe(own)
  },
}

describe.each(fields)('in steps and at once, with many %s', (large) => {
  const object = anyObject(large)
  const runs = { numRuns: 2 }

  it('a configuration is checked alike', () => fc.assert(fc.property(object, claims.checked), runs))
  it('a configuration claims the same', () => fc.assert(fc.property(object, claims.claimed), runs))
  it('two values are merged alike, and share the same', () =>
    fc.assert(fc.property(object, object, claims.merged), runs))
  it('two values compare alike', () => fc.assert(fc.property(object, object, claims.compared), runs))
  it('an update takes the same', () => fc.assert(fc.property(object, object, claims.updated), runs))
})

describe('in steps and at once, whatever is large', () => {
  const any = anyObject('anything')

  it('a configuration is checked and claims alike', () => {
    fc.assert(
      fc.property(any, (config) => {
        claims.checked(config)
        claims.claimed(config)
      }),
      { numRuns: 5 },
    )
  })

  it('two values merge, compare and update alike', () => {
    fc.assert(
      fc.property(any, any, (first, second) => {
        claims.merged(first, second)
        claims.compared(first, second)
        claims.updated(first, second)
      }),
      { numRuns: 5 },
    )
  })
})

describe('large values beside odd ones', () => {
  const long = spread({ from: 0, count: 1_001, value: 'a', odd: undefined }, (i) => i)
  const names = long.map((i) => `n${i}`)
  const texts: JsonObject = Object.fromEntries(names.map((each) => [each, 'v']))
  const rows = long.map((id) => ({ id, v: 'a' }))
  const oddities: Record<string, JsonObject> = {
    nothing: {},
    many: { texts, inner: { names, items: rows }, whole: texts, any: texts },
    'many lists': { any: rows, wholeList: rows },
    'many in a list of anything': { any: names },
    nulls: { texts: null, inner: null, whole: null, wholeList: null, any: null, structs: null },
    'nulls in a struct': { inner: { names: null, items: null } },
    empties: { texts: {}, inner: {}, whole: {}, wholeList: [], any: {}, structs: {} },
    'empty lists': { inner: { names: [], items: [] }, any: [] },
    'what JSON does not show': {
      texts: emptyMap,
      inner: { names: emptyList, items: emptyList },
      whole: emptyMap,
      any: emptyList,
    },
    'what JSON does not show inside': {
      whole: { ...texts, more: emptyMap },
      wholeList: [...rows.slice(1), { id: 0, v: 'a', tags: emptyList }],
      structs: { ...Object.fromEntries(names.map((each) => [each, { a: 'x', names: emptyList }])) },
      any: { ...texts, more: emptyMap },
    },
    scalars: { texts: 'x', inner: 7, whole: true, wholeList: 'x', any: 'x', structs: 'x' },
    'other shapes': { texts: names, inner: names, whole: names, wholeList: texts, any: names, structs: rows },
    'lists for maps': { texts: [], inner: [], whole: [], wholeList: {}, any: [], structs: [] },
    'elements twice': { inner: { names: [...names, 'n3', 'n3'], items: [...rows, { id: 3, v: 'b' }] } },
    'another element twice': { inner: { names: [...names, 'n4'], items: [...rows, { id: 4, v: 'b' }, { id: 4 }] } },
    'one of many changed': {
      texts: { ...texts, n7: 'w' },
      inner: { items: [...rows.slice(0, 9), { id: 9, v: 'c' }] },
      whole: { ...texts, n7: 'w' },
      any: { ...texts, n7: 'w' },
    },
    'many in another order': { inner: { names: names.toReversed(), items: rows.toReversed() } },
    'unknown fields': { other: texts, inner: { other: names, items: rows.map((row) => ({ ...row, odd: 1 })) } },
    'elements without a name': { inner: { items: [...rows, { v: 'x' }] } },
    'elements of another kind': { inner: { names: [...names, { a: 1 }], items: [...rows, 'x'] } },
    'values of other types': { texts: { ...texts, n9: 9 }, inner: { items: [...rows, { id: 'x', v: 1 }] } },
  }
  const kinds = Object.keys(oddities)
  const made = (kind: string): JsonObject => oddities[kind] as JsonObject

  it.each(kinds)('a configuration of %s is checked and claims alike', (kind) => {
    claims.checked(made(kind))
    claims.claimed(made(kind))
  })

  const pairs = kinds.flatMap((kind) => ['many', 'many lists'].map((other) => [kind, other] as const))
  it.each(pairs)('%s and %s merge and compare alike', (one, other) => {
    for (const [first, second] of [
      [made(one), made(other)],
      [made(other), made(one)],
    ] as const) {
      claims.merged(first, second)
      claims.compared(first, second)
    }
  })
})

/** How many steps there are. */
function stepsOf(steps: Steps<unknown>): number {
  for (let count = 0; ; count++) if (steps.next().done === true) return count
}

describe('large values go in steps that are not many', () => {
  const range = (count: number, value: 'a' | 'b'): Range => ({ from: 0, count, value, odd: undefined })
  const textMap = (of: Range): JsonObject => mapOf(of, (i) => `${of.value}${i}`)
  const itemList = (of: Range): JsonValue[] => spread(of, (id) => ({ id, v: of.value }))
  const large = (value: 'a' | 'b'): Record<string, JsonObject> => {
    const of = range(2_000, value)
    return {
      texts: { texts: textMap(of) },
      names: { inner: { names: spread(of, name) } },
      items: { inner: { items: itemList(of) } },
      structs: { structs: mapOf(of, () => ({ a: of.value })) },
      whole: { whole: textMap(of) },
      wholeList: { wholeList: itemList(of) },
      any: { any: textMap(of) },
    }
  }
  const all = Object.keys(large('a'))

  it.each(all)('%s', (field) => {
    const [a, b] = [large('a')[field] as JsonObject, large('b')[field] as JsonObject]
    const counts = {
      check: stepsOf(validateConfigInSteps(schema, a)),
      claims: stepsOf(toFieldSetInSteps(schema, a)),
      merge: stepsOf(mergeInSteps(schema, a, b)),
      compare: stepsOf(compareInSteps(schema, a, b)),
      adds: stepsOf(compareInSteps(schema, {}, b)),
      removes: stepsOf(compareInSteps(schema, a, {})),
      mergeSame: stepsOf(mergeInSteps(schema, a, structuredClone(a))),
      compareSame: stepsOf(compareInSteps(schema, a, structuredClone(a))),
    }
    for (const [walk, count] of Object.entries(counts)) expect([walk, count < 250]).toEqual([walk, true])
    const isWhole = field.startsWith('whole')
    expect([counts.mergeSame, counts.compareSame].map((count) => count >= 4)).toEqual([true, true])
    expect([counts.merge, counts.compare].map((count) => count >= (isWhole ? 0 : 4))).toEqual([true, true])
    expect(counts.claims >= (isWhole ? 0 : 2)).toBe(true)
    expect(counts.adds >= (isWhole ? 0 : 10)).toBe(true)
    expect(counts.removes >= (isWhole ? 0 : 10)).toBe(true)
  })
})
