/**
 * Limits how many events are written: in all, by namespace, by user, or by what an event is about.
 * Mirrors plugin/pkg/admission/eventratelimit: Plugin, limitEnforcer.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { aggregateText } from '../../api/aggregate-text.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { ApiError } from '../../api/status-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AdmissionPlugin } from '../plugin.ts'

interface Limit {
  readonly type: string
  readonly qps: number
  readonly burst: number
  readonly cacheSize: number
}

const defaultCacheSize = 4096
const limitTypes: ReadonlySet<string> = new Set(['Server', 'Namespace', 'User', 'SourceAndObject'])

/** Throws an Error when the configuration is not usable. */
export function eventRateLimit(configuration: JsonValue | undefined, clock: Clock): AdmissionPlugin {
  const enforcers = limitsOf(configuration).map((limit) => new Enforcer(limit, clock))
  return {
    name: 'EventRateLimit',
    handles: ({ operation, group, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') && resource === 'events' && subresource === '' && group === '',
    validate(request) {
      if (request.dryRun) return
      // Every limit is charged, also after one of them said no.
      const exceeded = enforcers.filter((enforcer) => !enforcer.take(request)).map(({ limit }) => limit.type)
      if (exceeded.length === 0) return
      const why = exceeded.map((type) => `limit reached on type ${type} for key ${keyOf(type, request)}`)
      throw new ApiError({
        code: 429,
        reason: 'TooManyRequests',
        message: `Too many requests: ${aggregateText(why)}`,
      })
    },
  }
}

function limitsOf(configuration: JsonValue | undefined): Limit[] {
  const listed = isJsonObject(configuration) ? configuration['limits'] : undefined
  if (!Array.isArray(listed) || listed.length === 0) throw new Error('limits: Invalid value: must not be empty')
  return listed.filter(isJsonObject).map((each, i) => {
    const type = String(each['type'] ?? '')
    if (!limitTypes.has(type)) throw new Error(`limits[${i}].type: Unsupported value: ${JSON.stringify(type)}`)
    const [qps, burst] = [numberIn(each, 'qps'), numberIn(each, 'burst')]
    if (burst <= 0) throw new Error(`limits[${i}].burst: Invalid value: ${burst}: must be positive`)
    if (qps <= 0) throw new Error(`limits[${i}].qps: Invalid value: ${qps}: must be positive`)
    return { type, qps, burst, cacheSize: numberIn(each, 'cacheSize') || defaultCacheSize }
  })
}

const numberIn = (object: JsonObject, field: string): number => Number(object[field] ?? 0)

function keyOf(type: string, { namespace, user, object }: AdmissionRequest): string {
  switch (type) {
    case 'Namespace':
      return namespace
    case 'User':
      return user.name
    case 'SourceAndObject': {
      const source = (object?.['source'] ?? {}) as JsonObject
      const about = (object?.['involvedObject'] ?? {}) as JsonObject
      const fields = ['kind', 'namespace', 'name', 'uid', 'apiVersion'].map((field) => about[field] ?? '')
      return [source['component'] ?? '', source['host'] ?? '', ...fields].join('')
    }
    default:
      return ''
  }
}

/** One bucket of tokens for each key, for as many keys as were last used. */
class Enforcer {
  readonly limit: Limit
  readonly #clock: Clock
  readonly #buckets = new Map<string, { tokens: number; at: number }>()

  constructor(limit: Limit, clock: Clock) {
    this.limit = limit
    this.#clock = clock
  }

  take(request: AdmissionRequest): boolean {
    const { qps, burst, cacheSize, type } = this.limit
    const key = keyOf(type, request)
    const now = this.#clock.now()
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now }
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > cacheSize) this.#buckets.delete(this.#buckets.keys().next().value!)
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * qps)
    bucket.at = now
    if (bucket.tokens < 1) return false
    bucket.tokens--
    return true
  }
}
