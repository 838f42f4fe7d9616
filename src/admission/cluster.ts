/** The view that plugins have of the cluster: live objects, and a few queries that only the server can answer. */

import type { KubeObject } from '../api/object.ts'
import type { ObjectSource } from '../api/object-source.ts'
import type { RequestAttributes } from '../api/request-attributes.ts'
import { type Awaitable, whenReady } from '../lib/awaitable.ts'

export interface AccessDecision {
  readonly allowed: boolean
  readonly reason: string
  readonly error?: string
}

export interface ClusterOptions {
  /** The live objects of a resource; the cache is loaded when it is first asked for. */
  readonly source: (group: string, resource: string) => Promise<ObjectSource>
  /** Makes the views hold everything written before the call, where another process may have written it. */
  readonly fresh: () => Promise<unknown> | true
  readonly authorize: (attributes: RequestAttributes) => Awaitable<AccessDecision>
  readonly gate: (name: string) => boolean
  /** Moves whenever a resource or one of its versions comes or goes. */
  readonly resourcesRevision: () => number
}

export class Cluster {
  readonly #options: ClusterOptions
  readonly #views = new Map<string, LazyView>()
  readonly #namespaces: LazyView

  constructor(options: ClusterOptions) {
    this.#options = options
    this.#namespaces = this.view('', 'namespaces')
  }

  view<T extends KubeObject = KubeObject>(group: string, resource: string): LazyView<T> {
    const key = `${group}/${resource}`
    let view = this.#views.get(key)
    if (view === undefined) {
      view = new LazyView(() => this.#options.source(group, resource), this.#options.fresh)
      this.#views.set(key, view)
    }
    return view as unknown as LazyView<T>
  }

  authorize(attributes: RequestAttributes): Awaitable<AccessDecision> {
    return this.#options.authorize(attributes)
  }

  gate(name: string): boolean {
    return this.#options.gate(name)
  }

  get resourcesRevision(): number {
    return this.#options.resourcesRevision()
  }

  namespace(name: string): Awaitable<KubeObject | undefined> {
    return this.#namespaces.find('', name)
  }

  /** As it is once everything written so far has arrived. */
  liveNamespace(name: string): Awaitable<KubeObject | undefined> {
    return this.#namespaces.findLive('', name)
  }
}

/** A view that is loaded when it is first used; from then on everything is synchronous. */
export class LazyView<T extends KubeObject = KubeObject> {
  readonly #load: () => Promise<ObjectSource>
  readonly #fresh: () => Promise<unknown> | true
  #source: ObjectSource<T> | undefined
  #loading: Promise<ObjectSource<T>> | undefined

  constructor(load: () => Promise<ObjectSource>, fresh: () => Promise<unknown> | true) {
    this.#load = load
    this.#fresh = fresh
  }

  source(): Awaitable<ObjectSource<T>> {
    if (this.#source !== undefined) return this.#source
    this.#loading ??= this.#loadOnce()
    return this.#loading
  }

  async #loadOnce(): Promise<ObjectSource<T>> {
    try {
      this.#source = (await this.#load()) as unknown as ObjectSource<T>
      return this.#source
    } finally {
      this.#loading = undefined
    }
  }

  /** The object. One that is not in sight is looked for again once everything written so far has arrived. */
  find(namespace: string, name: string): Awaitable<T | undefined> {
    return whenReady(this.source(), (source) => {
      const found = source.get(namespace, name)
      if (found !== undefined) return found
      const fresh = this.#fresh()
      return fresh === true ? undefined : fresh.then(() => source.get(namespace, name))
    })
  }

  /** The object as it is once everything written so far has arrived, however it looks before. */
  findLive(namespace: string, name: string): Awaitable<T | undefined> {
    return whenReady(this.source(), (source) => {
      const fresh = this.#fresh()
      return fresh === true ? source.get(namespace, name) : fresh.then(() => source.get(namespace, name))
    })
  }

  list(namespace?: string): Awaitable<readonly T[]> {
    return whenReady(this.source(), (source) => {
      const listed = source.list(namespace)
      return Array.isArray(listed) ? (listed as T[]) : [...listed]
    })
  }
}
