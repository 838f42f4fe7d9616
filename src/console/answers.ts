/** How the console's API answers: JSON, and streams of it, a line each. */
import type { AnswerStream } from '../api/exchange.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import type { RequestContext } from '../api/request-context.ts'
import { ApiError, badRequest, unsupportedMediaType } from '../api/status-error.ts'
import { encodeJson, JsonDocument } from '../codec/json.ts'
import { requestAttributes } from '../pipeline/authorization.ts'
import { securityHeaders } from './page.ts'
import type { ConsoleServices } from './services.ts'

export function answerJson({ exchange }: RequestContext, value: object, status = 200): void {
  exchange.respond(status, { ...jsonHeaders, ...securityHeaders() }, `${encode(value)}\n`)
}

/** Objects of the API may have integers that JSON.stringify refuses. */
const encode = (value: object): string => encodeJson(value as JsonValue)

export function answerNoContent({ exchange }: RequestContext): void {
  exchange.respond(204, securityHeaders(), '')
}

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' }
const streamHeaders = { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' }

const maxBodyBytes = 1024 * 1024

/** The body, which must be an object. */
export async function readJsonBody({ exchange }: RequestContext, limit = maxBodyBytes): Promise<JsonObject> {
  const type = exchange.headers['content-type']
  if (type !== undefined && !/^application\/json\b/.test(String(type))) throw unsupportedMediaType(['application/json'])
  const body = await exchange.readBody(limit)
  if (body.length === 0) return {}
  let value: unknown
  try {
    value = new JsonDocument(body).value()
  } catch (error) {
    throw badRequest(`the body is no JSON: ${(error as Error).message}`)
  }
  if (!isJsonObject(value)) throw badRequest('the body must be a JSON object')
  return value
}

const heartbeatMs = 10_000
/** Lines that wait for a reader; more are dropped and counted. */
const maxPendingBytes = 256 * 1024

export interface LineStream {
  /** False: it was dropped. */
  send(line: Readonly<Record<string, unknown>> & { readonly type: string }): boolean
  /** A line was given up before it was made. */
  drop(): void
  readonly isOpen: boolean
  end(reason: string): void
}

/**
 * Opens a stream of lines. It ends with the session that asked for it, when its user may no longer see it, and with the server. `closed` is called once, however it
 * ends.
 */
export function openStream(
  context: RequestContext,
  { sessions, clock, authorizer, streams }: ConsoleServices,
  closed: () => void,
): LineStream {
  const answer = context.exchange.stream(200, { ...streamHeaders, ...securityHeaders() })
  const lines = new Lines(answer)
  let cancelTimer = (): void => undefined
  const attributes = requestAttributes(context)
  const beat = async (): Promise<void> => {
    const { verdict } = await authorizer.authorize(attributes)
    if (!lines.isOpen) return
    if (verdict !== 'allow') {
      lines.end('forbidden')
      return
    }
    lines.send({ type: 'HEARTBEAT' })
    schedule()
  }
  const schedule = (): void => {
    cancelTimer = clock.setTimeout(() => void beat(), heartbeatMs, { background: true })
  }
  const endsWithSession = sessions.sessionOf(context)?.onEnd((why) => lines.end(why))
  streams.add(lines)
  answer.onClose(() => {
    cancelTimer()
    endsWithSession?.()
    streams.delete(lines)
    closed()
  })
  schedule()
  return lines
}

class Lines implements LineStream {
  readonly #answer: AnswerStream
  #pendingBytes = 0
  #dropped = 0
  #isEnded = false

  constructor(answer: AnswerStream) {
    this.#answer = answer
    answer.onDrain(() => {
      this.#pendingBytes = 0
      this.#tellDropped()
    })
  }

  get isOpen(): boolean {
    return !this.#isEnded && !this.#answer.closed
  }

  send(line: object): boolean {
    if (!this.isOpen) return false
    if (this.#pendingBytes > maxPendingBytes) {
      this.#dropped++
      return false
    }
    this.#tellDropped()
    this.#write(line)
    return true
  }

  drop(): void {
    this.#dropped++
  }

  end(reason: string): void {
    if (!this.isOpen) return
    this.#isEnded = true
    this.#answer.end(`${JSON.stringify({ type: 'END', reason })}\n`)
  }

  #tellDropped(): void {
    if (this.#dropped === 0 || !this.isOpen) return
    const count = this.#dropped
    this.#dropped = 0
    this.#write({ type: 'DROPPED', count })
  }

  #write(line: object): void {
    const text = `${encode(line)}\n`
    if (!this.#answer.write(text)) this.#pendingBytes += text.length
  }
}

export const notServed = (path: string): ApiError =>
  new ApiError({ code: 404, reason: 'NotFound', message: `the console's API has no ${path}` })

export const wrongMethod = (method: string, path: string): ApiError =>
  new ApiError({ code: 405, reason: 'MethodNotAllowed', message: `${method} is not allowed on ${path}` })
