// What must hold for any values: random objects of a type that has every topology, and random histories of writes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalJson, type JsonObject, type JsonValue } from '../../api/json.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import type { Schema } from '../../schema/schema.ts'
import { compareValues, isSame } from './compare.ts'
import { FieldSet } from './field-set.ts'
import { toFullSet } from './full-set.ts'
import { mergeValues } from './merge.ts'
import { prune, pruneAcrossVersions } from './prune.ts'
import { removeItems } from './remove-items.ts'
import { anything, atomicMap, integer, keyed, list, map, object, set, text } from './testing/test-schemas.ts'
import { toFieldSet } from './to-field-set.ts'
import { applySets, updateSets } from './update-sets.ts'
import type { VersionedSet, VersionedType } from './versioned-type.ts'

const schema: Schema = object(() => ({
  apiVersion: text,
  leaf: text,
  struct: object({ a: text, b: integer, deep: object({ x: text, names: set() }) }),
  whole: object({ a: text, b: text }, { atomic: true }),
  free: map(text),
  freeStructs: map(object({ a: text, b: text })),
  wholeMap: atomicMap(text),
  names: set(),
  wholeList: list(text),
  items: keyed(['name'], object({ name: text, value: integer, tags: set(), more: map(text) })),
  any: anything,
}))
const type: VersionedType = { schema: () => schema, convert: (value) => value }

const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const record = (fields: Record<string, fc.Arbitrary<JsonValue | undefined>>): fc.Arbitrary<JsonObject> =>
  fc
    .record(fields)
    .map((value) => Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)))
const letter = fc.constantFrom('a', 'b', 'c')
const number = fc.integer({ min: 0, max: 2 })
const letters = fc.uniqueArray(letter, { maxLength: 3 }) as fc.Arbitrary<JsonValue>
const letterMap = fc.dictionary(letter, letter, { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<JsonValue>
const anyJson = fc.oneof(
  letter,
  letterMap,
  letters,
  fc.constant(null),
  fc.dictionary(letter, letterMap, { maxKeys: 2, noNullPrototype: true }) as fc.Arbitrary<JsonValue>,
)
const item = record({ name: letter, value: some(number), tags: some(letters), more: some(letterMap) })
const items = fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 3 }) as fc.Arbitrary<JsonValue>
const anyObject = record({
  leaf: some(letter),
  struct: some(
    record({ a: some(letter), b: some(number), deep: some(record({ x: some(letter), names: some(letters) })) }),
  ),
  whole: some(record({ a: some(letter), b: some(letter) })),
  free: some(letterMap),
  freeStructs: some(
    fc.dictionary(letter, record({ a: some(letter), b: some(letter) }), {
      maxKeys: 2,
      noNullPrototype: true,
    }) as fc.Arbitrary<JsonValue>,
  ),
  wholeMap: some(letterMap),
  names: some(letters),
  wholeList: some(letters),
  items: some(items),
  any: some(anyJson),
})

interface Write {
  readonly by: string
  readonly value: JsonObject
  readonly how: 'apply' | 'update'
}
const anyWrite: fc.Arbitrary<Write> = fc.record({
  by: fc.constantFrom('one', 'two', 'three'),
  value: anyObject,
  how: fc.constantFrom('apply', 'apply', 'update'),
})
const anyHistory = fc.array(anyWrite, { minLength: 1, maxLength: 5 })

interface State {
  readonly live: JsonObject
  readonly managers: Map<string, VersionedSet>
}
const nothing: State = { live: {}, managers: new Map() }
const apiVersion = 'v1'

// One that applies and one that updates are two managers, whatever their names.
const managerOf = ({ by, how }: Write): string => `${by} ${how}`

function write({ live, managers }: State, by: Write): State {
  const { value, how } = by
  const manager = managerOf(by)
  const own = (others: Map<string, VersionedSet>, owned: FieldSet): Map<string, VersionedSet> =>
    owned.isEmpty ? others : new Map(others).set(manager, { set: owned, apiVersion, applied: how === 'apply' })
  if (how === 'update') {
    const { others, set: owned } = updateSets(type, { live, next: value, apiVersion, managers, manager })
    return { live: value, managers: own(others, owned) }
  }
  const outcome = runToEnd(applySets(type, { live, config: value, apiVersion, managers, manager, force: true }))
  return { live: outcome.object, managers: own(outcome.others, outcome.set) }
}

/** The claims that a configuration makes by empty structs and nulls. */
function claimedAsEmpty(config: JsonObject): FieldSet {
  const filled = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(filled)
    if (value === null || typeof value !== 'object') return value
    const members = Object.entries(value).filter(([, member]) => member !== null && !equalJson(member ?? {}, {}))
    return Object.fromEntries(members.map(([name, member]) => [name, filled(member ?? null)]))
  }
  return toFieldSet(schema, config).difference(toFieldSet(schema, filled(config)))
}

