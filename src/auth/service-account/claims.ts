/**
 * What is in a service account token, and whom it names.
 * Mirrors pkg/serviceaccount: Claims, validator.
 */
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { UserInfo } from '../../api/user.ts'

/** An object named by a token: good only while the object with this uid exists. */
export interface ObjectRef {
  readonly name: string
  readonly uid: string
}

export interface ServiceAccountClaims {
  readonly namespace: string
  readonly serviceAccount: ObjectRef
  readonly pod?: ObjectRef
  readonly secret?: ObjectRef
  readonly node?: ObjectRef
  /** Seconds since 1970. */
  readonly warnAfter?: number
}

export interface TokenSubject {
  readonly serviceAccount: KubeObject
  readonly pod?: KubeObject
  readonly secret?: KubeObject
  readonly node?: KubeObject
}

export interface TokenTimes {
  /** Seconds since 1970. */
  readonly now: number
  readonly lifetime: number
  readonly warnAfter?: number
}

const refOf = ({ metadata }: KubeObject): JsonObject => ({
  name: metadata.name ?? '',
  ...(metadata.uid ? { uid: metadata.uid } : {}),
})

const serviceAccountUser = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`

/** All claims of a new token but the issuer. */
export function tokenClaims(
  subject: TokenSubject,
  audiences: readonly string[],
  times: TokenTimes,
  id: string,
): JsonObject {
  const { name = '', namespace = '' } = subject.serviceAccount.metadata
  const { now, lifetime, warnAfter } = times
  return {
    aud: [...audiences],
    exp: now + lifetime,
    iat: now,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...(subject.node ? { node: refOf(subject.node) } : {}),
      ...(subject.pod ? { pod: refOf(subject.pod) } : {}),
      ...(subject.secret ? { secret: refOf(subject.secret) } : {}),
      serviceaccount: refOf(subject.serviceAccount),
      ...(warnAfter === undefined ? {} : { warnafter: now + warnAfter }),
    },
    nbf: now,
    sub: serviceAccountUser(namespace, name),
  }
}

/** The private claims of a token; undefined when they are not there. */
export function readClaims(claims: JsonObject): ServiceAccountClaims | undefined {
  const own = claims['kubernetes.io']
  if (!isJsonObject(own)) return undefined
  const serviceAccount = readRef(own['serviceaccount'])
  if (typeof own['namespace'] !== 'string' || serviceAccount === undefined) return undefined
  const pod = readRef(own['pod'])
  const secret = readRef(own['secret'])
  const node = readRef(own['node'])
  const warnAfter = own['warnafter']
  return {
    namespace: own['namespace'],
    serviceAccount,
    ...(pod ? { pod } : {}),
    ...(secret ? { secret } : {}),
    ...(node ? { node } : {}),
    ...(typeof warnAfter === 'number' ? { warnAfter } : {}),
  }
}

function readRef(value: unknown): ObjectRef | undefined {
  if (!isJsonObject(value)) return undefined
  const { name, uid } = value
  return { name: typeof name === 'string' ? name : '', uid: typeof uid === 'string' ? uid : '' }
}

const extraKey = (key: string): string => `authentication.kubernetes.io/${key}`

export function userOfClaims(claims: ServiceAccountClaims, tokenId: string): UserInfo {
  const { namespace, serviceAccount, pod, node } = claims
  const extra = new Map<string, readonly string[]>()
  if (tokenId !== '') extra.set(extraKey('credential-id'), [`JTI=${tokenId}`])
  if (node) {
    extra.set(extraKey('node-name'), [node.name])
    if (node.uid !== '') extra.set(extraKey('node-uid'), [node.uid])
  }
  if (pod) {
    extra.set(extraKey('pod-name'), [pod.name])
    extra.set(extraKey('pod-uid'), [pod.uid])
  }
  return {
    name: serviceAccountUser(namespace, serviceAccount.name),
    uid: serviceAccount.uid,
    groups: serviceAccountGroups(namespace),
    extra,
  }
}

export const serviceAccountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
]
