/**
 * One request and its whole answer, as Go's HTTP client makes it: within a time and a size, redirects followed, and again
 * over another connection when a kept one was lost. Failures are worded as Go words them.
 */

import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { formatGoUrl, type GoUrl, parseGoUrl, resolveReference } from '../api/golang/url.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { reasonOf } from '../lib/fault.ts'
import { goDialError } from './dial-error.ts'
import { type AddressPolicy, reachFrom } from './host-lookup.ts'
import { type Destination, isStaleConnectionReset, type Transport } from './transport.ts'

export interface Call {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
  /** For everything, redirects included. */
  readonly timeoutMs: number
  /** Whether the time is the HTTP client's or the request's own (default): they are worded differently. */
  readonly timeoutOf?: 'client' | 'context'
  readonly maxBytes: number
  /** Redirects are followed unless this is false; `secure`: to addresses with TLS alone. */
  readonly redirects?: boolean | 'secure'
  readonly clock?: Clock
  readonly signal?: AbortSignal | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** There was no answer, or (`inBody`) it broke off. The message begins with method and URL unless the body failed. */
export class CallError extends Error {
  readonly inBody: boolean
  readonly isTimeout: boolean
  /** Of the answer that broke off. */
  readonly status: number | undefined

  constructor(message: string, { status, isTimeout = false, cause }: CallErrorFacts = {}) {
    super(message, { cause })
    this.name = 'CallError'
    this.inBody = status !== undefined
    this.status = status
    this.isTimeout = isTimeout
  }
}

interface CallErrorFacts {
  readonly status?: number
  readonly isTimeout?: boolean
  readonly cause?: unknown
}

const tooLate = 'context deadline exceeded'
const canceled = 'context canceled'
const tooLarge = 'http: request body too large'

/** Rejects with a `CallError`. */
export async function callOutbound(
  transport: Transport,
  destination: Destination,
  callOutbound: Call,
): Promise<Answer> {
  const { clock = systemClock, timeoutMs, signal } = callOutbound
  const late = new AbortController()
  const cancel = clock.setTimeout(() => late.abort(tooLate), Math.max(1, timeoutMs))
  const stop = (): void => late.abort(canceled)
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await follow({ transport, call: callOutbound, late: late.signal }, destination)
  } finally {
    cancel()
    signal?.removeEventListener('abort', stop)
  }
}

interface Exchange {
  readonly transport: Transport
  readonly call: Call
  readonly late: AbortSignal
}

interface Hop {
  readonly destination: Destination
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: string | Buffer | undefined
}

const maxRedirects = 10
/** Mirrors net/http: redirectBehavior. */
const asGet: ReadonlySet<number> = new Set([301, 302, 303])
const asBefore: ReadonlySet<number> = new Set([307, 308])

async function follow(exchange: Exchange, first: Destination): Promise<Answer> {
  const { call: callOutbound } = exchange
  const firstUrl = urlOf(first)
  let hop: Hop = {
    destination: first,
    method: callOutbound.method,
    headers: callOutbound.headers,
    body: callOutbound.body,
  }
  for (let hops = 1; ; hops++) {
    const answer = await attempt(exchange, hop)
    const { status } = answer
    const location = answer.headers.location ?? ''
    const isRedirect =
      (asGet.has(status) || asBefore.has(status)) && location !== '' && callOutbound.redirects !== false
    if (!isRedirect) return answer
    const from = urlOf(hop.destination)
    const to = from && resolveReference(from, location)
    if (from === undefined || to === undefined || firstUrl === undefined) {
      const why = `failed to parse Location header ${JSON.stringify(location)}: unsupported protocol scheme`
      throw new CallError(`${operation(callOutbound.method)} ${JSON.stringify(shown(hop.destination))}: ${why}`)
    }
    if (callOutbound.redirects === 'secure' && to.scheme !== 'https') {
      throw new CallError(`${operation(callOutbound.method)} ${JSON.stringify(location)}: it is not an https address`)
    }
    if (hops >= maxRedirects) {
      throw new CallError(
        `${operation(callOutbound.method)} ${JSON.stringify(location)}: stopped after ${maxRedirects} redirects`,
      )
    }
    hop = nextHop(hop, { first, firstUrl, from, to, asGet: asGet.has(status) })
  }
}

interface Redirect {
  readonly first: Destination
  readonly firstUrl: GoUrl
  readonly from: GoUrl
  readonly to: GoUrl
  readonly asGet: boolean
}

