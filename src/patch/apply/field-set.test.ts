import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { excludingFields } from './field-filter.ts'
import { FieldSet } from './field-set.ts'
import { decodeFieldsV1, encodeFieldsV1, fieldsV1Text } from './fields-v1.ts'
import { type FieldPathElements, fieldElement, formatPath, keyElement, valueElement } from './path-element.ts'

const fields = (...paths: string[]): FieldSet => FieldSet.ofFields(...paths)

const anyElement = fc.oneof(
  fc.constantFrom('a', 'b', 'c', '__proto__').map(fieldElement),
  fc.constantFrom(1, 2, 10).map((value) => keyElement([{ name: 'k', value }])),
  fc.constantFrom('x', 'y').map(valueElement),
)
const anyPath = fc.array(anyElement, { minLength: 1, maxLength: 4 })
const anyPaths = fc.array(anyPath, { maxLength: 12 })
const anySet = anyPaths.map((paths) => FieldSet.of(...paths))
const texts = (set: FieldSet): Set<string> => new Set([...set.paths()].map(formatPath))

describe('a set of paths', () => {
  it('holds the paths that were put in, and no others', () => {
    fc.assert(
      fc.property(anyPaths, anyPath, (paths: FieldPathElements[], other) => {
        const set = FieldSet.of(...paths)
        const expected = new Set(paths.map(formatPath))
        expect(texts(set)).toEqual(expected)
        expect([...set.paths()]).toHaveLength(expected.size)
        expect(set.has(other)).toBe(expected.has(formatPath(other)))
      }),
    )
  })

  it('obeys the laws of sets', () => {
    fc.assert(
      fc.property(anySet, anySet, anySet, (a, b, c) => {
        const [left, right] = [texts(a), texts(b)]
        expect(texts(a.union(b))).toEqual(new Set([...left, ...right]))
        expect(texts(a.intersection(b))).toEqual(new Set([...left].filter((path) => right.has(path))))
        expect(texts(a.difference(b))).toEqual(new Set([...left].filter((path) => !right.has(path))))
        expect(a.union(b).equals(b.union(a))).toBe(true)
        expect(a.intersection(b).equals(b.intersection(a))).toBe(true)
        expect(
          a
            .union(b)
            .union(c)
            .equals(a.union(b.union(c))),
        ).toBe(true)
        expect(a.intersection(b.union(c)).equals(a.intersection(b).union(a.intersection(c)))).toBe(true)
        expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true)
        expect(a.intersects(b)).toBe(!a.intersection(b).isEmpty)
        expect(a.difference(a.union(b)).isEmpty).toBe(true)
      }),
    )
  })

  it('drops a member with all below it in a recursive difference', () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        const cut = [...b.paths()].map((path) => path.map((_, i) => formatPath(path.slice(0, i + 1))).at(-1)!)
        const expected = [...a.paths()].filter(
          (path) => !path.some((_, i) => cut.includes(formatPath(path.slice(0, i + 1)))),
        )
        expect(texts(a.recursiveDifference(b))).toEqual(new Set(expected.map(formatPath)))
      }),
    )
  })

  it('returns the very same set when an operation changes nothing', () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        const both = a.union(b)
        expect(both.union(b)).toBe(both)
        expect(both.union(a)).toBe(both)
        const rest = a.difference(b)
        expect(rest.difference(b)).toBe(rest)
        expect(a.intersection(both)).toBe(a)
      }),
    )
  })

  it('survives its encoding, which is canonical', () => {
    fc.assert(
      fc.property(anySet, (set) => {
        const encoded = JSON.stringify(encodeFieldsV1(set))
        const decoded = decodeFieldsV1(JSON.parse(encoded))
        expect(decoded.equals(set)).toBe(true)
        expect(JSON.stringify(encodeFieldsV1(decoded))).toBe(encoded)
      }),
    )
  })
})

test('paths come shallow first within each node', () => {
  const set = fields('b', 'a.z', 'a', 'a.b.c', 'c.d')
  expect([...set.paths()].map(formatPath)).toEqual(['.a', '.b', '.a.z', '.a.b.c', '.c.d'])
  expect(set.toString()).toBe('.a\n.b\n.a.z\n.a.b.c\n.c.d')
})

test('a filter drops whole branches', () => {
  const set = fields(
    'status',
    'status.a',
    'metadata.labels.x',
    'metadata.name',
    'spec.containers.c.resources.limits',
    'spec.containers.c.image',
    'spec.containers.c',
  )
  const excluded = excludingFields(['status', 'metadata.labels'])(set)
  expect(excluded.toString()).toBe(
    ['.metadata.name', '.spec.containers.c', '.spec.containers.c.image', '.spec.containers.c.resources.limits'].join(
      '\n',
    ),
  )
})

