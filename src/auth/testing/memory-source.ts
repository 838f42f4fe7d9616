/** An ObjectSource over a plain map, for tests: put and delete notify subscribers synchronously. */
import type { KubeObject } from '../../api/object.ts'
import type { ObjectChange, ObjectSource } from '../../api/object-source.ts'

export class MemorySource implements ObjectSource {
  readonly #objects = new Map<string, KubeObject>()
  readonly #listeners = new Set<(change: ObjectChange) => void>()

  constructor(objects: Iterable<KubeObject> = []) {
    for (const object of objects) this.put(object)
  }

  put(object: KubeObject): void {
    const key = keyOf(object)
    const previous = this.#objects.get(key)
    this.#objects.set(key, object)
    this.#notify(previous ? { type: 'MODIFIED', object, previous } : { type: 'ADDED', object })
  }

  delete(namespace: string, name: string): void {
    const object = this.#objects.get(`${namespace}/${name}`)
    if (object === undefined) return
    this.#objects.delete(`${namespace}/${name}`)
    this.#notify({ type: 'DELETED', object })
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(`${namespace}/${name}`)
  }

  *list(namespace?: string): Iterable<KubeObject> {
    for (const key of [...this.#objects.keys()].sort()) {
      const object = this.#objects.get(key)
      if (object && (namespace === undefined || object.metadata.namespace === namespace)) yield object
    }
  }

  subscribe(listener: (change: ObjectChange) => void): () => void {
    for (const object of this.list()) listener({ type: 'ADDED', object })
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #notify(change: ObjectChange): void {
    for (const listener of this.#listeners) listener(change)
  }
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
