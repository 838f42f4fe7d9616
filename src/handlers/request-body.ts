/** Decoding a request's body: encoding, kind, type errors, unknown fields, and how each is refused or warned about. */

import { schemePositions } from '../api/golang/positions.ts'
import { quote } from '../api/golang/quote.ts'
import { formatGroupVersion, type GroupVersionKind, internalPackage, parseGroupVersion } from '../api/group-version.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { RequestContext } from '../api/request-context.ts'
import { type ApiError, badRequest, unsupportedMediaType } from '../api/status-error.ts'
import { schemaForKind } from '../catalog/catalog.ts'
import { decodeCbor } from '../codec/cbor.ts'
import { DecodeError } from '../codec/decode-error.ts'
import { encodeJson, JsonDocument, type TypeMeta } from '../codec/json.ts'
import { type MediaType, mediaTypeNames, negotiateBody } from '../codec/negotiation.ts'
import type { PartInterner } from '../codec/part-interner.ts'
import { decodeEnvelope, decodeMessage } from '../codec/protobuf.ts'
import { decodeYamlInSteps, yamlStrictError } from '../codec/yaml.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { inTurns, runToEnd, type Steps } from '../lib/in-turns.ts'
import type { ResourceVersion } from '../registry/resource-definition.ts'
import { isLarge } from '../registry/write-request.ts'
import { decodeValue } from '../schema/canonicalize.ts'
import type { ObjectSchema } from '../schema/schema.ts'

/** The reference's limit on bodies. */
const maxBodyBytes = 3 * 1024 * 1024

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** What the body should be. */
export interface ExpectedBody {
  readonly kind: GroupVersionKind
  /** Versions of the same shape that are taken as well. */
  readonly otherVersions?: readonly string[]
  readonly schema: ObjectSchema
  readonly structural: boolean
  /** What the schema of a custom type makes of a body. */
  readonly coerce?: ResourceVersion['coerce']
  /** What bodies like it had in common before. */
  readonly interner?: PartInterner
}

export interface Decoded {
  readonly object: KubeObject
  /** Unknown and duplicate fields. */
  readonly strict: readonly string[]
  /** Keys that a YAML body has twice: a refusal tells them as one problem, warnings as one each. */
  readonly yamlDuplicates?: readonly string[]
  /** The parts that the object shares with others, each in its place. */
  readonly baseline?: JsonObject | undefined
}

export async function readRequestBody(context: RequestContext): Promise<Buffer> {
  const { seats } = context
  // A client that sends slowly keeps nobody else from a seat.
  seats?.lend()
  const bytes = await context.exchange.readBody(maxBodyBytes)
  const kept = seats?.keep()
  if (kept !== undefined) await kept
  context.bodyBytes = bytes.length
  return bytes
}

/** Throws a 400 or 415 worded as the reference does; a promise when the body is so large that it takes several turns. */
export function decodeBody(
  context: RequestContext,
  bytes: Buffer,
  expected: ExpectedBody,
  supported: readonly MediaType[],
): Awaitable<Decoded> {
  const mediaType = negotiateBody(context.header('content-type'), supported)
  // Custom types have no Protobuf form.
  if (expected.structural && mediaType.encoding === 'protobuf') throw unsupportedMediaType(mediaTypeNames(supported))
  if (!isLarge(bytes.length)) return runToEnd(decodeAs(mediaType, bytes, expected))
  // A large body is hardly like others.
  return inTurns(decodeAs(mediaType, bytes, withoutPrecedents(expected)))
}

function withoutPrecedents(expected: ExpectedBody): ExpectedBody {
  if (expected.interner === undefined) return expected
  const { interner: _, ...rest } = expected
  return rest
}

