// The part of etcd's v3 protocol that the store uses: message fields by number, nothing more. 64-bit integers become numbers, which is
// exact for revisions and counts (the ids that may be larger, of members and leases, are not read or are chosen small).

import { Reader, Writer } from 'protobufjs/minimal.js'
import { pushAll } from '../../lib/push-all.ts'

export interface KeyValue {
  key: string
  createRevision: number
  modRevision: number
  version: number
  value: Buffer
}

export interface RangeRequest {
  readonly key: Buffer
  readonly rangeEnd?: Buffer
  readonly limit?: number
  readonly revision?: number
  readonly countOnly?: boolean
}

export interface RangeResponse {
  revision: number
  kvs: KeyValue[]
  more: boolean
  count: number
}

interface Compare {
  readonly key: Buffer
  readonly target: 'modRevision' | 'version'
  readonly equals: number
}

type RequestOperation =
  | { readonly type: 'range'; readonly key: Buffer }
  | { readonly type: 'put'; readonly key: Buffer; readonly value: Uint8Array; readonly lease: number }
  | { readonly type: 'delete'; readonly key: Buffer }

export interface TxnRequest {
  readonly compare: Compare
  readonly success: RequestOperation
  readonly failure: RequestOperation
}

export interface TxnResponse {
  revision: number
  succeeded: boolean
  /** What a range found or a delete removed. */
  kvs: KeyValue[]
}

/** A watch of all keys. */
export interface WatchRequest {
  readonly startRevision: number
}

export interface WatchEvent {
  deleted: boolean
  kv: KeyValue
  previous: KeyValue | undefined
}

export interface WatchResponse {
  canceled: boolean
  compactRevision: number
  fragment: boolean
  events: WatchEvent[]
}

export interface StatusResponse {
  dbSize: number
}

/** One RPC: where it is, and how its messages are written and read. */
export interface Method<Request, Response> {
  readonly path: string
  readonly encode: (request: Request) => Buffer
  readonly decode: (bytes: Buffer) => Response
}

/** As the first key and as the end of a range. */
export const allKeys = Buffer.from([0])

const lengthDelimited = 2
const tag = (field: number, wireType: number): number => (field << 3) | wireType

