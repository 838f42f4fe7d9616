import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cloneJson, type JsonValue } from '../../api/json.ts'
import { jsonDiff } from './json-diff.ts'

describe('jsonDiff', () => {
  it.each<[JsonValue, JsonValue, unknown[]]>([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1 }, { a: 2 }, [{ op: 'replace', path: '/a', value: 2 }]],
    [{ a: 1 }, {}, [{ op: 'remove', path: '/a' }]],
    [{}, { 'a/b~': { c: 1 } }, [{ op: 'add', path: '/a~1b~0', value: { c: 1 } }]],
    [[1, 2, 3], [1, 3], [{ op: 'remove', path: '/1' }]],
    [[1, 3], [1, 2, 3], [{ op: 'add', path: '/1', value: 2 }]],
    [[{ n: 'a', v: 1 }], [{ n: 'a', v: 2 }], [{ op: 'replace', path: '/0/v', value: 2 }]],
    [{ a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
  ])('%j to %j', (before, after, expected) => expect(jsonDiff(before, after)).toEqual(expected))

  it('is one replacement where it would be long', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]))
    expect(jsonDiff({}, many)).toEqual([{ op: 'replace', path: '', value: many }])
  })

  it('leads from one to the other', () => {
    const anything = fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as JsonValue)
    const leads = fc.property(anything, anything, (before, after) => {
      expect(patched(before, jsonDiff(before, after))).toEqual(after)
    })
    fc.assert(leads, { numRuns: 300 })
  })
})

function patched(document: JsonValue, operations: ReturnType<typeof jsonDiff>): JsonValue {
  const holder: { root: JsonValue } = { root: cloneJson(document) }
  for (const { op, path, value } of operations) {
    const keys = ['root', ...path.split('/').slice(1)].map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = keys.pop() as string
    // biome-ignore lint/suspicious/noExplicitAny: any JSON
    const parent = keys.reduce<any>((at, key) => at[key], holder)
    if (Array.isArray(parent)) {
      if (op === 'add') parent.splice(Number(last), 0, value as JsonValue)
      else if (op === 'remove') parent.splice(Number(last), 1)
      else parent[Number(last)] = value as JsonValue
    } else if (op === 'remove') delete parent[last]
    else Object.defineProperty(parent, last, { value, enumerable: true, writable: true, configurable: true })
  }
  return holder.root
}
