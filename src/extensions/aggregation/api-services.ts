/**
 * APIServices: which group versions other servers serve, whether they can be reached, and what they say they have.
 * Every remote one is asked for its resources when it changes and again and again after that; the answer decides its
 * `Available` condition. Group versions of custom resources get a local APIService each.
 */

import type { GroupVersion } from '../../api/group-version.ts'
import type { JsonValue } from '../../api/json.ts'
import { equalJson } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import { formatTime, instantOfMillis } from '../../api/time.ts'
import type { APIService } from '../../catalog/types/apiregistration-v1.ts'
import { WorkQueue } from '../../lib/work-queue.ts'
import { findObject, watchObjects } from '../../registry/object-watch.ts'
import { createAs, deleteAs, serverActor, updateAs } from '../../registry/own-writes.ts'
import type { Registry } from '../../registry/registry.ts'
import {
  Availability,
  type AvailabilityCondition,
  type AvailabilityOptions,
  failedCheck,
  type RemoteVersion,
} from './availability.ts'

type Service = KubeObject & APIService

export interface ApiServicesOptions extends AvailabilityOptions {
  readonly services: Registry
  /** Calls back on every change of such objects. The result unsubscribes. */
  watchPlaces(changed: (namespace: string, name: string) => void): Promise<() => void>
  /** What other servers serve has changed. */
  onChange(): void
}

const recheckMs = 30_000
/** A server that did not answer is asked again sooner, and then less and less often. */
const firstRetryMs = 5_000
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged'

export class ApiServices {
  readonly #options: ApiServicesOptions
  readonly #availability: Availability
  readonly #queue: WorkQueue<string>
  readonly #remote = new Map<string, RemoteVersion>()
  /** The local APIServices that custom resources want, by name, and how many resources want each. */
  readonly #wanted = new Map<string, { readonly of: GroupVersion; readonly count: number }>()
  /** Where the servers of APIServices are, as `namespace/name` of a service, and how often each failed in a row. */
  readonly #places = new Map<string, string>()
  readonly #failures = new Map<string, number>()
  #unwatch: (() => void) | undefined
  #watchingPlaces: Promise<() => void> | undefined

