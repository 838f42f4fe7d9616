/** TokenRequest: a new token for a service account, optionally bound to a pod, secret or node. */
import { type FieldError, invalid as invalidField } from '../../api/field-error.ts'
import { parseGroupVersion } from '../../api/group-version.ts'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { checkKeyName, objectNotFound } from '../../api/object-key.ts'
import type { ObjectSource } from '../../api/object-source.ts'
import { badRequest, conflict, internalError, invalid, notFound } from '../../api/status-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { TokenSubject } from '../service-account/claims.ts'
import type { TokenIssuer } from '../service-account/issuer.ts'
import type { ServiceAccountSources } from '../service-account/token-authenticator.ts'

export interface TokenRequestOptions {
  readonly issuer: TokenIssuer
  readonly sources: ServiceAccountSources
  readonly apiAudiences: readonly string[]
  /** Longest lifetime that may be asked for; 0 for no limit. */
  readonly maxExpirationSeconds: number
  /** Let tokens that kubelets ask for live for a year, and warn after the hour that was asked for. */
  readonly extendExpiration: boolean
  /** The longest that an external signer lets such tokens live. */
  readonly maxExtendedSeconds?: number
  readonly clock: Clock
}

export interface TokenRequestAnswer {
  /** The request with metadata, spec and status filled in. */
  readonly object: JsonObject
  readonly warnings: readonly string[]
  readonly credentialId: string
  /** That the request names another uid than that of its account, for the audit trail. */
  readonly uidMismatch: string | undefined
}

const group = 'authentication.k8s.io'
const kind = 'TokenRequest'
const defaultLifetime = 3600
/** The odd lifetime that kubelets ask for, by which such requests are known. */
const kubeletLifetime = 60 * 60 + 7
const extendedLifetime = 365 * 24 * 60 * 60

/** Answers `request` for the account of the path. Throws the Status error that refuses it. */
export async function answerTokenRequest(
  request: JsonObject,
  account: Account,
  options: TokenRequestOptions,
): Promise<TokenRequestAnswer> {
  const { metadata, uid, spec, serviceAccount, requested, audiences } = checked(request, account, options)
  const { bound, ref } = boundObjects(spec['boundObjectRef'], account, options.sources)
  const { lifetime, warnings } = limited(requested, options.maxExpirationSeconds)
  const extend = isExtended(lifetime, bound, audiences, options)
  const now = options.clock.now()
  const order = {
    subject: { serviceAccount, ...bound },
    audiences,
    lifetimeSeconds: extend ? Math.min(extendedLifetime, options.maxExtendedSeconds ?? extendedLifetime) : lifetime,
    ...(extend ? { warnAfterSeconds: lifetime } : {}),
  }
  const { token, id } = await options.issuer.issue(order).catch((error: unknown) => {
    throw internalError(`failed to generate token: ${(error as Error).message}`)
  })
  const object: JsonObject = {
    kind,
    apiVersion: `${group}/v1`,
    metadata: {
      ...metadata,
      name: account.name,
      namespace: account.namespace,
      ...(uid === undefined ? {} : { uid: uid.shown }),
      creationTimestamp: seconds(now),
    },
    spec: { audiences: [...audiences], expirationSeconds: lifetime, boundObjectRef: ref },
    status: { token, expirationTimestamp: seconds(now + lifetime * 1000) },
  }
  return {
    object,
    warnings: [...(uid?.warnings ?? []), ...warnings],
    credentialId: `JTI=${id}`,
    uidMismatch: uid?.mismatch,
  }
}

interface Account {
  readonly namespace: string
  readonly name: string
  /** What becomes of the uid: later releases show that of the account, and refuse or warn of another one. */
  readonly uids?: 'shown' | 'checked' | undefined
}

function checked(request: JsonObject, account: Account, { sources, apiAudiences }: TokenRequestOptions) {
  const metadata = isJsonObject(request['metadata']) ? request['metadata'] : {}
  checkIdentity(metadata, account)
  const serviceAccount = sources.serviceAccounts.get(account.namespace, account.name)
  if (serviceAccount === undefined) throw objectNotFound({ group: '', resource: 'serviceaccounts' }, account.name)
  const uid = uidOf(metadata, serviceAccount.metadata.uid ?? '', account)
  const spec = isJsonObject(request['spec']) ? request['spec'] : {}
  const audiences = audiencesOf(spec, apiAudiences)
  return { metadata, uid, spec, serviceAccount, requested: lifetimeOf(spec), audiences }
}

interface RequestUid {
  readonly shown: string
  readonly warnings: readonly string[]
  /** That it is not the account's, where that is let through. */
  readonly mismatch?: string
}

/** Mirrors pkg/registry/core/serviceaccount/storage: TokenREST.Create, as far as it is about uids. */
function uidOf({ uid: given }: JsonObject, own: string, { uids, name }: Account): RequestUid | undefined {
  if (uids === undefined) return undefined
  if (typeof given !== 'string' || given === '' || given === own) return { shown: own, warnings: [] }
  const why = `the UID in the token request (${given}) does not match the UID of the service account (${own})`
  if (uids === 'checked') throw conflict({ group, resource: kind }, name, why)
  const later =
    'but TokenRequestServiceAccountUIDValidation is not enabled. In the future, this will return a conflict error'
  return { shown: given, warnings: [`${why} ${later}`], mismatch: why }
}