function toBuffer(writer: Writer): Buffer {
  const bytes = writer.finish()
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function putBytes(writer: Writer, field: number, value: Uint8Array | undefined): void {
  if (value !== undefined && value.length > 0) writer.uint32(tag(field, lengthDelimited)).bytes(value)
}

function putInt(writer: Writer, field: number, value: number | undefined): void {
  if (value) writer.uint32(tag(field, 0)).int64(value)
}

function putMessage(writer: Writer, field: number, write: () => void): void {
  writer.uint32(tag(field, lengthDelimited)).fork()
  write()
  writer.ldelim()
}

/** Calls `read` for each field; what it does not take is skipped. */
function readFields(reader: Reader, end: number, read: (field: number) => boolean): void {
  while (reader.pos < end) {
    const key = reader.uint32()
    if (!read(key >>> 3)) reader.skipType(key & 7)
  }
}

const int = (reader: Reader): number => Number(reader.int64())

function nested<T>(reader: Reader, decode: (reader: Reader, end: number) => T): T {
  const length = reader.uint32()
  return decode(reader, reader.pos + length)
}

/** A copy, so that a small value does not keep a large message in memory. */
const copied = (reader: Reader): Buffer => Buffer.from(reader.bytes())

function decodeHeader(reader: Reader, end: number): number {
  let revision = 0
  readFields(reader, end, (field) => {
    if (field !== 3) return false
    revision = int(reader)
    return true
  })
  return revision
}

function decodeKeyValue(reader: Reader, end: number): KeyValue {
  const kv: KeyValue = { key: '', createRevision: 0, modRevision: 0, version: 0, value: Buffer.alloc(0) }
  readFields(reader, end, (field) => {
    if (field === 1) kv.key = reader.string()
    else if (field === 2) kv.createRevision = int(reader)
    else if (field === 3) kv.modRevision = int(reader)
    else if (field === 4) kv.version = int(reader)
    else if (field === 5) kv.value = copied(reader)
    else return false
    return true
  })
  return kv
}

function writeRange(writer: Writer, request: RangeRequest): void {
  putBytes(writer, 1, request.key)
  putBytes(writer, 2, request.rangeEnd)
  putInt(writer, 3, request.limit)
  putInt(writer, 4, request.revision)
  putInt(writer, 9, request.countOnly ? 1 : 0)
}

function decodeRange(reader: Reader, end: number): RangeResponse {
  const response: RangeResponse = { revision: 0, kvs: [], more: false, count: 0 }
  readFields(reader, end, (field) => {
    if (field === 1) response.revision = nested(reader, decodeHeader)
    else if (field === 2) response.kvs.push(nested(reader, decodeKeyValue))
    else if (field === 3) response.more = reader.bool()
    else if (field === 4) response.count = int(reader)
    else return false
    return true
  })
  return response
}

function writeOperation(writer: Writer, operation: RequestOperation): void {
  switch (operation.type) {
    case 'range':
      putMessage(writer, 1, () => putBytes(writer, 1, operation.key))
      return
    case 'put':
      putMessage(writer, 2, () => {
        putBytes(writer, 1, operation.key)
        putBytes(writer, 2, operation.value)
        putInt(writer, 3, operation.lease)
      })
      return
    case 'delete':
      putMessage(writer, 3, () => {
        putBytes(writer, 1, operation.key)
        putInt(writer, 3, 1)
      })
      return
  }
}

function encodeTxn({ compare, success, failure }: TxnRequest): Buffer {
  const writer = Writer.create()
  putMessage(writer, 1, () => {
    putInt(writer, 2, compare.target === 'modRevision' ? 2 : 0)
    putBytes(writer, 3, compare.key)
    // Written even when it is 0: it is the chosen member of a union.
    writer.uint32(tag(compare.target === 'modRevision' ? 6 : 4, 0)).int64(compare.equals)
  })
  putMessage(writer, 2, () => writeOperation(writer, success))
  putMessage(writer, 3, () => writeOperation(writer, failure))
  return toBuffer(writer)
}

/** The key-values of a response operation: a range (1) has them in field 2, a delete (3) in field 3. */
function decodeOperation(reader: Reader, end: number): KeyValue[] {
  const kvs: KeyValue[] = []
  readFields(reader, end, (operation) => {
    nested(reader, (inner, innerEnd) =>
      readFields(inner, innerEnd, (field) => {
        if (field !== (operation === 1 ? 2 : 3) || operation === 2) return false
        kvs.push(nested(inner, decodeKeyValue))
        return true
      }),
    )
    return true
  })
  return kvs
}

function decodeTxn(bytes: Buffer): TxnResponse {
  const reader = Reader.create(bytes)
  const response: TxnResponse = { revision: 0, succeeded: false, kvs: [] }
  readFields(reader, bytes.length, (field) => {
    if (field === 1) response.revision = nested(reader, decodeHeader)
    else if (field === 2) response.succeeded = reader.bool()
    else if (field === 3) pushAll(response.kvs, nested(reader, decodeOperation))
    else return false
    return true
  })
  return response
}

/** From the first key (a zero byte) to the end (another), with previous values (6), in parts (8) when it is large. */
function encodeWatch({ startRevision }: WatchRequest): Buffer {
  const writer = Writer.create()
  putMessage(writer, 1, () => {
    putBytes(writer, 1, allKeys)
    putBytes(writer, 2, allKeys)
    putInt(writer, 3, startRevision)
    putInt(writer, 6, 1)
    putInt(writer, 8, 1)
  })
  return toBuffer(writer)
}

function decodeEvent(reader: Reader, end: number): WatchEvent {
  let deleted = false
  let kv: KeyValue | undefined
  let previous: KeyValue | undefined
  readFields(reader, end, (field) => {
    if (field === 1) deleted = reader.uint32() === 1
    else if (field === 2) kv = nested(reader, decodeKeyValue)
    else if (field === 3) previous = nested(reader, decodeKeyValue)
    else return false
    return true
  })
  if (kv === undefined) throw new Error('an etcd event without a key')
  return { deleted, kv, previous }
}

function decodeWatch(bytes: Buffer): WatchResponse {
  const reader = Reader.create(bytes)
  const response: WatchResponse = {
    canceled: false,
    compactRevision: 0,
    fragment: false,
    events: [],
  }
  readFields(reader, bytes.length, (field) => {
    if (field === 4) response.canceled = reader.bool()
    else if (field === 5) response.compactRevision = int(reader)
    else if (field === 7) response.fragment = reader.bool()
    else if (field === 11) response.events.push(nested(reader, decodeEvent))
    else return false
    return true
  })
  return response
}

function decodeStatus(bytes: Buffer): StatusResponse {
  const reader = Reader.create(bytes)
  const response: StatusResponse = { dbSize: 0 }
  readFields(reader, bytes.length, (field) => {
    if (field !== 3) return false
    response.dbSize = int(reader)
    return true
  })
  return response
}

/** Messages with nothing but integers: field numbers to values. */
function encodeInts(fields: Readonly<Record<number, number>>): Buffer {
  const writer = Writer.create()
  for (const [field, value] of Object.entries(fields)) putInt(writer, Number(field), value)
  return toBuffer(writer)
}

export const rangeMethod: Method<RangeRequest, RangeResponse> = {
  path: '/etcdserverpb.KV/Range',
  encode(request) {
    const writer = Writer.create()
    writeRange(writer, request)
    return toBuffer(writer)
  },
  decode: (bytes) => decodeRange(Reader.create(bytes), bytes.length),
}

export const txnMethod: Method<TxnRequest, TxnResponse> = {
  path: '/etcdserverpb.KV/Txn',
  encode: encodeTxn,
  decode: decodeTxn,
}

export const compactMethod: Method<{ readonly revision: number }, undefined> = {
  path: '/etcdserverpb.KV/Compact',
  encode: ({ revision }) => encodeInts({ 1: revision }),
  decode: () => undefined,
}

export const leaseGrantMethod: Method<{ readonly ttlSeconds: number; readonly id: number }, undefined> = {
  path: '/etcdserverpb.Lease/LeaseGrant',
  encode: ({ ttlSeconds, id }) => encodeInts({ 1: ttlSeconds, 2: id }),
  decode: () => undefined,
}

export const statusMethod: Method<undefined, StatusResponse> = {
  path: '/etcdserverpb.Maintenance/Status',
  encode: () => Buffer.alloc(0),
  decode: decodeStatus,
}

export const watchMethod: Method<WatchRequest, WatchResponse> = {
  path: '/etcdserverpb.Watch/Watch',
  encode: encodeWatch,
  decode: decodeWatch,
}