/** Mirrors net/http: Client.do. Credentials stay with the host that they were meant for, and what is below it. */
function nextHop(hop: Hop, { first, firstUrl, from, to, asGet: dropsBody }: Redirect): Hop {
  const isSameServer = to.authority === firstUrl.authority && to.scheme === firstUrl.scheme
  const isTrusted = to.host === firstUrl.host || (!/[:%]/.test(to.host) && to.host.endsWith(`.${firstUrl.host}`))
  const headers = Object.entries(hop.headers).filter(([name]) => isTrusted || !credentials.has(name.toLowerCase()))
  const method = dropsBody && hop.method !== 'HEAD' ? 'GET' : hop.method
  const keepsBody = !dropsBody && hop.body !== undefined
  const referer = from.scheme === 'https' && to.scheme === 'http' ? {} : { referer: formatGoUrl(from) }
  const path = `${to.path || '/'}${to.query === '' ? '' : `?${to.query}`}`
  const destination: Destination = isSameServer
    ? { ...first, path }
    : { scheme: to.scheme, host: to.host, port: to.port, authority: to.authority, path, addresses: reachOf(first) }
  return {
    destination,
    method,
    headers: {
      ...Object.fromEntries(headers.filter(([name]) => keepsBody || name.toLowerCase() !== 'content-length')),
      ...referer,
    },
    body: keepsBody ? hop.body : undefined,
  }
}

const reachOf = ({ host, addresses }: Destination): AddressPolicy | undefined =>
  reachFrom(host) === 'any' ? addresses : 'proxyable'

const credentials: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

const shown = ({ scheme, host, port, authority, path }: Destination): string =>
  `${scheme}://${authority ?? `${host.includes(':') ? `[${host}]` : host}:${port}`}${path}`

const urlOf = (destination: Destination): GoUrl | undefined => parseGoUrl(shown(destination))

const operation = (method: string): string => `${method.slice(0, 1)}${method.slice(1).toLowerCase()}`

/** One request. A lost connection that was kept from before is replaced: as often as there are such connections. */
function attempt(exchange: Exchange, hop: Hop): Promise<Answer> {
  const { transport, call: callOutbound, late } = exchange
  const { destination, method, headers, body } = hop
  return new Promise((resolve, reject) => {
    const fail = (why: string, isTimeout = false, cause?: unknown): void => {
      const message = `${operation(callOutbound.method)} ${JSON.stringify(shown(destination))}: ${why}`
      reject(new CallError(message, { isTimeout, cause }))
    }
    const aborted = (): void => {
      const ofClient = callOutbound.timeoutOf === 'client' && late.reason === tooLate
      fail(
        `${late.reason}${ofClient ? ' (Client.Timeout exceeded while awaiting headers)' : ''}`,
        late.reason === tooLate,
      )
    }
    if (late.aborted) {
      aborted()
      return
    }
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    let request: ClientRequest
    try {
      request = transport.request(destination, { method, headers: { ...headers, ...length } })
    } catch (error) {
      fail(goDialError(error, destination), false, error)
      return
    }
    const abort = (): void => {
      request.destroy()
      aborted()
    }
    late.addEventListener('abort', abort, { once: true })
    let isAnswered = false
    request.on('error', (error) => {
      late.removeEventListener('abort', abort)
      // What breaks off the body of an answer is reported by its reader.
      if (isAnswered) return
      if (late.aborted) aborted()
      else if (isStaleConnectionReset(request, error)) resolve(attempt(exchange, hop))
      else fail(goDialError(error, destination), false, error)
    })
    request.on('response', (response) => {
      isAnswered = true
      late.removeEventListener('abort', abort)
      readAnswer(response, callOutbound.maxBytes, late).then(resolve, (error: unknown) => {
        request.destroy()
        reject(bodyError(error, exchange, response.statusCode ?? 0))
      })
    })
    request.end(body)
  })
}

function bodyError(error: unknown, { call: callOutbound, late }: Exchange, status: number): CallError {
  const { code } = error as NodeJS.ErrnoException
  const isTimeout = late.reason === tooLate
  const ofClient = isTimeout && callOutbound.timeoutOf === 'client'
  const stopped = `${late.reason}${ofClient ? ' (Client.Timeout or context cancellation while reading body)' : ''}`
  const why = late.aborted ? stopped : code === 'ECONNRESET' ? 'unexpected EOF' : reasonOf(error)
  return new CallError(why, { status, isTimeout, cause: error })
}

async function readAnswer(response: IncomingMessage, maxBytes: number, late: AbortSignal): Promise<Answer> {
  const abort = (): unknown => response.destroy(new Error(String(late.reason)))
  late.addEventListener('abort', abort, { once: true })
  try {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw new Error(tooLarge)
      chunks.push(chunk)
    }
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }
  } finally {
    late.removeEventListener('abort', abort)
  }
}
