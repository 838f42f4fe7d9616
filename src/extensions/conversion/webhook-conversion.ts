/**
 * Conversion between versions by a webhook. All objects of one read go in one review. The answer may change everything
 * but what an object is: its kind, name, namespace and uid; of its metadata only labels and annotations are taken.
 */
import { FieldPath } from '../../api/field-path.ts'
import { goType } from '../../api/go-value.ts'
import { parseGroupVersion } from '../../api/group-version.ts'
import { cloneJson, equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject, ObjectMeta, StringMap } from '../../api/object.ts'
import { aggregate, unknownError } from '../../api/status-error.ts'
import type { CustomResourceConversion } from '../../catalog/types/apiextensions-v1.ts'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import type { Dial } from '../../outbound/dial.ts'
import { restPost } from '../../outbound/rest-call.ts'
import { Transport } from '../../outbound/transport.ts'
import { type ResolveService, webhookAddress } from '../../outbound/webhook-address.ts'
import { validateAnnotations, validateLabels } from '../../registry/object-meta.ts'
import type { RemoteConversion } from '../../registry/resource-definition.ts'
export interface WebhookServices {
  readonly clock: Clock
  readonly resolveService: ResolveService
  /** Another way to webhooks that are services of the cluster, and to those that are named by a URL. */
  readonly dials?: { readonly service: Dial | undefined; readonly url: Dial | undefined }
  /** Told of every review. */
  readonly onConverted?: (outcome: ConversionOutcome) => void
}

/** What was wrong: there was no good answer, or not an object for each, or one that is something else now. */
export type ConversionFailure = 'call' | 'partial_response' | 'invalid_converted_object'

export interface ConversionOutcome {
  readonly from: string
  readonly to: string
  readonly failure: ConversionFailure | undefined
  readonly seconds: number
}

const timeoutMs = 30_000
/** A review holds all objects of a list. */
const maxAnswerBytes = 64 * 1024 * 1024

export function webhookConversion(
  conversion: CustomResourceConversion,
  { clock, resolveService, dials, onConverted }: WebhookServices,
): RemoteConversion {
  const { clientConfig = {}, conversionReviewVersions } = conversion.webhook ?? { conversionReviewVersions: [] }
  const version = (conversionReviewVersions ?? []).find((each) => each === 'v1' || each === 'v1beta1') ?? 'v1'
  const { caBundle = '', service } = clientConfig
  const isService = service !== undefined && service !== null
  const transport = new Transport({
    tls: {
      ca: Buffer.from(caBundle, 'base64').toString('utf8'),
      serverName: isService ? `${service.name}.${service.namespace}.svc` : undefined,
    },
    dial: dials?.[isService ? 'service' : 'url'],
    maxSockets: 32,
  })
  const ask = async (objects: readonly KubeObject[], apiVersion: string): Promise<readonly JsonValue[]> => {
    const uid = clock.uuid()
    const review = {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid, desiredAPIVersion: apiVersion, objects: objects.map(withoutVersion) },
      response: { uid: '', convertedObjects: null, result: { metadata: {} } },
    }
    const { url, open } = webhookAddress(clientConfig, `timeout=${timeoutMs / 1000}s`, resolveService)
    return restPost({
      transport,
      url,
      open,
      headers: () => ({ 'user-agent': 'kube-apiserver-admission' }),
      body: Buffer.from(
        JSON.stringify(review, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
      ),
      maxBytes: maxAnswerBytes,
      timeoutMs,
      timeoutOf: 'context',
      clock,
      read: (body) => convertedObjects(parse(body), uid, version),
    })
  }
  return {
    async convert(objects, apiVersion) {
      const wanted = objects.filter((object) => object.apiVersion !== apiVersion)
      const [first] = wanted
      if (first === undefined) return objects
      const begin = performance.now()
      let failure: ConversionFailure | undefined = 'call'
      try {
        const converted = await asking(first, () => ask(wanted, apiVersion))
        failure = 'partial_response'
        if (converted.length !== wanted.length) {
          throw unknownError(
            `conversion webhook for ${gvk(first)} returned ${converted.length} objects, expected ${wanted.length}`,
          )
        }
        failure = 'invalid_converted_object'
        let next = 0
        const all = objects.map((object) =>
          object.apiVersion === apiVersion ? object : checked(object, converted[next++], apiVersion),
        )
        failure = undefined
        return all
      } finally {
        const seconds = (performance.now() - begin) / 1000
        onConverted?.({ from: first.apiVersion, to: apiVersion, failure, seconds })
      }
    },
  }
}

