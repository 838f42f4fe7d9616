/** How the objects of a definition become text and bytes: canonical JSON for the cache, the reference's layout for etcd. */

import { schemePositions } from '../api/golang/positions.ts'
import { quote } from '../api/golang/quote.ts'
import { parseGroupVersion } from '../api/group-version.ts'
import { isJsonObject, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { StoredText } from '../cache/cache-entry.ts'
import { typesOf } from '../catalog/catalog.ts'
import { decodeCborInSteps, encodeCborInSteps, hasCborPrefix } from '../codec/cbor.ts'
import { DecodeError } from '../codec/decode-error.ts'
import { encodeJson, JsonDocument } from '../codec/json.ts'
import {
  decodeEnvelope,
  decodeMessage,
  decodeMessageInSteps,
  encodeProtobuf,
  encodeProtobufInSteps,
  hasProtobufPrefix,
} from '../codec/protobuf.ts'
import { encodeForStore, preparedText, prepareMemberTexts, prepareText, type SplitJson } from '../codec/store-text.ts'
import { type Awaitable, whenReady } from '../lib/awaitable.ts'
import { reasonOf } from '../lib/fault.ts'
import { inTurns, runToEnd, type Steps } from '../lib/in-turns.ts'
import { fieldsV1Text, prepareFieldsV1Text, sortedFieldsV1Text } from '../patch/apply/fields-v1.ts'
import { canonicalForm, canonicalFormInSteps, canonicalize } from '../schema/canonicalize.ts'
import { sortKeys } from '../schema/json-shape.ts'
import { type Canonicalized, withCanonicalParts } from './canonical-parts.ts'
import { fromHub, toHub } from './convert.ts'
import { findVersion } from './registry.ts'
import type { ResourceDefinition, ResourceVersion } from './resource-definition.ts'
import type { EncodedObject, ObjectCodec } from './storage-contract.ts'
import { ReadError } from './unreadable.ts'

/** Between the codec and the store: encryption at rest. A promise where a KMS plugin holds the key. */
export interface ValueTransformer {
  seal(value: Uint8Array, key: string): Awaitable<Uint8Array>
  open(value: Uint8Array, key: string): Awaitable<OpenedValue>
}

export interface OpenedValue {
  readonly value: Uint8Array
  /** It should be written again. */
  readonly stale: boolean
}

export interface CodecOptions {
  /** `reference`: as the reference lays its values out in etcd. `json`: the text itself. */
  readonly layout: 'reference' | 'json'
  /** Custom objects are stored as CBOR, in the layout of the reference (`CBORServingAndStorage`). Either form is read. */
  readonly cbor?: boolean
  readonly transformer?: ValueTransformer
}

const versionMember = '"resourceVersion":"'

/** The codec of a resource whose values are stored as they are: nothing takes time. */
export interface PlainCodec extends ObjectCodec {
  toStored(object: KubeObject, text: StoredText, key: string): Uint8Array
  fromStored(value: Uint8Array, key: string): KubeObject
  isCurrent(value: Uint8Array, object: KubeObject, key: string): boolean
}

export function objectCodec(
  definition: ResourceDefinition,
  options: CodecOptions & { readonly transformer?: undefined },
): PlainCodec
export function objectCodec(definition: ResourceDefinition, options: CodecOptions): ObjectCodec
export function objectCodec(definition: ResourceDefinition, { transformer, ...options }: CodecOptions): ObjectCodec {
  const codec = plainCodec(definition, options)
  return transformer === undefined ? codec : sealedCodec(codec, transformer)
}

function plainCodec(definition: ResourceDefinition, { layout, cbor = false }: CodecOptions): PlainCodec {
  const { hub, storage } = definition
  const { isCanonical, sortsKeys, hasCbor, shown } = definition.model.storage
  const partsOf = (object: KubeObject, current?: KubeObject): Canonicalized<KubeObject> =>
    isCanonical && current === undefined ? withCanonicalParts(object, hub.schema) : { given: object, baseline: current }
  const finish = (object: KubeObject, canonical: KubeObject | undefined, baseline?: JsonObject): EncodedObject => {
    const { head, tail } = split(canonical ?? object, sortsKeys, baseline)
    const { bytes, splice } = lastingText(...spliced(head, tail))
    return { bytes, splice, canonical }
  }
  // A new object that is kept is its own baseline: its texts are remembered for the one that will take its place.
  const baselineOfText = (canonical: KubeObject | undefined, current: KubeObject | undefined, isKept: boolean) =>
    isCanonical && current === undefined && isKept ? canonical : undefined
  const encode = (object: KubeObject, current?: KubeObject, isKept = false): EncodedObject => {
    const { given, baseline } = partsOf(object, current)
    const canonical = isCanonical ? storedObject(hub, given, baseline) : undefined
    return finish(object, canonical, baselineOfText(canonical, current, isKept) ?? baseline)
  }
  function* encodeInSteps(object: KubeObject, current?: KubeObject, isKept = false): Steps<EncodedObject> {
    const { given, baseline } = partsOf(object, current)
    const canonical = isCanonical ? yield* storedObjectInSteps(hub, given, baseline) : undefined
    yield
    yield* prepareTexts(canonical ?? object, sortsKeys)
    yield
    return finish(object, canonical, baselineOfText(canonical, current, isKept) ?? baseline)
  }
  function* stored(object: KubeObject, text: StoredText, isLarge: boolean): Steps<Uint8Array> {
    if (layout === 'json') return text.bytes
    const inStorage = storageForm(definition, object)
    const plain = { ...inStorage, metadata: withoutVersion(inStorage.metadata) }
    yield
    const schema = storage.encoding === 'protobuf' ? storageSchema(definition) : undefined
    if (schema !== undefined)
      return isLarge ? yield* encodeProtobufInSteps(plain, schema) : encodeProtobuf(plain, schema)
    if (cbor && hasCbor) return yield* encodeCborInSteps(plain)
    const written = shown(plain)
    if (isLarge) yield* prepareTexts(written, sortsKeys)
    const { head, tail } = split(written, sortsKeys)
    // The reference ends JSON values with a newline.
    return Buffer.from(`${spliced(head, tail).join('')}\n`, 'utf8')
  }
  return {
    encode,
    encodeInSteps,
    parse: parseText,
    parseInSteps,
    toStored: (object, text) => runToEnd(stored(object, text, false)),
    toStoredInTurns: (object, text) => inTurns(stored(object, text, true)),
    fromStored: (value) => runToEnd(decodeOrThrow(definition, value, false)),
    fromStoredInTurns: (value) => inTurns(decodeOrThrow(definition, value, true)),
    isCurrent: (value, object) => Buffer.compare(value, runToEnd(stored(object, encode(object), false))) === 0,
    mayAge: false,
  }
}

/** As it is read again: a field that loses an empty list or map gets its default. */
function storedObject(hub: ResourceVersion, given: JsonObject, baseline: JsonObject | undefined): KubeObject {
  const { object, losesEmpties } = canonicalForm(given, hub.schema, { baseline })
  return losesEmpties ? withDefaultsAgain(hub, object) : (object as KubeObject)
}

function* storedObjectInSteps(
  hub: ResourceVersion,
  given: JsonObject,
  baseline: JsonObject | undefined,
): Steps<KubeObject> {
  const { object, losesEmpties } = yield* canonicalFormInSteps(given, hub.schema, { baseline })
  return losesEmpties ? withDefaultsAgain(hub, object) : (object as KubeObject)
}

const withDefaultsAgain = ({ withDefaults, schema }: ResourceVersion, object: JsonObject): KubeObject =>
  (withDefaults === undefined ? object : canonicalize(withDefaults(object), schema)) as KubeObject

function sealedCodec(plain: PlainCodec, transformer: ValueTransformer): ObjectCodec {
  return {
    encode: plain.encode,
    encodeInSteps: plain.encodeInSteps,
    parse: plain.parse,
    parseInSteps: plain.parseInSteps,
    toStored: (object, text, key) => transformer.seal(plain.toStored(object, text, key), key),
    toStoredInTurns: (object, text, key) =>
      whenReady(plain.toStoredInTurns(object, text, key), (value) => transformer.seal(value, key)),
    fromStored: (value, key) =>
      whenReady(openOrThrow(transformer, value, key), (opened) => plain.fromStored(opened.value, key)),
    fromStoredInTurns: (value, key) =>
      whenReady(openOrThrow(transformer, value, key), (opened) => plain.fromStoredInTurns(opened.value, key)),
    isCurrent: async (value, object, key) => {
      try {
        const opened = await transformer.open(value, key)
        return !opened.stale && plain.isCurrent(opened.value, object, key)
      } catch {
        // What cannot be opened, but is known here, is best written again.
        return false
      }
    },
    mayAge: true,
  }
}

function openOrThrow(transformer: ValueTransformer, value: Uint8Array, key: string): Awaitable<OpenedValue> {
  const refuse = (error: unknown): never => {
    throw new ReadError('transform', reasonOf(error))
  }
  try {
    const opened = transformer.open(value, key)
    return opened instanceof Promise ? opened.catch(refuse) : opened
  } catch (error) {
    return refuse(error)
  }
}

const encryptedPrefix = 'k8s:enc:'

function* decodeOrThrow(definition: ResourceDefinition, value: Uint8Array, isLarge: boolean): Steps<KubeObject> {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  try {
    return yield* decodeStored(definition, bytes, isLarge)
  } catch (error) {
    if (bytes.toString('latin1', 0, encryptedPrefix.length) === encryptedPrefix) {
      throw new ReadError('transform', 'identity transformer tried to read encrypted data')
    }
    throw new ReadError('decode', decodeProblem(bytes, error))
  }
}

/** The reference's words for text that is no object; for what else there may be, this codec's own. */
function decodeProblem(bytes: Buffer, error: unknown): string {
  if (!hasProtobufPrefix(bytes)) {
    try {
      new JsonDocument(bytes).typeMeta()
    } catch (problem) {
      if (problem instanceof DecodeError) return `couldn't get version/kind; json parse error: ${problem.message}`
    }
  }
  return reasonOf(error)
}

/**
 * The text without the version, cut where that belongs. It takes its comma from behind, or from before where nothing
 * follows it in the metadata: the objects that others stored need not have a uid or a creation time.
 */
function spliced(head: string, tail: string): [string, string] {
  const before = head.slice(0, -versionMember.length)
  return tail[1] === ',' ? [before, tail.slice(2)] : [before.replace(/,$/, ''), tail.slice(1)]
}

/**
 * In memory of its own: what is kept must not hold on to a pool that it shares with what is not. The two parts are not
 * put together before they are written: that would be one more copy of a text that may be large.
 */
function lastingText(head: string, tail: string): StoredText {
  const splice = Buffer.byteLength(head)
  const length = splice + Buffer.byteLength(tail)
  const bytes = Buffer.allocUnsafeSlow(length)
  // Where every character is a byte it is ASCII, which needs no encoding.
  const encoding = length === head.length + tail.length ? 'latin1' : 'utf8'
  bytes.write(head, 0, encoding)
  bytes.write(tail, splice, encoding)
  return { bytes, splice }
}

/** Objects of the same shape share their field sets, whose text is memoized. */
const fieldsText = (fields: JsonObject): string => preparedText(fields, false) ?? fieldsV1Text(fields, encodeJson)

const sortedFieldsText = (fields: JsonObject): string =>
  preparedText(fields, true) ?? sortedFieldsV1Text(fields, encodeJson) ?? encodeJson(sortKeys(fields))

/** Writes in steps what would take long in one. */
function* prepareTexts(object: KubeObject | JsonObject, sorted: boolean): Steps<void> {
  yield* prepareMemberTexts(object, sorted)
  const { managedFields } = (object['metadata'] ?? {}) as JsonObject
  for (const entry of Array.isArray(managedFields) ? managedFields : []) {
    const fields = isJsonObject(entry) ? entry['fieldsV1'] : undefined
    if (!isJsonObject(fields) || (yield* prepareFieldsV1Text(fields, sorted, encodeJson))) continue
    yield* prepareText(fields, sorted)
  }
}

const split = (object: KubeObject | JsonObject, sorted: boolean, baseline?: JsonObject): SplitJson =>
  encodeForStore(object, sorted, sorted ? sortedFieldsText : fieldsText, baseline)

function parseText(text: string): KubeObject {
  return bigDigits.test(text)
    ? (new JsonDocument(Buffer.from(text)).value() as KubeObject)
    : (JSON.parse(text) as KubeObject)
}

function* parseInSteps(text: Buffer): Steps<KubeObject> {
  const document = yield* JsonDocument.inSteps(text)
  yield
  return (yield* document.valueInSteps()) as KubeObject
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
  return (groupVersion && typesOf(hub.schema).schemaForKind({ ...groupVersion, kind })) ?? hub.schema
}

function* decodeStored(definition: ResourceDefinition, value: Buffer, isLarge: boolean): Steps<KubeObject> {
  const decode = hasProtobufPrefix(value) ? decodeProtobuf : decodeTextOrCbor
  const object = withMetadata(yield* decode(definition, value, isLarge))
  yield
  const { revive, shape } = definition.storage
  if (revive !== undefined) return revive(object)
  checkType(definition, object, value)
  if (shape !== undefined) return shape.fromStored(object)
  const { hub } = definition
  const { apiVersion } = object
  const version = findVersion(definition, apiVersion) ?? definition.storage.older?.(apiVersion)
  // Any other version that is not served differs from the hub by its name alone: else it would be the hub (`hubVersion`).
  if (version === undefined) return filledIn(hub, { ...object, apiVersion: hub.apiVersion })
  return toHub(definition, version, filledIn(version, object))
}

/** What is stored under a resource is of its kind: lists leave out what all of their items say. */
function checkType({ hub, storage }: ResourceDefinition, { apiVersion, kind }: KubeObject, value: Buffer): void {
  if (typeof kind !== 'string' || kind === '') throw new Error(`Object 'Kind' is missing in '${String(value)}'`)
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    throw new Error(`Object 'apiVersion' is missing in '${String(value)}'`)
  }
  if (kind === hub.kind || storage.shape !== undefined) return
  throw new Error(
    `no kind ${quote(kind)} is registered for version "${apiVersion}" in scheme "${schemePositions.legacy}"`,
  )
}

