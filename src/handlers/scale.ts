/**
 * The scale subresource: one object seen as an `autoscaling/v1` Scale. A write makes the Scale of the current object,
 * changes that as it would change any object, and carries the replicas, the version and who owns the replicas back.
 */

import type { Admission, AdmissionRequest } from '../api/admission.ts'
import { invalid as invalidField } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { formatGroupVersion, type GroupVersion } from '../api/group-version.ts'
import { type JsonObject, setKey } from '../api/json.ts'
import { checkSubdomainName } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { objectNotFound } from '../api/object-key.ts'
import type { RequestContext } from '../api/request-context.ts'
import { ApiError, badRequest, conflict, internalError, invalid, methodNotSupported } from '../api/status-error.ts'
import { entryKey } from '../cache/snapshot.ts'
import { typesOf } from '../catalog/catalog.ts'
import { negotiateAnswer } from '../codec/negotiation.ts'
import { showObject } from '../codec/views.ts'
import { inTurns, runToEnd } from '../lib/in-turns.ts'
import { SideTable } from '../lib/memo.ts'
import { fromScaleFields, type ReplicasPaths, toScaleFields } from '../patch/apply/scale-fields.ts'
import { objectInVersion } from '../registry/convert.ts'
import { manageUpdatedFields } from '../registry/managed-fields.ts'
import { typedModel } from '../registry/model/typed-model.ts'
import { validateObjectMeta } from '../registry/object-meta.ts'
import type { Registry } from '../registry/registry.ts'
import type { ResourceDefinition, ResourceVersion } from '../registry/resource-definition.ts'
import type { Strategy } from '../registry/strategy.ts'
import type { ScaleSubresource } from '../registry/subresource.ts'
import { type UpdateChange, update } from '../registry/update.ts'
import type { WriteRequest } from '../registry/write-request.ts'
import { type AnswerSettings, answerValue } from './answer.ts'
import { auditObject } from './audited-body.ts'
import { askedCache } from './get.ts'
import { gatePatchType, patchTypes, readPatch } from './patch.ts'
import { decodeBody, readRequestBody, reportStrict } from './request-body.ts'
import { requestView } from './request-view.ts'
import { expectedBody, placeObject, type WriteTarget } from './write.ts'
import { writeOptions, writeRequest } from './write-options.ts'

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' }

export async function handleScale(
  context: RequestContext,
  settings: AnswerSettings,
  target: WriteTarget,
  scale: ScaleSubresource,
): Promise<void> {
  const { verb } = context.info
  if (verb === 'get' && scale.verbs.has('get')) return showScale(context, settings, target, scale)
  if (verb === 'update' && scale.verbs.has('update')) return replaceScale(context, settings, target, scale)
  if (verb === 'patch' && scale.verbs.has('patch')) return patchScale(context, settings, target, scale)
  throw methodNotSupported(target.registry.definition, verb)
}

async function showScale(
  context: RequestContext,
  settings: AnswerSettings,
  target: WriteTarget,
  scale: ScaleSubresource,
): Promise<void> {
  const { info } = context
  negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  const cache = await askedCache(context, target.registry)
  const entry = cache.get(entryKey(info.namespace, info.name))
  if (entry === undefined) throw objectNotFound(target.registry.definition, info.name)
  const object = await objectInVersion(target.registry.definition, target.version, entry.object())
  if (scale.isUnset?.(object) === true) throw internalError(`the spec replicas field ${pathOf(scale)} does not exist`)
  if (scale.prepare !== undefined) await inTurns(scale.prepare(object))
  answerScale(context, settings, target, { object, scale })
}

function answerScale(
  context: RequestContext,
  settings: AnswerSettings,
  target: WriteTarget,
  { object, scale }: { readonly object: KubeObject; readonly scale: ScaleSubresource },
): void {
  const choice = negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  const shown = requestView(context, target, choice, settings.now())
  const { table = shown.context.table } = scale
  const view = { ...shown.context, table, goType: scale.goType }
  const value = runToEnd(showObject(scaleIn(target, scale.toScale(object)), shown.view, view))
  answerValue(context, settings, { status: 200, value, schema: shown.schema ?? scaleVersion(target).schema, choice })
}