/** The review has no place for the version of the cache. */
function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

async function asking<T>(about: KubeObject, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw unknownError(`conversion webhook for ${gvk(about)} failed: ${reasonOf(error)}`)
  }
}

function parse(body: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isJsonObject(value) ? value : {}
  } catch {
    throw new Error("couldn't get version/kind; json parse error: the answer is not JSON")
  }
}

function convertedObjects(review: JsonObject, uid: string, version: string): readonly JsonValue[] {
  const wanted = `apiextensions.k8s.io/${version}, Kind=ConversionReview`
  const { apiVersion = '', kind = '', response } = review
  const got = `${String(apiVersion) || '/'}, Kind=${String(kind)}`
  const other = version === 'v1' ? 'v1beta1' : 'v1'
  if (got === `apiextensions.k8s.io/${other}, Kind=ConversionReview`) {
    throw new Error(`converting (${other}.ConversionReview) to (${version}.ConversionReview): unknown conversion`)
  }
  if (version === 'v1' && got !== wanted) throw new Error(`expected webhook response of ${wanted}, got ${got}`)
  if (!isJsonObject(response)) throw new Error('no response provided')
  if (version === 'v1' && response['uid'] !== uid) {
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`)
  }
  const result = isJsonObject(response['result']) ? response['result'] : {}
  if (result['status'] !== 'Success') {
    const message = String(result['message'] ?? '')
    throw new Error(message || `response.result.status was '${String(result['status'] ?? '')}', not 'Success'`)
  }
  return Array.isArray(response['convertedObjects']) ? response['convertedObjects'] : []
}

function gvk({ apiVersion, kind }: KubeObject): string {
  return `${apiVersion}, Kind=${kind}`
}

/** Throws when the answer made something else of the object. */
function checked(original: KubeObject, answer: JsonValue | undefined, apiVersion: string): KubeObject {
  const refuse = (what: string, why: string) =>
    unknownError(`conversion webhook for ${gvk(original)} returned invalid ${what}: ${why}`)
  if (!isJsonObject(answer)) throw unknownError("Object 'Kind' is missing in 'null'")
  const { apiVersion: got, kind, metadata = null } = answer
  if (got !== apiVersion) {
    throw refuse('object at index 0', `invalid groupVersion (expected ${apiVersion}, received ${shownVersion(got)})`)
  }
  if (kind !== original.kind) {
    throw refuse('object at index 0', `invalid kind (expected ${original.kind}, received ${String(kind ?? '')})`)
  }
  const named = isJsonObject(metadata) ? metadata : {}
  for (const key of ['name', 'namespace', 'uid'] as const) {
    const [before, after] = [original.metadata[key] ?? '', named[key] ?? '']
    if (before === after) continue
    throw refuse('object', `must have the same ${key === 'uid' ? 'UID' : key}: ${before} != ${String(after)}`)
  }
  const restored = restore(original.metadata, named)
  if (typeof restored === 'string') throw refuse('metadata', restored)
  return { ...answer, metadata: restored } as KubeObject
}

const shownVersion = (value: JsonValue | undefined): string =>
  typeof value === 'string' && parseGroupVersion(value) !== undefined ? value : '/'

/** The metadata with the labels and annotations of the answer, or what is wrong with those. */
function restore(original: ObjectMeta, answer: JsonObject): ObjectMeta | string {
  const metadata = cloneJson(original as JsonObject) as ObjectMeta
  for (const key of ['labels', 'annotations'] as const) {
    const given = answer[key]
    if (given === undefined || given === null) {
      delete metadata[key]
      continue
    }
    const problem = textsProblem(key, given, original[key] ?? {})
    if (problem !== undefined) return problem
    metadata[key] = given as StringMap
  }
  return metadata
}

function textsProblem(key: 'labels' | 'annotations', given: JsonValue, before: StringMap): string | undefined {
  const inAnswer = 'in converted object'
  if (!isJsonObject(given)) return `invalid metadata.${key} of type ${goType(given)} ${inAnswer}`
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string') continue
    return `metadata.${key}[${name}] must be a string, but is ${goType(value ?? null)} ${inAnswer}`
  }
  const texts = given as StringMap
  if (equalJson(texts as JsonObject, before as JsonObject)) return undefined
  const errors =
    key === 'labels'
      ? validateLabels(texts, FieldPath.of('metadata', 'labels'))
      : validateAnnotations(texts, FieldPath.of('metadata', 'annotation'))
  return errors.length > 0 ? aggregate(errors) : undefined
}
