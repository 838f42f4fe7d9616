/** The messages of an external token signer, `v1alpha1.ExternalJWTSigner`: fields by number. */
import type { GrpcMethod } from '../../lib/grpc-client.ts'
import { encodeFields, lengthDelimited, readFields, utf8Text, writeText } from '../../lib/protobuf-fields.ts'

const path = '/v1alpha1.ExternalJWTSigner/'
const empty = (): Buffer => Buffer.alloc(0)

export interface SignedParts {
  readonly header: string
  readonly signature: string
}

/** Takes the claims as base64url. */
export const signMethod: GrpcMethod<string, SignedParts> = {
  path: `${path}Sign`,
  encode: (claims) => encodeFields((writer) => writeText(writer, 1, claims)),
  decode(bytes) {
    const parts = { header: '', signature: '' }
    lengthDelimited(bytes, (field, value) => {
      if (field === 1) parts.header = utf8Text(value)
      if (field === 2) parts.signature = utf8Text(value)
    })
    return parts
  },
}

export interface FetchedKey {
  readonly keyId: string
  /** A public key as SubjectPublicKeyInfo. */
  readonly key: Uint8Array
  readonly excluded: boolean
}

export interface FetchedKeys {
  readonly keys: readonly FetchedKey[]
  /** Seconds since 1970; undefined when the signer gave none. */
  readonly dataTimestamp: number | undefined
  readonly refreshHintSeconds: number
}

export const fetchKeysMethod: GrpcMethod<undefined, FetchedKeys> = {
  path: `${path}FetchKeys`,
  encode: empty,
  decode(bytes) {
    const keys: FetchedKey[] = []
    let dataTimestamp: number | undefined
    let refreshHintSeconds = 0
    readFields(bytes, (field, reader, wireType) => {
      if (field === 1 && wireType === 2) keys.push(readKey(reader.bytes()))
      else if (field === 2 && wireType === 2) dataTimestamp = readTimestamp(reader.bytes())
      else if (field === 3 && wireType === 0) refreshHintSeconds = Number(reader.int64())
      else return false
      return true
    })
    return { keys, dataTimestamp, refreshHintSeconds }
  },
}

function readKey(bytes: Uint8Array): FetchedKey {
  let keyId = ''
  let key: Uint8Array = empty()
  let excluded = false
  readFields(bytes, (field, reader, wireType) => {
    if (field === 1 && wireType === 2) keyId = utf8Text(reader.bytes())
    else if (field === 2 && wireType === 2) key = Buffer.from(reader.bytes())
    else if (field === 3 && wireType === 0) excluded = reader.bool()
    else return false
    return true
  })
  return { keyId, key, excluded }
}

function readTimestamp(bytes: Uint8Array): number {
  let seconds = 0
  let nanos = 0
  readFields(bytes, (field, reader, wireType) => {
    if (wireType !== 0 || field > 2) return false
    if (field === 1) seconds = Number(reader.int64())
    else nanos = reader.int32()
    return true
  })
  return seconds + nanos / 1e9
}

export const metadataMethod: GrpcMethod<undefined, { readonly maxTokenExpirationSeconds: number }> = {
  path: `${path}Metadata`,
  encode: empty,
  decode(bytes) {
    let maxTokenExpirationSeconds = 0
    readFields(bytes, (field, reader, wireType) => {
      if (field !== 1 || wireType !== 0) return false
      maxTokenExpirationSeconds = Number(reader.int64())
      return true
    })
    return { maxTokenExpirationSeconds }
  },
}
