/**
 * The one way in which an existing object changes: a pure change of the current object, checked, prepared, validated,
 * admitted and written if the object is still the one that was looked at; otherwise all of it again. PUT, every patch
 * and every subresource that writes go through here. Where there is no object, some of them create it.
 * Mirrors k8s.io/apiserver/pkg/registry/generic/registry: Store.Update.
 * Mirrors k8s.io/apiserver/pkg/registry/rest: BeforeUpdate.
 */

import { equalInSteps, equalSemanticInSteps, shareEqualInSteps } from '../api/equal-in-steps.ts'
import { limitErrors } from '../api/error-limit.ts'
import type { FieldError } from '../api/field-error.ts'
import { copyObjectWritings } from '../api/given-writing.ts'
import { copyObject, equalJson, equalSemantic, shareEqual } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { rulesInSteps } from '../api/rules-in-steps.ts'
import { conflict, invalid, notFound } from '../api/status-error.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import { entryKey } from '../cache/snapshot.ts'
import { type Awaitable, whenReady } from '../lib/awaitable.ts'
import { inTurns, nextTurn, type Steps } from '../lib/in-turns.ts'
import { commitOrRollBack, outcomeOfFailure, type WriteOutcome } from './commit-or-roll-back.ts'
import { fromHub } from './convert.ts'
import { checkVersionSyntax, tryCreate } from './create.ts'
import { dropManagedFields } from './drop-managed-fields.ts'
import { type Attempt, guaranteedWrite } from './guaranteed-write.ts'
import {
  keepManagedFieldsTimes,
  manageUpdatedFields,
  manageUpdatedFieldsInSteps,
  withReadableOwners,
} from './managed-fields.ts'
import { MetadataChecks } from './metadata-checks.ts'
import type { WrittenForm } from './model/version-rules.ts'
import { isKnownNoOp, observeNoOp } from './no-op-updates.ts'
import { checkLargeMetadata, nextGeneration, noteValidMetadata } from './object-meta.ts'
import { deduplicateOwnerReferences } from './owner-references.ts'
import { type Registry, type Written, writeContext } from './registry.ts'
import { withConversions } from './remote-conversions.ts'
import type { Strategy } from './strategy.ts'
import { admissionRequest, derivedRequest, isLarge, type WriteRequest } from './write-request.ts'
import { addWarnings } from './write-warnings.ts'

export interface UpdateChange {
  /** The rules of the endpoint: the resource's own, or those of a subresource. */
  readonly strategy: Strategy
  /** What the object must be for the change to apply at all. */
  readonly uid?: string
  /**
   * The object after the change, in the request's version, decoded, defaulted and with its managed fields recorded.
   * `current` is in the request's version and must not be changed. Runs again when the write loses a race. What has
   * only got other owners may as well be `hub`, the object as it is kept, with these: no version comes in between.
   * `isLarge`: the change or the object is, and others have their turn meanwhile.
   */
  readonly apply: (current: KubeObject, hub: KubeObject, isLarge: boolean) => Awaitable<KubeObject>
  /** What to create when there is nothing to change; absent: that is a 404. */
  readonly create?: () => Awaitable<KubeObject>
}

export interface UpdateResult {
  readonly written: Written
  readonly created: boolean
}

const optimisticLockMessage =
  'the object has been modified; please apply your changes to the latest version and try again'

export async function update(registry: Registry, change: UpdateChange, request: WriteRequest): Promise<UpdateResult> {
  const { storage, definition } = registry
  // Those of the last attempt: what was found on a state that another writer has replaced since is not so.
  let warnings: string[] = []
  const held = derivedRequest(request, (text) => void warnings.push(text))
  const attempt = async (current: CacheEntry | undefined): Promise<Attempt<UpdateResult>> => {
    warnings = []
    const known = current?.unreadable === undefined ? current : await storage.redecoded(current)
    if (known?.unreadable !== undefined) throw storage.refusedUpdate(known)
    return known === undefined ? createInstead(registry, change, held) : updateOnce(registry, change, held, known)
  }
  const exhausted = (): Error => conflict(definition, request.name, optimisticLockMessage)
  try {
    return await guaranteedWrite({ storage, request, attempt, exhausted })
  } finally {
    for (const warning of warnings) request.warn(warning)
  }
}

