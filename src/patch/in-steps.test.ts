/** Patches of large objects come to what those of small ones do, down to what they share and refuse. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import { listKeysInSteps } from '../api/large-values.ts'
import { badRequest } from '../api/status-error.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { applyMergePatchInSteps } from './merge-patch.ts'
import { assertPatchDepth, assertPatchDepthInSteps } from './patch-depth.ts'
import { applyStrategicMergePatch, applyStrategicMergePatchInSteps } from './strategic-merge-patch.ts'

const outcome = <T>(run: () => T): T | JsonValue => {
  try {
    return run()
  } catch (error) {
    const { code, message, details } = error as { code: number; message: string; details: JsonValue }
    return { code, message, details }
  }
}

/** What the steps come to, and how many there were. */
function counted<T>(steps: Steps<T>): { value: T; count: number } {
  for (let count = 0; ; count++) {
    const step = steps.next()
    if (step.done === true) return { value: step.value, count }
  }
}

const parts = ['labels', 'env', 'ports', 'selector'] as const
type Part = (typeof parts)[number]

const spreadOf = (counts: readonly number[]) =>
  fc.record({
    from: fc.integer({ min: 0, max: 600 }),
    count: fc.constantFrom(...counts),
    value: fc.constantFrom('a', 'b'),
    odd: fc.constantFrom<JsonValue[]>('plain', null, 7, ['x', null], { $patch: 'delete' }, { in: { a: null, b: 1 } }),
  })
const few = spreadOf([0, 2, 5])
const many = spreadOf([1_020, 1_300])
const anyCount = spreadOf([0, 2, 1_100, 1_600])
type Spread = typeof few extends fc.Arbitrary<infer T> ? T : never

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

/** A Pod of which `spread` says how large each part is. */
const anyObject = (isPatch: boolean, spread: (part: Part) => fc.Arbitrary<Spread>) =>
  fc
    .record({
      labels: spread('labels'),
      env: spread('env'),
      ports: spread('ports'),
      selector: spread('selector'),
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
const liveOf = (spread: (part: Part) => fc.Arbitrary<Spread>) =>
  anyObject(false, spread).map((value) => withoutOdd(value) as JsonObject)
const patchOf = (spread: (part: Part) => fc.Arbitrary<Spread>) =>
  fc.oneof(anyObject(true, spread), anyObject(true, spread).map(withoutOdd))

/** Which parts of the object are shared. */
const shared = (value: JsonValue, of: JsonObject): boolean[] =>
  ['metadata', 'spec'].map((key) => (value as JsonObject)[key] === of[key])

/** A merge patch as RFC 7386 has it, and without the nulls of objects in new lists. */
function merged(current: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (Array.isArray(patch))
    return isJsonObject(current) ? patch : patch.map((item) => (item === null ? null : merged(undefined, item)))
  if (!isJsonObject(patch)) return patch
  const result = new Map(Object.entries(isJsonObject(current) ? current : {}))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) result.delete(key)
    else result.set(key, merged(result.get(key), value))
  }
  return Object.fromEntries(result)
}

function mergedObject(current: JsonObject, patch: JsonValue): JsonValue {
  if (isJsonObject(patch)) return merged(current, patch)
  const type = 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'
  throw badRequest(patch === null ? 'Invalid JSON Patch' : type)
}

const bulk = (count: number, value: (i: number) => JsonValue = () => 'v'): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value(i)]))

