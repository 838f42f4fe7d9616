/** Keeps the rules of aggregated ClusterRoles what the roles that they select have. */
import type { JsonArray } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { inTurns, type Steps } from '../lib/in-turns.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import { type LazyObject, watchObjects } from '../registry/object-watch.ts'
import { applyAs } from '../registry/own-writes.ts'
import { type Controller, type ControllerOptions, controllerActor } from './controller.ts'

const name = 'clusterrole-aggregation-controller'
const actor = { ...controllerActor(name), fieldManager: name }

/** The rules that a role should have; undefined when it is not aggregated or has them. */
export type AggregatedRules = (role: KubeObject, all: Iterable<LazyObject>) => Steps<JsonArray | undefined>

/** Most roles are not aggregated and need not be parsed to say so. */
const mark = Buffer.from('"aggregationRule":')

export class RoleAggregation implements Controller {
  readonly #options: ControllerOptions & { readonly aggregatedRules: AggregatedRules }
  readonly #queue: WorkQueue<'roles'>
  readonly #roles = new Map<string, LazyObject>()
  /** Of those, the ones that may be aggregated. */
  readonly #aggregated = new Map<string, LazyObject>()
  #watch: Promise<() => void> | undefined

  constructor(options: ControllerOptions & { readonly aggregatedRules: AggregatedRules }) {
    this.#options = options
    this.#queue = new WorkQueue({
      name: 'ClusterRoleAggregator',
      clock: options.clock,
      concurrency: 1,
      process: () => this.#aggregate(),
      onError: (_, error) => options.logger.debug({ err: error }, 'roles will be aggregated again'),
    })
  }

  start(): void {
    const registry = this.#registry()
    if (registry === undefined) return
    this.#watch = watchObjects(registry, {
      changed: (type, role) => {
        this.#aggregated.delete(role.name)
        if (type === 'DELETED') this.#roles.delete(role.name)
        else {
          this.#roles.set(role.name, role)
          if (role.bytes.includes(mark)) this.#aggregated.set(role.name, role)
        }
        this.#queue.add('roles')
      },
    })
    this.#watch.catch((error: unknown) => this.#options.logger.error({ err: error }, 'cannot watch roles'))
  }

  async stop(): Promise<void> {
    this.#watch?.then((end) => end()).catch(() => {})
    await this.#queue.stop()
  }

  #registry() {
    return this.#options.resources.get('rbac.authorization.k8s.io', 'clusterroles')
  }

  async #aggregate(): Promise<void> {
    const registry = this.#registry()
    if (registry === undefined) return
    const all = [...this.#roles.values()]
    for (const role of [...this.#aggregated.values()]) {
      const object = await inTurns(role.objectInSteps())
      if ((await inTurns(this.#options.aggregatedRules(object, all))) === undefined) continue
      await applyAs(actor, registry, { namespace: '', name: role.name }, async (current) => {
        const rules = await inTurns(this.#options.aggregatedRules(current, all))
        return rules === undefined ? undefined : { rules }
      })
    }
  }
}
