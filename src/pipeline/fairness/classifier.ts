/**
 * Finds the flow of a request. What depends on the user alone is found once a user: the rules that name them, in the
 * order of the schemas. A request is then held against these few rules. One classifier serves one configuration, and is
 * thrown away with it.
 */

import type { RequestInfo } from '../../api/request-info.ts'
import type { UserInfo } from '../../api/user.ts'
import { SideTable } from '../../lib/memo.ts'
import type { FlowMetrics, FlowSeries } from './flow-metrics.ts'
import type { QueuedFlow } from './flow-request.ts'
import { type FlowRule, type FlowSchema, takesRequest, takesUser } from './flow-schema.ts'
import { catchAllSchema } from './mandatory.ts'
import type { PriorityLevel } from './priority-level.ts'
import { dealHand } from './shuffle-sharding.ts'

/** Requests that take turns with one another: of one user or one namespace, under one schema. */
export interface Flow extends QueuedFlow {
  readonly schema: FlowSchema
  readonly level: PriorityLevel
  readonly series: FlowSeries
}

/** The rules of one schema that name a user, and the flows that were found by them. */
interface Candidate {
  readonly schema: FlowSchema
  readonly level: PriorityLevel
  readonly rules: readonly FlowRule[]
  readonly byUser: Flow | undefined
  readonly byNamespace: Map<string, Flow>
}

/** Users and namespaces are strangers' names: past this many, what is known is forgotten. */
const maxUsers = 4096
const maxNamespaces = 1024

export interface ClassifierParts {
  /** In the order in which they are tried; all of them have a level. */
  readonly schemas: readonly FlowSchema[]
  readonly levels: ReadonlyMap<string, PriorityLevel>
  readonly metrics: FlowMetrics
}

export class Classifier {
  readonly #parts: ClassifierParts
  /** Most users come as the same object again and again. */
  readonly #byObject = new SideTable<UserInfo, readonly Candidate[]>()
  readonly #byName = new Map<string, readonly Candidate[]>()

  constructor(parts: ClassifierParts) {
    this.#parts = parts
  }

  flowOf(user: UserInfo, info: RequestInfo): Flow {
    const candidates = this.#byObject.get(user) ?? this.#candidates(user)
    for (const candidate of candidates) {
      if (!candidate.rules.some((rule) => takesRequest(rule, info))) continue
      return candidate.byUser ?? this.#flowOfNamespace(candidate, info.namespace)
    }
    return this.#fallback(user)
  }

  #candidates(user: UserInfo): readonly Candidate[] {
    const key = `${user.name}\0${user.groups.join('\0')}`
    const known = this.#byName.get(key) ?? this.#findCandidates(user)
    if (this.#byName.size >= maxUsers) this.#byName.clear()
    this.#byName.set(key, known)
    this.#byObject.set(user, known)
    return known
  }

  #findCandidates(user: UserInfo): readonly Candidate[] {
    return this.#parts.schemas.flatMap((schema) => {
      const rules = schema.rules.filter((rule) => takesUser(rule, user))
      const level = this.#parts.levels.get(schema.level)
      if (rules.length === 0 || level === undefined) return []
      const byUser = schema.distinguisher === 'ByNamespace' ? undefined : this.#flowOfUser(schema, level, user)
      return [{ schema, level, rules, byUser, byNamespace: new Map<string, Flow>() }]
    })
  }

  #flowOfUser(schema: FlowSchema, level: PriorityLevel, user: UserInfo): Flow {
    return this.#flow(schema, level, schema.distinguisher === 'ByUser' ? user.name : '')
  }

  #flowOfNamespace({ schema, level, byNamespace }: Candidate, namespace: string): Flow {
    const known = byNamespace.get(namespace)
    if (known !== undefined) return known
    const made = this.#flow(schema, level, namespace)
    if (byNamespace.size >= maxNamespaces) byNamespace.clear()
    byNamespace.set(namespace, made)
    return made
  }

  /** Unreachable: the catch-all schema takes authenticated and unauthenticated users. */
  #fallback(user: UserInfo): Flow {
    const schema = this.#parts.schemas.find(({ name }) => name === catchAllSchema.name) ?? catchAllSchema
    const level = this.#parts.levels.get(schema.level)
    if (level === undefined) throw new Error(`there is no priority level ${schema.level}`)
    return this.#flowOfUser(schema, level, user)
  }

  #flow(schema: FlowSchema, level: PriorityLevel, named: string): Flow {
    const { queuing } = level.settings
    const distinguisher = (queuing?.queues ?? 0) > 1 ? named : ''
    return {
      schema,
      level,
      distinguisher,
      hand: queuing === undefined ? [] : dealHand(`${schema.name}\0${distinguisher}`, queuing.queues, queuing.handSize),
      series: this.#parts.metrics.flow(schema.name, level.name),
    }
  }
}
