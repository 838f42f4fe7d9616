import { expect, it } from 'vitest'
import { splitDocuments } from './yaml-documents.ts'

it.each<[string, readonly string[]]>([
  ['a: b', ['a: b']],
  ['a: b\n---\nc: d\n', ['a: b', 'c: d']],
  ['---\na: b', ['---\na: b']],
  ['a: b\n---\n---\nc: d', ['a: b', '---\nc: d']],
  ['a: b\n--- # next\nc: d', ['a: b', 'c: d']],
  ['a: |\n  ---\n', ['a: |\n  ---']],
  ['a: b\n---   \n', ['a: b']],
  ['\n\n', []],
  ['', []],
])('%j has the documents %j', (text, documents) => {
  expect(splitDocuments(text)).toEqual(documents)
})

it.each(['a: b\n---x', 'a: b\n--- c: d', '----'])('refuses %j', (text) => {
  expect(() => splitDocuments(text)).toThrow(/^invalid Yaml document separator: /)
})
