/** The messages of KMS plugins, v1beta1 and v2, and of the envelope that v2 puts around a value: fields by number. */
import type { Writer } from 'protobufjs/minimal.js'
import type { GrpcMethod } from '../lib/grpc-client.ts'
import {
  bytesTag,
  encodeFields,
  lengthDelimited,
  readFields,
  utf8Text,
  writeBytes,
  writeText,
} from '../lib/protobuf-fields.ts'

/** As the plugin gave them: names to bytes. */
export type KmsAnnotations = ReadonlyMap<string, Uint8Array>

function writeAnnotations(writer: Writer, field: number, annotations: KmsAnnotations): void {
  for (const [key, value] of annotations) {
    writer.uint32(bytesTag(field)).fork().uint32(bytesTag(1)).string(key).uint32(bytesTag(2)).bytes(value).ldelim()
  }
}

function readAnnotation(bytes: Uint8Array, annotations: Map<string, Uint8Array>): void {
  let key = ''
  let value: Uint8Array = Buffer.alloc(0)
  lengthDelimited(bytes, (field, part) => {
    if (field === 1) key = utf8Text(part)
    if (field === 2) value = Buffer.from(part)
  })
  annotations.set(key, value)
}

export const v1Version = 'v1beta1'

/** The one field of bytes with this number. */
function soleBytes(field: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    let found = Buffer.alloc(0)
    lengthDelimited(bytes, (number, value) => {
      if (number === field) found = Buffer.from(value)
    })
    return found
  }
}

const versioned = (payload: Uint8Array): Buffer =>
  encodeFields((writer) => {
    writeText(writer, 1, v1Version)
    writeBytes(writer, 2, payload)
  })

const v1Path = '/v1beta1.KeyManagementService/'

export const versionV1: GrpcMethod<undefined, string> = {
  path: `${v1Path}Version`,
  encode: () => versioned(Buffer.alloc(0)),
  decode: (bytes) => soleBytes(1)(bytes).toString('utf8'),
}

export const encryptV1: GrpcMethod<Uint8Array, Buffer> = {
  path: `${v1Path}Encrypt`,
  encode: versioned,
  decode: soleBytes(1),
}

export const decryptV1: GrpcMethod<Uint8Array, Buffer> = {
  path: `${v1Path}Decrypt`,
  encode: versioned,
  decode: soleBytes(1),
}

const v2Path = '/v2.KeyManagementService/'

export interface KmsStatus {
  readonly version: string
  readonly healthz: string
  readonly keyId: string
}

export const statusV2: GrpcMethod<undefined, KmsStatus> = {
  path: `${v2Path}Status`,
  encode: () => Buffer.alloc(0),
  decode(bytes) {
    const texts = ['', '', '', '']
    lengthDelimited(bytes, (field, value) => {
      if (field < texts.length) texts[field] = utf8Text(value)
    })
    const [, version = '', healthz = '', keyId = ''] = texts
    return { version, healthz, keyId }
  },
}

export interface EncryptedKey {
  readonly ciphertext: Buffer
  readonly keyId: string
  readonly annotations: KmsAnnotations
}

export const encryptV2: GrpcMethod<{ readonly plaintext: Uint8Array; readonly uid: string }, EncryptedKey> = {
  path: `${v2Path}Encrypt`,
  encode: ({ plaintext, uid }) =>
    encodeFields((writer) => {
      writeBytes(writer, 1, plaintext)
      writeText(writer, 2, uid)
    }),
  decode(bytes) {
    const annotations = new Map<string, Uint8Array>()
    let ciphertext = Buffer.alloc(0)
    let keyId = ''
    lengthDelimited(bytes, (field, value) => {
      if (field === 1) ciphertext = Buffer.from(value)
      if (field === 2) keyId = utf8Text(value)
      if (field === 3) readAnnotation(value, annotations)
    })
    return { ciphertext, keyId, annotations }
  },
}

export const decryptV2: GrpcMethod<EncryptedKey & { readonly uid: string }, Buffer> = {
  path: `${v2Path}Decrypt`,
  encode: ({ ciphertext, uid, keyId, annotations }) =>
    encodeFields((writer) => {
      writeBytes(writer, 1, ciphertext)
      writeText(writer, 2, uid)
      writeText(writer, 3, keyId)
      writeAnnotations(writer, 4, annotations)
    }),
  decode: soleBytes(1),
}

/** How a value's key comes out of what the plugin decrypts: it is the key, or the seed that keys are derived from. */
export const keySource = { key: 0, seed: 1 } as const

/** A value as v2 stores it. */
export interface EncryptedObject {
  readonly encryptedData: Uint8Array
  readonly keyId: string
  readonly encryptedSource: Buffer
  readonly annotations: KmsAnnotations
  readonly sourceType: number
}

export function encodeEncryptedObject(object: EncryptedObject): Buffer {
  return encodeFields((writer) => {
    writeBytes(writer, 1, object.encryptedData)
    writeText(writer, 2, object.keyId)
    writeBytes(writer, 3, object.encryptedSource)
    writeAnnotations(writer, 4, object.annotations)
    if (object.sourceType !== 0) writer.uint32(5 << 3).int32(object.sourceType)
  })
}

/** Throws when the bytes are no such message. */
export function decodeEncryptedObject(bytes: Uint8Array): EncryptedObject {
  const annotations = new Map<string, Uint8Array>()
  let encryptedData: Uint8Array = Buffer.alloc(0)
  let encryptedSource = Buffer.alloc(0)
  let keyId = ''
  let sourceType = 0
  readFields(bytes, (field, reader, wireType) => {
    if (field === 5 && wireType === 0) sourceType = reader.int32()
    else if (wireType !== 2) return false
    else if (field === 1) encryptedData = reader.bytes()
    else if (field === 2) keyId = utf8Text(reader.bytes())
    else if (field === 3) encryptedSource = Buffer.from(reader.bytes())
    else if (field === 4) readAnnotation(reader.bytes(), annotations)
    else return false
    return true
  })
  return { encryptedData, keyId, encryptedSource, annotations, sourceType }
}
