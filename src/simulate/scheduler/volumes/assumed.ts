/** Changes of objects that are decided but not written, or not seen, yet. Each holds until the object changes. Mirrors pkg/scheduler/util/assumecache. */
import type { KubeObject } from '../../../api/object.ts'
import { nameOf, namespaceOf } from '../objects.ts'
import type { Lister } from '../plugin.ts'

interface Assumption<T> {
  readonly object: T
  readonly version: string | undefined
}

export class Assumed<T extends KubeObject> implements Lister<T> {
  readonly #lister: Lister<T>
  readonly #assumed = new Map<string, Assumption<T>>()

  constructor(lister: Lister<T>) {
    this.#lister = lister
  }

  get(namespace: string, name: string): T | undefined {
    const object = this.#lister.get(namespace, name)
    return object === undefined ? undefined : this.#view(object)
  }

  list(namespace?: string): readonly T[] {
    const objects = this.#lister.list(namespace)
    return this.#assumed.size === 0 ? objects : objects.map((object) => this.#view(object))
  }

  /** `object` is what the present one will be. */
  assume(object: T): void {
    this.#assumed.set(keyOf(object), { object, version: object.metadata.resourceVersion })
  }

  restore(object: T): void {
    this.#assumed.delete(keyOf(object))
  }

  #view(object: T): T {
    const assumption = this.#assumed.get(keyOf(object))
    if (assumption === undefined) return object
    if (assumption.version === object.metadata.resourceVersion) return assumption.object
    this.restore(object)
    return object
  }
}

const keyOf = (object: KubeObject): string => `${namespaceOf(object)}/${nameOf(object)}`
