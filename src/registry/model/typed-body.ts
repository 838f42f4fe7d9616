/** Bodies of built-in kinds: read by the type of the request, which they need not name. */

import { quote } from '../../api/golang/quote.ts'
import { formatGroupVersion, internalPackage, parseGroupVersion } from '../../api/group-version.ts'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { badRequest } from '../../api/status-error.ts'
import { typesOf } from '../../catalog/catalog.ts'
import type { JsonDocument, TypeMeta } from '../../codec/json.ts'
import { decodeEnvelope, decodeMessageInSteps } from '../../codec/protobuf.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { decodeValueInSteps } from '../../schema/canonicalize.ts'
import {
  type BodyFormat,
  type Decoded,
  decodeOr,
  type ExpectedBody,
  type GivenBody,
  otherVersion,
  refusal,
  stepsOr,
  unrecognized,
} from './body-format.ts'
import { otherKind } from './other-kind.ts'

export const typedBody: BodyFormat = {
  hasProtobuf: true,
  *decodeDocument(document, body): Steps<Decoded> {
    const { expected, isLarge } = body
    yield* checkOtherKind(document, body)
    checkKind(body)
    // `null` is an object of which nothing is said.
    if (document.isPlain && document.value() === null) return yield* decodeMembers({}, [], expected)
    const refuse = (why: string) => badRequest(refusal(expected, why))
    const { object, strict, baseline } = isLarge
      ? yield* stepsOr(document.decodeInSteps(expected.schema), refuse)
      : decodeOr(() => document.decode(expected.schema), refuse)
    return { object: withKind(object, expected), strict, baseline }
  },
  *decodeParsed(value, yamlDuplicates, body) {
    checkKind(body)
    return yield* decodeMembers(isJsonObject(value) ? value : {}, yamlDuplicates, body.expected)
  },
  refusal: (_, expected, why) => refusal(expected, why),
  // A version of another group or name is another kind, which is refused before.
  checkVersion: () => undefined,
}

export function* decodeProtobufBody(bytes: Buffer, expected: ExpectedBody): Steps<Decoded> {
  const envelope = decodeOr(
    () => decodeEnvelope(bytes),
    (why) => unrecognized(expected, bytes, why),
  )
  checkKind({ expected, bytes, meta: envelope })
  const type = { apiVersion: formatGroupVersion(expected.kind), kind: expected.kind.kind }
  const decode = decodeMessageInSteps(envelope.raw, expected.schema, type)
  const object = yield* stepsOr(decode, (why) => badRequest(refusal(expected, why)))
  return { object: object as KubeObject, strict: [] }
}

/** A body of another kind is first looked at as what it says to be: its errors there are reported. */
function* checkOtherKind(
  document: JsonDocument,
  { meta: { apiVersion, kind }, expected, isLarge }: GivenBody,
): Steps<void> {
  if (kind === '' || kind === expected.kind.kind) return
  const version = parseGroupVersion(apiVersion === '' ? formatGroupVersion(expected.kind) : apiVersion)
  const schema = version && typesOf(expected.schema).schemaForKind({ ...version, kind })
  if (version === undefined || schema === undefined) return
  const refuse = (why: string) =>
    badRequest(`${kind} in version ${quote(version.version)} cannot be handled as a ${expected.kind.kind}: ${why}`)
  if (isLarge) yield* stepsOr(document.decodeInSteps(schema), refuse)
  else decodeOr(() => document.decode(schema), refuse)
}

function* decodeMembers(body: JsonObject, yamlDuplicates: readonly string[], expected: ExpectedBody): Steps<Decoded> {
  const decoded = yield* decodeValueInSteps(body, expected.schema)
  if (decoded.error !== undefined) throw badRequest(refusal(expected, decoded.error))
  const strict = decoded.strict.map(({ reason, path }) => `${reason} ${quote(path)}`)
  return { object: withKind(decoded.object, expected), strict, yamlDuplicates }
}

/** Every object that goes on has its kind and its metadata. */
function withKind(object: JsonObject, { kind }: ExpectedBody): KubeObject {
  object['apiVersion'] = formatGroupVersion(kind)
  object['kind'] = kind.kind
  if (object['metadata'] === undefined || object['metadata'] === null) object['metadata'] = { creationTimestamp: null }
  return object as KubeObject
}

/** The body may leave out its kind and apiVersion, but not be of another kind. */
function checkKind({ expected, bytes, meta: { apiVersion, kind } }: Omit<GivenBody, 'isLarge'>): void {
  const { otherVersions = [] } = expected
  const want = formatGroupVersion(expected.kind)
  const got: TypeMeta = {
    apiVersion: apiVersion === '' ? want : apiVersion,
    kind: kind === '' ? expected.kind.kind : kind,
  }
  const isVersion = got.apiVersion === want || otherVersions.includes(got.apiVersion)
  if (isVersion && got.kind === expected.kind.kind) return
  const groupVersion = parseGroupVersion(got.apiVersion)
  if (groupVersion === undefined) {
    throw unrecognized(expected, bytes, `unexpected GroupVersion string: ${got.apiVersion}`)
  }
  if (got.apiVersion.startsWith('/')) {
    // An empty group is the core's.
    checkKind({ expected, bytes, meta: { apiVersion: groupVersion.version, kind } })
    return
  }
  const other = otherKind(got, expected.kind, typesOf(expected.schema))
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
