import { describe, expect, it } from 'vitest'
import type { Change } from './change.ts'
import { orderedKey, prefixEnd } from './change.ts'
import { History } from './history.ts'

function change(key: string, revision: number, previousRevision = 0, deleted = false): Change {
  return { key, revision, createRevision: revision, previousRevision, deleted, expiresAt: 0 }
}

describe('History', () => {
  const history = (): History => {
    const h = new History({ revision: 1, compactRevision: 1, scrubbed: 1 })
    for (const c of [
      change('/a', 2),
      change('/b', 3),
      change('/a', 4, 2),
      change('/b', 5, 3, true),
      change('/b', 6, 5),
    ])
      h.apply(c)
    return h
  }
  const at = (h: History, revision: number): string[] =>
    h
      .scan({ prefix: '/', startKey: undefined, revision, limit: 10, count: false })
      .changes.map((c) => `${c.key}@${c.revision}`)

  it.each([
    [2, ['/a@2']],
    [3, ['/a@2', '/b@3']],
    [4, ['/a@4', '/b@3']],
    [5, ['/a@4']],
    [6, ['/a@4', '/b@6']],
  ])('reads the state at revision %i', (revision, expected) => {
    expect(at(history(), revision)).toEqual(expected)
  })

  it('forgets exactly what can no longer be read, one step at a time', () => {
    const h = history()
    h.compact(5)
    const removed: number[] = []
    while (h.scrubbed < h.compactRevision) removed.push(...h.scrub(1).removed.map((c) => c.revision))
    expect(removed.sort()).toEqual([2, 3, 5])
    expect(at(h, 5)).toEqual(['/a@4'])
    expect(at(h, 6)).toEqual(['/a@4', '/b@6'])
    expect(h.since(5, '/', 10).changes.map((c) => c.revision)).toEqual([6])
  })

  it('keeps what a later write replaced after the older one had been scrubbed', () => {
    const h = history()
    h.compact(6)
    h.scrub(100)
    h.apply(change('/a', 7, 4))
    expect(at(h, 6)).toEqual(['/a@4', '/b@6'])
    expect(h.logged(4)?.revision).toBe(4)
  })
})

describe('orderedKey', () => {
  it('orders keys as their UTF-8 bytes', () => {
    const keys = ['/a', '/\u{1f600}', '/\uffee', '/é', '/a/b', '/ab']
    const byBytes = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect([...keys].sort((a, b) => (orderedKey(a) < orderedKey(b) ? -1 : 1))).toEqual(byBytes)
  })

  it.each(['/a/', '', '/é'])('has all keys with the prefix %j before its end', (prefix) => {
    const end = prefixEnd(orderedKey(prefix))
    expect(orderedKey(`${prefix}\u{1f600}`) < end).toBe(true)
    expect(orderedKey(prefix) < end).toBe(true)
  })
})
