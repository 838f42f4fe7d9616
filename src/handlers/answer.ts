/**
 * Writing answers: what the client accepts decides the encoding and the view. Objects that go out as they are in the
 * cache go out as their bytes, untouched.
 */

import { gzip } from 'node:zlib'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { schemeMessageAt } from '../api/release-positions.ts'
import { selectorErrorAtRelease } from '../api/release-wordings.ts'
import type { RequestContext } from '../api/request-context.ts'
import { ApiError } from '../api/status-error.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { encodeCborInSteps } from '../codec/cbor.ts'
import { encodeJson, encodePrettyJson } from '../codec/json.ts'
import { encodeJsonInSteps, encodePrettyJsonInSteps } from '../codec/json-in-steps.ts'
import {
  isPretty,
  type MediaType,
  mediaTypes,
  type NegotiatedType,
  negotiateAnswer,
  negotiateError,
  type Restrictions,
} from '../codec/negotiation.ts'
import { encodeProtobuf, encodeProtobufInSteps } from '../codec/protobuf.ts'
import { showObject } from '../codec/views.ts'
import { encodeYamlInSteps } from '../codec/yaml-emitter.ts'
import { type Awaitable, whenReady } from '../lib/awaitable.ts'
import { faultMessage, reasonOf } from '../lib/fault.ts'
import { inTurns, runToEnd, type Steps } from '../lib/in-turns.ts'
import { objectInVersion } from '../registry/convert.ts'
import type { Written } from '../registry/registry.ts'
import type { ServedResource } from '../registry/served-resource.ts'
import { isLarge } from '../registry/write-request.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { requestView, viewedVersion } from './request-view.ts'

/** What answers depend on besides the request: which encodings are on. */
export interface AnswerSettings {
  readonly mediaTypes: readonly MediaType[]
  readonly compression: boolean
  /** Throws a 403 unless the user may create what the request is about: for updates that turn out to be creates. */
  readonly authorizeCreate: (context: RequestContext) => Awaitable<void>
  /** Throws a 403 unless the user may delete what cannot be read. */
  readonly authorizeUnsafeDelete: (context: RequestContext) => Promise<void>
  readonly now: () => number
  /** How many deletions of one deletecollection request run at a time. */
  readonly deleteCollectionWorkers: number
  /** The minor number of a release after the default one, in whose words errors are. */
  readonly release?: number | undefined
  /** Whether lists and watches may be narrowed to a shard: `ShardedListAndWatch`. */
  readonly shards?: boolean
}

/** True when the answer is plain JSON in the cache's own bytes, compressed or not, for all that the request says. */
export function isPlainJson(context: RequestContext): boolean {
  const accept = context.exchange.headers['accept']
  return (
    context.audit?.wantsResponse !== true &&
    (accept === 'application/json' || accept === undefined || accept === '*/*') &&
    !context.info.query.has('pretty') &&
    !isBrowserLike(context.exchange.headers['user-agent'])
  )
}

const isBrowserLike = (agent: string | string[] | undefined): boolean =>
  typeof agent === 'string' && /^(curl|Wget|Mozilla\/5\.0)/.test(agent)

/** One object of a resource, in the version and view that the request asks for. */
export function answerObject(
  context: RequestContext,
  settings: AnswerSettings,
  target: ServedResource & { readonly restrictions: Restrictions },
  answer: { readonly status: number; readonly written: Written },
): Awaitable<void> {
  const { version, registry } = target
  const asIs = version === registry.definition.hub
  if (asIs && isPlainJson(context)) {
    const body = answer.written.jsonLine()
    sendBody(context, settings, { status: answer.status, contentType: 'application/json', body })
    return
  }
  const choice = negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  const show = (object: KubeObject): Awaitable<void> => {
    const shown = requestView(context, target, choice, settings.now())
    const schema = shown.schema ?? version.schema
    const showing = showObject(object, shown.view, shown.context)
    // YAML takes many times as long as the others.
    const isLong = isLarge(answer.written.size) || choice.mediaType.encoding === 'yaml'
    if (!isLong)
      return answerValue(context, settings, { status: answer.status, value: runToEnd(showing), schema, choice })
    const send = (value: JsonObject) =>
      answerInTurns(context, settings, { status: answer.status, value, schema, choice })
    return whenReady(inTurns(showing), send)
  }
  const convert = (object: KubeObject): Awaitable<void> => {
    const converted = objectInVersion(registry.definition, viewedVersion(target, choice), object)
    return whenReady(converted, show)
  }
  const { written } = answer
  if (!isLarge(written.size)) return convert(written.object())
  return whenReady(inTurns(parsing(written)), convert)
}

function* parsing(written: Written): Steps<KubeObject> {
  const object = written.objectInSteps === undefined ? written.object() : yield* written.objectInSteps()
  yield
  return object
}

export interface ValueAnswer {
  readonly status: number
  readonly value: JsonObject
  /** The type of the value, for Protobuf and CBOR. */
  readonly schema: ObjectSchema
  readonly choice: NegotiatedType
  /** Where it says more than the encoding. */
  readonly contentType?: string
  readonly cacheControl?: string
}

/** A value in a chosen encoding. */
export function answerValue(context: RequestContext, settings: AnswerSettings, answer: ValueAnswer): void {
  const { value, schema, choice } = answer
  context.audit?.responseObject(value)
  sendEncoded(context, settings, answer, encodeValue(context, value, schema, choice))
}

/** A promise when the value is so large that encoding it takes several turns. */
export function answerInTurns(context: RequestContext, settings: AnswerSettings, answer: ValueAnswer): Awaitable<void> {
  const encoding = inTurns(auditAndEncode(context, answer))
  if (encoding instanceof Promise) return encoding.then((body) => sendEncoded(context, settings, answer, body))
  sendEncoded(context, settings, answer, encoding)
}

