import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OffsetSet } from './range-record.ts'

describe('OffsetSet', () => {
  it('holds what was added and reads its own data', () => {
    const offsets = fc.uniqueArray(fc.integer({ min: 0, max: 99 }))
    fc.assert(
      fc.property(offsets, offsets, (added, removed) => {
        const set = new OffsetSet(100)
        for (const offset of added) set.add(offset)
        for (const offset of removed) set.delete(offset)
        const expected = added.filter((offset) => !removed.includes(offset)).sort((a, b) => a - b)
        expect([...set.values()]).toEqual(expected)
        expect([...new OffsetSet(100, set.toData()).values()]).toEqual(expected)
      }),
    )
  })

  it('writes a big-endian number without leading zeros', () => {
    const set = new OffsetSet(100)
    expect([...set.toData()]).toEqual([])
    set.add(0)
    set.add(9)
    expect([...set.toData()]).toEqual([2, 1])
  })
})
