/**
 * Delete: removes an object, or marks it as terminating where it has a grace period or finalizers; the update that removes the last
 * finalizer then removes it (see update.ts). Decides which finalizers of garbage collection an object gets.
 * Mirrors k8s.io/apiserver/pkg/registry/generic/registry: Store.Delete, Store.DeleteCollection,
 * ShouldDeleteDuringUpdate.
 * Mirrors k8s.io/apiserver/pkg/registry/rest: BeforeDelete.
 */

import type { FieldError } from '../api/field-error.ts'
import { invalid as invalidField, notSupported, ofNamedText } from '../api/field-error.ts'
import { copyObject, equalJson, isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { conflict, invalid, notFound } from '../api/status-error.ts'
import { formatTime, instantOfMillis } from '../api/time.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import { inTurns } from '../lib/in-turns.ts'
import { pushAll } from '../lib/push-all.ts'
import { type DeleteOptions, validateDryRun } from './delete-options.ts'
import { type Attempt, guaranteedWrite } from './guaranteed-write.ts'
import { foregroundFinalizer, nextGeneration, orphanFinalizer } from './object-meta.ts'
import { type Registry, type Written, writeContext } from './registry.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import { mayBeApplied } from './store-failure.ts'
import type { WriteContext } from './strategy.ts'
import { admissionRequest, isLarge, type WriteRequest } from './write-request.ts'

export interface DeleteResult {
  /** The object as it was last, or as it is now that it is marked. */
  readonly written: Written
  /** False: it is only marked. */
  readonly removed: boolean
}

export async function remove(registry: Registry, options: DeleteOptions, request: WriteRequest): Promise<DeleteResult> {
  const { storage, definition } = registry
  validateDeleteOptions(options)
  if (request.ofCollection !== true) definition.strategy.checkDelete?.(request.name)
  for (const warning of definition.strategy.warningsOnDelete?.(options) ?? []) request.warn(warning)
  let marked: Marked | undefined
  const attempt = async (found: CacheEntry | undefined): Promise<Attempt<DeleteResult>> => {
    const current = found?.unreadable === undefined ? found : await storage.redecoded(found)
    // Marked by this very request, and then removed by another, perhaps made anew: that is what was asked for.
    if (marked !== undefined && !isSameObject(current, marked.written)) return removal(marked.written, true, true)
    if (current === undefined) throw notFound(definition, request.name)
    const step = await removeOnce(registry, { options, request, current, marked })
    if (!('marked' in step)) return step
    marked = step.marked
    return { lostTo: step.marked.written }
  }
  const exhausted = (): Error => conflict(definition, request.name, 'the object has been modified; please try again')
  return guaranteedWrite({ storage, request, attempt, exhausted })
}

interface Removal {
  readonly options: DeleteOptions
  readonly request: WriteRequest
  readonly current: CacheEntry
  readonly marked: Marked | undefined
}

/** What this request has marked as terminating, and removes next. */
interface Marked {
  readonly written: CacheEntry
  /** The options that its deletion was admitted with. */
  readonly options: JsonObject
}

type Step = Attempt<DeleteResult> | { readonly marked: Marked }

const removal = (written: Written, removed: boolean, wrote: boolean): Attempt<DeleteResult> => ({
  result: { written, removed },
  wrote,
})

const isSameObject = (current: CacheEntry | undefined, marked: Written): boolean =>
  current !== undefined && current.object().metadata.uid === marked.object().metadata.uid

async function removeOnce(registry: Registry, { options, request, current, marked }: Removal): Promise<Step> {
  const { definition, storage } = registry
  const isLargeObject = isLarge(current.size)
  const object = isLargeObject ? await inTurns(current.objectInSteps()) : current.object()
  // What cannot be read in the version of the request cannot be deleted in it.
  const seen = await definition.model.versions.fromStored(definition, request.version, object)
  if (marked === undefined)
    checkPreconditions(registry, options, { object, ofCollection: request.ofCollection === true })
  const context = writeContext(registry, request)
  const plan = marked === undefined ? planDeletion(registry, request, options, object) : ({ action: 'remove' } as const)
  if (plan.action === 'nothing') return removal(current, false, false)
  const admitted = marked?.options ?? plannedOptions(registry, request, { object, plan })
  await admit(registry, { request, seen, options: admitted })
  if (plan.action === 'mark') {
    if (request.dryRun) return removal(storage.preview(plan.draft), !plan.stays, false)
    if (plan.stays && equalJson(plan.draft, object)) return removal(current, false, false)
    if (isLargeObject) await storage.encodeAhead(plan.draft, current)
    const replaced = await storage.replace(current, plan.draft)
    if ('lostTo' in replaced) return replaced
    return plan.stays
      ? removal(replaced.written, false, true)
      : { marked: { written: replaced.written, options: admitted } }
  }
  if (request.dryRun) return removal(current, true, false)
  const removed = await storage.remove(current).catch((error: unknown) => {
    if (mayBeApplied(error)) definition.strategy.onUnknownOutcome?.()
    throw error
  })
  if ('lostTo' in removed) return removed
  await definition.strategy.afterDelete?.(object, context)
  return removal(current.at(removed.revision), true, true)
}

interface Admitted {
  readonly request: WriteRequest
  /** In the version of the request. */
  readonly seen: KubeObject
  readonly options: JsonObject
}

/** What is marked before it is removed is admitted twice: Store.Delete validates in the update and in the removal. */
async function admit(registry: Registry, { request, seen, options }: Admitted): Promise<void> {
  const name = request.admittedName ?? request.name
  const subject = { operation: 'DELETE', name, object: undefined, oldObject: seen } as const
  const admission = { ...admissionRequest(registry, request, subject), options }
  await registry.admission.mutate(admission)
  await registry.admission.validate(admission)
}

/**
 * The options as plugins see them: with what the deletion made of them. Mirrors registry/rest/delete.go: BeforeDelete, and
 * the storage of namespaces and definitions, which insist on the object that they looked at. The options of a collection
 * are copied for each of its objects, so that plugins see those that were given.
 */
function plannedOptions(
  { definition: { strategy } }: Registry,
  { options: given, ofCollection }: WriteRequest,
  { object, plan }: { readonly object: KubeObject; readonly plan: Plan },
): JsonObject {
  if (ofCollection === true) return given
  const options: Record<string, JsonValue | undefined> = { ...given }
  const asked = given['gracePeriodSeconds']
  if (Number(asked) < 0) options['gracePeriodSeconds'] = 1
  const isGraceful = strategy.gracePeriodSeconds !== undefined && object.metadata.deletionTimestamp == null
  const planned = plan.action === 'mark' ? plan.draft.metadata.deletionGracePeriodSeconds : undefined
  if (isGraceful && planned !== undefined) options['gracePeriodSeconds'] = planned
  const { preconditions } = given
  const stated = isJsonObject(preconditions) ? preconditions : {}
  if (strategy.terminate !== undefined && stated['uid'] === undefined)
    options['preconditions'] = { ...stated, uid: object.metadata.uid ?? '' }
  return options
}

type Plan =
  | { readonly action: 'remove' }
  /** It is being deleted already, and this request does not hasten it. */
  | { readonly action: 'nothing' }
  /** It is updated; then it goes, unless it stays. */
  | { readonly action: 'mark'; readonly draft: KubeObject; readonly stays: boolean }

function planDeletion(registry: Registry, request: WriteRequest, options: DeleteOptions, object: KubeObject): Plan {
  const { strategy } = registry.definition
  const isNew = object.metadata.deletionTimestamp == null
  // The storage of a kind that terminates first is not asked about a collection.
  if (strategy.terminate !== undefined && isNew && request.ofCollection !== true) {
    return planTermination(registry, options, object, writeContext(registry, request))
  }
  if (strategy.isHeld?.(object) === true) return { action: 'nothing' }
  const grace = planGrace(registry, options, object)
  if (grace === 'pending') return { action: 'nothing' }
  const finalizers = finalizersFor(registry, options, object)
  const stays = finalizers.length > 0 || (grace?.seconds ?? 0) > 0
  const hadFinalizers = (object.metadata.finalizers ?? []).length > 0
  if (!stays && grace === undefined && !hadFinalizers) return { action: 'remove' }
  const draft = { ...object, metadata: copyObject(object.metadata) }
  const { metadata } = draft
  if (finalizers.length > 0) metadata.finalizers = finalizers
  else delete metadata.finalizers
  // Finalizers of garbage collection are taken away by an update of their own.
  if (!stays && grace === undefined) return { action: 'mark', draft, stays }
  const first = metadata.deletionTimestamp == null
  if (grace !== undefined) {
    metadata.deletionTimestamp = grace.timestamp
    metadata.deletionGracePeriodSeconds = grace.seconds
  } else {
    const now = formatTime(instantOfMillis(registry.clock.now()))
    if (metadata.deletionTimestamp == null || metadata.deletionTimestamp > now) metadata.deletionTimestamp = now
    metadata.deletionGracePeriodSeconds = 0
  }
  if (first && (metadata.generation ?? 0) > 0) metadata.generation = nextGeneration(metadata)
  return { action: 'mark', draft, stays }
}

function planTermination(registry: Registry, options: DeleteOptions, object: KubeObject, context: WriteContext): Plan {
  const metadata = copyObject(object.metadata)
  metadata.deletionTimestamp = formatTime(instantOfMillis(context.now))
  const { strategy } = registry.definition
  const present = metadata.finalizers ?? []
  const finalizers = strategy.finalizersAtTermination?.(present, options) ?? present
  if (finalizers.length > 0) metadata.finalizers = [...finalizers]
  else delete metadata.finalizers
  const draft = { ...object, metadata }
  strategy.terminate?.(draft, context)
  return { action: 'mark', draft, stays: true }
}

interface Grace {
  readonly seconds: number
  readonly timestamp: string
}

/** `pending`: it is terminating, and its grace period is no longer than the one asked for. */
function planGrace(
  { definition, clock }: Registry,
  options: DeleteOptions,
  object: KubeObject,
): Grace | 'pending' | undefined {
  const { strategy } = definition
  if (strategy.gracePeriodSeconds === undefined) return undefined
  const asked = options.gracePeriodSeconds === undefined ? undefined : Math.max(Number(options.gracePeriodSeconds), -1)
  const wanted = asked !== undefined && asked < 0 ? 1 : asked
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata
  if (deletionTimestamp != null) {
    const period = Number(deletionGracePeriodSeconds ?? 0)
    if (period === 0) return undefined
    if (wanted === undefined || wanted >= period) return 'pending'
    const now = clock.now()
    const end = Date.parse(deletionTimestamp) + millisOf(wanted - period)
    // A grace period that has passed counts as over; finalizers still hold the object.
    const seconds = end < now ? Math.min(wanted, 1) : wanted
    return { seconds, timestamp: formatTime(instantOfMillis(Math.max(end, now))) }
  }
  const seconds = strategy.gracePeriodSeconds(
    object,
    wanted === undefined ? options : { ...options, gracePeriodSeconds: wanted },
  )
  if (seconds === undefined) return undefined
  return { seconds, timestamp: formatTime(instantOfMillis(clock.now() + millisOf(seconds))) }
}

/** Seconds may be any 64-bit integer, of which a duration in Go keeps the lowest bits of its nanoseconds. */
const millisOf = (seconds: number): number => Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n)