/** There is nothing to change: a create, which another writer may win; then there is something to change. */
async function createInstead(
  registry: Registry,
  change: UpdateChange,
  request: WriteRequest,
): Promise<Attempt<UpdateResult>> {
  const { storage, definition } = registry
  const key = entryKey(request.namespace, request.name)
  const isMissing = change.create === undefined
  if (isMissing && registry.gate('release:missingBeforePreconditions')) throw notFound(definition, request.name)
  checkUid(registry, change, request, { key, name: request.name, uid: '' })
  if (change.create === undefined) throw notFound(definition, request.name)
  const fresh = await change.create()
  const { written } = await tryCreate(registry, { owned: fresh, key }, request)
  if (written === undefined) return { lostTo: await storage.newest(key) }
  return { result: { written, created: true }, wrote: true }
}

async function updateOnce(
  registry: Registry,
  change: UpdateChange,
  request: WriteRequest,
  current: CacheEntry,
): Promise<Attempt<UpdateResult>> {
  const { definition, admission, storage } = registry
  const isLargeWrite = request.isLarge === true || isLarge(current.size)
  const parsed = isLargeWrite ? await inTurns(current.objectInSteps()) : current.object()
  const working = definition.model.versions.fromStored(definition, request.version, parsed)
  const existing = working instanceof Promise ? await working : working
  checkUid(registry, change, request, { key: current.key, name: current.name, uid: existing.metadata.uid ?? '' })
  const changing = withConversions(definition, request, () =>
    change.apply(fromHub(request.version, existing), existing, isLargeWrite),
  )
  const changed = changing instanceof Promise ? await changing : changing
  if (isLargeWrite) await nextTurn()
  const convert = (): KubeObject => definition.model.versions.toWorking(definition, request.version, changed)
  const hub = ownDraft(isLargeWrite ? await inTurns(rulesInSteps(convert)) : convert(), existing)
  const asked = admissionRequest(registry, request, {
    operation: 'UPDATE',
    name: request.name,
    object: hub,
    oldObject: existing,
  })
  const { managedFields } = hub.metadata
  const mutating = admission.mutate(asked)
  const mutated = (mutating instanceof Promise ? await mutating : mutating) ?? hub
  const reading = withReadableOwners(mutated, managedFields, request.warn)
  const readable = reading instanceof Promise ? await reading : reading
  const draft = deduplicateOwnerReferences(readable, request.warn, { admitted: true })
  const form: WrittenForm = { version: request.version, isAdmitted: mutated !== hub }
  checkVersion(registry, draft, current, request.name)
  const { strategy } = change
  const beginning = strategy.beginUpdate?.(draft, existing, writeContext(registry, request))
  const reservation = beginning instanceof Promise ? await beginning : beginning
  let ending: WriteOutcome = 'refused'
  try {
    if (isLargeWrite) {
      await nextTurn()
      await inTurns(checkLargeMetadata(draft.metadata))
    }
    if (!isKnownNoOp(draft, existing, { strategy, request })) {
      const asLarge = isLargeWrite ? { ...request, isLarge: true } : request
      const prepared = prepareUpdate(registry, strategy, draft, existing, asLarge)
      if (prepared !== undefined) await prepared
      keepManagedFieldsTimes(draft, existing, definition.model.writes.equal)
    }
    if (isLargeWrite) await nextTurn()
    const validating = admission.validate({ ...asked, object: draft })
    if (validating instanceof Promise) await validating
    if (isLargeWrite) await nextTurn()
    strategy.beforeStore?.(draft, existing)
    if (request.dryRun) {
      const stored = await definition.model.versions.toStored(definition, draft, form)
      if (isLargeWrite) await storage.encodeAhead(stored)
      return unwritten(storage.preview(stored))
    }
    // Validating plugins and dry runs see it; it is never stored. Mirrors etcd3: PrepareObjectForStorage.
    delete draft.metadata.selfLink
    const outcome = await persist(registry, { draft, existing, current, form }, request)
    if ('result' in outcome) ending = 'written'
    return outcome
  } catch (error) {
    ending = outcomeOfFailure(error)
    throw error
  } finally {
    if (reservation !== undefined || ending === 'unknown')
      await commitOrRollBack(definition.strategy, reservation, ending)
  }
}

const written = (object: Written): Attempt<UpdateResult> => ({
  result: { written: object, created: false },
  wrote: true,
})
const unwritten = (object: Written): Attempt<UpdateResult> => ({
  result: { written: object, created: false },
  wrote: false,
})

/** The mutable copy of one attempt, with metadata of its own; deeper parts may be shared and are copied on write. */
function ownDraft(object: KubeObject, existing: KubeObject): KubeObject {
  const isShared = object === existing || object.metadata === existing.metadata
  if (!isShared) return object
  const draft = { ...object, metadata: copyObject(object.metadata) }
  copyObjectWritings(draft, object)
  return draft
}

