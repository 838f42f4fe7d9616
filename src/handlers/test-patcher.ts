/** For tests: a server without a wire. Bodies go in as they come from clients, objects come out as they are stored. */

import type { Exchange } from '../api/exchange.ts'
import type { GroupVersionResource } from '../api/group-version.ts'
import { cloneJson, type JsonValue } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { RequestContext } from '../api/request-context.ts'
import { requestInfo } from '../api/request-info.ts'
import { ApiError } from '../api/status-error.ts'
import { Feed } from '../cache/feed.ts'
import { entryKey } from '../cache/snapshot.ts'
import { mediaTypes, plainRestrictions } from '../codec/negotiation.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createAs } from '../registry/own-writes.ts'
import { update } from '../registry/update.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { Registries } from '../server/registries.ts'
import { openMemoryStore } from '../store/memory.ts'
import type { AnswerSettings } from './answer.ts'
import { readPatch } from './patch.ts'

export interface Patch {
  readonly type: string
  readonly body: JsonValue
  readonly query?: string
}

export interface PatchOutcome {
  /** The text of the object, or what was wrong. */
  readonly text: string
  readonly warnings: readonly string[]
}

export interface PatcherOptions {
  readonly resources: ReadonlySet<string>
  /** Patches get a copy of the present object, so that nothing of what they make is shared with it. */
  readonly apart: boolean
}

export class Patcher {
  readonly #registries: Registries
  readonly #feed: Feed
  readonly #apart: boolean
  readonly #time: { now: number }

  private constructor(registries: Registries, feed: Feed, apart: boolean, time: { now: number }) {
    this.#registries = registries
    this.#feed = feed
    this.#apart = apart
    this.#time = time
  }

  static async start({ resources, apart }: PatcherOptions): Promise<Patcher> {
    const time = { now: Date.parse('2024-05-06T07:08:09Z') }
    let uids = 0
    const uuid = (): string => `00000000-0000-4000-8000-${String(++uids).padStart(12, '0')}`
    const clock: Clock = { ...systemClock, now: () => time.now, uuid }
    const store = openMemoryStore({ clock })
    const feed = new Feed({ store, clock, prefix: '/registry/', onLost: () => {} })
    await feed.start()
    const gate = (): boolean => false
    const registries = new Registries({
      backend: () => ({ store, feed }),
      clock,
      prefix: '/registry',
      codec: () => ({ layout: 'json' }),
      admission: { mutate: () => undefined, validate: () => {} },
      gate,
    } as ConstructorParameters<typeof Registries>[0])
    const definitions = builtInDefinitions({
      services: { clock, gate, allowPrivileged: false },
      isServed: ({ resource, version }: GroupVersionResource) => resources.has(resource) && /^v\d+$/.test(version),
      defaulting: { enabled: gate, now: () => '2024-05-06T07:08:09Z' },
      eventTtlSeconds: 3600,
    } as unknown as Parameters<typeof builtInDefinitions>[0])
    for (const definition of definitions) registries.add(definition)
    return new Patcher(registries, feed, apart, time)
  }

  close(): void {
    this.#feed.close()
  }

  create(group: string, resource: string, object: KubeObject): Promise<KubeObject> {
    const actor = { user: { name: 'u', groups: [], extra: new Map() }, fieldManager: 'maker' }
    return createAs(actor, this.#registries.need(group, resource), object)
  }

  /** The present object as everybody shares it. */
  current(group: string, resource: string, namespace: string, name: string): KubeObject {
    const entry = this.#registries.need(group, resource).storage.loaded?.get(entryKey(namespace, name))
    if (entry === undefined) throw new Error(`there is no ${name}`)
    return entry.object()
  }

  /** `path`: of the object or of a part of it. */
  async patch(path: string, { type, body, query = '' }: Patch): Promise<PatchOutcome> {
    this.#time.now += 700
    const warnings: string[] = []
    const exchange = {
      headers: { 'content-type': type, 'user-agent': 'patcher/1' },
      readBody: () => Promise.resolve(Buffer.from(JSON.stringify(body))),
      addHeader: (_: string, value: string) => warnings.push(value),
    } as unknown as Exchange
    const info = requestInfo({ method: 'PATCH', path, query })
    const context = new RequestContext(exchange, info, { name: 'u', groups: [], extra: new Map() })
    const served = this.#registries.find(info.group, info.version, info.resource)
    if (served === undefined) throw new Error(`${path} is not served`)
    const part = served.registry.definition.subresources.get(info.subresource)
    const strategy = part?.type === 'part' ? part.strategy : served.registry.definition.strategy
    try {
      const target = { ...served, restrictions: plainRestrictions }
      const { change, request } = await readPatch(context, settings, target, strategy)
      const apply = this.#apart ? (object: KubeObject) => change.apply(cloneJson(object) as KubeObject) : change.apply
      const { written } = await update(served.registry, { ...change, apply }, request)
      return { text: written.json().toString(), warnings }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { text: JSON.stringify(error.toStatus()), warnings }
    }
  }
}

const settings: AnswerSettings = {
  mediaTypes,
  compression: false,
  authorizeCreate: () => {},
  authorizeUnsafeDelete: async () => {},
  now: () => 0,
  deleteCollectionWorkers: 1,
}
