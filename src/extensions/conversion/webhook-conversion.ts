/**
 * Conversion between versions by a webhook. All objects of one read go in one review. The answer may change everything
 * but what an object is: its kind, name, namespace and uid; of its metadata only labels and annotations are taken.
 */

import { FieldPath } from '../../api/field-path.ts'
import { quote } from '../../api/golang/quote.ts'
import { goType } from '../../api/golang/value.ts'
import { parseGroupVersion } from '../../api/group-version.ts'
import { cloneJson, equalJson, isJsonObject, type JsonObject, type JsonValue, jsonTypeName } from '../../api/json.ts'
import { jsonText } from '../../api/json-text.ts'
import type { KubeObject, ObjectMeta, StringMap } from '../../api/object.ts'
import { aggregate, unknownError } from '../../api/status-error.ts'
import type { CustomResourceConversion } from '../../catalog/types/apiextensions-v1.ts'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import type { Dial } from '../../outbound/dial.ts'
import type { ClientIdentity } from '../../outbound/kubeconfig.ts'
import { restPost } from '../../outbound/rest-call.ts'
import { loopbackOptions, Transport } from '../../outbound/transport.ts'
import { type ResolveService, webhookAddress } from '../../outbound/webhook-address.ts'
import { validateAnnotations, validateLabels } from '../../registry/object-meta.ts'
import type { RemoteConversion } from '../../registry/resource-definition.ts'
export interface WebhookServices {
  readonly clock: Clock
  /** Reads the answer to a review; throws an Error that says what is wrong with it. */
  readonly read: (body: Buffer, sent: JsonObject) => JsonObject
  readonly resolveService: ResolveService
  /** Who we are to the server with this host and port. Absent: without credentials. */
  readonly credentials?: (hostPort: string) => ClientIdentity
  /** Another way to webhooks that are services of the cluster, and to those that are named by a URL. */
  readonly dials?: { readonly service: Dial | undefined; readonly url: Dial | undefined }
  /** Called for every review. */
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
  { clock, read, resolveService, credentials, dials, onConverted }: WebhookServices,
): RemoteConversion {
  const { clientConfig = {}, conversionReviewVersions } = conversion.webhook ?? { conversionReviewVersions: [] }
  const version = (conversionReviewVersions ?? []).find((each) => each === 'v1' || each === 'v1beta1') ?? 'v1'
  const { caBundle = '', service } = clientConfig
  const isService = service !== undefined && service !== null
  let transport: Transport | undefined
  const openTransport = (isOwnServer: boolean): Transport =>
    new Transport({
      tls: {
        ca: Buffer.from(caBundle, 'base64').toString('utf8'),
        serverName: isService ? `${service.name}.${service.namespace}.svc` : undefined,
      },
      dial: dials?.[isService ? 'service' : 'url'],
      maxSockets: 32,
      ...(isOwnServer ? loopbackOptions : {}),
    })
  const ask = async (objects: readonly KubeObject[], apiVersion: string): Promise<readonly JsonValue[]> => {
    const uid = clock.uuid()
    const review = {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid, desiredAPIVersion: apiVersion, objects: objects.map(withoutVersion) },
      response: { uid: '', convertedObjects: null, result: { metadata: {} } },
    }
    const { url, open, hostPort } = webhookAddress(clientConfig, `timeout=${timeoutMs / 1000}s`, resolveService)
    const identity = credentials?.(hostPort)
    transport ??= openTransport(identity?.isOwnServer === true)
    return restPost({
      transport,
      url,
      open,
      headers: () => ({ 'user-agent': 'kube-apiserver-admission', ...identity?.headers() }),
      body: Buffer.from(jsonText(review)),
      maxBytes: maxAnswerBytes,
      timeoutMs,
      timeoutOf: 'context',
      clock,
      read: (body) => convertedObjects(read(body, review as JsonObject), uid, version),
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

function convertedObjects(review: JsonObject, uid: string, version: string): readonly JsonValue[] {
  const wanted = `apiextensions.k8s.io/${version}, Kind=ConversionReview`
  const { apiVersion = '', kind = '', response } = review
  const got = `${String(apiVersion) || '/'}, Kind=${String(kind)}`
  if (version === 'v1' && got !== wanted) throw new Error(`expected webhook response of ${wanted}, got ${got}`)
  if (!isJsonObject(response)) throw new Error('no response provided')
  if (version === 'v1' && response['uid'] !== uid) {
    throw new Error(`expected response.uid=${quote(uid)}, got ${quote(String(response['uid'] ?? ''))}`)
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
  assertObject(answer)
  const { apiVersion: got, kind, metadata = null } = answer
  if (got !== apiVersion) {
    throw refuse('object at index 0', `invalid groupVersion (expected ${apiVersion}, received ${shownVersion(got)})`)
  }
  if (kind !== original.kind) {
    throw refuse('object at index 0', `invalid kind (expected ${original.kind}, received ${String(kind ?? '')})`)
  }
  const named = isJsonObject(metadata) ? metadata : {}
  for (const key of ['name', 'namespace', 'uid'] as const) {
    const given = named[key]
    const [before, after] = [original.metadata[key] ?? '', typeof given === 'string' ? given : '']
    if (before === after) continue
    throw refuse('object', `must have the same ${key === 'uid' ? 'UID' : key}: ${before} != ${after}`)
  }
  const restored = restore(original.metadata, named)
  if (typeof restored === 'string') throw refuse('metadata', restored)
  return { ...answer, metadata: restored } as KubeObject
}

/** Throws when an element of the answer is no object, or does not say what it is. Mirrors unstructuredJSONScheme. */
function assertObject(answer: JsonValue | undefined): asserts answer is JsonObject {
  if (answer === undefined || answer === null) throw unknownError('unexpected end of JSON input')
  if (!isJsonObject(answer)) {
    const type = jsonTypeName(answer)
    throw unknownError(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`)
  }
  const { apiVersion, kind } = answer
  const isTyped = typeof kind === 'string' && kind !== '' && parseGroupVersion(String(apiVersion ?? '')) !== undefined
  if (!isTyped) throw unknownError(`Object 'Kind' is missing in '${jsonText(answer)}'`)
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
