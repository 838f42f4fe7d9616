/** Everything that changes in one namespace, to tell when nothing does any more. */
import { setTimeout as delay } from 'node:timers/promises'
import type { OpenWatch } from '../differential/endpoint.ts'
import { type Client, collectionPath } from './client.ts'

/** Longer than what the reference's controllers wait for a batch. */
const restMs = 1500
const patienceMs = 120_000

/** Of events there are two views; heartbeats never rest. */
const notWatched: ReadonlySet<string> = new Set([
  'events.k8s.io/v1',
  'coordination.k8s.io/v1',
  'metrics.k8s.io/v1beta1',
])

export class NamespaceWatch {
  readonly #watches: readonly OpenWatch[]

  private constructor(watches: readonly OpenWatch[]) {
    this.#watches = watches
  }

  static async open(client: Client, namespace: string): Promise<NamespaceWatch> {
    const kinds = client.kinds.filter(({ namespaced, groupVersion }) => namespaced && !notWatched.has(groupVersion))
    return new NamespaceWatch(await Promise.all(kinds.map((kind) => client.watch(collectionPath(kind, namespace)))))
  }

  /** Resolves when nothing changed for a while; false when that never came. */
  async rest(): Promise<boolean> {
    const begun = performance.now()
    for (;;) {
      const now = performance.now()
      const last = Math.max(begun, ...this.#watches.map((watch) => watch.lastAt()))
      if (now - last > restMs) return true
      if (now - begun > patienceMs) return false
      await delay(100)
    }
  }

  close(): void {
    for (const watch of this.#watches) watch.close()
  }
}
