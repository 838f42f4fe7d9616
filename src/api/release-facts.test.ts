import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { laterReleases } from './release.ts'
import {
  defaultRelease,
  factText,
  newestRelease,
  parseReleaseFacts,
  releaseFacts,
  releaseTag,
} from './release-facts.ts'

const facts = path.join(import.meta.dirname, '../../facts')
const later = Object.keys(laterReleases).map(Number)

describe('a difference by lines', () => {
  const delta = parseReleaseFacts(
    'v1.99.1\n=a.txt\n@2\n-two\n+deux\n+et demi\n@5\n+five\n=new.txt\n@1\n+only\n=old.txt gone\n',
  )

  test('replaces, adds and keeps lines', () => {
    expect(delta.text('a.txt', 'one\ntwo\nthree\nfour\n')).toBe('one\ndeux\net demi\nthree\nfour\nfive\n')
    expect(delta.text('other.txt', 'same\n')).toBe('same\n')
    expect(delta.tag).toBe('v1.99.1')
  })

  test('adds and drops whole files', () => {
    expect(delta.text('new.txt', undefined)).toBe('only\n')
    expect(delta.text('old.txt', 'text\n')).toBeUndefined()
  })

  test('refuses a base that it was not made from', () => {
    expect(() => delta.text('a.txt', 'one\n2\nthree\n')).toThrow('does not fit')
  })
})

describe.each(later)('the facts of 1.%i', (release) => {
  test('fit those of the default release', () => {
    const { names, tag, text } = releaseFacts(release)
    expect(tag).toBe(laterReleases[release])
    for (const name of names) {
      const file = path.join(facts, name)
      const base = existsSync(file) ? readFileSync(file, 'utf8') : undefined
      expect(() => text(name, base), name).not.toThrow()
      const made = text(name, base)
      if (name.endsWith('.json')) expect(() => JSON.parse(made ?? ''), name).not.toThrow()
    }
  })
})

test('the default release and those before it have the facts as they are', () => {
  expect(factText(defaultRelease, 'gates.txt', 'text')).toBe('text')
  expect(factText(21, 'gates.txt', 'text')).toBe('text')
})

test.each([
  [21, 'v1.21.0'],
  [newestRelease, laterReleases[newestRelease]],
])('the tag of 1.%i is %s', (release, tag) => {
  expect(releaseTag(release)).toBe(tag)
})
