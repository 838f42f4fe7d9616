/** Objects that a test changes, as a live source; and flow control objects in short. */
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { ObjectChange, ObjectSource } from '../../../api/object-source.ts'

export class FakeObjects implements ObjectSource {
  readonly #objects = new Map<string, KubeObject>()
  readonly #listeners = new Set<(change: ObjectChange) => void>()

  set(object: KubeObject): void {
    const name = object.metadata.name ?? ''
    const previous = this.#objects.get(name)
    this.#objects.set(name, object)
    this.#notify(previous === undefined ? { type: 'ADDED', object } : { type: 'MODIFIED', object, previous })
  }

  delete(name: string): void {
    const object = this.#objects.get(name)
    if (object === undefined) return
    this.#objects.delete(name)
    this.#notify({ type: 'DELETED', object })
  }

  #notify(change: ObjectChange): void {
    for (const listener of this.#listeners) listener(change)
  }

  get(_: string, name: string): KubeObject | undefined {
    return this.#objects.get(name)
  }

  list(): Iterable<KubeObject> {
    return this.#objects.values()
  }

  subscribe(listener: (change: ObjectChange) => void): () => void {
    for (const object of this.#objects.values()) listener({ type: 'ADDED', object })
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

const object = (kind: string, name: string, spec: JsonObject): KubeObject => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind,
  metadata: { name, uid: `uid-of-${name}` },
  spec,
})

export const limitedLevel = (name: string, limited: JsonObject): KubeObject =>
  object('PriorityLevelConfiguration', name, {
    type: 'Limited',
    limited: { limitResponse: { type: 'Reject' }, ...limited },
  })

export const queuedLevel = (name: string, limited: JsonObject, queuing: JsonObject): KubeObject =>
  limitedLevel(name, { ...limited, limitResponse: { type: 'Queue', queuing } })

interface SchemaInShort {
  readonly level: string
  readonly precedence: number
  readonly by?: 'ByUser' | 'ByNamespace'
  readonly subjects: JsonObject[]
  readonly resources?: JsonObject[]
  readonly paths?: JsonObject[]
}

export const flowSchema = (name: string, { level, precedence, by, subjects, resources, paths }: SchemaInShort) =>
  object('FlowSchema', name, {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
    rules: [{ subjects, resourceRules: resources ?? [], nonResourceRules: paths ?? [] }],
  })

export const everyResource: JsonObject = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
}
export const user = (name: string): JsonObject => ({ kind: 'User', user: { name } })
export const group = (name: string): JsonObject => ({ kind: 'Group', group: { name } })
export const account = (namespace: string, name: string): JsonObject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace, name },
})
