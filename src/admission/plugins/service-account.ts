/**
 * Every pod runs as a service account of its namespace: the pod gets the account's name, a volume with a token for it,
 * and its pull secrets. Pods that a node mirrors to us must not use any of that.
 * Mirrors plugin/pkg/admission/serviceaccount: Plugin.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { quote } from '../../api/golang/quote.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type { Container, ServiceAccount as CoreServiceAccount, PodSpec, Volume } from '../../catalog/types/core-v1.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { isMirrorPod, mapContainers, referencedNames } from '../pod.ts'

type ServiceAccount = CoreServiceAccount & KubeObject

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'
const volumePrefix = 'kube-api-access-'
const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets'

export interface ServiceAccountPluginOptions {
  /** The end of a generated name. */
  readonly suffix: () => string
  readonly clock: Clock
}

const defaultName = 'default'
/** A controller makes the default account of a new namespace: it is looked for this often before a pod is refused. */
const defaultAttempts = 10
const pauseMs = 100

/** Mirrors plugin/pkg/admission/serviceaccount: getServiceAccount. */
async function awaitDefault(find: () => Found, clock: Clock): Promise<ServiceAccount | undefined> {
  const pause = pauseMs * (1 + clock.random())
  for (let attempt = 1; attempt < defaultAttempts; attempt++) {
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, pause))
    const account = await find()
    if (account !== undefined) return account
  }
  return undefined
}

type Found = Awaitable<ServiceAccount | undefined>

export function serviceAccount(cluster: Cluster, { suffix, clock }: ServiceAccountPluginOptions): AdmissionPlugin {
  const accounts = cluster.view<ServiceAccount>('', 'serviceaccounts')
  const find = (namespace: string, name: string): Found =>
    whenReady(accounts.find(namespace, name), (account) => {
      if (account !== undefined || name !== defaultName) return account
      return awaitDefault(() => accounts.find(namespace, name), clock)
    })
  const accountOf = (request: AdmissionRequest, name: string): Awaitable<ServiceAccount> =>
    whenReady(find(request.namespace, name), (account) => {
      if (account !== undefined) return account
      const where = `${request.namespace}/${name}`
      throw denied(request, `error looking up service account ${where}: serviceaccount ${quote(name)} not found`)
    })
  const check = (request: AdmissionRequest): Awaitable<void> => {
    const pod = request.object as PodObject
    if (isMirrorPod(pod)) return checkMirrorPod(request, pod)
    const { serviceAccountName } = pod.spec
    if (!serviceAccountName) {
      throw denied(request, `no service account specified for pod ${request.namespace}/${pod.metadata.name ?? ''}`)
    }
    return whenReady(accountOf(request, serviceAccountName), (account) => {
      if (enforces(account)) checkSecrets(request, pod.spec, account)
    })
  }
  return {
    name: 'ServiceAccount',
    handles: ({ operation, group, resource, subresource }) =>
      group === '' &&
      resource === 'pods' &&
      (operation === 'CREATE' ? subresource === '' : operation === 'UPDATE' && subresource === 'ephemeralcontainers'),
    mutate(request) {
      if (request.operation !== 'CREATE') return undefined
      const pod = request.object as PodObject
      if (isMirrorPod(pod)) return checkMirrorPod(request, pod)
      const name = pod.spec.serviceAccountName || defaultName
      return whenReady(accountOf(request, name), (account) => {
        let spec: PodSpec = { ...pod.spec, serviceAccountName: name, serviceAccount: name }
        if (pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) {
          spec = withToken(spec, suffix)
        }
        if ((spec.imagePullSecrets?.length ?? 0) === 0 && (account.imagePullSecrets?.length ?? 0) > 0) {
          spec.imagePullSecrets = (account.imagePullSecrets ?? []).map((secret) => ({ ...secret }))
        }
        if (enforces(account)) checkSecrets(request, spec, account)
        return { ...pod, spec }
      })
    },
    validate: check,
  }
}

