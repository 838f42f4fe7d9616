import { expect, test } from 'vitest'
import { packTexts } from './pack-texts.ts'
import { testEntry, unreadableEntry } from './testing/test-entry.ts'

const memoryOf = (entries: readonly { readonly bytes: Buffer }[]) => new Set(entries.map(({ bytes }) => bytes.buffer))
const noValues = [] as const

test('texts lie together in few slabs, and are what they were', () => {
  const made = () => Array.from({ length: 500 }, (_, i) => testEntry(`ns/x${i}`, i + 1, { text: 'ä'.repeat(i % 100) }))
  const entries = made()
  packTexts(entries, noValues)
  const [own, others] = [entries, made()].map((each) => each.map(({ bytes }) => String(bytes)))
  expect(own).toEqual(others)
  expect(memoryOf(entries).size).toBeLessThan(4)
  expect(entries.map((entry) => entry.json().toString())).toEqual(made().map((entry) => entry.json().toString()))
  const last = entries.at(-1)
  expect(last?.object()).toEqual(made().at(-1)?.object())
  expect(last?.at(9).json().toString()).toContain('"resourceVersion":"9"')
  const target = Buffer.alloc(last?.jsonLength ?? 0)
  expect(last?.writeJsonFrom(1, target, 0)).toBe(target.length - 1)
  expect(target.toString('utf8', 0, target.length - 1)).toBe(last?.json().toString().slice(1))
})

test('a text is packed once', () => {
  const entries = ['a', 'b', 'c'].map((name) => testEntry(name, 1))
  packTexts(entries, noValues)
  const [first] = memoryOf(entries)
  packTexts(entries, noValues)
  expect([...memoryOf(entries)]).toEqual([first])
})

test.each([
  ['is long', () => testEntry('x', 1, { text: 'x'.repeat(10_000) }), undefined],
  ['is alone', () => testEntry('x', 1), 'alone'],
  ['cannot be read', () => unreadableEntry('x', 1), undefined],
  ['was replaced', () => replaced(), undefined],
])('a text that %s stays where it is', (_, make, alone) => {
  const entry = make()
  const others = alone === undefined ? [testEntry('y', 1), testEntry('z', 1)] : []
  const before = entry.bytes
  packTexts([entry, ...others], noValues)
  expect(entry.bytes).toEqual(before)
  expect(memoryOf(others).has(entry.bytes.buffer)).toBe(false)
})

function replaced() {
  const entry = testEntry('x', 1, { text: 'x'.repeat(20_000) })
  entry.retire(testEntry('x', 2, { text: 'x'.repeat(20_001) }))
  return entry
}

test('a text that the store holds itself is not copied', () => {
  const entries = ['a', 'b', 'c'].map((name) => testEntry(name, 1))
  const values = entries.map(({ bytes }) => ({ value: bytes }))
  packTexts(entries, values)
  expect(entries.map(({ bytes }, i) => bytes === values[i]?.value)).toEqual([true, true, true])
})
