/** Bodies of custom types: they say themselves what they are, and their schema decides what of them is kept. */

import { isUtf8 } from 'node:buffer'
import { quote } from '../../api/golang/quote.ts'
import { formatGroupVersion, parseGroupVersion } from '../../api/group-version.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { type ApiError, badRequest } from '../../api/status-error.ts'
import { encodeJson } from '../../codec/json.ts'
import type { Steps } from '../../lib/in-turns.ts'
import {
  type BodyFormat,
  type Decoded,
  decodeOr,
  type ExpectedBody,
  type GivenBody,
  otherVersion,
  stepsOr,
  unrecognized,
} from './body-format.ts'

export const unstructuredBody: BodyFormat = {
  hasProtobuf: false,
  *decodeDocument(document, body): Steps<Decoded> {
    const { expected, bytes, isLarge } = body
    checkType(body, () => bytes.toString('utf8'))
    const refuse = (why: string) => badRequest(refusal({ ...document.typeMeta() }, expected, why))
    const value = isLarge ? yield* stepsOr(document.valueInSteps(), refuse) : decodeOr(() => document.value(), refuse)
    yield
    const duplicates = isLarge ? yield* document.duplicatesInSteps() : document.duplicates()
    yield
    checkKind(value, body, () => bytes.toString('utf8'))
    return yield* coerced(value, duplicates, body)
  },
  *decodeParsed(value, yamlDuplicates, body) {
    yield
    const text = (): string => textOf(value, body.bytes)
    checkType(body, text)
    checkKind(value, body, text)
    return { ...(yield* coerced(value, [], body)), yamlDuplicates }
  },
  refusal: ({ object: { apiVersion, kind } }, expected, why) => refusal({ apiVersion, kind }, expected, why),
  checkVersion({ object: { apiVersion = '' } }, { kind }) {
    const want = formatGroupVersion(kind)
    // An empty group is the core's.
    if (apiVersion !== want) throw otherVersion(apiVersion.replace(/^\//, ''), want)
  },
}

/** What came to null is shown as it was written, if it was a text (YAML, and no CBOR). */
const textOf = (value: JsonValue, bytes: Buffer): string =>
  value === null && isUtf8(bytes) ? bytes.toString() : encodeJson(value)

/** Called with the type that the body claims. */
function refusal({ apiVersion, kind }: JsonObject, expected: ExpectedBody, why: string): string {
  const { version = expected.kind.version } = parseGroupVersion(String(apiVersion)) ?? {}
  return `${String(kind)} in version ${quote(version)} cannot be handled as a ${expected.kind.kind}: ${why}`
}

function* coerced(value: JsonValue, duplicates: readonly string[], given: GivenBody): Steps<Decoded> {
  const { expected, isLarge } = given
  const body = isJsonObject(value) ? value : {}
  if (body['apiVersion'] === null) throw badRequest(refusal({ ...body, apiVersion: '' }, expected, nullVersion))
  const { coerce, coerceInSteps } = expected
  const result = isLarge && coerceInSteps !== undefined ? yield* coerceInSteps(body) : coerce?.(body)
  const { object, unknown, error } = result ?? { object: body, unknown: [] }
  if (error !== undefined) throw badRequest(refusal(body, expected, error))
  const lacksMetadata = object['metadata'] == null
  if (lacksMetadata) object['metadata'] = { creationTimestamp: null }
  if (isLarge) yield
  const strict = [...duplicates, ...unknown.map((path) => `unknown field "${path}"`)]
  return { object: object as KubeObject, strict, lacksMetadata }
}

const nullVersion = '.apiVersion accessor error: <nil> is of the type <nil>, expected string'

/**
 * The kind of a custom object cannot be left out; a wrong one is reported by validation, a version that is wrong or left out by
 * `checkVersion`.
 */
function checkType({ meta: { apiVersion, kind }, expected, bytes }: GivenBody, text: () => string): void {
  if (parseGroupVersion(apiVersion) === undefined) {
    throw unrecognized(expected, bytes, `unexpected GroupVersion string: ${apiVersion}`)
  }
  if (kind === '') throw missingKind(expected, bytes, text)
}

/** What the type is found by takes its members in any case; the object does not. */
function checkKind(value: JsonValue, { expected, bytes }: GivenBody, text: () => string): void {
  if (isJsonObject(value) && (value['kind'] ?? '') === '') throw missingKind(expected, bytes, text)
}

const missingKind = (expected: ExpectedBody, bytes: Buffer, text: () => string): ApiError =>
  unrecognized(expected, bytes, `Object 'Kind' is missing in '${text()}'`)