const enforces = ({ metadata }: ServiceAccount): boolean =>
  /^(1|t|T|TRUE|true|True)$/.test(metadata.annotations?.[enforceAnnotation] ?? '')

/** The pod with a token at the usual place in every container that has nothing there. */
function withToken(spec: PodSpec, suffix: () => string): PodSpec {
  const existing = spec.volumes?.find((volume) => volume.name.startsWith(volumePrefix))
  const name = existing?.name ?? volumePrefix + suffix()
  let needed = false
  const mount = (container: Container): Container => {
    const mounts = container.volumeMounts ?? []
    if (mounts.some((each) => each.mountPath === mountPath)) return container
    needed = true
    return { ...container, volumeMounts: [...mounts, { name, readOnly: true, mountPath }] }
  }
  const mounted = mapContainers(spec, ['initContainers', 'containers'], mount)
  if (existing === undefined && needed) mounted.volumes = [...(spec.volumes ?? []), tokenVolume(name)]
  return mounted
}

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: 420,
  },
})

function checkMirrorPod(request: AdmissionRequest, { spec }: PodObject): undefined {
  if (spec.serviceAccountName) throw denied(request, 'a mirror pod may not reference service accounts')
  for (const _ of referencedNames(spec, 'secret')) throw denied(request, 'a mirror pod may not reference secrets')
  for (const { projected } of spec.volumes ?? []) {
    for (const source of projected?.sources ?? []) {
      for (const [field, what] of projections) {
        if (source[field] != null) throw denied(request, `a mirror pod may not use ${what} volume projections`)
      }
    }
  }
}

const projections = [
  ['serviceAccountToken', 'ServiceAccountToken'],
  ['clusterTrustBundle', 'ClusterTrustBundle'],
] as const

/** An account may name the secrets that its pods are limited to. */
function checkSecrets(request: AdmissionRequest, spec: PodSpec, account: ServiceAccount): void {
  const allowed = new Set((account.secrets ?? []).map(({ name }) => name ?? ''))
  const { name: accountName } = account.metadata
  const check = (secret: string | undefined, what: string): void => {
    if (secret === undefined || allowed.has(secret)) return
    throw denied(
      request,
      `${what}secret.secretName="${secret}" is not allowed because service account ${accountName} does not reference that secret`,
    )
  }
  if (request.subresource === '') {
    for (const { secret } of spec.volumes ?? []) {
      if (secret !== undefined) check(String(secret['secretName'] ?? ''), 'volume with ')
    }
  }
  const lists =
    request.subresource === '' ? (['initContainers', 'containers'] as const) : (['ephemeralContainers'] as const)
  for (const list of lists) {
    for (const container of spec[list] ?? []) {
      const who = `${containerKinds[list]} ${container.name}`
      for (const { name, valueFrom } of container.env ?? []) {
        check(
          secretName((valueFrom as JsonObject | undefined)?.['secretKeyRef']),
          `${who} with envVar ${name} referencing `,
        )
      }
      for (const source of container.envFrom ?? [])
        check(secretName(source['secretRef']), `${who} with envFrom referencing `)
    }
  }
  if (request.subresource === '') checkPullSecrets(request, spec, account)
}

const containerKinds = {
  initContainers: 'init container',
  containers: 'container',
  ephemeralContainers: 'ephemeral container',
} as const

const secretName = (reference: unknown): string | undefined =>
  typeof reference === 'object' && reference !== null ? String((reference as JsonObject)['name'] ?? '') : undefined

function checkPullSecrets(request: AdmissionRequest, spec: PodSpec, account: ServiceAccount): void {
  const allowed = new Set((account.imagePullSecrets ?? []).map(({ name }) => name))
  for (const [i, { name }] of (spec.imagePullSecrets ?? []).entries()) {
    if (allowed.has(name)) continue
    throw denied(
      request,
      `imagePullSecrets[${i}].name="${name}" is not allowed because service account ${account.metadata.name} does not reference that imagePullSecret`,
    )
  }
}
