import { describe, expect, test } from 'vitest'
import { runToEnd } from '../lib/in-turns.ts'
import { CacheEntry, lastReadable } from './cache-entry.ts'
import { testEntry, testShape, unreadableEntry } from './testing/test-entry.ts'

/** The entry of a text, with `|` where its version goes. */
function textEntry(marked: string, revision: number, shape = testShape()): CacheEntry {
  const splice = marked.indexOf('|')
  const facts = { key: 'x', namespace: '', name: 'x', labels: undefined, fields: undefined, splice }
  return new CacheEntry({ ...facts, bytes: Buffer.from(marked.replace('|', '')) }, revision, shape)
}

const large = (revision: number, length = 20_000): CacheEntry =>
  textEntry(`{|"n":${revision},"rows":"${'row '.repeat(length / 4)}"}`, revision)

describe('the text of an object', () => {
  test.each([
    ['before others', '{"metadata":{|"name":"x"}}', 7, '{"metadata":{"resourceVersion":"7","name":"x"}}'],
    ['between others', '{"a":1,|"b":2}', 10, '{"a":1,"resourceVersion":"10","b":2}'],
    ['as the last one', '{"metadata":{"name":"x"|}}', 99, '{"metadata":{"name":"x","resourceVersion":"99"}}'],
    ['of many digits', '{"a":1|}', 1_234_567_890, '{"a":1,"resourceVersion":"1234567890"}'],
    ['of one digit less', '{"a":1|}', 999_999_999, '{"a":1,"resourceVersion":"999999999"}'],
    ['zero', '{"a":1|}', 0, '{"a":1,"resourceVersion":"0"}'],
  ])('has its version %s', (_, marked, revision, text) => {
    const entry = textEntry(marked, revision)
    expect(entry.json().toString()).toBe(text)
    expect(entry.jsonLine().toString()).toBe(`${text}\n`)
    expect([entry.jsonLength, entry.size]).toEqual([text.length, marked.length - 1])
  })

  test.each([
    ['whole', 0, 3, 2],
    ['without its first byte', 1, 3, 2],
    ['without all before its version', 6, 0, 0],
  ])('is written %s into a buffer, at any place', (_, skip, offset, behind) => {
    const entry = textEntry('{"a":1|}', 42)
    const whole = '{"a":1,"resourceVersion":"42"}'
    const target = Buffer.alloc(offset + whole.length - skip + behind, '_')
    const end = entry.writeJsonFrom(skip, target, offset)
    expect(target.toString()).toBe('_'.repeat(offset) + whole.slice(skip) + '_'.repeat(behind))
    expect(end).toBe(target.length - behind)
  })

  test('lines do not overwrite one another', () => {
    const lines = [1, 2, 3].map((revision) => textEntry('{"a":1|}', revision).jsonLine())
    expect(lines.map(String)).toEqual([1, 2, 3].map((n) => `{"a":1,"resourceVersion":"${n}"}\n`))
  })
})

describe('the object of an entry', () => {
  const counting = (maxBytes: number) => {
    const parsed: string[] = []
    const shape = testShape(maxBytes, {
      parse: (text) => {
        parsed.push(text)
        return JSON.parse(text)
      },
    })
    return { parsed, entry: testEntry('a/x', 5, { shape }), shape }
  }

  test('is parsed once while it is one of the recent ones', () => {
    const { parsed, entry } = counting(1 << 20)
    expect(entry.parsed).toBeUndefined()
    const object = entry.object()
    expect(object.metadata).toMatchObject({ name: 'x', namespace: 'a', resourceVersion: '5' })
    expect([entry.object(), entry.peek(), entry.parsed]).toEqual([object, object, object])
    expect(entry.object()).toBe(object)
    expect(entry.peek()).toBe(object)
    expect(Object.isFrozen(object.metadata)).toBe(true)
    expect(parsed).toHaveLength(1)
    entry.forget()
    expect([entry.parsed, entry.object()]).toEqual([undefined, object])
    expect(parsed).toHaveLength(2)
  })

  test('is not held where there is no room for it', () => {
    const { parsed, entry } = counting(10)
    entry.object()
    expect(entry.parsed).toBeUndefined()
    entry.object()
    expect(parsed).toHaveLength(2)
  })

  test('is not held for who only looks, nor for who changes it', () => {
    const { entry } = counting(1 << 20)
    entry.peek()
    const draft = entry.draft()
    draft.metadata.name = 'changed'
    expect([entry.parsed, entry.object().metadata.name, entry.draft().metadata.name]).toEqual([undefined, 'x', 'x'])
  })

  test('may be given by who has it', () => {
    const { parsed, entry } = counting(1 << 20)
    const known = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'given' } }
    entry.keep(known)
    expect([entry.object(), parsed]).toEqual([known, []])
    expect(Object.isFrozen(known.metadata)).toBe(true)
  })

  test.each([
    ['a text that is not large', 64 * 1024, false],
    ['a large text', 64 * 1024 + 1, true],
  ])('is parsed in steps only of %s', (name, size, isInSteps) => {
    const made: string[] = []
    const shape = testShape(1 << 20, {
      parse: (text) => {
        made.push('at once')
        return JSON.parse(text)
      },
      *parseInSteps(text) {
        made.push('in steps')
        yield
        return JSON.parse(text.toString())
      },
    })
    const bare = testEntry('a/x', 5).size
    const entry = testEntry('a/x', 5, { text: 'x'.repeat(size - bare), shape })
    expect([entry.size, name]).toEqual([size, name])
    const object = runToEnd(entry.objectInSteps())
    expect([object.metadata.name, made]).toEqual(['x', [isInSteps ? 'in steps' : 'at once']])
    expect([runToEnd(entry.objectInSteps()), made.length]).toEqual([object, 1])
    const other = testEntry('a/x', 5, { text: 'x'.repeat(size), shape: testShape(1 << 20) })
    expect(runToEnd(other.objectInSteps()).metadata.name).toBe('x')
  })
})