describe.each([
  {
    name: 'a strategic merge patch',
    model: (current: JsonObject, given: JsonValue): JsonValue => applyStrategicMergePatch(current, given, pod),
    isShared: shared,
    steps: (current: JsonObject, given: JsonValue): Steps<JsonValue> =>
      applyStrategicMergePatchInSteps(current, given, pod),
  },
  {
    name: 'a merge patch',
    model: mergedObject,
    // Whatever is as it was.
    isShared: (value: JsonValue, of: JsonObject): boolean[] =>
      ['metadata', 'spec'].map((key) => JSON.stringify((value as JsonObject)[key]) === JSON.stringify(of[key])),
    steps: (current: JsonObject, given: JsonValue): Steps<JsonValue> => applyMergePatchInSteps(current, given),
  },
])('$name', ({ model, isShared, steps }) => {
  const inSteps = (current: JsonObject, given: JsonValue): JsonValue => runToEnd(steps(current, given))
  const isSame = (current: JsonObject, given: JsonValue): void => {
    const before = JSON.stringify([current, given])
    const expected = outcome(() => model(current, given))
    const sharing = isShared(expected, current)
    runToEnd(listKeysInSteps(current))
    runToEnd(listKeysInSteps(given))
    const found = outcome(() => inSteps(current, given))
    expect(JSON.stringify(found)).toBe(JSON.stringify(expected))
    expect(shared(found, current)).toEqual(sharing)
    expect(JSON.stringify([current, given])).toBe(before)
  }

  const wheres = ['the object', 'the patch', 'both'] as const
  const cases = parts.flatMap((part) => wheres.map((where) => [part, where] as const))
  it.each(cases)('is the same in steps when there are many %s in %s', (large, where) => {
    const spread = (isLarge: boolean) => (part: Part) => (isLarge && part === large ? many : few)
    const live = liveOf(spread(where !== 'the patch'))
    const patch = patchOf(spread(where !== 'the object'))
    fc.assert(fc.property(live, patch, isSame), { numRuns: 2 })
  })

  it('is the same in steps whatever is large', () => {
    fc.assert(
      fc.property(
        liveOf(() => anyCount),
        patchOf(() => anyCount),
        isSame,
      ),
      { numRuns: 5 },
    )
  })

  const small = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { a: '1' } } }
  it.each<[string, JsonObject, JsonValue]>([
    ['nothing', small, {}],
    ['nothing to a large object', { ...small, spec: { nodeSelector: bulk(1_100) } }, {}],
    ['what is there', { ...small, spec: { nodeSelector: bulk(1_100) } }, { spec: { nodeSelector: bulk(1_100) } }],
    ['one of many', { metadata: { labels: bulk(1_100) } }, { metadata: { labels: { k7: 'x' } } }],
    ['one away of many', { metadata: { labels: bulk(1_100) } }, { metadata: { labels: { k7: null, none: null } } }],
    [
      'all but one away',
      { metadata: { labels: bulk(1_100) } },
      { metadata: { labels: { ...bulk(1_100, () => null), k9: 'x' } } },
    ],
    ['many to a few', { metadata: { labels: { z: '1', k3: 'y' } } }, { metadata: { labels: bulk(1_100) } }],
    ['many where there was nothing', small, { spec: { nodeSelector: { ...bulk(1_100), gone: null } } }],
    ['many in place of a text', { metadata: 'x' }, { metadata: { labels: { ...bulk(1_100), gone: null } } }],
    ['a text in place of many', { metadata: { labels: bulk(1_100) } }, { metadata: { labels: 'x' } }],
    [
      'a list in place of many',
      { metadata: { labels: bulk(1_100) } },
      { metadata: { labels: ['x', null, { a: null }] } },
    ],
    ['a long list in place of a map', small, { metadata: { labels: Array.from({ length: 1_100 }, () => 'x') } }],
    [
      'an equal long list',
      { list: Array.from({ length: 1_100 }, (_, i) => i) },
      { list: Array.from({ length: 1_100 }, (_, i) => i) },
    ],
    [
      'a long list with maps that have nulls',
      small,
      { list: Array.from({ length: 1_100 }, (_, i) => (i % 2 ? null : { a: null, i })) },
    ],
    [
      'a map of long lists with nulls',
      small,
      { map: { a: null, b: Array.from({ length: 1_100 }, () => [null, { c: null }]) } },
    ],
    ['a directive to many', { metadata: { labels: bulk(1_100) } }, { metadata: { labels: { $patch: 'delete' } } }],
    [
      'many that replace',
      { metadata: { labels: bulk(1_100) } },
      { metadata: { labels: { $patch: 'replace', ...bulk(1_100, (i) => `${i}`) } } },
    ],
    [
      'many with a directive where there was nothing',
      small,
      { spec: { nodeSelector: { ...bulk(1_100), $patch: 'replace' } } },
    ],
    [
      'many maps with directives where there was nothing',
      small,
      {
        spec: {
          tolerations: Array.from({ length: 1_100 }, (_, i) => (i % 3 ? { key: `${i}` } : { $patch: 'delete' })),
        },
      },
    ],
    [
      'deep directives where there was nothing',
      small,
      { status: { many: { ...bulk(1_100, (i) => (i % 100 ? 'v' : { $patch: 'x' })), more: bulk(1_100) } } },
    ],
    [
      'keys to retain of many',
      { spec: { ...bulk(1_100), hostname: 'h', nodeName: 'n' } },
      { spec: { $retainKeys: ['hostname'], hostname: 'i' } },
    ],
    [
      'keys to retain that leave out one of many',
      { spec: bulk(1_100) },
      { spec: { $retainKeys: ['k1'], ...bulk(1_100) } },
    ],
    ['a wide number among many', { spec: { ...bulk(1_100), priority: 1 } }, { spec: { priority: 5_000_000_000 } }],
    ['wide numbers', small, { spec: { priority: 2 ** 40, nodeSelector: bulk(1_100) } }],
    ['something wrong among many', small, { metadata: { labels: bulk(1_100, (i) => (i === 700 ? 7 : 'v')) } }],
    [
      'something wrong in one of many items',
      small,
      { spec: { tolerations: Array.from({ length: 1_100 }, (_, i) => ({ key: i === 500 ? true : 'k' })) } },
    ],
    ['a list for a patch', { ...small, spec: { nodeSelector: bulk(1_100) } }, ['x']],
    ['null for a patch', { ...small, spec: { nodeSelector: bulk(1_100) } }, null],
    [
      'a key that is a prototype to others',
      { metadata: { labels: bulk(1_100) } },
      JSON.parse('{"metadata":{"labels":{"__proto__":"x"}}}') as JsonValue,
    ],
  ])('is the same in steps: %s', (_, current, given) => isSame(structuredClone(current), structuredClone(given)))

  it('goes in steps that are not many', () => {
    const current = { apiVersion: 'v1', kind: 'Pod', metadata: { labels: bulk(5_000) } }
    const given = {
      metadata: { labels: bulk(5_000, (i) => (i % 3 ? `${i}` : null)), finalizers: Object.keys(bulk(3_000)) },
    }
    runToEnd(listKeysInSteps(current))
    const { count } = counted(steps(current, given))
    expect(count).toBeGreaterThan(40)
    expect(count).toBeLessThan(600)
  })

  it('refuses what nests too deeply', () => {
    let deep: JsonValue = bulk(1_200)
    for (let i = 0; i < 1_001; i++) deep = { a: deep }
    const current = { apiVersion: 'v1', kind: 'Pod' }
    expect(outcome(() => inSteps(current, deep))).toMatchObject({
      code: 400,
      message: 'error decoding patch: exceeded max depth of 1000',
    })
  })
})

