/**
 * Remembers for a few seconds what a mode of constrained impersonation allowed: a whole request as somebody (`request`), and being
 * that user whatever is done then (`user`). Refusals are asked for again each time. Keys are digests, since a stranger chooses the
 * length of what is in them; the oldest goes first when it is full.
 * Mirrors k8s.io/apiserver/pkg/endpoints/filters/impersonation: impersonationCache, buildKey.
 */
import { createHash } from 'node:crypto'
import type { RequestAttributes } from '../api/request-attributes.ts'
import type { UserInfo } from '../api/user.ts'
import type { Clock } from '../lib/clock.ts'
import { BoundedCache } from './bounded-cache.ts'

const keptMs = 10_000
/** A user is allowed anew after so many others. */
const capacity = 4096

export class ImpersonationCache {
  readonly #allowed: BoundedCache<true>

  constructor(clock: Clock) {
    this.#allowed = new BoundedCache(capacity, clock)
  }

  has(key: string): boolean {
    return this.#allowed.get(key) === true
  }

  add(key: string): void {
    this.#allowed.set(key, true, keptMs)
  }
}

/** What is allowed, by a mode, to the user of the attributes. */
export function impersonationKeys(
  mode: string,
  wanted: UserInfo,
  attributes: RequestAttributes,
): { readonly user: string; readonly request: string } {
  const { user, ...request } = attributes
  const people = [mode, userKey(wanted), userKey(user)]
  return { user: digest(people), request: digest([...people, requestKey(request)]) }
}

const userKey = ({ name, uid = '', groups, extra }: UserInfo): unknown => [
  name,
  uid,
  groups,
  [...extra].sort(([a], [b]) => (a < b ? -1 : 1)),
]

const requestKey = (request: Omit<RequestAttributes, 'user'>): unknown => [
  request.verb,
  request.isResourceRequest,
  request.path,
  request.apiGroup,
  request.apiVersion,
  request.resource,
  request.subresource,
  request.namespace,
  request.name,
  (request.fieldSelector ?? []).map(({ key, operator, values }) => [key, operator, values]),
  (request.labelSelector ?? []).map(({ key, operator, values }) => [key, operator, values]),
]

const digest = (parts: unknown): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64')