/** The bytes say nothing about what they are. */
function unrecognized({ kind }: ExpectedBody, bytes: Buffer, why: string): ApiError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${excerpt(bytes)})`)
}

/** The beginning of a body: as text when it looks like JSON, as hexadecimal when it does not. */
function excerpt(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>'
  const text = bytes.subarray(0, 512).toString('utf8')
  if (/^(?:(?!\ufeff)\s|\u0085)*\{/.test(text))
    return bytes.length > 30 ? `${bytes.subarray(0, 30).toString('utf8')} ...` : text
  const hex = bytes.subarray(0, 30).toString('hex')
  return bytes.length > 30 ? `${hex} ...` : hex
}

function refusal({ kind }: ExpectedBody, why: string): string {
  return `${kind.kind} in version ${quote(kind.version)} cannot be handled as a ${kind.kind}: ${why}`
}

function decodeOr<T>(decode: () => T, refuse: (why: string) => ApiError): T {
  try {
    return decode()
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(error.message)
    throw error
  }
}

function* decodeAs({ encoding }: MediaType, bytes: Buffer, expected: ExpectedBody): Steps<Decoded> {
  const asUnrecognized = (why: string): ApiError => unrecognized(expected, bytes, why)
  switch (encoding) {
    case 'json':
      return yield* decodeJsonBody(bytes, expected)
    case 'yaml': {
      const { value, duplicates } = yield* stepsOr(decodeYamlInSteps(bytes), asUnrecognized)
      yield
      return yield* typed(value, duplicates, expected, asUnrecognized)
    }
    case 'protobuf': {
      const envelope = decodeOr(() => decodeEnvelope(bytes), asUnrecognized)
      checkKind(envelope, expected, asUnrecognized)
      const type = { apiVersion: formatGroupVersion(expected.kind), kind: expected.kind.kind }
      const decode = () => decodeMessage(envelope.raw, expected.schema, type) as KubeObject
      return { object: decodeOr(decode, (why) => badRequest(refusal(expected, why))), strict: [] }
    }
    case 'cbor':
      return yield* typed(
        decodeOr(() => decodeCbor(bytes), asUnrecognized),
        [],
        expected,
        asUnrecognized,
      )
  }
}

function* stepsOr<T>(steps: Steps<T>, refuse: (why: string) => ApiError): Steps<T> {
  try {
    return yield* steps
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(error.message)
    throw error
  }
}

function* decodeJsonBody(bytes: Buffer, expected: ExpectedBody): Steps<Decoded> {
  const asParseError = (why: string): ApiError =>
    unrecognized(expected, bytes, `couldn't get version/kind; json parse error: ${why}`)
  const document = isLarge(bytes.length)
    ? yield* stepsOr(JsonDocument.inSteps(bytes), asParseError)
    : decodeOr(() => new JsonDocument(bytes, expected.interner), asParseError)
  yield
  const meta = decodeOr(() => document.typeMeta(), asParseError)
  const asUnrecognized = (why: string): ApiError => unrecognized(expected, bytes, why)
  if (expected.structural) checkCustomKind(meta, expected, () => bytes.toString('utf8'), asUnrecognized)
  else {
    checkOtherKind(document, meta, expected)
    checkKind(meta, expected, asUnrecognized)
  }
  if (expected.structural) {
    const value = untyped(document, expected)
    yield
    const duplicates = document.duplicates()
    yield
    return customBody(value, duplicates, expected)
  }
  // `null` is an object of which nothing is said.
  if (document.isPlain && document.value() === null) return typedBody({}, [], expected)
  const asRefusal = (why: string): ApiError => badRequest(refusal(expected, why))
  const { object, strict, baseline } = isLarge(bytes.length)
    ? yield* stepsOr(document.decodeInSteps(expected.schema), asRefusal)
    : decodeOr(() => document.decode(expected.schema), asRefusal)
  return { object: withKind(object, expected), strict, baseline }
}

/** A body of another kind is first looked at as what it says to be: what is wrong with it there is told. */
function checkOtherKind(document: JsonDocument, { apiVersion, kind }: TypeMeta, expected: ExpectedBody): void {
  if (kind === '' || kind === expected.kind.kind) return
  const version = parseGroupVersion(apiVersion === '' ? formatGroupVersion(expected.kind) : apiVersion)
  const schema = version && schemaForKind({ ...version, kind })
  if (version === undefined || schema === undefined) return
  decodeOr(
    () => document.decode(schema),
    (why) =>
      badRequest(`${kind} in version ${quote(version.version)} cannot be handled as a ${expected.kind.kind}: ${why}`),
  )
}

