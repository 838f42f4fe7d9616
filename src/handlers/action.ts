/**
 * POST of something that is done rather than stored: reviews, bindings, evictions, token requests. Admission sees it as
 * the creation of an object of the action's kind: it is mutated here, and the action asks for the validating phase.
 */

import type { AdmissionRequest } from '../api/admission.ts'
import { formatGroupVersion, type GroupVersionKind, internalPackage } from '../api/group-version.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { hasChange } from '../api/release-changes.ts'
import { defaultRelease } from '../api/release-facts.ts'
import type { RequestContext } from '../api/request-context.ts'
import { badRequest } from '../api/status-error.ts'
import { formatTime, instantOfMillis } from '../api/time.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { type NegotiatedType, negotiateAnswer, negotiateBody, resourceRestrictions } from '../codec/negotiation.ts'
import { defaultTable } from '../codec/table.ts'
import { showObject, viewOf } from '../codec/views.ts'
import { inTurns, nextTurn, runToEnd } from '../lib/in-turns.ts'
import { wipeMetadata } from '../registry/create.ts'
import { recordAction, recordActionInSteps } from '../registry/managed-fields.ts'
import { typedBody } from '../registry/model/typed-body.ts'
import { deduplicateOwnerReferences } from '../registry/owner-references.ts'
import type { ServedAction } from '../registry/served-resource.ts'
import { isLarge } from '../registry/write-request.ts'
import { decodeValue } from '../schema/canonicalize.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { type AnswerSettings, answerValue, type ValueAnswer } from './answer.ts'
import { auditObject } from './audited-body.ts'
import { decodeBody, readRequestBody, reportStrict } from './request-body.ts'
import { type WriteOptions, writeOptions } from './write-options.ts'

export async function handleAction(
  context: RequestContext,
  settings: AnswerSettings,
  { action, definition, admission }: ServedAction,
): Promise<void> {
  const { info, user } = context
  const choice = negotiateAnswer(context.header('accept'), settings.mediaTypes, viewRestrictions)
  negotiateBody(context.header('content-type'), settings.mediaTypes)
  const bytes = await readRequestBody(context)
  const options = writeOptions(context, 'CreateOptions')
  const { otherVersions = [] } = action
  const expected = { kind: action.kind, otherVersions, schema: action.schema, format: typedBody }
  const decoded = await decodeBody(context, bytes, expected, settings.mediaTypes)
  reportStrict(context, decoded, options.fieldValidation, expected)
  const object = (action.withDefaults?.(decoded.object) ?? decoded.object) as KubeObject
  const noting = auditObject(context, object, settings.release)
  if (noting instanceof Promise) await noting
  const namespace = definition.namespaced ? info.namespace : ''
  if (action.keepsSystemFields !== true || info.subresource === '') {
    wipeMetadata(object, hasChange(settings.release ?? defaultRelease, 'omitsZeroTime'))
  }
  placeIn(object, namespace)
  const warn = (text: string): void => context.warn(text)
  const once = deduplicateOwnerReferences(object, warn, { admitted: false })
  const isLargeBody = isLarge(bytes.length)
  const by = {
    manager: options.fieldManager,
    subresource: info.subresource,
    time: formatTime(instantOfMillis(settings.now())),
  }
  const body = isLargeBody ? await inTurns(recordActionInSteps(action, once, by)) : recordAction(action, once, by)
  if (isLargeBody) await nextTurn()
  const asked = admissionRequest(context, { kind: action.kind, namespace, object: body, options })
  const mutated = (await admission.mutate(asked)) ?? body
  const admitted = deduplicateOwnerReferences(mutated, warn, { admitted: true })
  const { code, body: value } = await action.create({
    namespace,
    name: info.name,
    body: admitted,
    dryRun: options.dryRun,
    options: options.object,
    user,
    fieldManager: options.fieldManager,
    warn,
    annotate: (...annotation) => context.annotateAdmission(...annotation),
    admit: (object) => admission.validate({ ...asked, object }),
  })
  answerValue(context, settings, { status: code, ...shown(action, value, choice), choice })
}

/** What an action answers can be seen as its metadata only, but not as a table. */
const viewRestrictions = resourceRestrictions({ table: false })

/** A Status is shown as it is. */
function shown({ kind, schema }: ServedAction['action'], value: JsonObject, { convert }: NegotiatedType): ShownAnswer {
  if (value['kind'] === 'Status') return { value, schema: typeSchema('meta.v1.Status') }
  const object = inWireOrder({ ...value, kind: kind.kind, apiVersion: formatGroupVersion(kind) }, schema)
  const view = viewOf(convert, undefined)
  if (view.kind === 'whole') return { value: object, schema }
  const goType = `${internalPackage(kind.group)}.${kind.kind}`
  return {
    value: runToEnd(showObject(object, view, { table: defaultTable, goType, now: 0 })),
    schema: typeSchema(`meta.v1.${view.kind}`),
  }
}

function inWireOrder(value: JsonObject, schema: ObjectSchema): JsonObject {
  const decoded = decodeValue(value, schema, { empties: 'written' })
  if (decoded.error !== undefined) throw new Error(`an answer is no ${schema.name}: ${decoded.error}`)
  return decoded.object
}

type ShownAnswer = Pick<ValueAnswer, 'value' | 'schema'>

interface ActionSubject {
  readonly kind: GroupVersionKind
  readonly namespace: string
  readonly object: KubeObject
  readonly options: WriteOptions
}

function admissionRequest(
  context: RequestContext,
  { kind, namespace, object, options }: ActionSubject,
): AdmissionRequest {
  const { info, user } = context
  return {
    operation: 'CREATE',
    resource: { group: info.group, version: info.version, resource: info.resource },
    subresource: info.subresource,
    kind,
    namespace,
    name: info.name === '' ? (object.metadata.name ?? '') : info.name,
    user,
    dryRun: options.dryRun,
    options: options.object,
    object,
    oldObject: undefined,
    convert: (given, apiVersion) => (given.apiVersion === apiVersion ? given : { ...given, apiVersion }),
    warn: (text) => context.warn(text),
    annotate: (...annotation) => context.annotateAdmission(...annotation),
    waited: (what, ms) => context.waited(what, ms),
  }
}

/** The body is about the namespace of the path; where there is none, what it says about one does not count. */
function placeIn(object: KubeObject, namespace: string): void {
  const { metadata } = object
  if (namespace === '') {
    delete metadata.namespace
    return
  }
  if ((metadata.namespace ?? '') !== '' && metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  if (metadata.namespace === namespace) return
  // Refusals show the metadata in the order of its fields.
  const { name, generateName, namespace: _, ...rest } = metadata
  object.metadata = {
    ...(name !== undefined && { name }),
    ...(generateName !== undefined && { generateName }),
    namespace,
    ...rest,
  }
}
