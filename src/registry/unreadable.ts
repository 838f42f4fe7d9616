/**
 * The errors of a stored object that cannot be decrypted or decoded, in the words of the reference. Under
 * the gate that lets such objects be deleted, every answer says that the object is corrupt.
 */
import { quote } from '../api/golang/quote.ts'
import { formatGroupResource } from '../api/group-version.ts'
import { ApiError, internalError, type StatusCause, tooManyRequests, unknownError } from '../api/status-error.ts'
import type { CacheEntry, Unreadable } from '../cache/cache-entry.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { ResourceDefinition } from './resource-definition.ts'

/** Thrown by codecs. */
export class ReadError extends Error {
  readonly reason: Unreadable['reason']

  constructor(reason: Unreadable['reason'], message: string) {
    super(message)
    this.name = 'ReadError'
    this.reason = reason
  }
}

export interface UnreadableContext {
  /** The gate AllowUnsafeMalformedObjectDeletion. */
  readonly unsafeDeletion: boolean
  /** `/registry`. */
  readonly prefix: string
}

/** A stored value that could not be read. */
export interface UnreadableValue extends Pick<Unreadable, 'reason' | 'why'> {
  /** As in the store. */
  readonly key: string
  readonly revision: number
}

function corruption({ reason, why, revision }: UnreadableValue): string {
  // The revision is not known where decryption fails.
  if (reason === 'transform') return `data from the storage is not transformable revision=0: ${why}`
  return `object not decodable revision=${revision}: ${why}`
}

const corruptObject = (key: string, value: UnreadableValue): string =>
  `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${corruption(value)}`

const plainError = ({ reason, why }: UnreadableValue): ApiError =>
  reason === 'transform' ? internalError(why) : unknownError(why)

/** For gets and deletes. */
export function unreadableObject(value: UnreadableValue, { unsafeDeletion, prefix }: UnreadableContext): ApiError {
  return unsafeDeletion ? internalError(corruptObject(value.key.slice(prefix.length), value)) : plainError(value)
}

/** For updates and patches. */
export function unreadableForUpdate(value: UnreadableValue, { unsafeDeletion }: UnreadableContext): ApiError {
  return plainError(unsafeDeletion ? { ...value, why: corruption(value) } : value)
}

const maxCauses = 100
const tooMany = 'too many errors, the list is truncated'

/** For lists from the store: of the first, or of all that the list would show. */
export function unreadableList(
  resource: ResourceDefinition,
  values: readonly UnreadableValue[],
  { unsafeDeletion }: UnreadableContext,
): ApiError {
  const [first] = values
  if (first === undefined) throw new Error('there is nothing that cannot be read')
  if (!unsafeDeletion) return plainError(inList(first))
  const causes: StatusCause[] = values.slice(0, maxCauses).map((value) => ({
    reason: 'UnexpectedServerResponse',
    message: corruptObject(value.key, value),
    field: value.key,
  }))
  if (values.length > maxCauses) causes.push({ reason: 'FieldValueTooMany', message: tooMany })
  return new ApiError({
    code: 500,
    reason: 'StorageReadError',
    message: failedRead(resource),
    details: {
      name: 'list',
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.resource,
      causes,
    },
  })
}

const failedRead = (resource: ResourceDefinition): string =>
  `failed to read one or more ${formatGroupResource(resource)} from the storage`

const inList = (value: UnreadableValue): UnreadableValue =>
  value.reason === 'transform' ? { ...value, why: `unable to transform key ${quote(value.key)}: ${value.why}` } : value

/**
 * For what the reference answers from its watch cache: that is not ready while anything of the resource cannot be read.
 * Clients are asked to wait the longer, the longer that has lasted.
 * Mirrors k8s.io/apiserver/pkg/storage/cacher: calculateRetryAfterForUnreadyCache.
 */
export function unreadyCache(
  resource: ResourceDefinition,
  first: UnreadableValue,
  { unsafeDeletion, unreadyMs }: UnreadableContext & { readonly unreadyMs: number },
): ApiError {
  const why = unsafeDeletion ? failedRead(resource) : inList(first).why
  const seconds = Math.floor(Math.min(30, Math.max(1, Math.exp((0.06 * unreadyMs) / 1000))))
  return tooManyRequests(
    `storage is (re)initializing: failed to list ${resource.model.views.storedType(resource)}: ${why}`,
    seconds,
  )
}

/** The entry must be one that cannot be read. */
export function unreadableValue({ key, revision, unreadable }: CacheEntry, keyPrefix: string): UnreadableValue {
  if (unreadable === undefined) throw new Error('the object can be read')
  return { key: keyPrefix + key, revision, reason: unreadable.reason, why: unreadable.why }
}

/** In the order of keys, in which the reference reads them. */
export function firstUnreadable(cache: ResourceCache | undefined): CacheEntry | undefined {
  let first: CacheEntry | undefined
  for (const entry of cache?.unreadable.values() ?? []) if (first === undefined || entry.key < first.key) first = entry
  return first
}