async function replaceScale(
  context: RequestContext,
  settings: AnswerSettings,
  target: WriteTarget,
  scale: ScaleSubresource,
): Promise<void> {
  const seen = asScale(target)
  negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  const bytes = await readRequestBody(context)
  const options = writeOptions(context, 'UpdateOptions')
  const expected = expectedBody(seen)
  const decode = async () => decodeBody(context, bytes, expected, settings.mediaTypes)
  const decodeFirst = async () => {
    const decoded = await decode()
    reportStrict(context, decoded, options.fieldValidation, expected)
    return decoded
  }
  const first = await decodeScale(decodeFirst, scale)
  await auditObject(context, first.object, settings.release)
  placeObject(context, seen, first.object)
  const request = writeRequest(context, seen, options)
  const { uid } = first.object.metadata
  const apply = async (current: KubeObject): Promise<KubeObject> => {
    const body = placeObject(context, seen, (await decode()).object)
    return manageUpdatedFields(seen.registry, current, body, request)
  }
  const { strategy } = target.registry.definition
  const change: UpdateChange = { strategy, apply, ...(uid === undefined ? {} : { uid }) }
  await writeScale(context, settings, target, { scale, change, request })
}

async function decodeScale<T>(decode: () => Promise<T>, { malformed }: ScaleSubresource): Promise<T> {
  try {
    return await decode()
  } catch (error) {
    if (malformed === undefined || !(error instanceof ApiError) || error.code !== 400) throw error
    throw badRequest(malformed)
  }
}

async function patchScale(
  context: RequestContext,
  settings: AnswerSettings,
  target: WriteTarget,
  scale: ScaleSubresource,
): Promise<void> {
  const { definition } = target.registry
  // By the object's own kind: a Scale of a custom object is refused as the object itself is.
  gatePatchType(context, settings, target)
  const types = patchTypes(definition, settings)
  const { change, request } = await readPatch(context, settings, asScale(target), definition.strategy, types)
  await writeScale(context, settings, target, { scale, change, request })
}

interface ScaleWrite {
  readonly scale: ScaleSubresource
  /** Of the Scale. */
  readonly change: UpdateChange
  readonly request: WriteRequest
}

async function writeScale(
  context: RequestContext,
  settings: AnswerSettings,
  target: WriteTarget,
  { scale, change, request }: ScaleWrite,
): Promise<void> {
  const { definition } = target.registry
  const paths = replicasPaths(definition)
  const seen: SeenScales = { before: undefined, after: undefined }
  const apply: UpdateChange['apply'] = async (current, _, isLarge) => {
    if (scale.prepare !== undefined) await inTurns(scale.prepare(current))
    const managed = toScaleFields(current.metadata.managedFields, paths)
    // An apply owns what it says; what is unset has no owner that it could conflict with.
    const shown = request.applies === true ? scale.toScale(current) : writableScale(scale, current)
    const before = scaleIn(target, shown)
    if (managed !== undefined) before.metadata.managedFields = managed
    const after = await change.apply(before, before, isLarge)
    Object.assign(seen, { before, after })
    const given = (after['spec'] as { replicas?: number } | undefined)?.replicas
    const isStillUnset =
      given === unsetReplicas
        ? scale.isUnset !== undefined
        : given === undefined && isUnsetApply(scale, request, current)
    if (isStillUnset) {
      throw badRequest(`the spec replicas field ${pathOf(scale)} cannot be empty`)
    }
    checkScale(definition, scale, after, current)
    const { apiVersion } = target.version
    const entries = fromScaleFields(current.metadata.managedFields, after.metadata.managedFields, { apiVersion, paths })
    // A scale without a version is of whatever there is.
    const resourceVersion = after.metadata.resourceVersion || current.metadata.resourceVersion
    return withVersion(scale.withReplicas(current, replicasOf(after)), resourceVersion, entries)
  }
  const strategy = asRead(change.strategy, scale)
  const parent: UpdateChange = { strategy, apply, ...(change.uid === undefined ? {} : { uid: change.uid }) }
  const registry = { ...target.registry, admission: scaleAdmission(target.registry.admission, scale, seen) }
  const { written } = await update(registry, parent, { ...request, version: target.version })
  const object = await objectInVersion(definition, target.version, written.object())
  if (scale.prepare !== undefined) await inTurns(scale.prepare(object))
  answerScale(context, settings, target, { object, scale })
}

