import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeChange, encodeChange } from './change-record.ts'
import { emptyTally } from './tally.ts'

const change = fc
  .tuple(
    fc.string({ minLength: 1, unit: 'grapheme' }),
    fc.integer({ min: 2, max: Number.MAX_SAFE_INTEGER }),
    fc.boolean(),
    fc.nat(),
  )
  .map(([key, revision, deleted, expiresAt]) => ({
    key,
    revision,
    createRevision: Math.ceil(revision / 2),
    previousRevision: Math.floor(revision / 3),
    deleted,
    expiresAt,
  }))

it('reads what it wrote', () => {
  fc.assert(
    fc.property(change, (written) => {
      expect(decodeChange(written.revision, encodeChange(written, 5, emptyTally))).toEqual(written)
    }),
  )
})

it('tells a damaged record', () => {
  const record = encodeChange(
    { key: '/a', revision: 5, createRevision: 3, previousRevision: 4, deleted: false, expiresAt: 0 },
    5,
    emptyTally,
  )
  const damaged: [string, (bytes: Buffer) => Buffer][] = [
    ['cut', (bytes) => bytes.subarray(0, 20)],
    ['kind', (bytes) => bytes.fill(7, 0, 1)],
    ['create', (bytes) => withDouble(bytes, 6, 1)],
    ['previous', (bytes) => withDouble(bytes, 5, 9)],
    ['expiry', (bytes) => withDouble(bytes, Number.NaN, 17)],
  ]
  for (const [what, damage] of damaged)
    expect([what, decodeChange(5, damage(Buffer.from(record)))]).toEqual([what, undefined])
})

function withDouble(bytes: Buffer, value: number, at: number): Buffer {
  bytes.writeDoubleLE(value, at)
  return bytes
}