/** The object's finalizers with those of garbage collection that the options, the object or its kind ask for. */
function finalizersFor({ definition }: Registry, options: DeleteOptions, { metadata }: KubeObject): string[] {
  const present = metadata.finalizers ?? []
  if (definition.garbageCollection === 'unsupported') return present
  const policy = propagationOf(definition.garbageCollection, options, present)
  const wanted = present.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer)
  if (policy === 'Orphan') wanted.push(orphanFinalizer)
  if (policy === 'Foreground') wanted.push(foregroundFinalizer)
  const known = new Set(present)
  const same = wanted.length === present.length && wanted.every((name) => known.has(name))
  return same ? present : wanted
}

function propagationOf(standard: 'background' | 'orphan', options: DeleteOptions, present: readonly string[]): string {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background'
  if (options.propagationPolicy !== undefined) return options.propagationPolicy
  if (present.includes(orphanFinalizer)) return 'Orphan'
  if (present.includes(foregroundFinalizer)) return 'Foreground'
  return standard === 'orphan' ? 'Orphan' : 'Background'
}

const policies = ['Background', 'Foreground', 'Orphan'] as const

export function validateDeleteOptions(options: DeleteOptions): void {
  const errors: FieldError[] = []
  const { propagationPolicy, orphanDependents } = options
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const why = 'orphanDependents and deletionPropagation cannot be both set'
    errors.push(ofNamedText(invalidField('propagationPolicy', propagationPolicy, why)))
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy as (typeof policies)[number])) {
    const known = ['Foreground', 'Background', 'Orphan', 'nil']
    errors.push(ofNamedText(notSupported('propagationPolicy', propagationPolicy, known)))
  }
  pushAll(errors, validateDryRun(options.dryRun ?? []))
  pushAll(errors, unsafeErrors(options))
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors)
}

