/**
 * Patch: the content type says how the body changes the object. Every patch is a pure function of the current object,
 * run again when the write loses a race; what comes out is decoded and defaulted like any body. What a patch leaves as
 * it was is the current object's own, which all that follows sees by identity and does not look into again.
 */
import { shareEqualInSteps } from '../api/equal-in-steps.ts'
import { quote } from '../api/field-error.ts'
import { copyObjectWritings } from '../api/given-writing.ts'
import { isJsonObject, type JsonObject, type JsonValue, shareEqual } from '../api/json.ts'
import { listKeysInSteps } from '../api/large-values.ts'
import type { KubeObject } from '../api/object.ts'
import type { RequestContext } from '../api/request-context.ts'
import { badRequest, conflict, unsupportedMediaType } from '../api/status-error.ts'
import { decodeCborBodyInSteps } from '../codec/cbor.ts'
import { DecodeError } from '../codec/decode-error.ts'
import { JsonDocument } from '../codec/json.ts'
import { parseTree, parseTreeInSteps } from '../codec/json-parser.ts'
import { negotiateAnswer } from '../codec/negotiation.ts'
import { decodeYamlInSteps, yamlStrictError } from '../codec/yaml.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { inTurns, runToEnd, type Steps } from '../lib/in-turns.ts'
import { applyJsonPatch, parseJsonPatch, patchedTree } from '../patch/json-patch.ts'
import { applyMergePatch, applyMergePatchInSteps, mergedTree } from '../patch/merge-patch.ts'
import { leadsToRaw, mergesRaw, pointsToRaw, withSortedRaw } from '../patch/raw-json.ts'
import { applyStrategicMergePatch, applyStrategicMergePatchInSteps } from '../patch/strategic-merge-patch.ts'
import { applyConfiguration, manageUpdatedFields, manageUpdatedFieldsInSteps } from '../registry/managed-fields.ts'
import {
  applyCbor,
  applyYaml,
  invalidPatched,
  jsonPatch,
  mergePatch,
  noTypeMeta,
  type PatchedValue,
  type PatchFormat,
  strategicPatch,
} from '../registry/model/patch-format.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { Strategy } from '../registry/strategy.ts'
import { type UpdateChange, update } from '../registry/update.ts'
import { isLarge, type WriteRequest } from '../registry/write-request.ts'
import { sortKeys } from '../schema/json-shape.ts'
import { fromTreeInSteps, hasUnusualNumber, type JsonNode, toTree } from '../schema/json-tree.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { type AnswerSettings, answerObject } from './answer.ts'
import { type Configuration, decodeConfiguration } from './apply-body.ts'
import { type FieldValidation, readRequestBody } from './request-body.ts'
import { patchTypeOf, routeAccepts, routeRules } from './route-rules.ts'
import { placeObject, type WriteTarget } from './write.ts'
import { type WriteOptions, writeOptions, writeRequest } from './write-options.ts'

/** The patch types of a resource, in the order in which refusals list them. */
export function patchTypes(
  { model }: Pick<ResourceDefinition, 'model'>,
  { mediaTypes }: AnswerSettings,
): readonly string[] {
  const cborEnabled = mediaTypes.some(({ encoding }) => encoding === 'cbor')
  return cborEnabled ? [...model.patch.types, applyCbor] : model.patch.types
}

export async function handlePatch(
  context: RequestContext,
  settings: AnswerSettings,
  target: WriteTarget,
  strategy: Strategy,
): Promise<void> {
  const { change, request } = await readPatch(context, settings, target, strategy)
  const { written, created } = await update(target.registry, change, request)
  await answerObject(context, settings, target, { status: created ? 201 : 200, written })
}

/** The change that the request's body means. `types`: the patch types of the endpoint. */
export async function readPatch(
  context: RequestContext,
  settings: AnswerSettings,
  target: WriteTarget,
  strategy: Strategy,
  types: readonly string[] = patchTypes(target.registry.definition, settings),
): Promise<{ readonly change: UpdateChange; readonly request: WriteRequest }> {
  const type = patchTypeOf(context)
  if (!types.includes(type)) {
    throw routeAccepts(context, types)
      ? unsupportedMediaType(types)
      : routeRules(target.registry.definition).unsupportedPatch(context, types)
  }
  negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  const bytes = await readRequestBody(context)
  const isApply = type === applyYaml || type === applyCbor
  const options = writeOptions(context, 'PatchOptions', isApply)
  const request = writeRequest(context, target, options, { applies: isApply })
  const { audit } = context
  if (audit !== undefined) {
    const noting = audit.requestPatch(() => patchBody(type, bytes))
    if (isLarge(bytes.length)) await inTurns(noting)
    else runToEnd(noting)
  }
  const patch: PatchRequest = { context, target, type, bytes, options, request }
  return { change: isApply ? applyChange(patch, strategy, settings) : patchChange(patch, strategy), request }
}