function* typed(
  value: JsonValue,
  duplicates: readonly string[],
  expected: ExpectedBody,
  asUnrecognized: (why: string) => ApiError,
): Steps<Decoded> {
  const meta = decodeOr(
    () => typeMetaOf(value),
    (why) => asUnrecognized(`couldn't get version/kind; json parse error: ${why}`),
  )
  yield
  if (expected.structural) checkCustomKind(meta, expected, () => encodeJson(value), asUnrecognized)
  else checkKind(meta, expected, asUnrecognized)
  const body = isJsonObject(value) ? value : {}
  if (expected.structural) return { ...customBody(body, [], expected), yamlDuplicates: duplicates }
  return typedBody(body, duplicates, expected)
}

/** Of a value that is parsed already. */
const typeMetaOf = (value: JsonValue): TypeMeta =>
  new JsonDocument(Buffer.from(encodeJson(isJsonObject(value) ? typeMembers(value) : value))).typeMeta()

/** The members that say what an object is, in whatever case. */
function typeMembers(value: JsonObject): JsonObject {
  const members: JsonObject = {}
  for (const key of Object.keys(value)) {
    if (/^(?:apiversion|kind)$/i.test(key)) members[key] = value[key]
  }
  return members
}

function typedBody(body: JsonObject, yamlDuplicates: readonly string[], expected: ExpectedBody): Decoded {
  const decoded = decodeValue(body, expected.schema)
  if (decoded.error !== undefined) throw badRequest(refusal(expected, decoded.error))
  const strict = decoded.strict.map(({ reason, path }) => `${reason} ${quote(path)}`)
  return { object: withKind(decoded.object, expected), strict, yamlDuplicates }
}

/** Told of what the body says to be. */
function customRefusal({ apiVersion, kind }: JsonObject, expected: ExpectedBody, why: string): string {
  const { version = expected.kind.version } = parseGroupVersion(String(apiVersion)) ?? {}
  return `${String(kind)} in version ${quote(version)} cannot be handled as a ${expected.kind.kind}: ${why}`
}

function untyped(document: JsonDocument, expected: ExpectedBody): JsonValue {
  return decodeOr(
    () => document.value(),
    (why) => badRequest(customRefusal({ ...document.typeMeta() }, expected, why)),
  )
}

/** A custom object says what it is; its schema decides what of it is kept. */
function customBody(value: JsonValue, duplicates: readonly string[], expected: ExpectedBody): Decoded {
  const body = isJsonObject(value) ? value : {}
  const coerced = expected.coerce?.(body) ?? { object: body, unknown: [] }
  if (coerced.error !== undefined) throw badRequest(customRefusal(body, expected, coerced.error))
  const { object } = coerced
  if (object['metadata'] == null) object['metadata'] = { creationTimestamp: null }
  const unknown = coerced.unknown.map((path) => `unknown field "${path}"`)
  return { object: object as KubeObject, strict: [...duplicates, ...unknown] }
}

/** The version and kind of a custom object cannot be left out, and a wrong kind is told by validation. */
function checkCustomKind(
  { apiVersion, kind }: TypeMeta,
  expected: ExpectedBody,
  body: () => string,
  asUnrecognized: (why: string) => ApiError,
): void {
  if (kind === '') throw asUnrecognized(`Object 'Kind' is missing in '${body()}'`)
  if (apiVersion === '' && formatGroupVersion(expected.kind) !== '') {
    throw asUnrecognized(`Object 'apiVersion' is missing in '${body()}'`)
  }
}

const otherVersion = (got: string, want: string): ApiError =>
  badRequest(`the API version in the data (${got}) does not match the expected API version (${want})`)

/** Every object that goes on has its kind and its metadata. */
function withKind(object: JsonObject, { kind }: ExpectedBody): KubeObject {
  object['apiVersion'] = formatGroupVersion(kind)
  object['kind'] = kind.kind
  if (object['metadata'] === undefined || object['metadata'] === null) object['metadata'] = { creationTimestamp: null }
  return object as KubeObject
}

