import { describe, expect, test } from 'vitest'
import { resolveFeatureGates } from '../config/feature-gates.ts'
import { systemClock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'
import { HealthChecks } from './health.ts'
import { addServerChecks } from './server-checks.ts'

interface Given {
  readonly release?: number
  readonly gates?: Readonly<Record<string, boolean>>
  readonly priorityAndFairness?: boolean
  readonly otherStores?: number
}

const store = { health: () => Promise.resolve() } as unknown as Store

function checksOf(
  page: string,
  { release = 33, gates = {}, priorityAndFairness = true, otherStores = 0 }: Given,
): string[] {
  const health = new HealthChecks({ clock: systemClock, livezGracePeriod: 0, timeout: 1000 })
  const resolved = resolveFeatureGates(new Map(Object.entries(gates)), { major: 1, minor: release })
  addServerChecks(health, {
    store,
    otherStores: Array.from({ length: otherStores }, () => store),
    reflectorFailure: () => undefined,
    encryption: undefined,
    gate: (name) => resolved.enabled(name),
    options: { priorityAndFairness },
  })
  const start = `/${page}/`
  return [...health.paths()].filter((path) => path.startsWith(start)).map((path) => path.slice(start.length))
}

/** What one has more than the other. */
const added = (given: Given, than: Given): string[] => {
  const before = new Set(checksOf('readyz', than))
  return checksOf('readyz', given).filter((name) => !before.has(name))
}

const peers = 'poststarthook/peer-endpoint-reconciler-controller'
const identity = [
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
]

describe('hooks of the start', () => {
  test.each<[string, Given, Given, string[]]>([
    ['1.34', { release: 34 }, {}, []],
    ['stores of single resources', { otherStores: 1 }, {}, []],
    [
      'stores of single resources since 1.34',
      { release: 34, otherStores: 2 },
      { release: 34 },
      ['etcd-override-0', 'etcd-override-readiness-0', 'etcd-override-1', 'etcd-override-readiness-1'],
    ],
    ['1.35', { release: 35 }, { release: 34 }, []],
    ['1.36', { release: 36 }, { release: 35 }, [peers, 'poststarthook/storage-readiness']],
    ['calls of other servers', { gates: { UnknownVersionInteroperabilityProxy: true } }, {}, [peers]],
    [
      'caches that are filled at the start',
      { gates: { WatchCacheInitializationPostStartHook: true } },
      {},
      ['poststarthook/storage-readiness'],
    ],
    [
      'coordinated leader election',
      { gates: { CoordinatedLeaderElection: true } },
      {},
      ['poststarthook/start-kube-apiserver-coordinated-leader-election-controller'],
    ],
    ['servers with an identity', {}, { gates: { APIServerIdentity: false } }, identity],
    [
      'versions in the store',
      { gates: { StorageVersionAPI: true } },
      {},
      ['poststarthook/built-in-resources-storage-version-updater'],
    ],
    [
      'versions in the store without an identity',
      { gates: { StorageVersionAPI: true, APIServerIdentity: false } },
      { gates: { APIServerIdentity: false } },
      [],
    ],
    ['limits instead of queues', { priorityAndFairness: false }, {}, ['poststarthook/max-in-flight-filter']],
    [
      'queues instead of limits',
      {},
      { priorityAndFairness: false },
      ['poststarthook/priority-and-fairness-config-consumer', 'poststarthook/priority-and-fairness-filter'],
    ],
  ])('%s', (_, given, than, expected) => {
    expect(added(given, than)).toEqual(expected)
  })

  test.each(['healthz', 'livez'])('the loopback certificate is checked before the store: %s', (page) => {
    expect(checksOf(page, { release: 36 }).slice(0, 4)).toEqual(['ping', 'log', 'loopback-serving-certificate', 'etcd'])
    expect(checksOf(page, { release: 35 })).not.toContain('loopback-serving-certificate')
  })
})