/** The route itself refuses a patch of another type, before anything is said about the resource. */
export function gatePatchType(context: RequestContext, settings: AnswerSettings, target: WriteTarget): void {
  if (context.info.verb !== 'patch') return
  const types = patchTypes(target.registry.definition, settings)
  const rules = routeRules(target.registry.definition)
  if (!rules.takesPatch(context, types)) throw rules.unsupportedPatch(context, types)
}

/** For the audit log: what is no patch at all is recorded as the text that it is. */
function* patchBody(type: string, bytes: Buffer): Steps<JsonValue> {
  try {
    if (type === applyCbor) return yield* decodeCborBodyInSteps(bytes)
    if (type === applyYaml) return (yield* decodeYamlInSteps(bytes)).value
    const document = isLarge(bytes.length) ? yield* JsonDocument.inSteps(bytes) : new JsonDocument(bytes)
    return yield* document.valueInSteps()
  } catch {
    return bytes.toString('utf8')
  }
}

interface PatchRequest {
  readonly context: RequestContext
  readonly target: WriteTarget
  readonly type: string
  readonly bytes: Buffer
  readonly options: WriteOptions
  readonly request: WriteRequest
}

/** The body is read when there is an object that it may change: whatever is wrong with it, a missing object is missing. */
function patchChange(patch: PatchRequest, strategy: Strategy): UpdateChange {
  const patching: Patching = { patch, patcher: undefined, isFirst: true }
  return { strategy, apply: (current, _, large) => taken(patchedInSteps(patching, current, large), large) }
}

/** What the attempts of one request share. */
interface Patching {
  readonly patch: PatchRequest
  patcher: Patcher | undefined
  isFirst: boolean
}

/**
 * Generators of a request are those of the module, here and below: each closure that is one has a prototype and a hidden class of its own, and
 * whoever takes its steps stays slow.
 */
function* patchedInSteps(patching: Patching, current: KubeObject, isLargeChange: boolean): Steps<KubeObject> {
  const { patch } = patching
  const { context, target, request, type } = patch
  patching.patcher ??= yield* compilePatch(patch)
  yield
  if (isLargeChange) yield* listKeysInSteps(current)
  const result = yield* patching.patcher(current)
  yield
  const decoded = yield* decodePatched(target, result, {
    current,
    typed: type === strategicPatch,
    isLarge: isLargeChange,
  })
  const problems = [...result.strict, ...decoded.strict]
  // Warnings are for the request, not for each attempt.
  if (patching.isFirst) reportPatchProblems(context, problems, patch.options.fieldValidation, current)
  patching.isFirst = false
  yield
  const whole = yield* completed(patch, { object: decoded.object, current, isLarge: isLargeChange })
  yield
  const patched = isLargeChange
    ? yield* manageUpdatedFieldsInSteps(target.registry, current, whole, request)
    : manageUpdatedFields(target.registry, current, whole, request)
  copyObjectWritings(patched, decoded.object as KubeObject)
  return patched
}

const taken = <T>(steps: Steps<T>, large: boolean): Awaitable<T> => (large ? inTurns(steps) : runToEnd(steps))

/** What a patch made, with what it left out, as an object of the path. */
function* completed(
  { context, target }: PatchRequest,
  {
    object,
    current,
    isLarge: isLargeChange,
  }: { object: JsonObject; current: KubeObject | undefined; isLarge: boolean },
): Steps<KubeObject> {
  const { withDefaults, withDefaultsInSteps } = target.version
  const whole = (
    isLargeChange && withDefaultsInSteps !== undefined
      ? yield* withDefaultsInSteps(object)
      : (withDefaults?.(object, current) ?? object)
  ) as KubeObject
  return placeObject(context, target, isJsonObject(whole.metadata) ? whole : { ...whole, metadata: {} })
}

interface PatchResult {
  readonly value: JsonValue
  readonly strict: readonly string[]
  /** The value as errors show it. */
  readonly shown?: () => JsonNode
  /** The value alone has lost how its numbers were written. */
  readonly exact?: boolean
}