/** A good request with all that is filled in before anything is issued: what admission is asked about. */
export function completedTokenRequest(request: KubeObject, account: Account, options: TokenRequestOptions): KubeObject {
  const { uid, spec, audiences } = checked(request, account, options)
  const { name, namespace } = account
  const times = { creationTimestamp: seconds(options.clock.now()) }
  return {
    ...request,
    metadata: { ...request.metadata, name, namespace, ...(uid === undefined ? {} : { uid: uid.shown }), ...times },
    spec: { ...spec, audiences: [...audiences] },
    status: { token: '', expirationTimestamp: null },
  }
}

const seconds = (millis: number): string => new Date(millis).toISOString().replace(/\.\d+Z$/, 'Z')

function checkIdentity(metadata: JsonObject, { namespace, name }: { namespace: string; name: string }): void {
  const check = (field: string, wanted: string): void => {
    const given = metadata[field]
    if (given === undefined || given === '' || given === wanted) return
    const error = invalidField(`metadata.${field}`, given, `must match the service account ${field} if specified`)
    throw invalid({ group, kind }, name, [error])
  }
  check('name', name)
  check('namespace', namespace)
}

function lifetimeOf(spec: JsonObject): number {
  const value = spec['expirationSeconds'] ?? defaultLifetime
  const asked = Number(value)
  const errors: FieldError[] = []
  const at = 'spec.expirationSeconds'
  if (asked < 600) errors.push(invalidField(at, value, 'may not specify a duration less than 10 minutes'))
  if (asked > 2 ** 32) errors.push(invalidField(at, value, 'may not specify a duration larger than 2^32 seconds'))
  if (errors.length > 0) throw invalid({ group, kind }, '', errors)
  return asked
}

function audiencesOf(spec: JsonObject, apiAudiences: readonly string[]): readonly string[] {
  const asked = Array.isArray(spec['audiences']) ? spec['audiences'].map(String) : []
  return asked.length > 0 ? asked : apiAudiences
}

function limited(requested: number, max: number): { lifetime: number; warnings: string[] } {
  if (max <= 0 || requested <= max) return { lifetime: requested, warnings: [] }
  const warning = `requested expiration of ${requested} seconds shortened to ${max} seconds`
  return { lifetime: max, warnings: [warning] }
}

function isExtended(
  lifetime: number,
  bound: Bound,
  audiences: readonly string[],
  options: TokenRequestOptions,
): boolean {
  const forApi = audiences.every((audience) => options.apiAudiences.includes(audience))
  return options.extendExpiration && bound.pod !== undefined && lifetime === kubeletLifetime && forApi
}

type Bound = Omit<TokenSubject, 'serviceAccount'>

interface BoundResult {
  readonly bound: Bound
  readonly ref: JsonObject | null
}

function boundObjects(
  value: unknown,
  account: { namespace: string; name: string },
  sources: ServiceAccountSources,
): BoundResult {
  if (!isJsonObject(value)) return { bound: {}, ref: null }
  const text = (key: string): string => (typeof value[key] === 'string' ? String(value[key]) : '')
  const kindOfRef = text('kind')
  const apiVersion = text('apiVersion')
  const gv = parseGroupVersion(apiVersion) ?? { group: '', version: '' }
  const name = text('name')
  const find = (source: ObjectSource, resource: string, namespace: string): KubeObject => {
    checkKeyName(name)
    const found = source.get(namespace, name)
    if (found === undefined) throw notFound({ group: '', resource }, name)
    return found
  }
  const finish = (object: KubeObject, bound: Bound): BoundResult => {
    const uid = object.metadata.uid ?? ''
    checkUid(text('uid'), uid, { kind: kindOfRef, group: gv.group }, name)
    return { bound, ref: Object.fromEntries(Object.entries(value).filter(([, given]) => given !== '')) }
  }
  switch (gv.group === '' ? kindOfRef : '') {
    case 'Pod': {
      const pod = find(sources.pods, 'pods', account.namespace)
      return finish(pod, podSubject(pod, account.name, sources.nodes))
    }
    case 'Secret': {
      const secret = find(sources.secrets, 'secrets', account.namespace)
      return finish(secret, { secret })
    }
    case 'Node': {
      const node = find(sources.nodes, 'nodes', '')
      return finish(node, { node })
    }
    default:
      throw badRequest(`cannot bind token to object of type ${gv.group}/${gv.version}, Kind=${kindOfRef}`)
  }
}

/** A token bound to a pod also names the node on which the pod runs. */
function podSubject(pod: KubeObject, account: string, nodes: ObjectSource): Bound {
  const spec = isJsonObject(pod['spec']) ? pod['spec'] : {}
  if (spec['serviceAccountName'] !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    )
  }
  const nodeName = spec['nodeName']
  if (typeof nodeName !== 'string' || nodeName === '') return { pod }
  const node = nodes.get('', nodeName) ?? { apiVersion: 'v1', kind: 'Node', metadata: { name: nodeName } }
  return { pod, node }
}

function checkUid(asked: string, actual: string, ref: { kind: string; group: string }, name: string): void {
  if (asked === '' || asked === actual) return
  const why = `the UID in the bound object reference (${asked}) does not match the UID in record. The object might have been deleted and then recreated`
  throw conflict({ group: ref.group, resource: ref.kind }, name, why)
}