it('a long list takes the place of the object where that is allowed', () => {
  const list = Array.from({ length: 1_100 }, (_, i) => (i % 2 ? null : { a: null, b: i, c: [null] }))
  const inSteps = (lenient: boolean) => outcome(() => runToEnd(applyMergePatchInSteps({ a: 1 }, list, { lenient })))
  expect(inSteps(true)).toEqual(list.map((item) => (item === null ? null : { b: item.b, c: [null] })))
  expect(inSteps(false)).toHaveProperty('code', 400)
})

describe('the depth of a patch', () => {
  const nested = (depth: number, inner: JsonValue, wrap: (value: JsonValue) => JsonValue): JsonValue => {
    let value = inner
    for (let i = 0; i < depth; i++) value = wrap(value)
    return value
  }
  const heavy = (): JsonValue => Array.from({ length: 1_001 }, () => 1)

  it.each<[string, JsonValue, boolean]>([
    ['a thousand maps in a map', nested(1_000, {}, (value) => ({ a: value })), true],
    ['one map more', nested(1_001, {}, (value) => ({ a: value })), false],
    ['one text more', nested(1_001, 'x', (value) => ({ a: value })), true],
    ['a thousand lists in a list', nested(1_000, [], (value) => [value]), true],
    ['one list more', nested(1_001, [], (value) => [value]), false],
    ['a long list in a thousand', nested(1_000, heavy(), (value) => ({ a: value })), true],
    ['a long list in one more', nested(1_001, heavy(), (value) => ({ a: value })), false],
    ['twenty thousand maps in a map', nested(20_000, {}, (value) => ({ a: value })), false],
    ['a long list in twenty thousand', nested(20_000, heavy(), (value) => [value]), false],
    ['beside a long list', [heavy(), nested(999, {}, (value) => [value])], true],
    ['too deep beside a long list', [heavy(), nested(1_000, {}, (value) => [value])], false],
    ['a text', 'x', true],
    ['null', null, true],
  ])('%s', (_, patch, isAllowed) => {
    const expected = isAllowed ? undefined : { code: 400, message: 'error decoding patch: exceeded max depth of 1000' }
    if (isAllowed) expect(() => assertPatchDepth(patch)).not.toThrow()
    else expect(() => assertPatchDepth(patch)).toThrow(expect.objectContaining(expected))
    if (isAllowed) expect(() => runToEnd(assertPatchDepthInSteps(patch))).not.toThrow()
    else expect(() => runToEnd(assertPatchDepthInSteps(patch))).toThrow(expect.objectContaining(expected))
  })
})