type Patcher = (current: KubeObject) => Steps<PatchResult>

/** Without field validation the reference reads a patch in another way, which words its errors otherwise. */
function* compilePatch({ type, bytes, target, options }: PatchRequest): Steps<Patcher> {
  const lenient = options.fieldValidation === 'Ignore'
  const large = isLarge(bytes.length)
  const strictly = (why: string): string => `error decoding patch: ${why}`
  const { inShownOrder } = target.registry.definition.model.patch
  const { schema } = target.version
  if (type === jsonPatch) {
    const unusual = new Set<string>()
    const word = lenient ? undefined : strictly
    const tree = large
      ? yield* decodedPatchSteps(parseTreeInSteps(bytes, unusual), word)
      : decodedPatch(() => parseTree(bytes, unusual), word)
    yield
    const patch = parseJsonPatch(tree, { lenient, unusual })
    yield
    const exact = patch.exact || patch.operations.some(({ path = '' }) => pointsToRaw(path, schema))
    return (current) => jsonPatched(current, patch, { exact, large, inShownOrder })
  }
  if (type === mergePatch) {
    const reading = readMerge(bytes, { large, passesAny: lenient })
    const { document, body, strict } = yield* decodedPatchSteps(
      reading,
      lenient ? () => 'Invalid JSON Patch' : strictly,
    )
    // The exact tree takes longer to make than the object: few patches need it.
    const reachesRaw = leadsToRaw(schema) && mergesRaw(document.tree(), schema)
    const exact = reachesRaw || (!document.isPlain && hasUnusualNumber(document.tree()))
    return (current) => mergePatched(current, { document, body, strict }, { exact, large, inShownOrder, lenient })
  }
  const { body, strict } = yield* decodedPatchSteps(readMerge(bytes, { large, passesAny: false }))
  return (current) => strategicPatched(current, { body, strict }, { schema, large })
}

interface PatchedForm {
  readonly exact: boolean
  readonly large: boolean
  readonly inShownOrder: PatchFormat['inShownOrder']
}

interface MergeBody {
  readonly document: JsonDocument
  readonly body: JsonValue
  readonly strict: readonly string[]
}

/** `passesAny`: what only passes through may hold any number. */
function* readMerge(
  bytes: Buffer,
  { large, passesAny }: { readonly large: boolean; readonly passesAny: boolean },
): Steps<MergeBody> {
  const document = large ? yield* JsonDocument.inSteps(bytes) : new JsonDocument(bytes)
  const body = passesAny ? yield* fromTreeInSteps(document.tree()) : yield* document.valueInSteps()
  yield
  return { document, body, strict: large ? yield* document.duplicatesInSteps() : document.duplicates() }
}

function* jsonPatched(
  current: KubeObject,
  patch: ReturnType<typeof parseJsonPatch>,
  { exact, large, inShownOrder }: PatchedForm,
): Steps<PatchResult> {
  const patched = applyJsonPatch(current, patch)
  yield
  return {
    value: large ? yield* shareEqualInSteps(patched, current) : shareEqual(patched, current),
    strict: patch.strict,
    shown: () => patchedTree(inShownOrder(current), patch),
    exact,
  }
}

function* mergePatched(
  current: KubeObject,
  { document, body, strict }: MergeBody,
  { exact, large, inShownOrder, lenient }: PatchedForm & { readonly lenient: boolean },
): Steps<PatchResult> {
  return {
    value: large
      ? yield* applyMergePatchInSteps(current, body, { lenient })
      : applyMergePatch(current, body, { lenient }),
    strict,
    shown: () => mergedTree(inShownOrder(current), document.tree()),
    exact,
  }
}

function* strategicPatched(
  current: KubeObject,
  { body, strict }: Pick<MergeBody, 'body' | 'strict'>,
  { schema, large }: { readonly schema: ObjectSchema; readonly large: boolean },
): Steps<PatchResult> {
  if (!large) {
    const merged = withSortedRaw(applyStrategicMergePatch(current, body, schema), schema)
    return { value: shareEqual(merged, current), strict }
  }
  const merged = yield* applyStrategicMergePatchInSteps(current, body, schema)
  yield
  return { value: yield* shareEqualInSteps(withSortedRaw(merged, schema), current), strict }
}

function decodedPatch<T>(decode: () => T, word = (why: string): string => why): T {
  try {
    return decode()
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(word(error.message))
    throw error
  }
}

