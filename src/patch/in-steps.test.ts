/** Patches of large objects come to the same whether they go in steps or not, down to what they share and refuse. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { listKeysInSteps } from '../api/large-values.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { runToEnd } from '../lib/in-turns.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { applyMergePatch, applyMergePatchInSteps } from './merge-patch.ts'
import { applyStrategicMergePatch, applyStrategicMergePatchInSteps } from './strategic-merge-patch.ts'

const outcome = (run: () => JsonValue): JsonValue => {
  try {
    return run()
  } catch (error) {
    const { code, message, details } = error as { code: number; message: string; details: JsonValue }
    return { code, message, details }
  }
}

const spread = fc.record({
  from: fc.integer({ min: 0, max: 600 }),
  count: fc.constantFrom(0, 2, 1_100, 1_600),
  value: fc.constantFrom('a', 'b'),
  odd: fc.constantFrom<JsonValue[]>('plain', null, 7, ['x', null], { $patch: 'delete' }, { in: { a: null, b: 1 } }),
})
type Spread = typeof spread extends fc.Arbitrary<infer T> ? T : never

const each = <T>({ from, count }: Spread, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make((from + i) * 7))

const texts = (of: Spread): JsonObject => ({
  ...Object.fromEntries(each(of, (i) => [`k${i}`, i % 50 === 0 ? null : of.value])),
  odd: of.odd,
})
const variables = (of: Spread): JsonValue => each(of, (i) => ({ name: `E${i}`, value: of.value }))

const directives = fc.constantFrom<JsonObject[]>(
  {},
  { $retainKeys: ['containers', 'odd'] },
  { '$setElementOrder/containers': [{ name: 'd' }, { name: 'c' }] },
  { '$setElementOrder/containers': [{ name: 'x' }] },
  { $patch: 'replace' },
  { $patch: 'unknown' },
)

const anyObject = (isPatch: boolean) =>
  fc
    .record({
      labels: spread,
      env: spread,
      ports: spread,
      selector: spread,
      directive: directives,
      twice: fc.boolean(),
    })
    .map(({ labels, env, ports, selector, directive, twice }): JsonObject => {
      const containers: JsonObject[] = [
        { name: 'c', env: variables(env), ports: each(ports, (i) => ({ containerPort: i, name: `p${i}` })) },
        { name: 'd', args: each(selector, (i) => `${i}`) },
      ]
      if (isPatch && twice) containers.push({ name: 'e', env: variables(ports) }, { name: 'e', env: variables(env) })
      return {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', labels: texts(labels), finalizers: each(ports, (i) => `a/${i}`) },
        spec: { containers, nodeSelector: texts(selector), ...(isPatch ? directive : {}) },
      }
    })

/** The live object is one that was decoded. */
const withoutOdd = (value: JsonValue): JsonValue =>
  JSON.parse(
    JSON.stringify(value, (key, member: JsonValue) => (key === 'odd' || member === null ? undefined : member)),
  ) as JsonValue

const pod = typeSchema('core.v1.Pod') as ObjectSchema
const live = anyObject(false).map((value) => withoutOdd(value) as JsonObject)
const patch = fc.oneof(anyObject(true), anyObject(true).map(withoutOdd))

const sameParts = (a: JsonValue, b: JsonValue, of: JsonObject): void => {
  for (const key of ['metadata', 'spec']) {
    expect((a as JsonObject)[key] === of[key]).toBe((b as JsonObject)[key] === of[key])
  }
}

describe.each([
  {
    name: 'a strategic merge patch',
    plain: (current: JsonObject, given: JsonValue): JsonValue => applyStrategicMergePatch(current, given, pod),
    inSteps: (current: JsonObject, given: JsonValue): JsonValue =>
      runToEnd(applyStrategicMergePatchInSteps(current, given, pod)),
  },
  {
    name: 'a merge patch',
    plain: (current: JsonObject, given: JsonValue): JsonValue => applyMergePatch(current, given),
    inSteps: (current: JsonObject, given: JsonValue): JsonValue => runToEnd(applyMergePatchInSteps(current, given)),
  },
])('$name', ({ plain, inSteps }) => {
  it('is the same in steps', () => {
    fc.assert(
      fc.property(live, patch, (current, given) => {
        const before = JSON.stringify([current, given])
        const expected = outcome(() => plain(current, given))
        runToEnd(listKeysInSteps(current))
        runToEnd(listKeysInSteps(given))
        const found = outcome(() => inSteps(current, given))
        expect(JSON.stringify(found)).toBe(JSON.stringify(expected))
        sameParts(found, expected, current)
        expect(JSON.stringify([current, given])).toBe(before)
      }),
      { numRuns: 60 },
    )
  })

  it('refuses what nests too deeply', () => {
    let deep: JsonValue = Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`k${i}`, 'v']))
    for (let i = 0; i < 1_001; i++) deep = { a: deep }
    const current = { apiVersion: 'v1', kind: 'Pod' }
    expect(outcome(() => inSteps(current, deep))).toEqual(outcome(() => plain(current, deep)))
    expect(outcome(() => inSteps(current, deep))).toHaveProperty('code', 400)
  })
})
