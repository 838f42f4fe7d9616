// How a change is written to the `changes` table, and its value to `values`: with checksums, so that what the disk has
// changed or lost is refused and never served. All numbers are little-endian.
//
//   0  u8   bit 0: a deletion, bit 1: it has checksums     25  u32  length of the value
//   1  f64  revision of creation                           29  f64, u32  the tally before its group (see tally.ts): up to, sum
//   9  f64  revision of the change before                  41  u32  CRC-32 of the revision and all of the record but this
//   17 f64  when the key expires (0: never)                45  ...  the key in UTF-8
//
// A value is followed by a u32, the CRC-32 of its revision and itself. Records of format 1 have neither checksums nor tally (the key begins
// at 29), and their values are bare.
import { crc32, shortCrc32 } from '../../lib/crc32.ts'
import type { Change } from '../embedded/change.ts'
import type { Tally } from './tally.ts'

const plainHeaderBytes = 29
const sumAt = 41
const headerBytes = sumAt + 4
const sumBytes = 4
const flags = { deleted: 1, summed: 2 }

export function encodeChange(change: Change, valueBytes: number, tally: Tally): Buffer {
  const record = Buffer.allocUnsafe(headerBytes + Buffer.byteLength(change.key))
  record[0] = flags.summed | (change.deleted ? flags.deleted : 0)
  record.writeDoubleLE(change.createRevision, 1)
  record.writeDoubleLE(change.previousRevision, 9)
  record.writeDoubleLE(change.expiresAt, 17)
  record.writeUInt32LE(valueBytes, 25)
  record.writeDoubleLE(tally.upTo, 29)
  record.writeUInt32LE(tally.sum, 37)
  record.write(change.key, headerBytes, 'utf8')
  record.writeUInt32LE(recordSum(change.revision, record), sumAt)
  return record
}

function recordSum(revision: number, record: Buffer): number {
  const seed = shortCrc32(record, { start: 0, end: sumAt, seed: revisionSum(revision) })
  return shortCrc32(record, { start: headerBytes, end: record.length, seed })
}

const revisionBytes = Buffer.alloc(8)

function revisionSum(revision: number): number {
  revisionBytes.writeDoubleLE(revision)
  return shortCrc32(revisionBytes, { start: 0, end: 8 })
}

export interface ChangeRecord {
  readonly change: Change
  readonly valueBytes: number
  /** Undefined in a record of format 1. */
  readonly tally: Tally | undefined
}

/** Undefined when it is not a record, or is not as it was written. */
export function decodeRecord(revision: number, record: Buffer): ChangeRecord | undefined {
  const kind = record[0] ?? 0xff
  const isSummed = (kind & flags.summed) !== 0
  const keyAt = isSummed ? headerBytes : plainHeaderBytes
  if (record.length <= keyAt || kind > (flags.deleted | flags.summed) || !Number.isSafeInteger(revision))
    return undefined
  if (isSummed && record.readUInt32LE(sumAt) !== recordSum(revision, record)) return undefined
  const createRevision = record.readDoubleLE(1)
  const previousRevision = record.readDoubleLE(9)
  const expiresAt = record.readDoubleLE(17)
  const sound =
    Number.isSafeInteger(createRevision) &&
    createRevision <= revision &&
    Number.isSafeInteger(previousRevision) &&
    previousRevision < revision
  if (!sound || !(expiresAt >= 0)) return undefined
  const key = record.toString('utf8', keyAt)
  const deleted = (kind & flags.deleted) !== 0
  return {
    change: { key, revision, createRevision, previousRevision, deleted, expiresAt },
    valueBytes: record.readUInt32LE(25),
    tally: isSummed ? { upTo: record.readDoubleLE(29), sum: record.readUInt32LE(37) } : undefined,
  }
}

export const decodeChange = (revision: number, record: Buffer): Change | undefined =>
  decodeRecord(revision, record)?.change

/** The value as it is stored. */
export function sealValue(revision: number, value: Uint8Array): Buffer {
  const sealed = Buffer.allocUnsafe(value.byteLength + sumBytes)
  sealed.set(value)
  sealed.writeUInt32LE(crc32(value, revisionSum(revision)), value.byteLength)
  return sealed
}

/** The value, which shares the memory of what is stored; undefined when that is not as it was written. */
export function unsealValue(revision: number, sealed: Buffer): Buffer | undefined {
  const length = sealed.length - sumBytes
  if (length < 0) return undefined
  const value = sealed.subarray(0, length)
  return sealed.readUInt32LE(length) === crc32(value, revisionSum(revision)) ? value : undefined
}
