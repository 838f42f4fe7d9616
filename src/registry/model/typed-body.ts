/** Bodies of built-in kinds: read by the type of the request, which they need not name. */

import { quote } from '../../api/golang/quote.ts'
import {
  formatGroupVersion,
  type GroupVersionKind,
  internalPackage,
  parseGroupVersion,
} from '../../api/group-version.ts'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { badRequest } from '../../api/status-error.ts'
import { typesOf } from '../../catalog/catalog.ts'
import type { TypeMeta } from '../../codec/json.ts'
import { decodeEnvelope, decodeMessageInSteps } from '../../codec/protobuf.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { decodeValueInSteps } from '../../schema/canonicalize.ts'
import type { ObjectSchema } from '../../schema/schema.ts'
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

/** What a body says to be, where that is not what the request is about. */
interface ClaimedType extends TypeMeta {
  /** What it is read by. */
  readonly schema: ObjectSchema
  /** Why it cannot be handled, however well it reads. Absent: it is of another version of the kind. */
  readonly problem?: string
}

export const typedBody: BodyFormat = {
  hasProtobuf: true,
  *decodeDocument(document, body): Steps<Decoded> {
    const { expected, isLarge } = body
    const claimed = claimedType(body)
    // `null` is an object of which nothing is said.
    if (document.isPlain && document.value() === null) return yield* decodeMembers({}, [], { expected, claimed })
    const { schema } = claimed ?? expected
    const refuse = (why: string) => badRequest(typedRefusal(expected, claimed, why))
    const { object, strict, baseline } = isLarge
      ? yield* stepsOr(document.decodeInSteps(schema), refuse)
      : decodeOr(() => document.decode(schema), refuse)
    return accepted(object, { expected, claimed }, { strict, baseline })
  },
  *decodeParsed(value, yamlDuplicates, body) {
    const claimed = claimedType(body)
    return yield* decodeMembers(isJsonObject(value) ? value : {}, yamlDuplicates, { expected: body.expected, claimed })
  },
  refusal: ({ claimedVersion }, expected, why) => typedRefusal(expected, claimedMeta(claimedVersion, expected), why),
  checkVersion({ claimedVersion }, { kind, otherVersions = [] }) {
    if (claimedVersion === undefined || otherVersions.includes(claimedVersion)) return
    throw otherVersion(claimedVersion, formatGroupVersion(kind))
  },
}

export function* decodeProtobufBody(bytes: Buffer, expected: ExpectedBody): Steps<Decoded> {
  const envelope = decodeOr(
    () => decodeEnvelope(bytes),
    (why) => unrecognized(expected, bytes, why),
  )
  const claimed = claimedType({ expected, bytes, meta: envelope })
  const type = { apiVersion: formatGroupVersion(expected.kind), kind: expected.kind.kind }
  const decode = decodeMessageInSteps(envelope.raw, (claimed ?? expected).schema, claimed ?? type)
  const object = yield* stepsOr(decode, (why) => badRequest(typedRefusal(expected, claimed, why)))
  return accepted(object, { expected, claimed }, { strict: [] })
}

/** What a typed body is read by, and how it is refused. */
export function typedClaim(body: Omit<GivenBody, 'isLarge'>): {
  readonly schema: ObjectSchema
  refusal(why: string): string
} {
  const { expected } = body
  const claimed = claimedType(body)
  return { schema: (claimed ?? expected).schema, refusal: (why) => typedRefusal(expected, claimed, why) }
}

interface Claim {
  readonly expected: ExpectedBody
  readonly claimed: ClaimedType | undefined
}

function* decodeMembers(body: JsonObject, yamlDuplicates: readonly string[], claim: Claim): Steps<Decoded> {
  const { expected, claimed } = claim
  const decoded = yield* decodeValueInSteps(body, (claimed ?? expected).schema)
  if (decoded.error !== undefined) throw badRequest(typedRefusal(expected, claimed, decoded.error))
  const strict = decoded.strict.map(({ reason, path }) => `${reason} ${quote(path)}`)
  return accepted(decoded.object, claim, { strict, yamlDuplicates })
}

