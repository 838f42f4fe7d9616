/** How the objects of a definition become text and bytes: canonical JSON for the cache, the reference's layout for etcd. */

import { parseGroupVersion } from '../api/group-version.ts'
import { isJsonObject, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { StoredText } from '../cache/cache-entry.ts'
import { schemaForKind } from '../catalog/catalog.ts'
import { encodeForStore, encodeJson, JsonDocument, type SplitJson } from '../codec/json.ts'
import { decodeEnvelope, decodeMessage, encodeProtobuf, hasProtobufPrefix } from '../codec/protobuf.ts'
import { fieldsV1Text } from '../patch/apply/fields-v1.ts'
import { canonicalize } from '../schema/canonicalize.ts'
import { fromHub, toHub } from './convert.ts'
import type { ObjectCodec } from './object-storage.ts'
import { findVersion } from './registry.ts'
import type { ResourceDefinition } from './resource-definition.ts'

/** Between the codec and the store: encryption at rest. */
export interface ValueTransformer {
  seal(value: Uint8Array, key: string): Uint8Array
  open(value: Uint8Array, key: string): Uint8Array
}

export interface CodecOptions {
  /** `reference`: as the reference lays its values out in etcd. `json`: the text itself. */
  readonly layout: 'reference' | 'json'
  readonly transformer?: ValueTransformer
}

const versionMember = '"resourceVersion":"'

export function objectCodec(definition: ResourceDefinition, { layout, transformer }: CodecOptions): ObjectCodec {
  const { structural, hub, storage } = definition
  const encode = (object: KubeObject): StoredText => {
    const { head, tail } = split(structural ? object : canonicalize(object, hub.schema), structural)
    const before = head.slice(0, -versionMember.length)
    return { bytes: lastingBytes(before + tail.slice(2)), splice: Buffer.byteLength(before) }
  }
  const stored = (object: KubeObject, text: StoredText): Uint8Array => {
    if (layout === 'json') return text.bytes
    const inStorage = storageForm(definition, object)
    const plain = { ...inStorage, metadata: withoutVersion(inStorage.metadata) }
    const schema = storage.encoding === 'protobuf' ? storageSchema(definition) : undefined
    if (schema !== undefined) return encodeProtobuf(plain, schema)
    const { head, tail } = split(plain, structural)
    // The reference ends JSON values with a newline.
    return Buffer.from(`${head.slice(0, -versionMember.length)}${tail.slice(2)}\n`, 'utf8')
  }
  return {
    encode,
    parse: parseText,
    toStored: (object, text, key) => {
      const bytes = stored(object, text)
      return transformer === undefined ? bytes : transformer.seal(bytes, key)
    },
    fromStored: (value, key) => {
      const opened = transformer === undefined ? value : transformer.open(value, key)
      return decodeStored(definition, Buffer.from(opened.buffer, opened.byteOffset, opened.byteLength))
    },
  }
}

/** In memory of its own: what is kept must not hold on to a pool that it shares with what is not. */
function lastingBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** Objects that look alike have the same fields, whose text is known. */
const fieldsText = (fields: JsonObject): string => fieldsV1Text(fields, encodeJson)

const split = (object: KubeObject | JsonObject, sorted: boolean): SplitJson =>
  encodeForStore(object, sorted, fieldsText)

function parseText(text: string): KubeObject {
  return bigDigits.test(text)
    ? (new JsonDocument(Buffer.from(text)).value() as KubeObject)
    : (JSON.parse(text) as KubeObject)
}

/** A number of sixteen digits or more may be an integer that a double cannot hold. */
const bigDigits = /[:[,\s]-?\d{16}/

function withoutVersion({ resourceVersion: _, ...metadata }: JsonObject): JsonObject {
  return metadata
}

function storageForm(definition: ResourceDefinition, object: KubeObject): KubeObject {
  const { shape } = definition.storage
  if (shape !== undefined) return shape.toStored(object)
  const version = findVersion(definition, definition.storage.apiVersion)
  return version === undefined ? { ...object, apiVersion: definition.storage.apiVersion } : fromHub(version, object)
}

function storageSchema({ storage, kind, hub }: ResourceDefinition) {
  const groupVersion = parseGroupVersion(storage.apiVersion)
  return (groupVersion && schemaForKind({ ...groupVersion, kind })) ?? hub.schema
}

function decodeStored(definition: ResourceDefinition, value: Buffer): KubeObject {
  const object = hasProtobufPrefix(value) ? decodeProtobuf(definition, value) : decodeText(value)
  const { revive, shape } = definition.storage
  if (revive !== undefined) return revive(object)
  if (shape !== undefined) return shape.fromStored(object)
  const { hub } = definition
  const version = findVersion(definition, object.apiVersion)
  if (version === hub) return object
  // A version that is not served differs from the hub by its name alone: otherwise it would be the hub (see `hubVersion`).
  return version === undefined ? { ...object, apiVersion: hub.apiVersion } : toHub(definition, version, object)
}

function decodeProtobuf(definition: ResourceDefinition, value: Buffer): KubeObject {
  const { raw, apiVersion, kind } = decodeEnvelope(value)
  const groupVersion = parseGroupVersion(apiVersion)
  const schema = (groupVersion && schemaForKind({ ...groupVersion, kind })) ?? definition.hub.schema
  return decodeMessage(raw, schema, { apiVersion, kind }) as KubeObject
}

function decodeText(value: Buffer): KubeObject {
  const object = parseText(value.toString('utf8'))
  if (!isJsonObject(object) || !isJsonObject(object.metadata)) throw new Error('the stored value is not an object')
  return object
}
