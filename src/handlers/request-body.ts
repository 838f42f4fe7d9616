/** Decoding a request's body: encoding, kind, type errors, unknown fields, and how each is refused or warned about. */

import { parseGroupVersion } from '../api/group-version.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import type { RequestContext } from '../api/request-context.ts'
import { ApiError, badRequest, unsupportedMediaType } from '../api/status-error.ts'
import { decodeCborBodyInSteps } from '../codec/cbor.ts'
import { type CborProblems, cborProblems, cborTypeMetaProblem } from '../codec/cbor-type-error.ts'
import { encodeJson, JsonDocument, type TypeMeta } from '../codec/json.ts'
import { type MediaType, mediaTypeNames, negotiateBody } from '../codec/negotiation.ts'
import { decodeYamlInSteps, yamlStrictError } from '../codec/yaml.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { inTurns, runToEnd, type Steps } from '../lib/in-turns.ts'
import { type Decoded, decodeOr, type ExpectedBody, stepsOr, unrecognized } from '../registry/model/body-format.ts'
import { decodeProtobufBody, typedClaim } from '../registry/model/typed-body.ts'
import { isLarge } from '../registry/write-request.ts'

/** The reference's limit on bodies. */
const maxBodyBytes = 3 * 1024 * 1024

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

export async function readRequestBody(context: RequestContext): Promise<Buffer> {
  const { seats } = context
  // A slow sender occupies no seat.
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
  if (mediaType.encoding === 'protobuf' && !expected.format.hasProtobuf) {
    throw unsupportedMediaType(mediaTypeNames(supported))
  }
  if (!isLarge(bytes.length)) return runToEnd(decodeAs(mediaType, bytes, expected))
  // A large body is hardly like others.
  return inTurns(decodeAs(mediaType, bytes, withoutPrecedents(expected)))
}

function withoutPrecedents(expected: ExpectedBody): ExpectedBody {
  if (expected.interner === undefined) return expected
  const { interner: _, ...rest } = expected
  return rest
}

function* decodeAs({ encoding }: MediaType, bytes: Buffer, expected: ExpectedBody): Steps<Decoded> {
  const refuse = (why: string): ApiError => unrecognized(expected, bytes, why)
  switch (encoding) {
    case 'json':
      return yield* decodeJsonBody(bytes, expected)
    case 'yaml': {
      const { value, duplicates } = yield* stepsOr(decodeYamlInSteps(bytes), refuse)
      yield
      return yield* decodeParsed(value, duplicates, expected, bytes)
    }
    case 'protobuf':
      return yield* decodeProtobufBody(bytes, expected)
    case 'cbor': {
      const refuseCbor = (why: string): ApiError => refuse(`unable to determine group/version/kind: ${why}`)
      const value = yield* stepsOr(decodeCborBodyInSteps(bytes), refuseCbor)
      const problem = isJsonObject(value) ? undefined : yield* cborTypeMetaProblem(bytes)
      if (problem !== undefined) throw refuseCbor(problem)
      const readable = expected.format.hasProtobuf ? withReadableVersion(value) : value
      return yield* asCborSays(decodeParsed(readable, [], expected, bytes), bytes, { expected, value: readable })
    }
  }
}

/** An `apiVersion` that cannot be parsed is none in CBOR. Mirrors apimachinery/pkg/runtime/schema: FromAPIVersionAndKind. */
function withReadableVersion(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value
  const { apiVersion } = value
  if (typeof apiVersion !== 'string' || parseGroupVersion(apiVersion) !== undefined) return value
  return { ...value, apiVersion: '' }
}

/** What the reading of JSON says of a value of a wrong type, or of one that its type cannot read: a quantity takes any for its text. */
const typeError = /: (?:json: cannot unmarshal |quantities must match |parsing time )/

/** What is wrong with a typed body in the words of its encoding; of unknown fields the first alone is reported. */
function* asCborSays(
  steps: Steps<Decoded>,
  bytes: Buffer,
  { expected, value }: { readonly expected: ExpectedBody; readonly value: JsonValue },
): Steps<Decoded> {
  const none: CborProblems = { error: undefined, unknown: undefined }
  const claim = () => typedClaim({ expected, bytes, meta: typeMetaOf(value) })
  function* problems(): Steps<CborProblems> {
    return expected.format.hasProtobuf ? yield* cborProblems(bytes, claim().schema) : none
  }
  try {
    const decoded = yield* steps
    if (decoded.strict.length === 0) return decoded
    const { unknown } = yield* problems()
    return unknown === undefined ? decoded : { ...decoded, strict: [unknown] }
  } catch (error) {
    const isTypeError = error instanceof ApiError && typeError.test(error.message)
    const found = isTypeError ? (yield* problems()).error : undefined
    throw found === undefined ? error : badRequest(claim().refusal(found))
  }
}

function* decodeJsonBody(bytes: Buffer, expected: ExpectedBody): Steps<Decoded> {
  const refuse = (why: string): ApiError => noTypeMeta(expected, bytes, why)
  const large = isLarge(bytes.length)
  const document = large
    ? yield* stepsOr(JsonDocument.inSteps(bytes), refuse)
    : decodeOr(() => new JsonDocument(bytes, expected.interner), refuse)
  yield
  const meta = decodeOr(() => document.typeMeta(), refuse)
  return yield* expected.format.decodeDocument(document, { expected, bytes, meta, isLarge: large })
}

function* decodeParsed(
  value: JsonValue,
  duplicates: readonly string[],
  expected: ExpectedBody,
  bytes: Buffer,
): Steps<Decoded> {
  const refuse = (why: string): ApiError => noTypeMeta(expected, bytes, why)
  const meta = decodeOr(() => typeMetaOf(value), refuse)
  yield
  return yield* expected.format.decodeParsed(value, duplicates, {
    expected,
    bytes,
    meta,
    isLarge: isLarge(bytes.length),
  })
}

const noTypeMeta = (expected: ExpectedBody, bytes: Buffer, why: string): ApiError =>
  unrecognized(expected, bytes, `couldn't get version/kind; json parse error: ${why}`)

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

/** Refuses, warns about or overlooks unknown and duplicate fields, and refuses custom objects of another version. */
export function reportStrict(
  context: RequestContext,
  decoded: Decoded,
  validation: FieldValidation,
  expected: ExpectedBody,
): void {
  reportFields(context, decoded, validation, expected)
  expected.format.checkVersion(decoded, expected)
}

function reportFields(
  context: RequestContext,
  decoded: Decoded,
  validation: FieldValidation,
  expected: ExpectedBody,
): void {
  const { strict, yamlDuplicates = [] } = decoded
  if (validation === 'Ignore' || strict.length + yamlDuplicates.length === 0) return
  if (validation === 'Strict') {
    const problems = yamlDuplicates.length === 0 ? strict : [yamlStrictError(yamlDuplicates), ...strict]
    throw badRequest(expected.format.refusal(decoded, expected, `strict decoding error: ${problems.join(', ')}`))
  }
  for (const problem of [...yamlDuplicates, ...strict]) context.warn(problem)
}
