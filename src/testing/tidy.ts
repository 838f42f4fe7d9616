/** Objects for assertions: without what differs from run to run. */
import type { ApiObject } from './api/objects.ts'

const metadataNoise: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'selfLink',
])
/** In references to other objects. */
const referenceNoise: ReadonlySet<string> = new Set(['uid', 'resourceVersion'])
const references: ReadonlySet<string> = new Set([
  'ownerReferences',
  'involvedObject',
  'regarding',
  'related',
  'claimRef',
])
const times =
  /^(last(Transition|Update|Probe|Heartbeat|Schedule|Successful|Scale)Time|startTime|completionTime|startedAt|finishedAt|firstTimestamp|lastTimestamp|eventTime|firstObservedTime|lastObservedTime|renewTime|acquireTime)$/

/**
 * A copy of an object, or of a list of them, without managed fields, uids, versions and times, so that it can be compared
 * with what a test expects. That something is being deleted stays to be seen: its time reads `<time>`.
 *
 * @example
 * await server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'blue' } })
 * const found = await server.get('configmaps', 'settings', 'default')
 * assert.deepEqual(tidy(found), {
 *   apiVersion: 'v1',
 *   kind: 'ConfigMap',
 *   metadata: { name: 'settings', namespace: 'default' },
 *   data: { colour: 'blue' },
 * })
 */
export function tidy<T extends ApiObject | readonly ApiObject[] | undefined>(given: T): T {
  return tidied(given) as T
}

function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidied)
  if (typeof value !== 'object' || value === null) return value
  return mapped(value, (key, member) => {
    if (key === 'metadata') return tidyMetadata(member)
    if (key === 'items' || references.has(key))
      return key === 'items' ? tidied(member) : without(member, referenceNoise)
    if (times.test(key)) return undefined
    return key === 'status' || key === 'spec' ? withoutTimes(member) : member
  })
}

function tidyMetadata(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null) return metadata
  return mapped(metadata, (key, member) => {
    if (metadataNoise.has(key)) return undefined
    if (key === 'deletionTimestamp') return '<time>'
    return references.has(key) ? without(member, referenceNoise) : member
  })
}

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes)
  if (typeof value !== 'object' || value === null) return value
  return mapped(value, (key, member) => {
    if (times.test(key)) return undefined
    if (key === 'metadata') return tidyMetadata(member)
    return references.has(key) ? without(member, referenceNoise) : withoutTimes(member)
  })
}

function without(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, names))
  if (typeof value !== 'object' || value === null) return value
  return mapped(value, (key, member) => (names.has(key) ? undefined : member))
}

/** Keys may be any text, `__proto__` too. */
function mapped(value: object, map: (key: string, member: unknown) => unknown): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      const next = map(key, member)
      return next === undefined ? [] : [[key, next]]
    }),
  )
}
