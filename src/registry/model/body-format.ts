/** How bodies of requests are read: what is expected, what comes out, and the format that two kinds of types implement. */

import { quote } from '../../api/golang/quote.ts'
import type { GroupVersionKind } from '../../api/group-version.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { type ApiError, badRequest } from '../../api/status-error.ts'
import { DecodeError } from '../../codec/decode-error.ts'
import type { JsonDocument, TypeMeta } from '../../codec/json.ts'
import type { PartInterner } from '../../codec/part-interner.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { ObjectSchema } from '../../schema/schema.ts'
import type { ResourceVersion } from '../resource-definition.ts'

/** What the body should be. */
export interface ExpectedBody {
  readonly kind: GroupVersionKind
  /** Versions of the same shape that are taken as well. */
  readonly otherVersions?: readonly string[]
  readonly schema: ObjectSchema
  readonly format: BodyFormat
  /** What the schema of a custom type makes of a body. */
  readonly coerce?: ResourceVersion['coerce']
  readonly coerceInSteps?: ResourceVersion['coerceInSteps']
  /** What bodies like it had in common before. */
  readonly interner?: PartInterner
}

export interface Decoded {
  readonly object: KubeObject
  /** Unknown and duplicate fields. */
  readonly strict: readonly string[]
  /** Keys that a YAML body has twice: a refusal reports them as one problem, warnings as one each. */
  readonly yamlDuplicates?: readonly string[]
  /** The parts that the object shares with others, each in its place. */
  readonly baseline?: JsonObject | undefined
  /** The version that a typed body says to be of, where it is not that of the request. */
  readonly claimedVersion?: string | undefined
  /** Whether its metadata were not given: those of a custom object. */
  readonly lacksMetadata?: boolean
}

/** A body as it was received. */
export interface GivenBody {
  readonly expected: ExpectedBody
  readonly bytes: Buffer
  /** So large that it is decoded in several turns. */
  readonly isLarge: boolean
  /** What it says to be. */
  readonly meta: TypeMeta
}

/** All methods throw a 400 worded as the reference words it. */
export interface BodyFormat {
  readonly hasProtobuf: boolean
  decodeDocument(document: JsonDocument, body: GivenBody): Steps<Decoded>
  /** Of YAML or CBOR, which is parsed already. */
  decodeParsed(value: JsonValue, yamlDuplicates: readonly string[], body: GivenBody): Steps<Decoded>
  /** Why a body that was decoded is refused, with what it says to be. */
  refusal(decoded: Decoded, expected: ExpectedBody, why: string): string
  /** Refuses a body that is of another version than the request. */
  checkVersion(decoded: Decoded, expected: ExpectedBody): void
}

/** The bytes say nothing about what they are. */
export function unrecognized({ kind }: ExpectedBody, bytes: Buffer, why: string): ApiError {
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

export function refusal({ kind }: ExpectedBody, why: string): string {
  return `${kind.kind} in version ${quote(kind.version)} cannot be handled as a ${kind.kind}: ${why}`
}

export const otherVersion = (got: string, want: string): ApiError =>
  badRequest(`the API version in the data (${got}) does not match the expected API version (${want})`)

export function decodeOr<T>(decode: () => T, refuse: (why: string) => ApiError): T {
  try {
    return decode()
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(error.message)
    throw error
  }
}

export function* stepsOr<T>(steps: Steps<T>, refuse: (why: string) => ApiError): Steps<T> {
  try {
    return yield* steps
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(error.message)
    throw error
  }
}