function* decodedPatchSteps<T>(steps: Steps<T>, word = (why: string): string => why): Steps<T> {
  try {
    return yield* steps
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(word(error.message))
    throw error
  }
}

/** A patch whose result is not an object of the kind is a 422. */
function* decodePatched(
  { version, registry }: WriteTarget,
  result: PatchResult,
  { current, typed, isLarge: isLargePatch }: Pick<PatchedValue, 'current' | 'typed' | 'isLarge'>,
) {
  const { value, shown = () => toTree(sortKeys(value)), exact = false } = result
  if (!isJsonObject(value)) throw invalidPatched(shown, noTypeMeta(shown()))
  const { definition } = registry
  return yield* definition.model.patch.decodePatched(
    { definition, version },
    { value, current, typed, shown, exact, isLarge: isLargePatch },
  )
}

function reportPatchProblems(
  context: RequestContext,
  problems: readonly string[],
  validation: FieldValidation,
  current: KubeObject,
): void {
  if (problems.length === 0 || validation === 'Ignore') return
  if (validation === 'Strict') {
    throw badRequest(
      `${current.kind} ${quote(current.metadata.name ?? '')} cannot be patched: strict decoding error: ${problems.join(', ')}`,
    )
  }
  for (const problem of problems) context.warn(problem)
}

function applyChange(patch: PatchRequest, strategy: Strategy, settings: AnswerSettings): UpdateChange {
  const { context, request } = patch
  const applying: Applying = { patch, configuration: undefined, isFirst: true }
  const create = async (): Promise<KubeObject> => {
    const large = request.isLarge === true
    const fresh = await taken(appliedInSteps(applying, undefined, large), large)
    await settings.authorizeCreate(context)
    return fresh
  }
  const mayCreate = request.subresource === '' || strategy.createsByApply === true
  return {
    strategy,
    apply: (current, hub, large) => taken(appliedInSteps(applying, { current, hub }, large), large),
    ...(mayCreate ? { create } : {}),
  }
}

/** What the attempts of one request share. */
interface Applying {
  readonly patch: PatchRequest
  configuration: Configuration | undefined
  isFirst: boolean
}

/** `there`: the object in the version of the request, and as it is kept. */
function* appliedInSteps(
  applying: Applying,
  there: { readonly current: KubeObject; readonly hub: KubeObject } | undefined,
  isLargeChange: boolean,
): Steps<KubeObject> {
  const { patch } = applying
  const { context, target, request } = patch
  const { fieldValidation, force = false } = patch.options
  const { definition } = target.registry
  const current = there?.current
  applying.configuration ??= yield* decodeConfiguration(patch.type, patch.bytes)
  const { config, duplicates } = applying.configuration
  yield
  const applied = yield* applyConfiguration(target.registry, current, config, request, {
    force,
    unknownFields: fieldValidation === 'Strict' ? 'refuse' : 'drop',
  })
  if (applying.isFirst && fieldValidation === 'Warn') {
    for (const path of applied.unknownFields) {
      context.warn(`unknown field ${quote(path.replace(/^\./, ''))}`)
      yield
    }
  }
  // A conflict comes before the complaint about the text.
  if (applying.isFirst) reportDuplicates(context, duplicates, fieldValidation)
  applying.isFirst = false
  if (applied.isSame && there !== undefined && there.hub !== current) {
    return withOwners(there.hub, applied.object as KubeObject)
  }
  yield
  const decoded = yield* definition.model.patch.decodeApplied(
    { definition, version: target.version },
    { value: applied.object, current, config, isLarge: isLargeChange },
  )
  if (current === undefined) checkNoUid(target, config, context.info.name)
  return yield* completed(patch, { object: decoded, current, isLarge: isLargeChange })
}

function withOwners(object: KubeObject, { metadata: { managedFields } }: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } }
}

function reportDuplicates(context: RequestContext, duplicates: readonly string[], validation: FieldValidation): void {
  if (duplicates.length === 0 || validation === 'Ignore') return
  if (validation === 'Strict') {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${yamlStrictError(duplicates)}`)
  }
  for (const duplicate of duplicates) context.warn(duplicate)
}

/** A configuration with a uid is meant for an object that exists. */
function checkNoUid({ registry }: WriteTarget, config: JsonObject, name: string): void {
  const { uid } = isJsonObject(config['metadata']) ? config['metadata'] : {}
  if (typeof uid !== 'string' || uid === '') return
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
  throw conflict(registry.definition, name, why)
}