  constructor(options: ApiServicesOptions) {
    this.#options = options
    this.#availability = new Availability(options)
    this.#queue = new WorkQueue<string>({
      name: 'AvailableConditionController',
      clock: options.clock,
      concurrency: 4,
      process: (name) => this.#reconcile(name),
      onError: (name, err) => options.logger.error({ err, name }, 'an APIService could not be looked after'),
    })
  }

  async start(): Promise<void> {
    this.#unwatch = await watchObjects(this.#options.services, {
      changed: (_, object) => this.#queue.add(object.name),
    })
  }

  async stop(): Promise<void> {
    this.#unwatch?.()
    const unwatchPlaces = await this.#watchingPlaces?.catch(() => undefined)
    unwatchPlaces?.()
    await this.#queue.stop()
    for (const { transport } of this.#remote.values()) transport.close()
  }

  /** Whether other servers serve anything at all. */
  get hasRemotes(): boolean {
    return this.#remote.size > 0
  }

  /** Undefined for what this server serves itself. */
  remote(group: string, version: string): RemoteVersion | undefined {
    return this.#remote.get(`${version}.${group}`)
  }

  remotes(): Iterable<RemoteVersion> {
    return this.#remote.values()
  }

  /** A custom resource is served in these versions from now on (1), or no longer (-1). */
  countCustom(versions: Iterable<GroupVersion>, by: 1 | -1): void {
    for (const version of versions) {
      const name = `${version.version}.${version.group}`
      const before = this.#wanted.get(name)?.count ?? 0
      const count = before + by
      if (count > 0) this.#wanted.set(name, { of: version, count })
      else this.#wanted.delete(name)
      if (before === 0 || count === 0) this.#queue.add(name)
    }
  }

  async #reconcile(name: string): Promise<void> {
    const found = await findObject(this.#options.services, '', name)
    const object = found?.object() as Service | undefined
    if (await this.#keepLocal(name, object)) return
    if (object?.spec.service === undefined) {
      this.#places.delete(name)
      this.#failures.delete(name)
      this.#remote.get(name)?.transport.close()
      if (this.#remote.delete(name)) this.#options.onChange()
      if (object !== undefined) await this.#setAvailable(object, localCondition)
      return
    }
    await this.#watchPlace(name, object.spec.service)
    const checked = await this.#availability.check(object, this.#remote.get(name))
    this.#remember(name, checked.remote)
    await this.#setAvailable(object, checked.condition)
    this.#queue.addAfter(name, this.#nextCheckMs(name, checked.condition), { background: true })
  }

  /** Watches start with the first APIService that names a server: without any, nothing is watched. */
  async #watchPlace(name: string, { namespace, name: service }: { namespace?: string; name?: string }): Promise<void> {
    this.#places.set(name, `${namespace}/${service}`)
    this.#watchingPlaces ??= this.#options.watchPlaces((...place) => {
      for (const [each, where] of this.#places) if (where === place.join('/')) this.#queue.add(each)
    })
    try {
      await this.#watchingPlaces
    } catch (error) {
      // The next attempt begins anew.
      this.#watchingPlaces = undefined
      throw error
    }
  }

  #nextCheckMs(name: string, { reason }: AvailabilityCondition): number {
    if (reason !== failedCheck) {
      this.#failures.delete(name)
      return recheckMs
    }
    const failures = this.#failures.get(name) ?? 0
    this.#failures.set(name, failures + 1)
    return Math.min(firstRetryMs * 2 ** failures, recheckMs)
  }

  /** True when it made or removed the object: its change comes by. */
  async #keepLocal(name: string, object: Service | undefined): Promise<boolean> {
    const wanted = this.#wanted.get(name)
    if (wanted !== undefined && object === undefined) {
      await this.#ignoring(409, () =>
        createAs(serverActor, this.#options.services, localService(name, wanted.of, this.#now())),
      )
      return true
    }
    const isOurs = object?.metadata.labels?.[managedLabel] === 'true'
    if (wanted !== undefined || object === undefined || !isOurs) return false
    await this.#ignoring(404, () => deleteAs(serverActor, this.#options.services, { namespace: '', name }, {}))
    return true
  }

  #now(): string {
    return formatTime(instantOfMillis(this.#options.clock.now()))
  }

  #remember(name: string, remote: RemoteVersion): void {
    const known = this.#remote.get(name)
    this.#remote.set(name, remote)
    const isNews =
      known === undefined ||
      known.isAvailable !== remote.isAvailable ||
      known.versionPriority !== remote.versionPriority ||
      known.openApi?.hash !== remote.openApi?.hash ||
      known.openApi?.ofGroup?.hash !== remote.openApi?.ofGroup?.hash ||
      known.openApi?.versionTwo !== remote.openApi?.versionTwo ||
      !equalJson([...known.resources], [...remote.resources])
    if (isNews) this.#options.onChange()
  }

  async #setAvailable(service: Service, condition: AvailabilityCondition): Promise<void> {
    const name = service.metadata.name ?? ''
    const change = (current: KubeObject): KubeObject | undefined => {
      const conditions = (current as Service).status?.conditions ?? []
      const old = conditions.find(({ type }) => type === condition.type)
      if (old !== undefined && isSame(old, condition)) return undefined
      const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : this.#now()
      const next = { ...condition, lastTransitionTime }
      const rest = conditions.filter((each) => each !== old)
      return { ...current, status: { conditions: [...rest, next] } as unknown as JsonValue }
    }
    if (change(service) === undefined) return
    await this.#ignoring(404, () =>
      updateAs(serverActor, this.#options.services, { namespace: '', name, subresource: 'status' }, change),
    )
  }

  async #ignoring(code: number, write: () => Promise<unknown>): Promise<void> {
    try {
      await write()
    } catch (error) {
      if (!(error instanceof ApiError && error.code === code)) throw error
    }
  }
}

const isSame = (a: AvailabilityCondition, b: AvailabilityCondition): boolean =>
  a.status === b.status && a.reason === b.reason && a.message === b.message

const localCondition: AvailabilityCondition = {
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
}

function localService(name: string, { group, version }: GroupVersion, now: string): KubeObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, labels: { [managedLabel]: 'true' } },
    spec: { group, version, groupPriorityMinimum: 1000, versionPriority: 100 },
    status: { conditions: [{ ...localCondition, lastTransitionTime: now }] },
  }
}