describe('fieldsV1', () => {
  const cases: [string, object, string[]][] = [
    ['a leaf', { 'f:a': {} }, ['.a']],
    ['a member with members below', { 'f:a': { '.': {}, 'f:b': {} } }, ['.a', '.a.b']],
    ['members below only', { 'f:a': { 'f:b': {} } }, ['.a.b']],
    ['keys out of order', { 'f:b': {}, 'f:a': { 'f:z': {}, '.': {} } }, ['.a', '.b', '.a.z']],
    ['a leaf that says so', { 'f:a': { '.': {} } }, ['.a']],
    ['a null leaf', { 'f:a': null }, ['.a']],
    ['unknown kinds', { 'f:a': {}, 'z:b': {} }, ['.a']],
    ['two spellings of one key', { 'k:{"a":1}': { 'f:x': {} }, 'k:{"a": 1}': { 'f:y': {} } }, ['[a=1].x', '[a=1].y']],
    ['nothing', {}, []],
  ]
  it.each(cases)('reads %s', (_, json, paths) => {
    expect([...decodeFieldsV1(json as never).paths()].map(formatPath)).toEqual(paths)
  })

  it.each([[{ data: {} }], ['text'], [{ 'f:a': 1 }], [[]]])('refuses %j', (json) => {
    expect(() => decodeFieldsV1(json as never)).toThrow()
  })

  it('is one set however its entries came', () => {
    const [a, b] = [fieldElement('a'), fieldElement('b')].map((element) => ({
      element,
      member: true,
      child: undefined,
    }))
    expect(
      isFoundAgain(
        () => FieldSet.from([b!, a!]),
        () => FieldSet.from([a!, b!]),
      ),
    ).toBe(true)
    expect(String(FieldSet.from([b!, a!]))).toBe('.a\n.b')
  })

  it('tells apart what differs in membership or in what is below alone', () => {
    const element = fieldElement('a')
    const below = FieldSet.ofFields('x')
    const sets = [
      FieldSet.from([{ element, member: true, child: undefined }]),
      FieldSet.from([{ element, member: true, child: below }]),
      FieldSet.from([{ element, member: false, child: below }]),
      FieldSet.from([{ element: fieldElement('b'), member: false, child: below }]),
    ]
    expect(sets.map((set) => JSON.stringify(encodeFieldsV1(set)))).toEqual([
      '{"f:a":{}}',
      '{"f:a":{".":{},"f:x":{}}}',
      '{"f:a":{"f:x":{}}}',
      '{"f:b":{"f:x":{}}}',
    ])
  })

  it('has the text of what it wrote', () => {
    const fields = encodeFieldsV1(FieldSet.ofFields('a.b', 'c'))
    expect(fieldsV1Text(fields, JSON.stringify)).toBe('{"f:a":{"f:b":{}},"f:c":{}}')
    const loose = { 'f:b': {}, 'f:a': {} }
    decodeFieldsV1(loose)
    expect(fieldsV1Text(loose, JSON.stringify)).toBe('{"f:b":{},"f:a":{}}')
  })

  it('writes the same object again for a set that it read', () => {
    const json = { 'f:a': { '.': {}, 'f:b': {} } }
    expect(encodeFieldsV1(decodeFieldsV1(json))).toBe(json)
    const loose = { 'f:b': {}, 'f:a': {} }
    expect(JSON.stringify(encodeFieldsV1(decodeFieldsV1(loose)))).toBe('{"f:a":{},"f:b":{}}')
  })
})

test('the text of a wide set is that of its fields', () => {
  const names = ['a', '__proto__', '"quoted"', '<b>', ...Array.from({ length: 300 }, (_, i) => `name-${i}`)]
  const set = FieldSet.of(
    ...names.flatMap((name) => [[fieldElement(name)], [fieldElement('data'), fieldElement(name)]]),
  )
  const encoded = encodeFieldsV1(set)
  const encode = (value: unknown): string => JSON.stringify(value)
  expect(fieldsV1Text(encoded, encode)).toBe(encode(encoded))
  expect(decodeFieldsV1(JSON.parse(encode(encoded))).equals(set)).toBe(true)
})

