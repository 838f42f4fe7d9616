/** Says in every FlowSchema's status whether the priority level that it sends requests to exists: condition `Dangling`. */

import { isJsonObject, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { formatTime, instantOfMillis } from '../api/time.ts'
import { serverUser } from '../api/user.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import { watchObjects } from '../registry/object-watch.ts'
import { applyAs } from '../registry/own-writes.ts'
import type { Controller, ControllerOptions } from './controller.ts'

const group = 'flowcontrol.apiserver.k8s.io'
const actor = {
  user: serverUser,
  fieldManager: 'api-priority-and-fairness-config-consumer-v1',
}

export class FlowSchemaStatus implements Controller {
  readonly #options: ControllerOptions
  readonly #queue: WorkQueue<string>
  readonly #schemas = new Map<string, { object(): KubeObject }>()
  readonly #levels = new Set<string>()
  readonly #watches: Promise<() => void>[] = []

  constructor(options: ControllerOptions) {
    this.#options = options
    this.#queue = new WorkQueue({
      name: 'priority_and_fairness_config_queue',
      clock: options.clock,
      concurrency: 1,
      process: (name) => this.#reconcile(name),
      onError: (name, error) => options.logger.debug({ err: error, name }, 'a flow schema will be looked at again'),
    })
  }

  start(): void {
    const { resources, logger } = this.#options
    const schemas = resources.get(group, 'flowschemas')
    const levels = resources.get(group, 'prioritylevelconfigurations')
    if (schemas === undefined || levels === undefined) return
    this.#watches.push(
      watchObjects(levels, {
        changed: (type, level) => {
          if (type === 'DELETED') this.#levels.delete(level.name)
          else this.#levels.add(level.name)
          for (const name of this.#schemas.keys()) this.#queue.add(name)
        },
      }),
      watchObjects(schemas, {
        changed: (type, schema) => {
          if (type === 'DELETED') this.#schemas.delete(schema.name)
          else {
            this.#schemas.set(schema.name, schema)
            this.#queue.add(schema.name)
          }
        },
      }),
    )
    for (const watch of this.#watches) {
      watch.catch((error: unknown) => logger.error({ err: error }, 'cannot watch flow control objects'))
    }
  }

  async stop(): Promise<void> {
    for (const watch of this.#watches) watch.then((end) => end()).catch(() => {})
    await this.#queue.stop()
  }

  async #reconcile(name: string): Promise<void> {
    const registry = this.#options.resources.get(group, 'flowschemas')
    const known = this.#schemas.get(name)
    if (registry === undefined || known === undefined || this.#missing(known.object()) === undefined) return
    await applyAs(actor, registry, { namespace: '', name, subresource: 'status' }, (current) => this.#missing(current))
  }

  /** A status with the condition that a schema should have; undefined when it has it. */
  #missing(schema: KubeObject): JsonObject | undefined {
    const level = levelOf(schema)
    const exists = this.#levels.has(level)
    const conditions = conditionsOf(schema)
    const status = exists ? 'False' : 'True'
    if (conditions.some((condition) => condition['type'] === 'Dangling' && condition['status'] === status))
      return undefined
    const dangling = {
      type: 'Dangling',
      status,
      lastTransitionTime: formatTime(instantOfMillis(this.#options.clock.now())),
      reason: exists ? 'Found' : 'NotFound',
      message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)} ${exists ? 'and it exists' : 'but there is no such object'}`,
    }
    return { status: { conditions: [dangling] } }
  }
}

function levelOf({ spec }: KubeObject): string {
  const reference = isJsonObject(spec) ? spec['priorityLevelConfiguration'] : undefined
  return isJsonObject(reference) ? String(reference['name'] ?? '') : ''
}

function conditionsOf({ status }: KubeObject): JsonObject[] {
  const conditions = isJsonObject(status) ? status['conditions'] : undefined
  return Array.isArray(conditions) ? conditions.filter(isJsonObject) : []
}
