/**
 * Forgets what API servers that are gone said of the versions that they store.
 * Mirrors pkg/controller/storageversiongc: Controller.
 */

import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { ServerStorageVersion } from '../../../catalog/types/apiserverinternal-v1alpha1.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { reconciler } from '../../framework/reconciler.ts'
import type { Lease, StorageVersion } from '../../objects.ts'
import { runningController } from '../common/running-controller.ts'

const group = 'internal.apiserver.k8s.io'
const resource = 'storageversions'
const identityLabel = 'apiserver.kubernetes.io/identity'

const isServerLease = (lease: Lease | undefined): boolean =>
  lease?.metadata.labels?.[identityLabel] === 'kube-apiserver'

/** The version that all servers encode in, if it is one. Mirrors k8s.io/apiserver/pkg/storageversion: SetCommonEncodingVersion. */
export function commonVersion(versions: readonly ServerStorageVersion[]): string | undefined {
  const [first, ...others] = versions.map(({ encodingVersion }) => encodingVersion)
  return first !== undefined && others.every((each) => each === first) ? first : undefined
}

/** Those of servers that live; undefined when all do. */
export function liveVersions(
  { status }: StorageVersion,
  isLive: (server: string) => boolean,
): ServerStorageVersion[] | undefined {
  const all = status?.storageVersions ?? []
  const live = all.filter(({ apiServerID }) => isLive(apiServerID ?? ''))
  return live.length === all.length ? undefined : live
}

export const storageVersionGarbageCollector: SimulatedController = {
  name: 'storageversion-garbage-collector-controller',
  start(context) {
    const versions = context.informer<StorageVersion>(group, resource)
    const leases = context.informer<Lease>('coordination.k8s.io', 'leases')
    const writer = context.writer('storage-version-garbage-collector')
    const isLive = (server: string): boolean => isServerLease(leases.get('kube-system', server))
    const queue = reconciler(context, {
      name: 'storage_version_garbage_collector_storageversions',
      async reconcile(name) {
        const found = versions.get('', name)
        const live = found === undefined ? undefined : liveVersions(found, isLive)
        if (live === undefined) return
        if (live.length === 0) {
          await writer.delete(group, resource, { namespace: '', name })
          return
        }
        await writer.update<StorageVersion>(
          group,
          resource,
          { namespace: '', name, subresource: 'status' },
          (current) => {
            const kept = liveVersions(current, isLive)
            if (kept === undefined) return undefined
            return { ...current, status: statusOf(current, kept, formatTime(instantOfMillis(context.clock.now()))) }
          },
        )
      },
    })
    const subscriptions = [
      versions.subscribe(({ type, name, object }) => {
        if (type !== 'DELETED' && liveVersions(object, isLive) !== undefined) queue.add(name)
      }),
      leases.subscribe(({ type, namespace, object }) => {
        if (type !== 'DELETED' || namespace !== 'kube-system' || !isServerLease(object)) return
        for (const { metadata } of versions.list()) queue.add(metadata.name ?? '')
      }),
    ]
    return runningController(subscriptions, [queue])
  },
}

function statusOf(
  { metadata, status }: StorageVersion,
  kept: ServerStorageVersion[],
  now: string,
): NonNullable<StorageVersion['status']> {
  const { commonEncodingVersion: _, conditions = [], ...rest } = status ?? {}
  const common = commonVersion(kept)
  const isEqual = common !== undefined
  const found = conditions.find(({ type }) => type === 'AllEncodingVersionsEqual')
  const wanted = {
    type: 'AllEncodingVersionsEqual',
    status: isEqual ? 'True' : 'False',
    observedGeneration: metadata.generation ?? 0,
    reason: isEqual ? 'CommonEncodingVersionSet' : 'CommonEncodingVersionUnset',
    message: isEqual ? 'Common encoding version set' : 'Common encoding version unset',
  }
  const lastTransitionTime = found?.status === wanted.status ? found.lastTransitionTime : now
  const others = conditions.filter((each) => each !== found)
  return {
    ...rest,
    storageVersions: kept,
    ...(common === undefined ? {} : { commonEncodingVersion: common }),
    conditions: [...others, { ...wanted, lastTransitionTime }],
  }
}
