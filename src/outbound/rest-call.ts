/**
 * Posts an object to a webhook and reads the one that comes back, as client-go's REST client does: a server that asks to
 * be called later is called later, and an answer that is no success becomes an error with the reason and the words of
 * a Status. Mirrors client-go/rest: Request.Do and Result.Into.
 */

import { textOfBytes } from '../api/byte-text.ts'
import { isJsonObject, type JsonObject } from '../api/json.ts'
import { serverFailure } from '../api/server-response.ts'
import type { Clock } from '../lib/clock.ts'
import { reasonOf } from '../lib/fault.ts'
import { type Answer, CallError, callOutbound } from './call.ts'
import { isReset } from './dial-error.ts'
import type { Destination, Transport } from './transport.ts'

export interface RestCall<T> {
  readonly transport: Transport
  /** As messages name it. */
  readonly url: string
  /** Where it is now. Rejects with why it is nowhere. */
  readonly open: () => Promise<Destination>
  readonly headers: () => Readonly<Record<string, string | string[]>>
  readonly body: Buffer
  /** Of the answer. */
  readonly maxBytes?: number
  readonly timeoutMs: number
  /** Whether the time is the HTTP client's or the request's: they are worded differently. */
  readonly timeoutOf: 'client' | 'context'
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  /** Reads an answer that is a success. Throws an Error in the reference's words. */
  readonly read: (body: Buffer) => T
  /** Called for every answer; undefined: there was none. */
  readonly onAnswer?: ((status: number | undefined) => void) | undefined
}

/** Why there is no object: `status` 0 when no answer came, `reason` as of a Status. */
export class RestError extends Error {
  readonly status: number
  readonly reason: string
  readonly isTimeout: boolean
  /** The server asked to be called again. */
  readonly suggestsDelay: boolean
  readonly isConnectionReset: boolean

  constructor(message: string, facts: Partial<Omit<RestError, 'message' | 'name'>> = {}, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RestError'
    this.status = facts.status ?? 0
    this.reason = facts.reason ?? ''
    this.isTimeout = facts.isTimeout ?? false
    this.suggestsDelay = facts.suggestsDelay ?? false
    this.isConnectionReset = facts.isConnectionReset ?? false
  }
}

const maxRetries = 10
const defaultMaxBytes = 3 * 1024 * 1024
/** The bound of an error body in messages. */
const maxToldBytes = 2048

/** Rejects with a `RestError`, or what `read` throws. */
export async function restPost<T>(rest: RestCall<T>): Promise<T> {
  const answer = await patiently(rest)
  const { status, headers, body } = answer
  if (status < 200 || status > 206) throw statusError(answer)
  if (body.length === 0) {
    const type = headers['content-type'] ?? 'application/json'
    throw new RestError(`0-length response with status code: ${status} and content type: ${type}`, { status })
  }
  return rest.read(body)
}

async function patiently<T>(rest: RestCall<T>): Promise<Answer> {
  const { clock, timeoutMs, url } = rest
  const deadline = clock.now() + timeoutMs
  for (let attempt = 0; ; attempt++) {
    const answer = await post(rest, deadline - clock.now())
    const pause = retryAfterMs(answer)
    if (pause === undefined || attempt === maxRetries) return answer
    const left = deadline - clock.now()
    await new Promise<void>((resolve) => clock.setTimeout(resolve, Math.min(pause, Math.max(1, left))))
    if (pause >= left)
      throw new RestError(`Post ${JSON.stringify(url)}: context deadline exceeded`, { isTimeout: true })
  }
}

async function post<T>(rest: RestCall<T>, timeoutMs: number): Promise<Answer> {
  const { transport, url, open, headers, body, timeoutOf, clock, signal, onAnswer, maxBytes = defaultMaxBytes } = rest
  const destination = await open().catch((error: unknown) => {
    throw new RestError(`Post ${JSON.stringify(url)}: ${reasonOf(error)}`)
  })
  try {
    const common = { 'content-type': 'application/json', accept: 'application/json, */*' }
    const answer = await callOutbound(transport, destination, {
      method: 'POST',
      headers: { ...common, ...headers() },
      body,
      timeoutMs,
      timeoutOf,
      maxBytes,
      clock,
      signal,
    })
    onAnswer?.(answer.status)
    return answer
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    onAnswer?.(error.status)
    throw callError(error)
  }
}

function callError(error: CallError): RestError {
  const { inBody, isTimeout, message, cause } = error
  const text = inBody
    ? `unexpected error when reading response body. Please retry. Original error: ${message}`
    : message
  const isConnectionReset = !inBody && cause !== undefined && isReset(cause)
  return new RestError(text, { isTimeout, isConnectionReset }, { cause: error })
}

function retryAfterMs({ status, headers }: Answer): number | undefined {
  const seconds = headers['retry-after'] ?? ''
  return (status === 429 || status >= 500) && /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1000 : undefined
}

/** A Status in the body speaks for itself; other bodies are quoted only if they are text. */
function statusError(answer: Answer): RestError {
  const { status, headers, body } = answer
  const suggestsDelay = retryAfterMs(answer) !== undefined
  const given = failureIn(body)
  if (given !== undefined) {
    const [message, reason] = [given['message'], given['reason']].map((each) => (typeof each === 'string' ? each : ''))
    return new RestError(message ?? '', { status, reason: reason ?? '', suggestsDelay })
  }
  const type = headers['content-type'] ?? ''
  const isText = type === '' || type.toLowerCase().startsWith('text/')
  const said = isText ? textOfBytes(body.subarray(0, maxToldBytes)).trim() : 'unknown'
  const { message, reason } = serverFailure(status, said)
  return new RestError(message, { status, reason, suggestsDelay })
}

/** What names neither version nor kind counts as a Status. */
function failureIn(body: Buffer): JsonObject | undefined {
  const value = parsed(body)
  if (!isJsonObject(value)) return undefined
  const { kind = 'Status', apiVersion = 'v1', status } = value
  const isStatus = (kind === 'Status' || kind === '') && (apiVersion === 'v1' || apiVersion === '')
  return isStatus && status === 'Failure' ? value : undefined
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