const owned = ({ managers }: State): string[] =>
  [...managers].map(([name, { set: paths }]) => `${name}\n${paths}`).sort()

describe('values', () => {
  it('a value is the same as itself, and a comparison adds up', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (a, b) => {
        expect(isSame(compareValues(schema, a, structuredClone(a)))).toBe(true)
        const { added, modified, removed } = compareValues(schema, a, b)
        const back = compareValues(schema, b, a)
        expect(back.removed.toString()).toBe(added.toString())
        expect(back.added.toString()).toBe(removed.toString())
        expect(back.modified.toString()).toBe(modified.toString())
        const after = toFullSet(schema, b) ?? FieldSet.empty
        expect(added.union(modified).difference(after).isEmpty).toBe(true)
        expect(removed.difference(toFullSet(schema, a) ?? FieldSet.empty).isEmpty).toBe(true)
      }),
    )
  })

  it('a merge has all fields of both, is stable, and keeps what it does not change', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (live, patch) => {
        const before = structuredClone(live)
        const merged = mergeValues(schema, live, patch)
        expect(live).toEqual(before)
        expect(toFieldSet(schema, patch).difference(toFullSet(schema, merged) ?? FieldSet.empty).isEmpty).toBe(true)
        expect(mergeValues(schema, merged, patch)).toBe(merged)
        expect(mergeValues(schema, live, structuredClone(live))).toBe(live)
      }),
    )
  })

  it('removing everything that a value claims leaves nothing of it', () => {
    fc.assert(
      fc.property(anyObject, (value) => {
        const claims = toFieldSet(schema, value)
        const left = removeItems(schema, value, claims)
        if (left !== null) expect(toFieldSet(schema, left).intersects(claims)).toBe(false)
        expect(removeItems(schema, value, FieldSet.empty)).toBe(value)
      }),
    )
  })
})

describe('histories', () => {
  it('applying the same thing twice changes nothing', () => {
    fc.assert(
      fc.property(anyHistory, anyObject, (history, value) => {
        const once = write(history.reduce(write, nothing), { by: 'four', value, how: 'apply' })
        const twice = write(once, { by: 'four', value: structuredClone(value), how: 'apply' })
        expect(twice.live).toBe(once.live)
        expect(owned(twice)).toEqual(owned(once))
      }),
    )
  })

  // A struct that is claimed as empty goes when the last field that could be claimed in it goes: a claim of `struct: {}`
  // holds none of what is in the struct, and a struct with nothing but an empty list in it claims nothing.
  it('what is owned exists, but for what an apply claims as empty', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const state = history.reduce(write, nothing)
        const exists = toFullSet(schema, state.live) ?? FieldSet.empty
        for (const [manager, { set: paths, applied }] of state.managers) {
          const last = history.findLast((entry) => managerOf(entry) === manager)
          const allowed = applied && last ? claimedAsEmpty(last.value) : FieldSet.empty
          expect([...paths.difference(exists).difference(allowed).paths()]).toEqual([])
        }
      }),
      { numRuns: 300 },
    )
  })

  it('updates alone own exactly what is there', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('one', 'two'), anyObject), { minLength: 1, maxLength: 4 }),
        (updates) => {
          // The shapes of `any` may change under an update, which then owns the new value only.
          const history = updates.map(([by, { any: _, ...value }]): Write => ({ by, value, how: 'update' }))
          const { live, managers } = history.reduce(write, nothing)
          const all = [...managers.values()].reduce((union, { set: paths }) => union.union(paths), FieldSet.empty)
          const exists = toFullSet(schema, live) ?? FieldSet.empty
          expect(all.difference(exists).isEmpty).toBe(true)
        },
      ),
    )
  })

  it('applies of disjoint fields commute', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (a, b) => {
        const { leaf, struct, whole, free, ...first } = a
        const { freeStructs, wholeMap, names, wholeList, items: _, any, ...second } = b
        const one: Write = { by: 'one', value: first, how: 'apply' }
        const two: Write = { by: 'two', value: second, how: 'apply' }
        const [left, right] = [write(write(nothing, one), two), write(write(nothing, two), one)]
        expect(equalJson(left.live, right.live)).toBe(true)
        expect(owned(left)).toEqual(owned(right))
      }),
    )
  })

  it('both ways to prune agree', () => {
    fc.assert(
      fc.property(anyHistory, anyObject, (history, config) => {
        const { live, managers } = history.reduce(write, nothing)
        for (const [name, last] of managers) {
          const others = [...managers].filter(([other]) => other !== name).map(([, owner]) => owner)
          const current: VersionedSet = { set: toFieldSet(schema, config), apiVersion, applied: true }
          const merged = mergeValues(schema, live, config) as JsonObject
          const pruned = prune(type, { merged, last, current, others })
          const general = pruneAcrossVersions(type, { merged: { apiVersion, ...merged }, last, current, others })
          expect({ apiVersion, ...pruned }).toEqual({ ...general })
        }
      }),
      { numRuns: 300 },
    )
  })
})