interface Write {
  readonly draft: KubeObject
  /** What the draft is a change of. */
  readonly existing: KubeObject
  readonly current: CacheEntry
  readonly form: WrittenForm
}

async function persist(
  registry: Registry,
  { draft, existing, current, form }: Write,
  request: WriteRequest,
): Promise<Attempt<UpdateResult>> {
  const { storage, definition } = registry
  if (isFinished(draft) && definition.strategy.isHeld?.(draft) !== true) {
    const removed = await storage.remove(current)
    if ('lostTo' in removed && removed.lostTo !== undefined) return removed
    // Several updates may remove the last finalizer at once: one removes the object, and all succeed.
    if (!('lostTo' in removed)) await definition.strategy.afterDelete?.(draft, writeContext(registry, request))
    return written(storage.preview(await definition.model.versions.toStored(definition, draft, form)))
  }
  const isSame = equalJson(draft, existing)
  if (isSame && current.isCurrent) return unwritten(current)
  for (let object = draft; ; ) {
    try {
      const stored = await definition.model.versions.toStored(definition, object, form)
      if (isSame && !(await storage.isStale(current, stored))) return unwritten(current)
      if (request.isLarge === true || isLarge(current.size)) await storage.encodeAhead(stored, current)
      const replaced = await storage.replace(current, stored)
      return 'written' in replaced ? written(replaced.written) : replaced
    } catch (error) {
      object = dropManagedFields(object, request, error)
    }
  }
}

/** A terminating object whose last finalizer this update removes is removed instead of written. */
function isFinished({ metadata }: KubeObject): boolean {
  return (
    metadata.deletionTimestamp != null &&
    (metadata.finalizers?.length ?? 0) === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0
  )
}

interface Identity {
  readonly key: string
  readonly name: string
  readonly uid: string
}

