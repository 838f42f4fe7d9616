/** The live objects of a resource over a plain map, for tests: subscribers are notified synchronously. */
import type { KubeObject } from '../../api/object.ts'
import type { ObjectChange, ObjectSource } from '../../api/object-source.ts'

export class LiveSource<T extends KubeObject = KubeObject> implements ObjectSource<T> {
  readonly #objects = new Map<string, T>()
  readonly #listeners = new Set<(change: ObjectChange<T>) => void>()
  #held: ObjectChange<T>[] | undefined

  constructor(objects: Iterable<T> = []) {
    for (const object of objects) this.put(object)
  }

  get listeners(): number {
    return this.#listeners.size
  }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(`${namespace}/${name}`)
  }

  *list(namespace?: string): Iterable<T> {
    for (const key of [...this.#objects.keys()].sort()) {
      const object = this.#objects.get(key)!
      if (namespace === undefined || (object.metadata.namespace ?? '') === namespace) yield object
    }
  }

  subscribe(listener: (change: ObjectChange<T>) => void): () => void {
    for (const object of this.list()) listener({ type: 'ADDED', object })
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  put(object: T): void {
    const previous = this.#objects.get(keyOf(object))
    this.#objects.set(keyOf(object), object)
    this.#notify(previous === undefined ? { type: 'ADDED', object } : { type: 'MODIFIED', object, previous })
  }

  drop(namespace: string, name: string): void {
    const object = this.#objects.get(`${namespace}/${name}`)
    if (object === undefined) return
    this.#objects.delete(keyOf(object))
    this.#notify({ type: 'DELETED', object })
  }

  /** From now on changes can be seen before subscribers are notified; the result notifies them. */
  holdBack(): () => void {
    const held: ObjectChange<T>[] = []
    this.#held = held
    return () => {
      this.#held = undefined
      for (const change of held) this.#notify(change)
    }
  }

  #notify(change: ObjectChange<T>): void {
    if (this.#held !== undefined) this.#held.push(change)
    else for (const listener of this.#listeners) listener(change)
  }
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