/** Refuses what is of another kind; what is of another version is refused by `checkVersion`, after its unknown fields. */
function accepted(
  object: JsonObject,
  { expected, claimed }: Claim,
  { strict, yamlDuplicates = [], baseline }: Pick<Decoded, 'strict' | 'yamlDuplicates' | 'baseline'>,
): Decoded {
  if (claimed?.problem !== undefined) throw badRequest(typedRefusal(expected, claimed, claimed.problem))
  const claimedVersion = claimed?.apiVersion
  return { object: withKind(object, expected), strict, yamlDuplicates, claimedVersion, baseline }
}

const claimedMeta = (apiVersion: string | undefined, { kind: { kind } }: ExpectedBody): TypeMeta | undefined =>
  apiVersion === undefined ? undefined : { apiVersion, kind }

function typedRefusal(expected: ExpectedBody, claimed: TypeMeta | undefined, why: string): string {
  if (claimed === undefined) return refusal(expected, why)
  const { version = '' } = parseGroupVersion(claimed.apiVersion) ?? {}
  return `${claimed.kind} in version ${quote(version)} cannot be handled as a ${expected.kind.kind}: ${why}`
}

/** Every object that goes on has its kind and its metadata. */
function withKind(object: JsonObject, { kind }: ExpectedBody): KubeObject {
  object['apiVersion'] = formatGroupVersion(kind)
  object['kind'] = kind.kind
  if (object['metadata'] === undefined || object['metadata'] === null) object['metadata'] = { creationTimestamp: null }
  return object as KubeObject
}

/** The body may leave out its kind and apiVersion. Undefined: it is what the request is about. Refuses what is no known type. */
function claimedType({ expected, bytes, meta }: Omit<GivenBody, 'isLarge'>): ClaimedType | undefined {
  const want = formatGroupVersion(expected.kind)
  const apiVersion = meta.apiVersion || want
  const kind = meta.kind || expected.kind.kind
  if (kind === expected.kind.kind) {
    if (apiVersion === want) return undefined
    // Of the same shape.
    if (expected.otherVersions?.includes(apiVersion)) return { apiVersion, kind, schema: expected.schema }
  }
  const groupVersion = parseGroupVersion(apiVersion)
  if (groupVersion === undefined) {
    throw unrecognized(expected, bytes, `unexpected GroupVersion string: ${apiVersion}`)
  }
  // An empty group is the core's.
  if (apiVersion.startsWith('/')) {
    return claimedType({ expected, bytes, meta: { apiVersion: groupVersion.version, kind } })
  }
  const { problem = '', schema } = otherKind({ apiVersion, kind }, expected.kind, typesOf(expected.schema)) ?? {}
  const type = { apiVersion, kind }
  if (schema === undefined) throw badRequest(typedRefusal(expected, type, problem))
  return { ...type, schema, ...(isConverted({ ...groupVersion, kind }, expected.kind) ? {} : { problem }) }
}

/** Whether the reference has a conversion of one to the other. */
function isConverted(from: GroupVersionKind, to: GroupVersionKind): boolean {
  if (from.kind !== to.kind) return otherConversions.has(`${typeOf(from)} to ${typeOf(to)}`)
  // The kinds of the old group `extensions` live on in others.
  const isShared = from.group === 'extensions' || to.group === 'extensions'
  return isShared || internalPackage(from.group) === internalPackage(to.group)
}

const typeOf = ({ group, kind }: GroupVersionKind): string => `${internalPackage(group)}.${kind}`

/** Mirrors pkg/apis/core/v1: Convert_v1_ReplicationController_To_apps_ReplicaSet. */
const otherConversions: ReadonlySet<string> = new Set(['core.ReplicationController to apps.ReplicaSet'])