describe('sets that are too large to be one object', () => {
  const wide = (count: number, ...more: string[]): FieldSet =>
    FieldSet.of(
      ...[...Array.from({ length: count }, (_, i) => `n${i}`), ...more].map((name) =>
        name.split('.').map(fieldElement),
      ),
    )

  it.each<[string, FieldSet, FieldSet, boolean]>([
    ['the same paths', wide(100), wide(100), true],
    ['one more', wide(100), wide(101), false],
    ['one less', wide(101), wide(100), false],
    ['another path', wide(100, 'a'), wide(100, 'b'), false],
    ['a path below', wide(100, 'a'), wide(100, 'a', 'a.b'), false],
    ['a path below alone', wide(100, 'a.b'), wide(100, 'a'), false],
    ['another path below', wide(100, 'a.b'), wide(100, 'a.c'), false],
    ['the same paths below', wide(100, 'a.b', 'a.c'), wide(100, 'a.c', 'a.b'), true],
    ['below large ones', below(100, 'x'), below(100, 'x'), true],
    ['below large ones, with another', below(100, 'x'), below(100, 'y'), false],
  ])('are equal by what they hold: %s', (_, a, given, isEqual) => {
    const b = again(given)
    expect(a === b).toBe(false)
    expect([a.equals(b), b.equals(a), a.equals(a)]).toEqual([isEqual, isEqual, true])
    expect([a.difference(b).isEmpty && b.difference(a).isEmpty, texts(a.union(b)).size === texts(a).size]).toEqual([
      isEqual,
      isEqual || texts(b).size < texts(a).size,
    ])
  })

  it('are given back where an operation with nothing or themselves changes nothing', () => {
    const set = wide(100, 'a.b')
    const { empty } = FieldSet
    expect(
      [set.union(empty), empty.union(set), set.union(set), set.intersection(set)].every((each) => each === set),
    ).toBe(true)
    expect([set.difference(empty), set.recursiveDifference(empty)].every((each) => each === set)).toBe(true)
    expect(
      [
        set.intersection(empty),
        empty.intersection(set),
        empty.difference(set),
        empty.recursiveDifference(set),
        set.difference(set),
        set.recursiveDifference(set),
      ].every((each) => each.isEmpty),
    ).toBe(true)
  })

  it('know their entries and paths', () => {
    const set = wide(100, 'a.b.c')
    const [a, b, c] = ['a', 'b', 'c'].map(fieldElement)
    expect([[], [a!], [a!, b!], [a!, b!, c!], [a!, b!, c!, c!], [c!]].map((path) => set.has(path))).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
    ])
    expect(['n0', 'n99', 'a', 'n100', 'zz', ''].map((name) => set.find(fieldElement(name)) !== undefined)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })
})

/** Whether two ways lead to one set. What was made before may be forgotten between them, but not twice in a row. */
function isFoundAgain(one: () => FieldSet, other: () => FieldSet): boolean {
  return [1, 2].some(() => one() === other())
}

/** The same entries in sets of their own, as far as they are too many to be found. */
function again(set: FieldSet): FieldSet {
  return FieldSet.from(set.entries.map((entry) => ({ ...entry, child: entry.child && again(entry.child) })))
}

/** A set with as many paths below one element. */
function below(count: number, last: string): FieldSet {
  const names = [...Array.from({ length: count }, (_, i) => `n${i}`), last]
  return FieldSet.of(...names.map((name) => [fieldElement('top'), fieldElement(name)]))
}

describe('sets of about as many entries as are looked for', () => {
  it.each([1, 63, 64, 65, 66])('%i entries are one object or equal, in whichever order they come', (count) => {
    const entries = Array.from({ length: count }, (_, i) => ({
      element: fieldElement(`n${String(i).padStart(3, '0')}`),
      member: true,
      child: undefined,
    }))
    const [one, other] = [FieldSet.from([...entries]), FieldSet.from(entries.toReversed())]
    expect(one.entries.map(({ element }) => element.text)).toEqual(entries.map(({ element }) => element.text))
    const isOne = isFoundAgain(
      () => FieldSet.from([...entries]),
      () => FieldSet.from(entries.toReversed()),
    )
    expect([isOne, one.equals(other)]).toEqual([count <= 64, true])
  })

  it('are right however many shapes there were', () => {
    for (let i = 0; i < 5_000; i++) {
      const set = fields(`a${i}`, 'b.c')
      expect(String(set)).toBe(`.a${i}\n.b.c`)
    }
    expect(
      isFoundAgain(
        () => fields('x', 'y'),
        () => fields('y', 'x'),
      ),
    ).toBe(true)
  })
})
