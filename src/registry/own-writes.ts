/**
 * Writes that the server makes for itself, through the same verbs as everybody's: admission, validation, managed fields
 * and races included. Only authentication, authorization and the wire are left out.
 */
import { cloneJson, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { notFound } from '../api/status-error.ts'
import { formatTime, instantOfMillis } from '../api/time.ts'
import { serverUser, type UserInfo } from '../api/user.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { inTurns } from '../lib/in-turns.ts'
import { canonicalize } from '../schema/canonicalize.ts'
import { create, wipeMetadata } from './create.ts'
import { type DeleteResult, remove } from './delete.ts'
import type { DeleteOptions } from './delete-options.ts'
import { applyConfiguration, manageUpdatedFields, recordAction } from './managed-fields.ts'
import type { Registry, Written } from './registry.ts'
import type { ResourceVersion } from './resource-definition.ts'
import { update } from './update.ts'
import { admissionRequest, type WriteRequest } from './write-request.ts'

/** Which part of the server writes. */
export interface Actor {
  readonly user: UserInfo
  readonly fieldManager: string
}

/** The server itself. */
export const serverActor: Actor = { user: serverUser, fieldManager: 'kube-apiserver' }

export interface ObjectName {
  readonly namespace: string
  readonly name: string
  readonly subresource?: string
}

/** The object must be complete but for what defaults and the server fill in. What was written is decoded on demand. */
export async function createAs(actor: Actor, registry: Registry, object: KubeObject): Promise<Written> {
  const { namespace = '', name = '' } = object.metadata
  const request = requestOf(actor, registry, { namespace, name }, 'CreateOptions')
  return create(registry, shaped(registry, request.version, object), request)
}

/**
 * Changes an object if `change` has something to say: it gets the present object, which it must not touch, and returns
 * the new one, or undefined to leave it. Runs again when the write loses a race. 404 when there is no such object.
 */
export async function updateAs(
  actor: Actor,
  registry: Registry,
  target: ObjectName,
  change: (current: KubeObject) => KubeObject | undefined,
): Promise<KubeObject> {
  const request = requestOf(actor, registry, target, 'UpdateOptions')
  const apply = (current: KubeObject): KubeObject => {
    const next = change(current)
    if (next === undefined) return cloneJson(current)
    return manageUpdatedFields(registry, current, shaped(registry, request.version, next, current), request)
  }
  const strategy = strategyOf(registry, target)
  const { written } = await update(registry, { strategy, apply }, request)
  return written.object()
}

/**
 * Applies what `configure` says of the present object, besides its name, as the actor's own, with force;
 * undefined leaves the object.
 */
export async function applyAs(
  actor: Actor,
  registry: Registry,
  target: ObjectName,
  configure: (current: KubeObject) => Awaitable<JsonObject | undefined>,
): Promise<KubeObject> {
  const request = { ...requestOf(actor, registry, target, 'PatchOptions', { force: true }), applies: true }
  const { apiVersion, kind } = request.version
  const { name } = target
  const apply = async (current: KubeObject): Promise<KubeObject> => {
    const said = await configure(current)
    if (said === undefined) return cloneJson(current)
    const config = { apiVersion, kind, metadata: { name }, ...said }
    const options = { force: true, unknownFields: 'refuse' } as const
    const applied = await inTurns(applyConfiguration(registry, current, config, request, options))
    return shaped(registry, request.version, applied.object as KubeObject, current)
  }
  const { written } = await update(registry, { strategy: strategyOf(registry, target), apply }, request)
  return written.object()
}

export function deleteAs(
  actor: Actor,
  registry: Registry,
  target: ObjectName,
  options: DeleteOptions,
): Promise<DeleteResult> {
  return remove(registry, options, requestOf(actor, registry, target, 'DeleteOptions', options))
}

/** Posts to a subresource that acts, such as `binding` or `eviction`. The body has the kind of the action. */
export async function actAs(
  actor: Actor,
  registry: Registry,
  target: ObjectName,
  body: JsonObject,
): Promise<JsonObject> {
  const { definition, admission, clock } = registry
  const action = definition.subresources.get(target.subresource ?? '')
  if (action?.type !== 'action') throw notFound(definition, target.name)
  const request = requestOf(actor, registry, target, 'CreateOptions')
  const { namespace, name, subresource, user, fieldManager, options, warn, annotate } = request
  const decoded = canonicalize(body, action.schema) as KubeObject
  const object = (action.withDefaults?.(decoded) ?? decoded) as KubeObject
  wipeMetadata(object, registry.gate('release:omitsZeroTime'))
  if (namespace !== '') object.metadata.namespace = namespace
  const time = formatTime(instantOfMillis(clock.now()))
  const owned = recordAction(action, object, { manager: fieldManager, subresource, time })
  const subject = { operation: 'CREATE', name, object: owned, oldObject: undefined } as const
  const asked = {
    ...admissionRequest(registry, request, subject),
    kind: action.kind,
    convert: (given: KubeObject, apiVersion: string) => ({ ...given, apiVersion }),
  }
  const admitted = (await admission.mutate(asked)) ?? owned
  const { body: answer } = await action.create({
    namespace,
    name,
    body: admitted,
    dryRun: false,
    options,
    user,
    fieldManager,
    warn,
    annotate,
    admit: (judged) => admission.validate({ ...asked, object: judged }),
  })
  return answer
}

function strategyOf({ definition }: Registry, { name, subresource = '' }: ObjectName) {
  if (subresource === '') return definition.strategy
  const part = definition.subresources.get(subresource)
  if (part?.type !== 'part') throw notFound(definition, name)
  return part.strategy
}

/** In canonical form with its defaults. What it shares with `current`, which was stored, is not looked at. */
function shaped(
  { definition }: Registry,
  version: ResourceVersion,
  object: KubeObject,
  current?: KubeObject,
): KubeObject {
  const copy = definition.model.writes.ownDraft(version, object, current)
  return (version.withDefaults?.(copy, current) ?? copy) as KubeObject
}

function requestOf(
  { user, fieldManager }: Actor,
  { definition }: Registry,
  { namespace, name, subresource = '' }: ObjectName,
  kind: string,
  options: JsonObject = {},
): WriteRequest {
  return {
    version: definition.model.versions.written(definition),
    namespace: definition.namespaced ? namespace : '',
    name,
    subresource,
    user,
    dryRun: false,
    fieldManager,
    options: { kind, apiVersion: 'meta.k8s.io/v1', ...options, ...(kind === 'PatchOptions' ? { fieldManager } : {}) },
    warn: () => {},
    annotate: () => {},
  }
}