function* auditAndEncode(context: RequestContext, { value, schema, choice }: ValueAnswer): Steps<Buffer> {
  if (context.audit !== undefined) yield* context.audit.responseObjectInSteps(value)
  return yield* encodeValueInSteps(context, value, schema, choice)
}

function sendEncoded(context: RequestContext, settings: AnswerSettings, answer: ValueAnswer, body: Buffer): void {
  const { status, choice, contentType = choice.mediaType.name, cacheControl } = answer
  sendBody(context, settings, { status, contentType, body, ...(cacheControl === undefined ? {} : { cacheControl }) })
}

function encodeValue(context: RequestContext, value: JsonObject, schema: ObjectSchema, choice: NegotiatedType): Buffer {
  switch (choice.mediaType.encoding) {
    case 'json':
      return Buffer.from(wantsPretty(context, choice) ? encodePrettyJson(value) : `${encodeJson(value)}\n`)
    case 'yaml':
      return Buffer.from(runToEnd(encodeYamlInSteps(value)))
    case 'protobuf':
      return encodeProtobuf(value, schema)
    case 'cbor':
      return Buffer.from(runToEnd(encodeCborInSteps(value, schema)))
  }
}

function* encodeValueInSteps(
  context: RequestContext,
  value: JsonObject,
  schema: ObjectSchema,
  choice: NegotiatedType,
): Steps<Buffer> {
  switch (choice.mediaType.encoding) {
    case 'json': {
      const isPrettyText = wantsPretty(context, choice)
      const text = isPrettyText ? yield* encodePrettyJsonInSteps(value) : `${yield* encodeJsonInSteps(value)}\n`
      return Buffer.from(text)
    }
    case 'yaml':
      return Buffer.from(yield* encodeYamlInSteps(value))
    case 'protobuf':
      return yield* encodeProtobufInSteps(value, schema)
    case 'cbor':
      return Buffer.from(yield* encodeCborInSteps(value, schema))
  }
}

const wantsPretty = (context: RequestContext, choice: NegotiatedType): boolean =>
  isPretty(choice, context.info.query.get('pretty'), context.header('user-agent'))

export interface BodyAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
  readonly cacheControl?: string
}

/** The body, compressed where the client takes gzip and the answer is a read. */
export function sendBody(context: RequestContext, settings: AnswerSettings, answer: BodyAnswer): void {
  const { status, contentType, body, cacheControl } = answer
  const type = { 'content-type': contentType }
  const headers = cacheControl === undefined ? type : { ...type, 'cache-control': cacheControl }
  if (!wantsGzip(context, settings)) {
    context.exchange.respond(status, headers, body)
    return
  }
  gzip(body, { level: 4 }, (error, compressed) => {
    if (error) context.exchange.respond(status, headers, body)
    else
      context.exchange.respond(status, { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }, compressed)
  })
}

/** A bare `gzip` token on get and list; with a quality value it does not count. */
export function wantsGzip(context: RequestContext, { compression }: AnswerSettings): boolean {
  const accepted = context.header('accept-encoding')
  if (!compression || accepted === undefined) return false
  const { verb, isResourceRequest } = context.info
  if (isResourceRequest && verb !== 'get' && verb !== 'list') return false
  return accepted.split(',').some((token) => token.trim() === 'gzip')
}

/** A Status as the answer to a request that did something. */
export function answerStatus(
  context: RequestContext,
  settings: AnswerSettings,
  answer: { readonly status: number; readonly value: JsonObject; readonly restrictions: Restrictions },
): void {
  const { status, value, restrictions } = answer
  const choice = negotiateAnswer(context.header('accept'), settings.mediaTypes, restrictions)
  answerValue(context, settings, { status, value, schema: typeSchema('meta.v1.Status'), choice })
}

/** The error as a later release says it. */
function errorAt(original: ApiError, release: number): ApiError {
  const error = original.atRelease?.(release) ?? original
  const message = selectorErrorAtRelease(schemeMessageAt(error.message, release), release)
  return message === error.message ? error : error.withMessage(message)
}

/** The one place that writes errors. What is no ApiError is the server's own fault, and is said to be so. */
export function answerError(context: RequestContext, settings: AnswerSettings, thrown: unknown): ApiError {
  const original = thrown instanceof ApiError ? thrown : internal(thrown)
  const error = settings.release === undefined ? original : errorAt(original, settings.release)
  if (context.exchange.answered) return error
  for (const [name, value] of Object.entries(error.headers)) context.exchange.addHeader(name, value)
  const encodings = context.isPastFilters && !original.isOfRoute ? settings.mediaTypes : mediaTypes
  const choice = negotiateError(context.header('accept'), encodings)
  const status = error.toStatus()
  // Mirrors responsewriters: WriteObjectNegotiated, which writes plainly, and records nothing, where nothing is accepted.
  if (choice !== undefined) context.audit?.responseObject(status)
  // Who accepts nothing that there is gets what people can read.
  const body =
    choice === undefined ? encodePrettyJson(status) : encodeValue(context, status, typeSchema('meta.v1.Status'), choice)
  const headers = { 'content-type': choice?.mediaType.name ?? 'application/json' }
  context.exchange.respond(error.code, headers, body)
  return error
}

/** Of Node or the operating system, which nothing made into an answer. */
const isSystemError = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.constructor === Error && 'code' in thrown

function internal(thrown: unknown): ApiError {
  const why = isSystemError(thrown) ? faultMessage : reasonOf(thrown)
  return new ApiError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${why}`,
    details: { causes: [{ message: why }] },
  })
}
