/** Asks a test's handlers, and puts what they say into the answer to a review. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { AdmissionAnswer, AdmissionRequest, ByPath, WebhookHandlers } from './api.ts'
import { objectPatch } from './object-patch.ts'

export type WebhookKind = keyof WebhookHandlers

export interface ReceivedReview {
  readonly kind: WebhookKind
  readonly path: string
  readonly request: JsonObject
}

/** The handler for a path; undefined when there is none. */
function handlerFor<T extends (...args: never[]) => unknown>(given: ByPath<T> | undefined, path: string) {
  return typeof given === 'function' ? given : (given as Readonly<Record<string, T>> | undefined)?.[path]
}

/** The `response` of a review. Rejects with what the handler threw. */
export async function answerReview(handlers: WebhookHandlers, review: ReceivedReview): Promise<JsonObject> {
  const { kind, path, request } = review
  const uid = request['uid'] ?? ''
  const missing = (): Error => new Error(`no handler to ${kind} at ${path}`)
  if (kind === 'convert') {
    const convert = handlerFor(handlers.convert, path)
    if (convert === undefined) throw missing()
    const version = String(request['desiredAPIVersion'])
    const convertedObjects: JsonValue[] = []
    for (const object of request['objects'] as JsonObject[]) {
      const converted = (await convert(structuredClone(object) as never, version)) as JsonObject
      convertedObjects.push({ ...plain(converted), apiVersion: version })
    }
    return { uid, convertedObjects, result: { status: 'Success' } }
  }
  const handler = handlerFor(kind === 'mutate' ? handlers.mutate : handlers.validate, path)
  if (handler === undefined) throw missing()
  const asked = structuredClone(request)
  const answered: unknown = handler(asked as unknown as AdmissionRequest)
  const said = await answered
  const answer = kind === 'mutate' ? mutation(said, request, asked) : verdict(said)
  return { uid, ...reviewResponse(answer) }
}

/** Functions and `undefined` do not go over the wire. */
const plain = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

const isAnswer = (said: unknown): said is AdmissionAnswer =>
  typeof said === 'object' && said !== null && typeof (said as AdmissionAnswer).allowed === 'boolean'

function verdict(said: unknown): AdmissionAnswer {
  if (said === undefined || said === true) return { allowed: true }
  if (said === false) return { allowed: false }
  if (typeof said === 'string') return { allowed: false, message: said }
  if (isAnswer(said)) return said
  throw new TypeError(
    `a handler that validates answers with a boolean, words or { allowed }, not ${JSON.stringify(said)}`,
  )
}

function mutation(said: unknown, { object = null }: JsonObject, asked: JsonObject): AdmissionAnswer {
  if (isAnswer(said)) return said
  if (said !== undefined && (typeof said !== 'object' || said === null)) {
    throw new TypeError(`a handler that mutates answers with an object or nothing, not ${JSON.stringify(said)}`)
  }
  const wanted = said ?? asked['object']
  if (!isJsonObject(object) || wanted === null) return { allowed: true }
  return { allowed: true, patch: objectPatch(object, plain(wanted)) }
}

function reviewResponse({ allowed, message, code, reason, warnings, auditAnnotations, patch }: AdmissionAnswer) {
  const status = { message, code, reason }
  const hasStatus = Object.values(status).some((value) => value !== undefined)
  return plain({
    allowed,
    ...(hasStatus ? { status } : {}),
    ...(warnings === undefined ? {} : { warnings }),
    ...(auditAnnotations === undefined ? {} : { auditAnnotations }),
    ...(patch === undefined || patch.length === 0
      ? {}
      : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
  })
}