function checkUid(
  { definition, storage }: Registry,
  { uid }: UpdateChange,
  { dryRun }: WriteRequest,
  current: Identity,
): void {
  if (uid === undefined || uid === '' || uid === current.uid) return
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.uid}`
  throw conflict(definition, current.name, storage.invalidObjectMessage(current.key, why, dryRun))
}

function checkVersion({ definition }: Registry, draft: KubeObject, current: CacheEntry, name: string): void {
  const given = draft.metadata.resourceVersion ?? ''
  if (given === '' || given === '0') {
    if (!definition.unconditionalUpdate) {
      const error: FieldError = {
        reason: 'FieldValueInvalid',
        field: 'metadata.resourceVersion',
        message: 'Invalid value: 0x0: must be specified for an update',
        messageAt: () => 'Invalid value: 0: must be specified for an update',
      }
      throw invalid({ group: definition.group, kind: definition.resource }, name, [error])
    }
    draft.metadata.resourceVersion = String(current.revision)
    return
  }
  if (given === String(current.revision)) return
  checkVersionSyntax(given)
  if (Number(given) !== current.revision) throw conflict(definition, name, optimisticLockMessage)
}

/** A promise where validation takes long. */
function prepareUpdate(
  registry: Registry,
  strategy: Strategy,
  draft: KubeObject,
  old: KubeObject,
  request: WriteRequest,
): Promise<void> | undefined {
  const { definition } = registry
  const listener = observeNoOp(draft, old, { strategy, request })
  const warn = listener === undefined ? request.warn : listener.warn
  const context = { ...writeContext(registry, request), warn }
  keepMetadata(draft, old)
  strategy.prepareForUpdate?.(draft, old, context)
  fillMetadata(draft, old)
  const conclude = (found: readonly FieldError[] | undefined): Awaitable<undefined> => {
    const errors = [...metadataErrors(registry, strategy, draft, old), ...(found ?? [])]
    if (errors.length > 0) {
      listener?.refuse(errors)
      throw invalid(definition.model.writes.refusedAs(definition, draft), draft.metadata.name ?? '', errors)
    }
    noteValidMetadata(draft.metadata, old.metadata)
    const warned = addWarnings(() => strategy.warningsOnUpdate?.(draft, old, context), context, request.isLarge)
    return whenReady(warned, () => {
      listener?.remember()
      return undefined
    })
  }
  const validate = (): Awaitable<FieldError[]> | undefined => strategy.validateInTurns?.(draft, old, context)
  const rules = (): FieldError[] => limitErrors(() => strategy.validateUpdate?.(draft, old, context) ?? [])
  if (request.isLarge === true) {
    return (async () => {
      await inTurns(setGenerationInSteps(strategy, draft, old))
      await nextTurn()
      const found = await (validate() ?? inTurns(rulesInSteps(rules)))
      await nextTurn()
      return conclude(found)
    })()
  }
  setGeneration(strategy, draft, old)
  const slow = validate()
  return slow instanceof Promise ? slow.then(conclude) : conclude(slow ?? rules())
}

/** The causes of the generic rules, then those of the kind's. */
function metadataErrors(
  { definition }: Registry,
  strategy: Strategy,
  draft: KubeObject,
  old: KubeObject,
): FieldError[] {
  const { namespaced } = definition
  const checks = new MetadataChecks({ metadata: draft.metadata, old: old.metadata, namespaced })
  const generic = checks.validateGeneric()
  return [...generic, ...(strategy.validateMetadataUpdate?.(checks, draft) ?? checks.validateUpdate())]
}

function keepMetadata({ metadata }: KubeObject, { metadata: old }: KubeObject): void {
  if (old.generation === undefined) delete metadata.generation
  else metadata.generation = old.generation
}

/** Metadata that no update can change comes from the old object, where the new one leaves it out or lies about it. */
function fillMetadata({ metadata }: KubeObject, { metadata: old }: KubeObject): void {
  if ((metadata.uid ?? '') === '' && old.uid !== undefined) metadata.uid = old.uid
  if (old.creationTimestamp != null) metadata.creationTimestamp = old.creationTimestamp
  if (old.deletionTimestamp != null) metadata.deletionTimestamp = old.deletionTimestamp
  if (old.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = old.deletionGracePeriodSeconds
  }
}

function setGeneration({ generation }: Strategy, draft: KubeObject, old: KubeObject): void {
  const isEqual = generation === 'spec' ? equalSemantic : equalJson
  if (generation !== undefined && specKeys(draft, old).some((key) => !isEqual(draft[key], old[key]))) {
    draft.metadata.generation = nextGeneration(old.metadata)
  }
}

function* setGenerationInSteps({ generation }: Strategy, draft: KubeObject, old: KubeObject): Steps<void> {
  if (generation === undefined) return
  const isEqual = generation === 'spec' ? equalSemanticInSteps : equalInSteps
  for (const key of specKeys(draft, old)) {
    if (yield* isEqual(draft[key], old[key])) continue
    draft.metadata.generation = nextGeneration(old.metadata)
    return
  }
}

const specKeys = (draft: KubeObject, old: KubeObject): string[] =>
  [...new Set([...Object.keys(draft), ...Object.keys(old)])].filter((key) => key !== 'metadata' && key !== 'status')

/**
 * PUT of a whole object. `body` gives it in the request's version, decoded and defaulted, anew each time. Parts that
 * equal those of the current object are shared with it: most replacements change little.
 */
export async function replace(
  registry: Registry,
  strategy: Strategy,
  body: () => Awaitable<KubeObject>,
  request: WriteRequest,
  authorizeCreate: () => Awaitable<void>,
): Promise<UpdateResult> {
  const beginning = body()
  const first = beginning instanceof Promise ? await beginning : beginning
  // Warned of once, whatever becomes of the request.
  deduplicateOwnerReferences(first, request.warn, { admitted: false })
  let unused: KubeObject | undefined = first
  const uid = first.metadata.uid
  const owned = (current: KubeObject | undefined, large: boolean): Awaitable<KubeObject> => {
    const again = unused ?? body()
    unused = undefined
    const own = (object: KubeObject): Awaitable<KubeObject> => {
      const given = deduplicateOwnerReferences(object, () => undefined, { admitted: false })
      if (large) return inTurns(ownInSteps(registry, current, { object, given }, request))
      const owned = manageUpdatedFields(registry, current, shareEqual(given, current), request)
      copyObjectWritings(owned, object)
      return owned
    }
    return whenReady(again, own)
  }
  const mayCreate = registry.definition.createOnUpdate && request.subresource === ''
  const authorized = async (): Promise<KubeObject> => {
    await authorizeCreate()
    return owned(undefined, request.isLarge === true)
  }
  const create = mayCreate ? { create: authorized } : {}
  const apply: UpdateChange['apply'] = (current, _, large) => owned(current, large)
  return update(registry, { strategy, ...(uid === undefined ? {} : { uid }), apply, ...create }, request)
}

function* ownInSteps(
  registry: Registry,
  current: KubeObject | undefined,
  { object, given }: { readonly object: KubeObject; readonly given: KubeObject },
  request: WriteRequest,
): Steps<KubeObject> {
  const shared = yield* shareEqualInSteps(given, current)
  const owned = yield* manageUpdatedFieldsInSteps(registry, current, shared, request)
  copyObjectWritings(owned, object)
  return owned
}