test('the same object as of another revision shares all but that', () => {
  const shape = testShape(0, { current: false })
  const entry = testEntry('a/x', 5, { labels: { app: 'web' }, fields: ['n1'], shape })
  const later = entry.at(9)
  expect(entry.at(5)).toBe(entry)
  expect(later.object().metadata.resourceVersion).toBe('9')
  const { key, namespace, name, labels, fields, splice, size } = entry
  expect(later).toMatchObject({ key, namespace, name, labels, fields, splice, size, revision: 9 })
  expect(later.bytes).toBe(entry.bytes)
  expect([later.isCurrent, testEntry('a/x', 5).isCurrent]).toEqual([false, true])
})

test.each([
  ['a large text that is parsed', 100_000, true, 1],
  ['a large text that is not', 100_000, false, 1],
  ['a small text', 10, true, 2],
])('another revision of %s', (_, length, isParsed, parses) => {
  let parsed = 0
  const shape = testShape(1 << 20, {
    parse: (text) => {
      parsed++
      return JSON.parse(text)
    },
  })
  const entry = testEntry('a/x', 5, { text: 'x'.repeat(length), shape })
  const object = isParsed ? entry.object() : undefined
  const later = entry.at(9)
  expect(later.object().metadata).toEqual({ ...later.draft().metadata, resourceVersion: '9' })
  expect(parsed - 1).toBe(parses)
  if (object !== undefined) expect(object.metadata.resourceVersion).toBe('5')
})

describe('a text that was replaced', () => {
  /** A whole text is the same buffer at every look. */
  const isWhole = (entry: CacheEntry): boolean => {
    const looks = [entry.bytes, entry.bytes]
    return looks[0] === looks[1]
  }

  test('is read back from what replaced it', () => {
    const [first, second] = [large(1), large(2)]
    const text = first.bytes.toString()
    first.retire(second)
    expect([isWhole(first), isWhole(second)]).toEqual([false, true])
    expect([first.bytes.toString(), first.size]).toEqual([text, text.length])
    expect(first.json().toString()).toBe(text.replace('{', '{"resourceVersion":"1",'))
  })

  test('stays whole where it is small, or has nothing in common with the next', () => {
    const small = [large(1, 400), large(2, 400)] as const
    small[0].retire(small[1])
    const first = large(1)
    const other = textEntry(`{|"s":"${Array.from({ length: 4000 }, (_, i) => `${i} `).join('')}"}`, 2)
    first.retire(other)
    expect([isWhole(small[0]), isWhole(first)]).toEqual([true, true])
  })

  test('is not replaced twice: the first successor is what it is read from', () => {
    const [first, second, third] = [large(1), large(2), large(3)]
    const text = first.bytes.toString()
    first.retire(second)
    first.retire(third)
    second.retire(third)
    expect(first.bytes.toString()).toBe(text)
  })

  test('is whole again when it is the present state', () => {
    const [first, second] = [large(1), large(2)]
    const text = first.bytes.toString()
    first.retire(second)
    first.revive()
    expect([isWhole(first), first.bytes.toString()]).toEqual([true, text])
    const { bytes } = second
    second.revive()
    expect(second.bytes).toBe(bytes)
  })
})

test('a value that cannot be read throws what it says, and gives what was last read', () => {
  const bad = unreadableEntry('a/x', 3)
  for (const look of [
    () => bad.json(),
    () => bad.jsonLine(),
    () => bad.object(),
    () => bad.peek(),
    () => bad.draft(),
  ]) {
    expect(look).toThrow('the key is away')
  }
  const good = testEntry('a/x', 2)
  expect([lastReadable(undefined), lastReadable(good), lastReadable(bad)]).toEqual([undefined, good, undefined])
  if (bad.unreadable !== undefined) bad.unreadable.last = good
  expect(lastReadable(bad)).toBe(good)
})
