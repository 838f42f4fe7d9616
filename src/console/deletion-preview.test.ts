import { describe, expect, it } from 'vitest'
import { deletionPreviews } from './deletion-preview.ts'

const node = (uid: string, ...owners: string[]) => ({
  uid,
  owners: owners.map((owner) => ({ uid: owner.replace('!', ''), blockOwnerDeletion: owner.endsWith('!') })),
})
const all = new Set(['a', 'b', 'c', 'd', 'e'])

describe('deletionPreviews', () => {
  it('collects what is owned, and what that owns', () => {
    const { background, foreground, orphan } = deletionPreviews('a', [node('b', 'a!'), node('c', 'b!')], {
      living: new Set(),
      shown: all,
    })
    expect(background).toEqual({ deletes: ['a', 'b', 'c'], keeps: [], waitsFor: [], releases: [] })
    expect(foreground).toEqual({ deletes: ['a', 'b', 'c'], keeps: [], waitsFor: ['b', 'c'], releases: [] })
    expect(orphan).toEqual({ deletes: ['a'], keeps: [], waitsFor: [], releases: ['b'] })
  })

  it('keeps what somebody else owns, and what that owns', () => {
    const nodes = [node('b', 'a', 'x'), node('c', 'b')]
    const { background } = deletionPreviews('a', nodes, { living: new Set(['x']), shown: all })
    expect(background).toEqual({ deletes: ['a'], keeps: ['b'], waitsFor: [], releases: ['b'] })
    const dangling = deletionPreviews('a', nodes, { living: new Set(), shown: all })
    expect(dangling.background.deletes).toEqual(['a', 'b', 'c'])
  })

  it('finds owners that come after what they own, and names only what may be seen', () => {
    const nodes = [node('b', 'a', 'd'), node('c', 'a'), node('d', 'c')]
    const { background } = deletionPreviews('a', nodes, { living: new Set(), shown: new Set(['a', 'd']) })
    expect(background.deletes).toEqual(['a', 'd'])
  })
})