/**
 * What the schema of a custom object does not have is pruned, and what it has a default for is completed, after validation: the
 * reference does both when the object is read.
 */
const asRead = (strategy: Strategy, { prune, complete }: Pick<ScaleSubresource, 'prune' | 'complete'>): Strategy => ({
  ...strategy,
  beforeStore(draft, old) {
    strategy.beforeStore?.(draft, old)
    if (prune !== undefined) replaceMembers(draft, prune(draft))
    if (complete !== undefined) replaceMembers(draft, complete(draft))
  },
})

function replaceMembers(draft: KubeObject, by: KubeObject): void {
  for (const key of Object.keys(draft)) if (!Object.hasOwn(by, key)) delete draft[key]
  for (const key of Object.keys(by)) setKey(draft, key, by[key])
}

/** Where each version has its replicas; undefined for versions that have no scale. */
function replicasPaths(definition: ResourceDefinition): ReplicasPaths {
  return new Map(
    definition.model.versions.all(definition).map(({ apiVersion, subresources = definition.subresources }) => {
      const own = subresources.get('scale')
      return [apiVersion, own?.type === 'scale' ? own.replicasPath : undefined]
    }),
  )
}

/** What a write is shown in place of replicas that are unset: a sentinel that no client can give. */
const unsetReplicas = -(2 ** 31)

const isUnsetApply = ({ isUnset }: ScaleSubresource, { applies }: WriteRequest, current: KubeObject): boolean =>
  applies === true && isUnset?.(current) === true

const pathOf = ({ replicasPath }: ScaleSubresource): string => JSON.stringify(`.${replicasPath}`)

/** The Scale that a write changes. Mirrors customresource: scaleUpdatedObjectInfo. */
function writableScale(scale: ScaleSubresource, object: KubeObject): KubeObject {
  const shown = scale.toScale(object)
  return scale.isUnset?.(object) === true ? { ...shown, spec: { replicas: unsetReplicas } } : shown
}

const replicasOf = ({ spec }: KubeObject): number => Number((spec as { replicas?: number } | undefined)?.replicas ?? 0)

