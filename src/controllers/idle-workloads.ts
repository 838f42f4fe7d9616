/**
 * Says once, in the log, that workloads were created but no controller reconciles them: no controller manager, no scheduler, no
 * nodes. That is how the server is meant to be, but the most common surprise.
 */
import { isJsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { objectsEverywhere } from '../registry/object-watch.ts'
import type { Registry } from '../registry/registry.ts'
import type { Controller, ControllerOptions } from './controller.ts'

/** By `group/resource`: whether an object was left unreconciled. */
const isIdle: ReadonlyMap<string, (status: KubeObject, spec: KubeObject) => boolean> = new Map([
  ['apps/deployments', (status) => status['observedGeneration'] === undefined],
  ['batch/jobs', (status, spec) => status['startTime'] === undefined && spec['suspend'] !== true],
  ['/pods', (_, spec) => (spec['nodeName'] ?? '') === '' && spec['schedulingGates'] === undefined],
])

/** How long a controller that runs may take to act. */
const patienceMs = 10_000
/** Objects that are looked at. */
const sample = 100

export class IdleWorkloads implements Controller {
  readonly #options: ControllerOptions
  readonly #cancels = new Set<() => void>()
  #isDone = false

  constructor(options: ControllerOptions) {
    this.#options = options
  }

  start(): void {
    this.#options.live.subscribe({ live: (registry) => this.#expect(registry), gone: () => undefined })
  }

  stop(): Promise<void> {
    this.#isDone = true
    for (const cancel of this.#cancels) cancel()
    return Promise.resolve()
  }

  #expect(registry: Registry): void {
    const { group, resource } = registry.definition
    const idle = isIdle.get(`${group}/${resource}`)
    if (idle === undefined || this.#isDone) return
    const cancel = this.#options.clock.setTimeout(() => {
      this.#cancels.delete(cancel)
      void this.#look(registry, idle).catch(() => undefined)
    }, patienceMs)
    this.#cancels.add(cancel)
  }

  async #look(registry: Registry, idle: (status: KubeObject, spec: KubeObject) => boolean): Promise<void> {
    const entries = (await objectsEverywhere(registry)).slice(0, sample)
    const found = entries.find((entry) => {
      const object = entry.peek()
      const [status, spec] = [object['status'], object['spec']]
      return idle((isJsonObject(status) ? status : {}) as KubeObject, (isJsonObject(spec) ? spec : {}) as KubeObject)
    })
    if (found === undefined || this.#isDone) return
    this.#isDone = true
    const { resource } = registry.definition
    this.#options.logger.warn(
      { resource, namespace: found.namespace, name: found.name },
      'nothing runs this workload: there are no workload controllers, no scheduler and no nodes. Start the server with ' +
        '--simulate for a cluster that lives, or run kube-controller-manager and kube-scheduler beside it (docs/controllers.md)',
    )
  }
}