/** The places in the reference that its messages name: some groups are known in another. */
const scheme = JSON.stringify(schemePositions.legacy)
const otherSchemes: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io': JSON.stringify(schemePositions.apiextensions),
  'apiregistration.k8s.io': JSON.stringify(schemePositions.aggregator),
}

/** The body may leave out its kind and apiVersion, but not be of another kind. */
function checkKind(
  { apiVersion, kind }: { apiVersion: string; kind: string },
  expected: ExpectedBody,
  asUnrecognized: (why: string) => ApiError,
): void {
  const { otherVersions = [] } = expected
  const want = formatGroupVersion(expected.kind)
  const got = { apiVersion: apiVersion === '' ? want : apiVersion, kind: kind === '' ? expected.kind.kind : kind }
  const isVersion = got.apiVersion === want || otherVersions.includes(got.apiVersion)
  if (isVersion && got.kind === expected.kind.kind) return
  const groupVersion = parseGroupVersion(got.apiVersion)
  if (groupVersion === undefined) throw asUnrecognized(`unexpected GroupVersion string: ${got.apiVersion}`)
  if (got.apiVersion.startsWith('/')) {
    // An empty group is the core's.
    checkKind({ apiVersion: groupVersion.version, kind }, expected, asUnrecognized)
    return
  }
  const other = otherKind(got, expected)
  const isSameKind = got.kind === expected.kind.kind && shareKinds(groupVersion.group, expected.kind.group)
  if (isSameKind && other?.schema !== undefined) throw otherVersion(got.apiVersion, want)
  const problem = other?.problem ?? ''
  throw badRequest(
    `${got.kind} in version ${quote(groupVersion.version)} cannot be handled as a ${expected.kind.kind}: ${problem}`,
  )
}

/** The kinds of the old group `extensions` live on in others. */
const shareKinds = (a: string, b: string): boolean =>
  internalPackage(a) === internalPackage(b) || a === 'extensions' || b === 'extensions'

const unregistered = ({ apiVersion, kind }: TypeMeta, { kind: { group } }: ExpectedBody): string =>
  `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${otherSchemes[group] ?? scheme}`

/** Why a body that says to be of another kind cannot be this one; undefined when it says no such thing. */
export function otherKind(
  { apiVersion, kind }: TypeMeta,
  body: ExpectedBody,
): { readonly problem: string; readonly schema: ObjectSchema | undefined } | undefined {
  const { kind: expected } = body
  if (apiVersion === formatGroupVersion(expected) && kind === expected.kind) return undefined
  const groupVersion = parseGroupVersion(apiVersion)
  const schema = groupVersion && schemaForKind({ ...groupVersion, kind })
  if (groupVersion === undefined || schema === undefined)
    return { problem: unregistered({ apiVersion, kind }, body), schema }
  const from = `(${groupVersion.version}.${kind})`
  const to = `(${internalPackage(expected.group)}.${expected.kind})`
  return { problem: `converting ${from} to ${to}: unknown conversion`, schema }
}

/** Refuses, warns about or overlooks unknown and duplicate fields, and refuses custom objects of another version. */
export function reportStrict(
  context: RequestContext,
  decoded: Decoded,
  validation: FieldValidation,
  expected: ExpectedBody,
): void {
  reportFields(context, decoded, validation, expected)
  const want = formatGroupVersion(expected.kind)
  if (expected.structural && decoded.object.apiVersion !== want) throw otherVersion(decoded.object.apiVersion, want)
}

function reportFields(
  context: RequestContext,
  { strict, yamlDuplicates = [] }: Decoded,
  validation: FieldValidation,
  expected: ExpectedBody,
): void {
  if (validation === 'Ignore' || strict.length + yamlDuplicates.length === 0) return
  if (validation === 'Strict') {
    const problems = yamlDuplicates.length === 0 ? strict : [yamlStrictError(yamlDuplicates), ...strict]
    throw badRequest(refusal(expected, `strict decoding error: ${problems.join(', ')}`))
  }
  for (const problem of [...yamlDuplicates, ...strict]) context.warn(problem)
}