/** What makes no sense for a delete that cannot look at the object. */
function unsafeErrors(options: DeleteOptions): FieldError[] {
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential !== true) return []
  const others: [string, boolean][] = [
    ['dryRun', (options.dryRun?.length ?? 0) > 0],
    ['propagationPolicy', options.propagationPolicy !== undefined],
    ['orphanDependents', options.orphanDependents !== undefined],
    ['gracePeriodSeconds', options.gracePeriodSeconds !== undefined],
    ['preconditions', options.preconditions !== undefined],
  ]
  return others
    .filter(([, isSet]) => isSet)
    .map(([name]) =>
      invalidField('ignoreStoreReadErrorWithClusterBreakingPotential', true, `cannot be set together with .${name}`),
    )
}

function checkPreconditions(
  { definition }: Registry,
  { preconditions }: DeleteOptions,
  { object: { metadata }, ofCollection }: { readonly object: KubeObject; readonly ofCollection: boolean },
): void {
  const { uid, resourceVersion } = preconditions ?? {}
  if (definition.strategy.terminate !== undefined && !ofCollection) {
    checkTermination(definition, preconditions, metadata)
    return
  }
  const resource = { group: definition.hub.group, resource: definition.hub.kind }
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ''}). The object might have been deleted and then recreated`
    throw conflict(resource, metadata.name ?? '', why)
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`
    throw conflict(resource, metadata.name ?? '', why)
  }
}

/** What is terminated first has a check of its own, but not as one of a collection. Mirrors registry/core/namespace/storage: Delete. */
function checkTermination(
  definition: ResourceDefinition,
  { uid, resourceVersion }: NonNullable<DeleteOptions['preconditions']> = {},
  metadata: KubeObject['metadata'],
): void {
  const fail = (field: string, wanted: string, own = ''): never => {
    const why = `Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${own}`
    throw conflict(definition, metadata.name ?? '', why)
  }
  if (uid !== undefined && uid !== metadata.uid) fail('UID', uid, metadata.uid)
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    fail('ResourceVersion', resourceVersion, metadata.resourceVersion)
  }
}
