// The messages between a store that is served and a store by channel, and how entries and errors are part of them.
//
// Those of every write are records, which all have one layout: three numbers, two texts and a value. What each of them is, the kind says:
//
//   f64 f64 f64      u32 length of the key      u32 length of the hint      key and hint in UTF-8      value
//
// All others are JSON, with the values that it names following it in that order:
//
//   u32 length of the JSON      JSON in UTF-8      values
//
// The events of a batch are frames of their own, and the frame of the batch follows them.
import type { Entry, StoreErrorCode } from '../store.ts'
import { StoreError } from '../store.ts'
import type { FrameBuffer } from './frames.ts'

export const frameKinds = {
  json: 0,
  /** To the owner, a write: its id, expected revision, time to live (0: none); key, hint, value. */
  create: 1,
  replace: 2,
  delete: 3,
  /** Of an id, that its write was acknowledged: its revision. */
  wrote: 4,
  /** An event: revision, revision of creation; key, hint, value. */
  put: 5,
  /** An event without the value before: revision; key. */
  deleted: 6,
  /** The event of a write of this process: id of the write, revision, revision of creation. */
  own: 7,
  /** The events since the last batch are those of a watch: its id, up to which revision. */
  batch: 8,
} as const

const numbersBytes = 24
const recordBytes = numbersBytes + 8

export interface WireRecord {
  /** A missing one is 0. */
  readonly numbers: readonly [number, number?, (number | undefined)?]
  readonly key?: string
  /** Never empty. */
  readonly hint?: string | undefined
  readonly value?: Uint8Array
}

const noBytes = new Uint8Array()

export function writeRecord(out: FrameBuffer, kind: number, record: WireRecord): void {
  const { numbers, key = '', hint = '', value = noBytes } = record
  const keyBytes = Buffer.byteLength(key)
  const hintBytes = hint === '' ? 0 : Buffer.byteLength(hint)
  let at = out.begin(kind, recordBytes + keyBytes + hintBytes, value.byteLength)
  const { block } = out
  block.writeDoubleLE(numbers[0], at)
  block.writeDoubleLE(numbers[1] ?? 0, at + 8)
  block.writeDoubleLE(numbers[2] ?? 0, at + 16)
  block.writeUInt32LE(keyBytes, at + numbersBytes)
  block.writeUInt32LE(hintBytes, at + numbersBytes + 4)
  at += recordBytes
  if (keyBytes > 0) block.write(key, at, keyBytes, 'utf8')
  if (hintBytes > 0) block.write(hint, at + keyBytes, hintBytes, 'utf8')
  if (value.byteLength > 0) out.append(value)
}

/** The record in a frame, which must not be kept: only what the methods return. */
export class RecordReader {
  readonly #block: Buffer
  readonly #from: number
  readonly #keyTo: number
  readonly #hintTo: number
  readonly #to: number

  /** Throws on what is no record. */
  constructor(block: Buffer, from: number, to: number) {
    this.#block = block
    this.#from = from
    this.#keyTo = from + recordBytes + block.readUInt32LE(from + numbersBytes)
    this.#hintTo = this.#keyTo + block.readUInt32LE(from + numbersBytes + 4)
    this.#to = to
    if (this.#hintTo > to) throw new Error('a record is longer than its frame')
  }

  number(index: 0 | 1 | 2): number {
    return this.#block.readDoubleLE(this.#from + 8 * index)
  }

  get key(): string {
    return this.#block.toString('utf8', this.#from + recordBytes, this.#keyTo)
  }

  get hint(): string | undefined {
    return this.#hintTo === this.#keyTo ? undefined : this.#block.toString('utf8', this.#keyTo, this.#hintTo)
  }

  /** A copy: a value that is kept must not keep the chunk that it came in. */
  get value(): Buffer {
    return Buffer.from(this.#block.subarray(this.#hintTo, this.#to))
  }
}

export type Header = readonly unknown[]

export function writeJsonFrame(out: FrameBuffer, header: Header, values: readonly Uint8Array[] = []): void {
  const text = JSON.stringify(header)
  const textBytes = Buffer.byteLength(text)
  let following = 0
  for (const { byteLength } of values) following += byteLength
  const at = out.begin(frameKinds.json, 4 + textBytes, following)
  out.block.writeUInt32LE(textBytes, at)
  out.block.write(text, at + 4, textBytes, 'utf8')
  for (const value of values) out.append(value)
}

/** The values share the memory of the block: what is kept must be copied. */
export function readJsonFrame(
  block: Buffer,
  from: number,
  to: number,
): { readonly header: Header; readonly values: Buffer } {
  const valuesAt = from + 4 + block.readUInt32LE(from)
  const header = JSON.parse(block.toString('utf8', from + 4, valuesAt)) as Header
  return { header, values: block.subarray(valuesAt, to) }
}

/** Key, revision, revision of creation, length of the value. */
export type EntrySpec = readonly [string, number, number, number]

/** Null: there is none. JSON has no undefined. */
export const specOf = (entry: Entry | undefined): EntrySpec | null =>
  entry === undefined ? null : [entry.key, entry.revision, entry.createRevision, entry.value.byteLength]

/** Cuts values off the bytes of a frame, one after another. */
export class ValueCutter {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** A copy: a value that is kept must not keep the chunk that it came in. */
  cut(length: number): Buffer {
    const value = Buffer.from(this.#bytes.subarray(this.#at, this.#at + length))
    this.#at += length
    return value
  }

  entry(spec: EntrySpec | null): Entry | undefined {
    if (spec === null) return undefined
    const [key, revision, createRevision, length] = spec
    return { key, value: this.cut(length), revision, createRevision }
  }
}

/** Code, message, whether it may have been applied. */
export type ErrorSpec = readonly [StoreErrorCode, string, boolean]

export function errorSpec(error: unknown): ErrorSpec {
  if (error instanceof StoreError) return [error.code, error.message, error.maybeApplied]
  return ['unavailable', error instanceof Error ? error.message : String(error), true]
}

export const errorOf = ([code, message, maybeApplied]: ErrorSpec): StoreError =>
  new StoreError(code, message, { maybeApplied })
