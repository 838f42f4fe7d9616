/**
 * The checks of the server itself, in the order and under the names of the reference: probes and dashboards know them.
 * Each hook of the start stands for a part of this server's start.
 */
import type { Encryption } from '../encryption/encryption.ts'
import type { Store } from '../store/store.ts'
import type { HealthChecks } from './health.ts'

export interface CheckedParts {
  readonly store: Store
  /** Why changes of the store no longer reach the caches; undefined while they do. */
  readonly feedFailure: () => string | undefined
  readonly encryption: Encryption | undefined
}

export interface ServerStart {
  /** Every hook that is not done waits for this. Resolves when the server is ready. */
  until(done: Promise<unknown>): Promise<void>
  /** From now on the server is not ready. */
  shutDown(): void
}

const hooks: readonly string[] = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
]
const laterHooks: readonly string[] = ['apiservice-openapi-controller', 'apiservice-openapiv3-controller']

export function addServerChecks(health: HealthChecks, { store, feedFailure, encryption }: CheckedParts): ServerStart {
  let finish: (done: Promise<unknown>) => void = () => undefined
  const started = new Promise<unknown>((resolve) => {
    finish = resolve
  })
  started.catch(() => undefined)
  let isEnding = false
  const storeCheck = (name: string) => ({ name, check: (signal: AbortSignal) => store.health(signal) })
  health.add(storeCheck('etcd'))
  health.add(storeCheck('etcd-readiness'), ['readyz'])
  // A plugin that is gone does not come back because this process ends.
  for (const check of encryption?.checks ?? []) health.add(check, ['healthz', 'readyz'])
  health.add({ name: 'informer-sync', check: () => failIf(feedFailure()) }, ['readyz'])
  for (const name of hooks) health.addHook(`poststarthook/${name}`, started)
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
