/**
 * The checks of the server itself, in the order and under the names of the reference: probes and dashboards know them.
 * Each hook of the start stands for a part of this server's start.
 */
import type { Encryption } from '../encryption/encryption.ts'
import type { Store } from '../store/store.ts'
import type { HealthChecks } from './health.ts'

export interface CheckedParts {
  readonly store: Store
  /** Those of resources that are kept elsewhere. */
  readonly otherStores?: readonly Store[]
  /** Why changes of the store no longer reach the caches; undefined while they do. */
  readonly reflectorFailure: () => string | undefined
  readonly encryption: Encryption | undefined
  readonly gate: (name: string) => boolean
  readonly options: HookOptions
}

/** The options that some hooks depend on. */
interface HookOptions {
  readonly priorityAndFairness: boolean
}

export interface ServerStart {
  /** Every hook that is not done waits for this. Resolves when the server is ready. */
  until(done: Promise<unknown>): Promise<void>
  /** From now on the server is not ready. */
  shutDown(): void
}

interface Hook {
  readonly name: string
  /** Without all of these gates there is no such hook. */
  readonly gates?: readonly string[]
  /** With other options there is none. */
  readonly when?: (options: HookOptions) => boolean
}

const isFair = (options: HookOptions): boolean => options.priorityAndFairness

const hooks: readonly Hook[] = [
  { name: 'start-apiserver-admission-initializer' },
  { name: 'generic-apiserver-start-informers' },
  { name: 'priority-and-fairness-config-consumer', when: isFair },
  { name: 'priority-and-fairness-filter', when: isFair },
  { name: 'max-in-flight-filter', when: (options) => !isFair(options) },
  { name: 'storage-object-count-tracker-hook' },
  { name: 'start-apiextensions-informers' },
  { name: 'start-apiextensions-controllers' },
  { name: 'crd-informer-synced' },
  { name: 'start-system-namespaces-controller' },
  { name: 'start-kube-apiserver-coordinated-leader-election-controller', gates: ['CoordinatedLeaderElection'] },
  { name: 'peer-endpoint-reconciler-controller', gates: ['UnknownVersionInteroperabilityProxy'] },
  { name: 'start-cluster-authentication-info-controller' },
  { name: 'start-kube-apiserver-identity-lease-controller', gates: ['APIServerIdentity'] },
  { name: 'start-kube-apiserver-identity-lease-garbage-collector', gates: ['APIServerIdentity'] },
  { name: 'storage-readiness', gates: ['WatchCacheInitializationPostStartHook'] },
  { name: 'start-legacy-token-tracking-controller' },
  { name: 'start-service-ip-repair-controllers' },
  { name: 'rbac/bootstrap-roles' },
  { name: 'scheduling/bootstrap-system-priority-classes' },
  { name: 'priority-and-fairness-config-producer' },
  { name: 'bootstrap-controller' },
  { name: 'start-kubernetes-service-cidr-controller' },
  { name: 'start-kube-aggregator-informers' },
  { name: 'apiservice-status-local-available-controller' },
  { name: 'apiservice-status-remote-available-controller' },
  { name: 'apiservice-registration-controller' },
  { name: 'apiservice-discovery-controller' },
  { name: 'built-in-resources-storage-version-updater', gates: ['StorageVersionAPI', 'APIServerIdentity'] },
  { name: 'kube-apiserver-autoregistration' },
]
const laterHooks: readonly string[] = ['apiservice-openapi-controller', 'apiservice-openapiv3-controller']

interface CheckNames {
  readonly health: string
  readonly readiness: string
}

/** A disk that is almost full fails readiness alone: a restart would not empty it, and reads and deletes go on. */
function addStoreChecks(health: HealthChecks, store: Store, names: CheckNames): void {
  health.add({ name: names.health, group: 'etcd', check: (signal) => store.health(signal, 'read') })
  health.add({ name: names.readiness, group: 'etcd-readiness', check: (signal) => store.health(signal) }, ['readyz'])
}

export function addServerChecks(health: HealthChecks, parts: CheckedParts): ServerStart {
  const { store, otherStores = [], reflectorFailure, encryption, gate, options } = parts
  let finish: (done: Promise<unknown>) => void = () => undefined
  const started = new Promise<unknown>((resolve) => {
    finish = resolve
  })
  started.catch(() => undefined)
  let isEnding = false
  // Always passes: the loopback client trusts the serving certificate, and has none of its own that could expire.
  if (gate('release:loopbackCheck'))
    health.add({ name: 'loopback-serving-certificate', check: () => undefined }, ['healthz', 'livez'])
  addStoreChecks(health, store, { health: 'etcd', readiness: 'etcd-readiness' })
  if (gate('release:otherStoreChecks')) {
    otherStores.forEach((other, i) => {
      addStoreChecks(health, other, { health: `etcd-override-${i}`, readiness: `etcd-override-readiness-${i}` })
    })
  }
  // A plugin that is gone does not come back because this process ends.
  for (const check of encryption?.checks ?? []) health.add(check, ['healthz', 'readyz'])
  health.add({ name: 'informer-sync', check: () => failIf(reflectorFailure()) }, ['readyz'])
  for (const { name, gates = [], when } of hooks) {
    if (gates.every(gate) && when?.(options) !== false) health.addHook(`poststarthook/${name}`, started)
  }
  if (encryption?.reloads) health.addHook('poststarthook/start-encryption-provider-config-automatic-reload', started)
  health.addHook('autoregister-completion', started)
  for (const name of laterHooks) health.addHook(`poststarthook/${name}`, started)
  health.add({ name: 'shutdown', check: () => failIf(isEnding ? 'process is shutting down' : undefined) }, ['readyz'])
  return {
    until: (done) => {
      finish(done)
      const ready = started.then(() => undefined)
      ready.catch(() => undefined)
      return ready
    },
    shutDown: () => {
      isEnding = true
    },
  }
}

function failIf(reason: string | undefined): void {
  if (reason !== undefined) throw new Error(reason)
}
