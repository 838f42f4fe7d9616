/**
 * Create: metadata is filled in, the object is admitted, prepared, validated and written if nothing has its name.
 * A generated name that is taken is generated anew, a few times.
 * Mirrors k8s.io/apiserver/pkg/registry/generic/registry: Store.Create, Store.create.
 * Mirrors k8s.io/apiserver/pkg/registry/rest: BeforeCreate.
 */

import { limitErrors } from '../api/error-limit.ts'
import type { FieldError } from '../api/field-error.ts'
import { quote } from '../api/golang/quote.ts'
import { isInterned } from '../api/interned.ts'
import { copyObject, isJsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { rulesInSteps } from '../api/rules-in-steps.ts'
import { alreadyExists, badRequest, generatedNameTaken, invalid, unknownError } from '../api/status-error.ts'
import { formatTime, instantOfMillis } from '../api/time.ts'
import { entryKey } from '../cache/snapshot.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { inTurns, nextTurn } from '../lib/in-turns.ts'
import { pushAll } from '../lib/push-all.ts'
import { commitOrRollBack, outcomeOfFailure, type WriteOutcome } from './commit-or-roll-back.ts'
import { dropManagedFields } from './drop-managed-fields.ts'
import { generateName } from './generate-name.ts'
import {
  manageCreatedFields,
  manageCreatedFieldsInSteps,
  manageUpdatedFields,
  manageUpdatedFieldsInSteps,
  withReadableOwners,
} from './managed-fields.ts'
import { MetadataChecks } from './metadata-checks.ts'
import type { WrittenForm } from './model/version-rules.ts'
import { checkLargeMetadata } from './object-meta.ts'
import { deduplicateOwnerReferences } from './owner-references.ts'
import { type Registry, type Written, writeContext } from './registry.ts'
import { withConversions } from './remote-conversions.ts'
import type { WriteContext } from './strategy.ts'
import { admissionRequest, type WriteRequest } from './write-request.ts'
import { addWarnings } from './write-warnings.ts'

/** How often a taken generated name is tried again. */
const maxNameAttempts = 8

/** `body` is in the request's version, decoded and defaulted; the registry owns it, except its interned parts. */
export async function create(registry: Registry, body: KubeObject, request: WriteRequest): Promise<Written> {
  const draft = deduplicateOwnerReferences(body, request.warn, { admitted: false })
  wipeMetadata(draft, registry.gate('release:omitsZeroTime'))
  if (draft.metadata.managedFields === undefined) {
    if (request.isLarge === true) {
      await inTurns(manageCreatedFieldsInSteps(registry, draft, request))
      await nextTurn()
    } else manageCreatedFields(registry, draft, request)
    return createOwned(registry, draft, request)
  }
  const owned = await withConversions(registry.definition, request, () =>
    request.isLarge === true
      ? inTurns(manageUpdatedFieldsInSteps(registry, undefined, draft, request))
      : manageUpdatedFields(registry, undefined, draft, request),
  )
  return createOwned(registry, owned, request)
}

async function createOwned(registry: Registry, owned: KubeObject, request: WriteRequest): Promise<Written> {
  const { written, draft } = await tryCreate(registry, { owned }, request)
  if (written === undefined) throw await taken(registry, draft)
  return written
}

interface TriedCreate {
  /** Undefined when the name is taken. */
  readonly written: Written | undefined
  /** What was tried to write last. */
  readonly draft: KubeObject
}

export interface OwnedDraft {
  readonly owned: KubeObject
  /** Where updates and applies create it, whatever name plugins give it; otherwise it is where its name says. */
  readonly key?: string
}

/** The part after managed fields were recorded: updates and applies create through this, too. */
export async function tryCreate(
  registry: Registry,
  { owned, key }: OwnedDraft,
  request: WriteRequest,
): Promise<TriedCreate> {
  const { definition, admission } = registry
  settleNamespace(registry, owned, request)
  const { versions, writes } = definition.model
  writes.prepareNew(owned)
  const convert = (): KubeObject => versions.toWorking(definition, request.version, owned)
  const hub = request.isLarge === true ? await inTurns(rulesInSteps(convert)) : convert()
  const name = hub.metadata.name ?? ''
  const subject = { operation: 'CREATE', name, object: hub, oldObject: undefined } as const
  const { managedFields } = hub.metadata
  const mutating = admission.mutate(admissionRequest(registry, request, subject))
  const mutated = (mutating instanceof Promise ? await mutating : mutating) ?? hub
  if (request.isLarge === true) await nextTurn()
  const reading = withReadableOwners(mutated, managedFields, request.warn)
  const readable = reading instanceof Promise ? await reading : reading
  const admitted = deduplicateOwnerReferences(readable, request.warn, { admitted: true })
  const form: WrittenForm = { version: request.version, isAdmitted: mutated !== hub }
  // Plugins see the version that an update which creates has, whatever it is.
  if (key !== undefined) checkVersionSyntax(admitted.metadata.resourceVersion ?? '')
  const generated = (admitted.metadata.name ?? '') === '' && (admitted.metadata.generateName ?? '') !== ''
  for (let attempt = 1; ; attempt++) {
    const draft = generated ? ownDraft(admitted) : admitted
    const written = await createOnce(registry, { draft, form, asked: name, key }, request)
    if (written !== undefined || !generated || attempt === maxNameAttempts) return { written, draft }
  }
}

/** The mutable copy of one attempt: the object and its direct members, except those that are interned. */
function ownDraft(object: KubeObject): KubeObject {
  const draft = copyObject(object)
  for (const name of Object.keys(draft)) {
    const member = draft[name]
    if (isJsonObject(member) && !isInterned(member)) draft[name] = copyObject(member)
  }
  return draft
}

interface NewObject {
  readonly draft: KubeObject
  readonly form: WrittenForm
  /** The name that was asked for, whatever plugins made of it; empty where one is generated. */
  readonly asked: string
  readonly key: string | undefined
}

/** Undefined when the name is taken. */
async function createOnce(
  registry: Registry,
  { draft, form, asked, key }: NewObject,
  request: WriteRequest,
): Promise<Written | undefined> {
  const { definition, admission, storage } = registry
  const context = writeContext(registry, request)
  fillMetadata(registry, draft)
  const reserving = definition.strategy.beginCreate?.(draft, context)
  const reservation = reserving === undefined ? undefined : await reserving
  let outcome: WriteOutcome = 'refused'
  try {
    if (request.isLarge === true) await inTurns(checkLargeMetadata(draft.metadata))
    const prepared = prepare(registry, draft, context, request)
    if (prepared !== undefined) await prepared
    if (request.isLarge === true) await nextTurn()
    const name = draft.metadata.name ?? ''
    const subject = { operation: 'CREATE', name: asked || name, object: draft, oldObject: undefined } as const
    const validating = admission.validate(admissionRequest(registry, request, subject))
    if (validating !== undefined) await validating
    if (request.isLarge === true) await nextTurn()
    definition.strategy.beforeStore?.(draft, undefined)
    if (request.dryRun) {
      const existing = await storage.newest(key ?? entryKey(draft.metadata.namespace ?? '', name))
      if (existing !== undefined) return undefined
      const stored = await definition.model.versions.toStored(definition, draft, form)
      if (request.isLarge === true) await storage.encodeAhead(stored)
      return storage.preview(stored)
    }
    // An update that creates has a version that there is nothing to compare with: plugins see it, and nothing else does.
    if (key === undefined) refuseVersion(draft)
    delete draft.metadata.resourceVersion
    delete draft.metadata.selfLink
    const entry = await writeNew(registry, { draft, form, key }, request)
    if (entry !== undefined) outcome = 'written'
    return entry
  } catch (error) {
    outcome = outcomeOfFailure(error)
    throw error
  } finally {
    if (reservation !== undefined) await commitOrRollBack(definition.strategy, reservation, outcome)
  }
}

async function writeNew(
  { definition, storage }: Registry,
  { draft, form, key }: Omit<NewObject, 'asked'>,
  request: WriteRequest,
): Promise<Written | undefined> {
  for (let object = draft; ; ) {
    try {
      const forming = definition.model.versions.toStored(definition, object, form)
      const stored = forming instanceof Promise ? await forming : forming
      if (request.isLarge === true) await storage.encodeAhead(stored)
      return await storage.create(stored, key)
    } catch (error) {
      object = dropManagedFields(object, request, error)
    }
  }
}

/** What only the server writes is not taken from the body. A time that is not known yet is null, or left out by later releases. */
export function wipeMetadata({ metadata }: KubeObject, omitsTime: boolean): void {
  if (omitsTime) delete metadata.creationTimestamp
  else metadata.creationTimestamp = null
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  delete metadata.uid
  delete metadata.selfLink
}

function fillMetadata({ clock, definition }: Registry, { metadata }: KubeObject): void {
  metadata.creationTimestamp = formatTime(instantOfMillis(clock.now()))
  metadata.uid = clock.uuid()
  if ((metadata.generateName ?? '') !== '' && (metadata.name ?? '') === '') {
    const base = metadata.generateName ?? ''
    metadata.name = definition.strategy.nameFrom?.(base) ?? generateName(base, clock)
  }
}

/** A promise where validation takes long. */
function prepare(
  registry: Registry,
  draft: KubeObject,
  context: WriteContext,
  request: WriteRequest,
): Promise<void> | undefined {
  const { definition } = registry
  const { strategy } = definition
  settleNamespace(registry, draft, request)
  if (strategy.generation !== undefined) draft.metadata.generation = 1
  strategy.prepareForCreate?.(draft, context)
  const conclude = (own: readonly FieldError[] | undefined): Awaitable<undefined> => {
    refuseErrors(registry, draft, own)
    return addWarnings(() => strategy.warningsOnCreate?.(draft, context), context, request.isLarge)
  }
  const slow = strategy.validateInTurns?.(draft, undefined, context)
  if (slow instanceof Promise) return slow.then(conclude)
  const rules = (): FieldError[] => limitErrors(() => strategy.validate?.(draft, context) ?? [])
  if (request.isLarge !== true) return conclude(slow ?? rules())
  return Promise.resolve(slow ?? inTurns(rulesInSteps(rules))).then((found) => nextTurn().then(() => conclude(found)))
}

/** `own` is what the kind's rules found; the rest is about metadata. */
function refuseErrors({ definition }: Registry, draft: KubeObject, own: readonly FieldError[] | undefined): void {
  const { namespaced, model, strategy } = definition
  const checks = new MetadataChecks({ metadata: draft.metadata, namespaced })
  let errors = strategy.validateMetadata?.(checks, draft) ?? checks.validate()
  if (own !== undefined) pushAll(errors, own)
  if (errors.length === 0) errors = checks.validateGeneric()
  if (errors.length > 0) throw invalid(model.writes.refusedAs(definition, draft), draft.metadata.name ?? '', errors)
}

/** Before plugins see the object, and once more after they changed it. */
function settleNamespace({ definition }: Registry, { metadata }: KubeObject, request: WriteRequest): void {
  const requested = definition.namespaced ? request.namespace : ''
  const own = metadata.namespace ?? ''
  if (own !== '' && requested !== '' && own !== requested) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  if (requested !== '') metadata.namespace = requested
  else if (metadata.namespace !== undefined) delete metadata.namespace
}

/** As the reference: a version that reads as a number is an error, any other text is ignored. */
/** An empty text is no version. */
export function checkVersionSyntax(given: string): void {
  if (given === '') return
  const problem = !/^\d+$/.test(given) ? 'invalid syntax' : BigInt(given) >= 2n ** 64n ? 'value out of range' : ''
  if (problem !== '') throw unknownError(`strconv.ParseUint: parsing ${quote(given)}: ${problem}`)
}

function refuseVersion({ metadata }: KubeObject): void {
  if (/^\d+$/.test(metadata.resourceVersion ?? '') && Number(metadata.resourceVersion) !== 0) {
    throw unknownError('resourceVersion should not be set on objects to be created')
  }
}

async function taken({ definition, storage }: Registry, { metadata }: KubeObject): Promise<Error> {
  if ((metadata.generateName ?? '') !== '') return generatedNameTaken(definition, metadata.name ?? '')
  const error = alreadyExists(definition, metadata.name ?? '')
  const current = await storage.newest(entryKey(metadata.namespace ?? '', metadata.name ?? ''))
  const isGone = current === undefined || current.unreadable !== undefined
  if (isGone || current.object().metadata.deletionTimestamp == null) return error
  return error.withMessage(`object is being deleted: ${error.message}`)
}
