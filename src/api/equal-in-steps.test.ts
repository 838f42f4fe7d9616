/** Heavy values compare in steps as they do at once. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runToEnd } from '../lib/in-turns.ts'
import { equalInSteps, equalSemanticInSteps, equalShownInSteps, shareEqualInSteps } from './equal-in-steps.ts'
import {
  emptyList,
  emptyMap,
  equalJson,
  equalSemantic,
  type JsonObject,
  type JsonValue,
  shareEqual,
  withoutOmitted,
} from './json.ts'

const leaf: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue[]>('a', 1, 1n, null, emptyList, emptyMap, [], {
  a: 'b',
})
/** Two values that are much alike: most members of both are the same. */
const pair = fc
  .record({
    count: fc.constantFrom(1_100, 1_500),
    isList: fc.boolean(),
    deep: fc.boolean(),
    changes: fc.array(fc.record({ at: fc.nat(1_600), value: fc.option(leaf, { nil: undefined }) }), { maxLength: 3 }),
  })
  .map(({ count, isList, deep, changes }) => {
    const make = (): JsonObject | JsonValue[] =>
      isList
        ? Array.from({ length: count }, (_, i) => (deep ? { name: `n${i}`, in: [i] } : `n${i}`))
        : Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, deep ? { in: `${i}` } : `v${i}`]))
    const one = make()
    const other = make()
    for (const { at, value } of changes) {
      if (Array.isArray(other)) other[Math.min(at, other.length)] = value ?? null
      else other[`k${at}`] = value
    }
    return [
      { heavy: one, light: 1 },
      { heavy: other, light: 1 },
    ] as const
  })

describe('heavy values', () => {
  it('are equal in steps when they are at once', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        for (const [x, y] of [
          [a, b],
          [b, a],
          [a, structuredClone(a)],
        ] as const) {
          expect(runToEnd(equalInSteps(x, y))).toBe(equalJson(x, y))
          expect(runToEnd(equalSemanticInSteps(x, y))).toBe(equalSemantic(x, y))
          expect(runToEnd(equalShownInSteps(x, y))).toBe(equalJson(withoutOmitted(x), withoutOmitted(y)))
        }
      }),
      { numRuns: 60 },
    )
  })

  it('share in steps what they share at once', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        for (const [value, baseline] of [
          [a, b],
          [b, a],
          [structuredClone(a), a],
          [a, undefined],
        ] as const) {
          const plain = shareEqual<JsonValue>(value, baseline) as JsonObject
          const stepwise = runToEnd(shareEqualInSteps<JsonValue>(value, baseline)) as JsonObject
          expect(Object.keys(stepwise['heavy'] ?? {})).toEqual(Object.keys(plain['heavy'] ?? {}))
          expect(stepwise === baseline).toBe(plain === baseline)
          const [one, other] = [plain, stepwise].map(({ heavy }) => heavy as JsonObject) as [JsonObject, JsonObject]
          expect(Object.keys(one).filter((key) => one[key] !== other[key])).toEqual([])
        }
      }),
      { numRuns: 40 },
    )
  })

  it.each([false, true])('share a heavy value and a light one in steps, whichever is new (heavy: %s)', (isHeavyNew) => {
    const heavy = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))
    const [value, baseline] = isHeavyNew ? [heavy, { k1: 'v', x: [1] }] : [{ k1: 'v', x: [1] }, heavy]
    const steps = shareEqualInSteps<JsonValue>(value, baseline)
    let count = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) count++
    expect(step.value).toEqual(shareEqual<JsonValue>(value, baseline))
    expect(step.value).toBe(value)
    expect(count).toBeGreaterThan(isHeavyNew ? 50 : 0)
  })
})
