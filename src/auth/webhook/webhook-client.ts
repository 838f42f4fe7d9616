/**
 * Asks a webhook: sends one object as JSON and gets one back. Connections are kept, every request has a time limit, the
 * answer has a size limit, and a failure that may pass is tried again a few times with growing pauses.
 */
import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { serverFailure } from '../../api/server-response.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { connectDial } from '../../lib/connect-dial.ts'
import { type Dial, dialAgent, plainDialAgent } from '../../lib/dial.ts'
import type { WebhookConnection } from './kubeconfig.ts'

export interface WebhookClientOptions {
  readonly connection: WebhookConnection
  readonly timeoutMs: number
  /** Attempts in all. */
  readonly attempts?: number
  readonly firstPauseMs?: number
  readonly clock?: Clock
  /** Another way to the server. A proxy that the connection names comes before it. */
  readonly dial?: Dial | undefined
}

class WebhookError extends Error {
  /** Whether the same question may be answered a moment later. */
  readonly passing: boolean

  constructor(message: string, passing: boolean) {
    super(message)
    this.name = 'WebhookError'
    this.passing = passing
  }
}

const maxAnswerBytes = 3 * 1024 * 1024
const pauseFactor = 1.5

export class WebhookClient {
  readonly #options: WebhookClientOptions
  readonly #clock: Clock
  readonly #agent: HttpAgent
  readonly #secure: boolean

  constructor(options: WebhookClientOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    const { connection } = options
    this.#secure = connection.url.startsWith('https:')
    this.#agent = agentFor(connection, options.dial)
  }

  close(): void {
    this.#agent.destroy()
  }

  /** The answer, or a WebhookError. */
  post(body: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const bytes = Buffer.from(JSON.stringify(body))
    const isPassing = (error: unknown): boolean => error instanceof WebhookError && error.passing
    return this.#attempts(() => this.#once(bytes, readObject, signal), isPassing, signal)
  }

  /** Sends a JSON text. What is answered does not matter, and every failure is worth another attempt. */
  async deliver(text: string): Promise<void> {
    const bytes = Buffer.from(text)
    await this.#attempts(
      () => this.#once(bytes, () => ({})),
      () => true,
    )
  }

  async #attempts(
    once: () => Promise<JsonObject>,
    isPassing: (error: unknown) => boolean,
    signal?: AbortSignal,
  ): Promise<JsonObject> {
    const { attempts = 5, firstPauseMs = 500 } = this.#options
    for (let attempt = 1, pause = firstPauseMs; ; attempt++, pause *= pauseFactor) {
      try {
        return await once()
      } catch (error) {
        if (!isPassing(error) || attempt >= attempts || signal?.aborted) throw error
        await this.#pause(pause * (1 + 0.2 * this.#clock.random()))
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.setTimeout(resolve, ms))
  }

  #once(bytes: Buffer, read: (text: string) => JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const { connection, timeoutMs } = this.#options
    return new Promise((resolve, reject) => {
      const send = this.#secure ? httpsRequest : httpRequest
      const request = send(connection.url, {
        method: 'POST',
        agent: this.#agent,
        headers: requestHeaders(connection, bytes.length),
        ...(signal ? { signal } : {}),
      })
      const cancel = this.#clock.setTimeout(() => {
        request.destroy(new WebhookError(`Post ${JSON.stringify(connection.url)}: context deadline exceeded`, true))
      }, timeoutMs)
      request.on('error', (error) => {
        cancel()
        const known = error instanceof WebhookError
        reject(known ? error : new WebhookError(`Post ${JSON.stringify(connection.url)}: ${error.message}`, true))
      })
      request.on('response', (response) => {
        readAnswer(response, read)
          .then(resolve, (error: Error) => {
            request.destroy()
            reject(error)
          })
          .finally(cancel)
      })
      request.end(bytes)
    })
  }
}

function agentFor(connection: WebhookConnection, dial: Dial | undefined): HttpAgent {
  const way = connection.proxyUrl === undefined ? dial : connectDial({ url: connection.proxyUrl })
  if (!connection.url.startsWith('https:')) return plainDialAgent(way, { keepAlive: true })
  return dialAgent(way, tlsOptions(connection))
}

function tlsOptions(connection: WebhookConnection) {
  return {
    keepAlive: true,
    ...(connection.certificateAuthority === undefined ? {} : { ca: connection.certificateAuthority }),
    ...(connection.clientCertificate === undefined ? {} : { cert: connection.clientCertificate }),
    ...(connection.clientKey === undefined ? {} : { key: connection.clientKey }),
    ...(connection.serverName === undefined ? {} : { servername: connection.serverName }),
    ...(connection.insecureSkipTlsVerify ? { rejectUnauthorized: false } : {}),
  }
}

function requestHeaders({ token, basic }: WebhookConnection, length: number): Record<string, string> {
  const bearer = token?.() ?? ''
  return {
    'content-type': 'application/json',
    'content-length': String(length),
    accept: 'application/json, */*',
    ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }),
    ...(basic
      ? { authorization: `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}` }
      : {}),
  }
}

async function readAnswer(response: IncomingMessage, read: (text: string) => JsonObject): Promise<JsonObject> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > maxAnswerBytes) throw new WebhookError('the webhook answered with more than 3 MiB', false)
    chunks.push(bytes)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  const status = response.statusCode ?? 0
  if (status < 200 || status > 206) throw statusError(status, text, response.headers['content-type'] ?? '')
  return read(text)
}

function readObject(text: string): JsonObject {
  const value = parseJson(text)
  if (value !== undefined) return value
  throw new WebhookError("couldn't get version/kind; json parse error: the answer is not a JSON object", false)
}

function parseJson(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function statusError(status: number, text: string, type: string): WebhookError {
  const passing = status >= 500 || status === 429
  const answer = parseJson(text)
  if (answer?.['kind'] === 'Status' && typeof answer['message'] === 'string') {
    return new WebhookError(answer['message'], passing)
  }
  const said = type.startsWith('text/') && text.trim() !== '' ? text.trim().slice(0, 2048) : 'unknown'
  return new WebhookError(serverFailure(status, said).message, passing)
}
