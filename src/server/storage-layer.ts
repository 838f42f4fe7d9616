/**
 * The store and the one stream of its changes, from which everything that reads is kept current; and others like it for
 * resources that are kept elsewhere (`--etcd-servers-overrides`), whose revisions have nothing to do with the first's.
 */
import { formatGroupResource, type GroupResource } from '../api/group-version.ts'
import { Reflector } from '../cache/reflector.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Pausable } from '../lib/clock.ts'
import { withDeadline } from '../lib/with-deadline.ts'
import type { Backend } from '../registry/registries.ts'
import { type EtcdRelays, etcdRelays } from '../store/etcd/etcd-relays.ts'
import { readEtcdTls } from '../store/etcd/etcd-tls.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { measuredStore } from '../telemetry/metrics/measured-store.ts'
import type { ServerMetrics } from '../telemetry/metrics/server-metrics.ts'
import { tracedStore } from '../telemetry/traced.ts'
import { refuseUnfinishedCopy } from '../transfer/copy-note.ts'
import { tappedStore } from './console-slot.ts'
import type { ServerParts } from './running-server.ts'

export interface StorageLayer extends Backend {
  /** Where the objects of a resource are kept. */
  backend(resource: GroupResource): Backend
  /** The stores that single resources are kept in, each set of servers once. */
  readonly otherStores: readonly Store[]
  /** Why a stream of changes is broken; undefined while none is. */
  reflectorFailure(): string | undefined
  close(): Promise<void>
}

/** A server that cannot reach its store says so within this time. */
const longestWaitMs = 3500

export async function openStorage(
  options: ServerOptions,
  parts: ServerParts,
  metrics: ServerMetrics,
): Promise<StorageLayer> {
  const { etcd, kind } = options.storage
  const main = await openBackend(options, parts, metrics)
  const opened = new Map([[etcd.servers.join(), main]])
  const byResource = new Map<string, Backend>()
  const others = new Map<string, Store>()
  const close = async (): Promise<void> => {
    for (const backend of opened.values()) await backend.close()
  }
  try {
    for (const override of kind === 'etcd' ? etcd.overrides : []) {
      const { servers } = override
      const storage = { ...options.storage, etcd: { ...etcd, servers } }
      const backend = opened.get(servers.join()) ?? (await openBackend({ ...options, storage }, parts, metrics))
      opened.set(servers.join(), backend)
      byResource.set(formatGroupResource(override), backend)
      const sorted = servers.toSorted().join()
      if (!others.has(sorted)) others.set(sorted, backend.store)
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    store: main.store,
    otherStores: [...others.values()],
    reflector: main.reflector,
    backend: (resource) => (byResource.size === 0 ? main : (byResource.get(formatGroupResource(resource)) ?? main)),
    reflectorFailure: () => [...opened.values()].map(({ failure }) => failure()).find((why) => why !== undefined),
    close,
  }
}

interface OpenBackend extends Backend {
  /** Why its stream of changes is broken; undefined while it is not. */
  readonly failure: () => string | undefined
  close(): Promise<void>
}

async function openBackend(
  options: ServerOptions,
  { clock, logger, seams, egress, tracer, console, role }: ServerParts,
  metrics: ServerMetrics,
): Promise<OpenBackend> {
  const { prefix } = options.storage
  const relays = await etcdRelays(options, egress.etcd)
  const opened = seams?.openStore() ?? (await (role?.openStore?.() ?? openStore(options, clock, relays.target)))
  await role?.storeOpened(opened)
  const traced = tracer === undefined ? opened : tracedStore(opened, tracer.trace)
  const store = measuredStore(tappedStore(console, traced), metrics.set, prefix)
  let failure: string | undefined
  const reflector = new Reflector({
    store,
    clock,
    prefix: `${prefix}/`,
    alwaysNewest: options.storage.alwaysNewest,
    onLost: (why) => {
      failure = why
      logger.error({ why }, 'the stream of changes from the store was lost: reading everything anew')
    },
    onRecovered: () => {
      failure = undefined
    },
    known: seams?.known,
    recall: seams?.recall,
  })
  const atRest = restOf(reflector)
  clock.queues?.add(atRest)
  const close = async (): Promise<void> => {
    clock.queues?.delete(atRest)
    reflector.close()
    await store.close()
    relays.close()
  }
  try {
    await firstAnswer(store, options, relays.target)
    await refuseUnfinishedCopy(store, prefix)
    await reflector.start()
  } catch (error) {
    await close()
    throw error
  }
  return { store, reflector, failure: () => failure, close }
}

/** Quiescence includes delivery: a wait for idle queues also waits until all watchers got every event. */
function restOf(reflector: Reflector): Pausable {
  return {
    get isIdle() {
      return reflector.isQuiet
    },
    pause: () => Promise.resolve(),
    resume: () => undefined,
  }
}

/** Fail fast on an unreachable address: most likely a configuration error. */
async function firstAnswer(store: Store, { storage }: ServerOptions, target: EtcdRelays['target']): Promise<void> {
  if (storage.kind !== 'etcd') return
  const wait = Math.max(1, Math.min(longestWaitMs, storage.initializationTimeout))
  try {
    await withDeadline(wait, (signal) => store.health(signal))
  } catch (error) {
    const { servers, caFile, certFile, keyFile } = storage.etcd
    const tls = readEtcdTls({ ca: caFile, cert: certFile, key: keyFile })
    const schemes = { plain: 'http', secure: 'https' }
    const { explainUnusable } = await import('../store/etcd/etcd-probe.ts')
    const why = await explainUnusable({ servers, tls, target, schemes }, (error as Error).message)
    throw new ConfigError(`the etcd at ${servers.join(', ')} cannot be used: ${why}`)
  }
}
