/**
 * AdmissionReviews: the question to a webhook, and its answer, checked.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/request: VerifyAdmissionResponse, CreateAdmissionObjects.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { quote } from '../../api/golang/quote.ts'
import { formatGroupVersion } from '../../api/group-version.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { withoutOmittedInSteps } from '../../api/large-values.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError, internalError, type StatusDetails } from '../../api/status-error.ts'
import { inTurns } from '../../lib/in-turns.ts'
import { SideTable } from '../../lib/memo.ts'
import { reviewRequest } from '../matching/review-request.ts'
import type { ServedForm } from '../matching/rules.ts'

export interface VersionedObjects {
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

/** Both objects in the form that the webhook or policy asked for, with what JSON shows of them. */
export async function versionedObjects(request: AdmissionRequest, { kind }: ServedForm): Promise<VersionedObjects> {
  const apiVersion = formatGroupVersion(kind)
  const convert = async (object: KubeObject | undefined): Promise<KubeObject | undefined> =>
    object === undefined || object.apiVersion === apiVersion ? object : request.convert(object, apiVersion)
  try {
    const oldObject = await convert(request.oldObject)
    const object = await convert(request.object)
    return { object: object && (await inTurns(withoutOmittedInSteps(object))), oldObject }
  } catch (error) {
    throw internalError((error as Error).message)
  }
}

/** The same, converted once for each version: for those who change nothing. */
export function sharedObjects(request: AdmissionRequest, form: ServedForm): Promise<VersionedObjects> {
  const apiVersion = formatGroupVersion(form.kind)
  let known = conversions.get(request)
  if (known === undefined) {
    known = new Map()
    conversions.set(request, known)
  }
  let objects = known.get(apiVersion)
  if (objects === undefined) {
    objects = versionedObjects(request, form)
    known.set(apiVersion, objects)
  }
  return objects
}

const conversions = new SideTable<AdmissionRequest, Map<string, Promise<VersionedObjects>>>()

export function admissionReview(
  request: AdmissionRequest,
  form: ServedForm,
  { objects, uid, version }: { objects: VersionedObjects; uid: string; version: string },
): JsonObject {
  const { dryRun, options, ...facts } = reviewRequest(request, form)
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...facts,
      object: objects.object ?? null,
      oldObject: objects.oldObject ?? null,
      dryRun,
      options,
    } as JsonObject,
  }
}

export interface ReviewAnswer {
  readonly allowed: boolean
  readonly status: JsonObject | undefined
  readonly patch: string
  readonly patchType: string
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
}

/** The answer is not one: the text says why. */
export class InvalidAnswer extends Error {}

const texts = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []

/** Throws an InvalidAnswer. */
export function readAnswer(
  review: JsonObject,
  { uid, version, mutating }: { uid: string; version: string; mutating: boolean },
): ReviewAnswer {
  const { response } = review
  if (!isJsonObject(response)) throw new InvalidAnswer('webhook response was absent')
  const patch = typeof response['patch'] === 'string' ? response['patch'] : ''
  const patchType = typeof response['patchType'] === 'string' ? response['patchType'] : undefined
  if (version === 'v1') checkV1(review, response, { uid, mutating, patch, patchType })
  const status = response['status']
  const annotations = isJsonObject(response['auditAnnotations']) ? response['auditAnnotations'] : {}
  return {
    allowed: response['allowed'] === true,
    status: isJsonObject(status) ? status : undefined,
    patch: mutating ? Buffer.from(patch, 'base64').toString('utf8') : '',
    patchType: (version === 'v1' ? patchType : undefined) ?? 'JSONPatch',
    warnings: texts(response['warnings']),
    auditAnnotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, String(value)])),
  }
}

const reviewVersion = 'admission.k8s.io/v1'
const reviewKind = 'AdmissionReview'

function checkV1(
  review: JsonObject,
  response: JsonObject,
  { uid, mutating, patch, patchType }: { uid: string; mutating: boolean; patch: string; patchType: string | undefined },
): void {
  if (response['uid'] !== uid) {
    throw new InvalidAnswer(`expected response.uid=${quote(uid)}, got ${quote(String(response['uid'] ?? ''))}`)
  }
  const [apiVersion, kind] = [review['apiVersion'] ?? '', review['kind'] ?? '']
  if (apiVersion !== reviewVersion || kind !== reviewKind) {
    const type = `${apiVersion}${apiVersion === '' ? '/' : ''}, Kind=${kind}`
    throw new InvalidAnswer(`expected webhook response of ${reviewVersion}, Kind=${reviewKind}, got ${type}`)
  }
  if (!mutating) {
    if (patch !== '') throw new InvalidAnswer('validating webhook may not return response.patch')
    if (patchType !== undefined) throw new InvalidAnswer('validating webhook may not return response.patchType')
    return
  }
  if (patch !== '' && patchType === undefined) {
    throw new InvalidAnswer('webhook returned response.patch but not response.patchType')
  }
  if (patch === '' && patchType !== undefined) {
    throw new InvalidAnswer('webhook returned response.patchType but not response.patch')
  }
  if (patchType === '') throw new InvalidAnswer('webhook returned invalid response.patchType of ""')
}

/** A denial is never a success, whatever the webhook says. Mirrors apiserver/pkg/admission/plugin/webhook/errors: ToStatusErr. */
export function denialOf(webhook: string, status: JsonObject | undefined): ApiError {
  const code = Number(status?.['code'] ?? 0)
  const [message, reason, outcome] = [status?.['message'], status?.['reason'], status?.['status']].map((text) =>
    typeof text === 'string' ? text : '',
  )
  const denied = `admission webhook ${quote(webhook)} denied the request`
  const why = message || reason
  const details = status?.['details']
  const metadata = status?.['metadata']
  const wait = isJsonObject(details) ? Number(details['retryAfterSeconds'] ?? 0) : 0
  const body = {
    code: code < 400 || !Number.isSafeInteger(code) ? 400 : code,
    ...(reason ? { reason } : {}),
    message: why ? `${denied}: ${why}` : `${denied} without explanation`,
    ...(isJsonObject(details) ? { details: details as StatusDetails } : {}),
    ...(isJsonObject(metadata) ? { metadata } : {}),
    ...(outcome && outcome !== 'Success' ? { status: outcome } : {}),
  }
  return new ApiError(body, wait > 0 ? { 'Retry-After': String(wait) } : {})
}
