// Writes: edits by server-side apply, removals by a patch, and the actions that kinds have.
import { type Edit, removalPatch } from '../lib/apply.ts'
import { type Kind, pathOf } from './discovery.ts'
import { call, Refusal, type Reply } from './http.ts'
import type { ApiObject, Json } from './objects.ts'

export const fieldManager = 'pilothouse-console'

export interface WriteOptions {
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly signal?: AbortSignal
}

const query = ({ dryRun = false, force = false }: WriteOptions) => ({
  fieldManager,
  fieldValidation: 'Strict',
  ...(dryRun ? { dryRun: 'All' } : {}),
  ...(force ? { force: 'true' } : {}),
})

const placeOf = ({ metadata: { namespace, name } }: ApiObject) => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
})

export function apply(
  kind: Kind,
  config: Json,
  options: WriteOptions & { manager?: string } = {},
): Promise<Reply<ApiObject>> {
  const manager = options.manager === undefined ? {} : { fieldManager: options.manager }
  return call<ApiObject>(pathOf(kind, placeOf(config)), {
    method: 'PATCH',
    contentType: 'application/apply-patch+yaml',
    query: { ...query(options), ...manager },
    body: config,
    signal: options.signal,
  })
}

export interface Written {
  readonly object: ApiObject
  readonly warnings: readonly string[]
}

/** Sets by apply, then removes what an apply cannot. A dry run removes from the object as it is. */
export async function write(
  kind: Kind,
  live: ApiObject,
  { config, removals }: Edit,
  options: WriteOptions,
): Promise<Written> {
  const applied = config === undefined ? undefined : await apply(kind, config, options)
  const base = options.dryRun || applied === undefined ? live : applied.body
  const patch = removalPatch(base, removals)
  if (patch.length === 0) return { object: applied?.body ?? live, warnings: applied?.warnings ?? [] }
  const { force, ...unforced } = options
  const removed = await call<ApiObject>(pathOf(kind, placeOf(live)), {
    method: 'PATCH',
    contentType: 'application/json-patch+json',
    query: query(unforced),
    body: patch,
    signal: options.signal,
  })
  return { object: removed.body, warnings: [...(applied?.warnings ?? []), ...removed.warnings] }
}

export interface Conflict {
  /** As the server names it, `.spec.replicas`. */
  readonly field: string
  readonly manager: string
  readonly message: string
}

export function conflictsOf(error: unknown): Conflict[] {
  if (!(error instanceof Refusal) || error.code !== 409) return []
  return error.causes
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ field = '', message = '' }) => ({
      field,
      message,
      manager: /conflict with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? message,
    }))
}

export const create = (kind: Kind, object: Json, options: WriteOptions = {}): Promise<Reply<ApiObject>> =>
  call<ApiObject>(pathOf(kind, { namespace: object.metadata?.namespace }), {
    method: 'POST',
    query: query(options),
    body: object,
    signal: options.signal,
  })

export interface DeleteOptions {
  readonly propagationPolicy: string
  readonly gracePeriodSeconds?: number
  readonly dryRun?: boolean
}

export const remove = (kind: Kind, object: ApiObject, options: DeleteOptions): Promise<Reply<Json>> => {
  const { dryRun, ...rest } = options
  const preconditions = { uid: object.metadata.uid }
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    preconditions,
    ...rest,
    ...(dryRun ? { dryRun: ['All'] } : {}),
  }
  return call(pathOf(kind, placeOf(object)), { method: 'DELETE', body })
}

export const mergePatch = (
  kind: Kind,
  object: ApiObject,
  body: Json,
  subresource?: string,
): Promise<Reply<ApiObject>> =>
  call<ApiObject>(pathOf(kind, { ...placeOf(object), ...(subresource === undefined ? {} : { subresource }) }), {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    query: { fieldManager },
    body,
  })

export const evict = (kind: Kind, object: ApiObject): Promise<Reply<Json>> =>
  call(pathOf(kind, { ...placeOf(object), subresource: 'eviction' }), {
    method: 'POST',
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: placeOf(object) },
  })

/** Puts an earlier version in place of the present one, which must still be the one that the user saw. */
export const replace = (
  kind: Kind,
  object: Json,
  live: ApiObject,
  options: WriteOptions = {},
): Promise<Reply<ApiObject>> => {
  const { managedFields, ...metadata } = object.metadata
  const { resourceVersion, uid } = live.metadata
  return call<ApiObject>(pathOf(kind, placeOf(live)), {
    method: 'PUT',
    query: { ...query(options), fieldValidation: 'Warn' },
    body: { ...object, metadata: { ...metadata, resourceVersion, uid } },
  })
}