/** It may have been stored before today's defaults existed. */
const filledIn = ({ withDefaults }: ResourceVersion, object: KubeObject): KubeObject =>
  withDefaults === undefined ? object : (withDefaults(object) as KubeObject)

function* decodeProtobuf(definition: ResourceDefinition, value: Buffer, isLarge: boolean): Steps<KubeObject> {
  const { raw, apiVersion, kind } = decodeEnvelope(value)
  const groupVersion = parseGroupVersion(apiVersion)
  const { schema: hubSchema } = definition.hub
  const schema = (groupVersion && typesOf(hubSchema).schemaForKind({ ...groupVersion, kind })) ?? hubSchema
  const type = { apiVersion, kind }
  return (isLarge ? yield* decodeMessageInSteps(raw, schema, type) : decodeMessage(raw, schema, type)) as KubeObject
}

function* decodeTextOrCbor({ model }: ResourceDefinition, value: Buffer, isLarge: boolean): Steps<KubeObject> {
  const isCbor = model.storage.hasCbor && hasCborPrefix(value)
  const object = isCbor
    ? yield* decodeCborInSteps(value)
    : isLarge
      ? yield* parseInSteps(value)
      : parseText(value.toString('utf8'))
  if (!isJsonObject(object)) throw new Error('the stored value is not an object')
  return object as KubeObject
}

/** What others have stored need not have any. */
function withMetadata(object: KubeObject): KubeObject {
  const { metadata = null } = object as JsonObject
  if (isJsonObject(metadata)) return object
  if (metadata !== null) throw new Error('the metadata of the stored value is not an object')
  return { ...object, metadata: {} }
}