function checkScale(
  definition: ResourceDefinition,
  scale: ScaleSubresource,
  after: KubeObject,
  { metadata }: KubeObject,
): void {
  const { group, resource, namespaced } = definition
  const name = metadata.name ?? ''
  const replicas = replicasOf(after)
  if (scale.minReplicas !== undefined) {
    const errors = validateObjectMeta(after.metadata, {
      namespaced,
      validateName: checkSubdomainName,
      anyFinalizer: false,
    })
    if (replicas < scale.minReplicas) {
      errors.push(invalidField(FieldPath.of('spec', 'replicas'), replicas, 'must be greater than or equal to 0'))
    }
    if (errors.length > 0) throw invalid(scaleKind, name, errors)
  }
  const { uid = '' } = after.metadata
  if (uid === '' || uid === metadata.uid) return
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid ?? ''}`
  throw conflict({ group, resource: `${resource}/scale` }, name, why)
}

function withVersion(
  object: KubeObject,
  resourceVersion: string | undefined,
  managedFields: KubeObject['metadata']['managedFields'] | undefined,
): KubeObject {
  const { resourceVersion: _version, managedFields: _entries, ...rest } = object.metadata
  const metadata = rest as KubeObject['metadata']
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion
  if (managedFields !== undefined) metadata.managedFields = managedFields
  return { ...object, metadata }
}

/** The Scale before and after the change, with their owners: what mutating admission is shown. */
interface SeenScales {
  before: KubeObject | undefined
  after: KubeObject | undefined
}

/** Admission is asked about the Scale, not about the object behind it. */
function scaleAdmission(admission: Admission, scale: ScaleSubresource, scales: SeenScales): Admission {
  const seen = (request: AdmissionRequest): AdmissionRequest => ({
    ...request,
    kind: scaleKind,
    object: request.object && scale.toScale(request.object),
    oldObject: request.oldObject && scale.toScale(request.oldObject),
    convert: (object) => object,
  })
  return {
    async mutate(request) {
      const { before, after } = scales
      const asked = { ...seen(request), object: after, oldObject: before }
      const admitted = await admission.mutate(asked)
      const { object } = request
      if (admitted === undefined || object === undefined || asked.object === undefined) return object
      const replicas = replicasOf(admitted)
      return replicas === replicasOf(asked.object) ? object : scale.withReplicas(object, replicas)
    },
    validate: (request) => admission.validate(seen(request)),
  }
}

/** By `apiVersion` and release. */
const versions = new Map<string, ResourceVersion>()

/** The version of the Scale that a version of a resource shows: old ones have one of their own. */
function scaleVersion({ version }: WriteTarget): ResourceVersion {
  return versionOf(olderScales.has(version.apiVersion) ? version : scaleKind, version)
}

function versionOf({ group, version }: GroupVersion, { schema: shown }: ResourceVersion): ResourceVersion {
  const apiVersion = formatGroupVersion({ group, version })
  const key = `${apiVersion} ${shown.release}`
  const known = versions.get(key)
  if (known !== undefined) return known
  const kind = { group, version, kind: scaleKind.kind }
  const types = typesOf(shown)
  const schema = types.schemaForKind(kind) ?? types.typeSchema('autoscaling.v1.Scale')
  const made = { ...kind, apiVersion, schema, fieldLabels: new Map<string, string>(), resetFields: [] }
  versions.set(key, made)
  return made
}

/** Managed fields of the scale name today's version, whichever is served. */
const ownersVersion = ({ version }: WriteTarget): ResourceVersion => versionOf(scaleKind, version)

const olderScales: ReadonlySet<string> = new Set(['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2'])

/** In old versions the selector is a map, and its text has another name. */
function scaleIn({ version }: WriteTarget, scale: KubeObject): KubeObject {
  if (!olderScales.has(version.apiVersion)) return scale
  const { selector = '', replicas = 0 } = (scale['status'] ?? {}) as { selector?: string; replicas?: number }
  const labels = selector.split(',').map((pair) => pair.split('=', 2))
  const isMap = labels.every(([key = '', value]) => value !== undefined && /^[\w./-]+$/.test(key))
  const status = {
    replicas,
    ...(isMap ? { selector: Object.fromEntries(labels) as JsonObject } : {}),
    ...(selector === '' ? {} : { targetSelector: selector }),
  }
  return { ...scale, apiVersion: version.apiVersion, status }
}

const definitions = new SideTable<ResourceVersion, ResourceDefinition>()

/** The resource as if its objects were Scales: what decodes, patches and records owners sees only those. */
function asScale(target: WriteTarget): WriteTarget {
  const { definition } = target.registry
  const hub = scaleVersion(target)
  const seen = definitions.getOrMake(target.version, () => ({
    ...definition,
    kind: hub.kind,
    versions: [hub, ownersVersion(target)],
    hub,
    model: typedModel,
    subresources: new Map(),
  }))
  const registry: Registry = { ...target.registry, definition: seen }
  return { ...target, registry, version: hub }
}
