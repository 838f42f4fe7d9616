// How a change is written to the `changes` table: fixed fields, then the key. All numbers are little-endian.
//
//   0  u8   1 for a deletion, else 0        17  f64  when the key expires (0: never)
//   1  f64  revision of creation            25  u32  length of the value
//   9  f64  revision of the change before   29  ...  the key in UTF-8
import type { Change } from '../embedded/change.ts'

const headerBytes = 29

export function encodeChange(change: Change, valueBytes: number): Buffer {
  const record = Buffer.allocUnsafe(headerBytes + Buffer.byteLength(change.key))
  record[0] = change.deleted ? 1 : 0
  record.writeDoubleLE(change.createRevision, 1)
  record.writeDoubleLE(change.previousRevision, 9)
  record.writeDoubleLE(change.expiresAt, 17)
  record.writeUInt32LE(valueBytes, 25)
  record.write(change.key, headerBytes, 'utf8')
  return record
}

/** Undefined when it is not a record. */
export function decodeChange(revision: number, record: Buffer): Change | undefined {
  if (record.length <= headerBytes || record[0]! > 1 || !Number.isSafeInteger(revision)) return undefined
  const createRevision = record.readDoubleLE(1)
  const previousRevision = record.readDoubleLE(9)
  const expiresAt = record.readDoubleLE(17)
  const sound =
    Number.isSafeInteger(createRevision) &&
    createRevision <= revision &&
    Number.isSafeInteger(previousRevision) &&
    previousRevision < revision
  if (!sound || !(expiresAt >= 0)) return undefined
  return {
    key: record.toString('utf8', headerBytes),
    revision,
    createRevision,
    previousRevision,
    deleted: record[0] === 1,
    expiresAt,
  }
}
