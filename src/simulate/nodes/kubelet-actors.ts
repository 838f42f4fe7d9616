/** Kubelets as clients: each writes under the name of its node. */
import type { Actor } from '../../registry/own-writes.ts'
import type { SimulationContext } from '../framework/context.ts'
import type { EventRecorder } from '../framework/recorder.ts'
import type { Writer } from '../framework/writer.ts'

export interface KubeletClient {
  readonly writer: Writer
  readonly recorder: EventRecorder
}

const kubeletActor = (node: string): Actor => ({
  user: { name: `system:node:${node}`, groups: ['system:nodes', 'system:authenticated'], extra: new Map() },
  fieldManager: 'kubelet',
})

export class KubeletClients {
  readonly #context: SimulationContext
  readonly #clients = new Map<string, KubeletClient>()

  constructor(context: SimulationContext) {
    this.#context = context
  }

  of(node: string): KubeletClient {
    const known = this.#clients.get(node)
    if (known !== undefined) return known
    const actor = kubeletActor(node)
    const recorder = this.#context.recorder('kubelet', { host: node, actor })
    const client = { writer: this.#context.writer(actor), recorder }
    this.#clients.set(node, client)
    return client
  }

  forget(node: string): void {
    this.#clients.delete(node)
  }
}
