/**
 * Calls webhooks over HTTPS. Connections are kept for each server and authority, every call has a time limit and its
 * answer a size limit; redirects are not followed. Failures are told in the words of the reference.
 */
import type { IncomingMessage } from 'node:http'
import { type Agent, type AgentOptions, request as httpsRequest } from 'node:https'
import { goDialError } from '../../api/dial-error.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { serverFailure } from '../../api/server-response.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Dial, dialAgent, isLostWhileKept } from '../../lib/dial.ts'
import { reasonOf } from '../../lib/fault.ts'
import type { ClientConfig } from './webhook.ts'

export interface ClientCredentials {
  readonly cert?: string
  readonly key?: string
  /** The value of the Authorization header. */
  readonly authorization?: string
}

export interface WebhookClientOptions {
  readonly clock: Clock
  /** Where a service is reached. Throws an Error that says why not. */
  readonly resolveService: (
    namespace: string,
    name: string,
    port: number,
  ) => Promise<{ readonly host: string; readonly port: number }>
  /** Who we are to the server of that name; `name.namespace.svc` for a service. */
  readonly credentials: (host: string) => ClientCredentials
  readonly encode: (value: JsonValue) => string
  /** Reads an answer to a review of that version. Throws an Error in the reference's words. */
  readonly read: (body: Buffer, apiVersion: string) => JsonObject
  /** Another way to webhooks that are services of the cluster, and to those that are named by a URL. */
  readonly dials?: { readonly service: Dial | undefined; readonly url: Dial | undefined }
  /** Told of every call: the server's name and the status of its answer; undefined when there was none. */
  readonly onCall?: (host: string, status: number | undefined) => void
  /** More headers of a call. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** Throws to make a call fail. Only test servers have it. */
  readonly before?: (call: WebhookCall) => Promise<void>
}

export interface WebhookCall {
  /** As messages name it. */
  readonly url: string
  readonly review: JsonObject
  readonly timeoutMs: number
}

const maxAnswerBytes = 3 * 1024 * 1024
/** Authorities whose connections are kept; the oldest goes first. */
const maxAgents = 200
const maxSocketsPerServer = 100

interface RawAnswer {
  readonly status: number
  /** Empty when the answer names none. */
  readonly type: string
  readonly body: Buffer
  /** When the server asks to be called again. */
  readonly retryAfterMs: number | undefined
}

/** How often a server is called again that asks for it. */
const maxRetries = 10

function retryAfter(status: number, { headers }: IncomingMessage): number | undefined {
  const seconds = headers['retry-after'] ?? ''
  return (status === 429 || status >= 500) && /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1000 : undefined
}

const tooLate = 'context deadline exceeded'
/** How much of an answer that is no success is told. */
const maxToldBytes = 2048

interface Target {
  /** As messages name it. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly path: string
  readonly serverName: string
}

export class WebhookClient {
  readonly #options: WebhookClientOptions
  readonly #agents = new Map<string, Agent>()

  constructor(options: WebhookClientOptions) {
    this.#options = options
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }

  /** The JSON that the webhook answers. Throws an Error in the reference's words. */
  async call(client: ClientConfig, review: JsonObject, timeoutSeconds: number): Promise<JsonObject> {
    const deadline = this.#options.clock.now() + timeoutSeconds * 1000
    const target = await this.#target(client, timeoutSeconds)
    const body = Buffer.from(this.#options.encode(review))
    if (this.#options.before !== undefined) {
      await this.#options.before({ url: target.url, review, timeoutMs: timeoutSeconds * 1000 })
    }
    const answer = await this.#patiently(target, body, { client, deadline })
    const { status, type } = answer
    if (status < 200 || status > 206) throw new Error(statusMessage(answer))
    if (answer.body.length === 0) {
      throw new Error(
        `0-length response with status code: ${status} and content type: ${type === '' ? 'application/json' : type}`,
      )
    }
    return this.#options.read(answer.body, String(review['apiVersion']))
  }

  async #target({ url, service }: ClientConfig, timeoutSeconds: number): Promise<Target> {
    const query = `timeout=${timeoutSeconds}s`
    if (service !== undefined) {
      const serverName = `${service.name}.${service.namespace}.svc`
      const port = service.port ?? 443
      const path = `/${(service.path ?? '').replace(/^\//, '')}?${query}`
      const full = `https://${serverName}:${port}${path}`
      try {
        const { host, port: actual } = await this.#options.resolveService(service.namespace, service.name, port)
        return { url: full, host, port: actual, path, serverName }
      } catch (error) {
        throw new Error(`Post ${JSON.stringify(full)}: ${reasonOf(error)}`)
      }
    }
    if (url === undefined || !URL.canParse(url))
      throw new Error('webhook configuration must have either service or URL')
    const parsed = new URL(url)
    const path = `${parsed.pathname}${parsed.search === '' ? '?' : `${parsed.search}&`}${query}`
    const host = parsed.hostname.replace(/^\[|\]$/g, '')
    const port = parsed.port === '' ? 443 : Number(parsed.port)
    return { url: `https://${parsed.host}${path}`, host, port, path, serverName: host }
  }

  #agent(key: string, options: AgentOptions, dial: Dial | undefined): Agent {
    let agent = this.#agents.get(key)
    if (agent === undefined) {
      const oldest = this.#agents.size >= maxAgents ? this.#agents.keys().next() : undefined
      if (oldest !== undefined && !oldest.done) {
        this.#agents.get(oldest.value)?.destroy()
        this.#agents.delete(oldest.value)
      }
      agent = dialAgent(dial, { keepAlive: true, maxSockets: maxSocketsPerServer, ...options })
      this.#agents.set(key, agent)
    }
    return agent
  }

  /** A server that is too busy says when to come back. */
  async #patiently(
    target: Target,
    body: Buffer,
    { client, deadline }: { client: ClientConfig; deadline: number },
  ): Promise<RawAnswer> {
    const { clock } = this.#options
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#post(target, body, { client, deadline })
      const { retryAfterMs } = answer
      if (retryAfterMs === undefined || attempt === maxRetries) return answer
      const left = deadline - clock.now()
      await new Promise<void>((resolve) => clock.setTimeout(resolve, Math.min(retryAfterMs, Math.max(1, left))))
      if (retryAfterMs >= left) throw new Error(`Post ${JSON.stringify(target.url)}: ${tooLate}`)
    }
  }

  #post(
    target: Target,
    body: Buffer,
    { client, deadline }: { client: ClientConfig; deadline: number },
  ): Promise<RawAnswer> {
    const timeoutMs = Math.max(1, deadline - this.#options.clock.now())
    const { url, host, port, path, serverName } = target
    const { cert, key, authorization } = this.#options.credentials(serverName)
    const tls: AgentOptions = {
      ...(client.caBundle ? { ca: Buffer.from(client.caBundle, 'base64').toString('utf8') } : {}),
      ...(cert && key ? { cert, key } : {}),
      servername: /^[\d.]+$|:/.test(serverName) ? '' : serverName,
    }
    const dial = this.#options.dials?.[client.service === undefined ? 'url' : 'service']
    const agent = this.#agent(`${serverName}\n${client.caBundle ?? ''}\n${cert ?? ''}`, tls, dial)
    return new Promise((resolve, reject) => {
      const failed = (why: string): void => reject(new Error(`Post ${JSON.stringify(url)}: ${why}`))
      const request = httpsRequest({
        ...tls,
        agent,
        host,
        port,
        path,
        method: 'POST',
        headers: {
          host: `${serverName.includes(':') ? `[${serverName}]` : serverName}:${port}`,
          'content-type': 'application/json',
          'content-length': body.length,
          accept: 'application/json, */*',
          'user-agent': 'kube-apiserver-admission',
          ...(authorization ? { authorization } : {}),
          ...this.#options.headers?.(),
        },
      })
      let isLate = false
      let isAnswered = false
      const cancel = this.#options.clock.setTimeout(() => {
        isLate = true
        request.destroy(new Error(tooLate))
      }, timeoutMs)
      request.on('error', (error: NodeJS.ErrnoException) => {
        cancel()
        if (isAnswered) return
        if (isLostWhileKept(request, error)) {
          resolve(this.#post(target, body, { client, deadline }))
          return
        }
        this.#options.onCall?.(serverName, undefined)
        failed(goDialError(error, target))
      })
      request.on('response', (response) => {
        isAnswered = true
        readBody(response)
          .then((body) => {
            const status = response.statusCode ?? 0
            this.#options.onCall?.(serverName, status)
            const type = response.headers['content-type'] ?? ''
            resolve({ status, type, body, retryAfterMs: retryAfter(status, response) })
          })
          .catch((error: NodeJS.ErrnoException) => {
            request.destroy()
            const why = isLate ? tooLate : error.code === 'ECONNRESET' ? 'unexpected EOF' : error.message
            reject(new Error(`unexpected error when reading response body. Please retry. Original error: ${why}`))
          })
          .finally(cancel)
      })
      request.end(body)
    })
  }
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > maxAnswerBytes) throw new Error('http: request body too large')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** What an answer that is no success says. Only text is told as it is. */
function statusMessage({ status, type, body }: RawAnswer): string {
  const answer = parsed(body.toString('utf8'))
  if (isJsonObject(answer) && answer['kind'] === 'Status' && answer['status'] === 'Failure') {
    return typeof answer['message'] === 'string' ? answer['message'] : ''
  }
  const isText = type === '' || type.startsWith('text/')
  const said = isText ? body.subarray(0, maxToldBytes).toString('utf8').trim() : 'unknown'
  return serverFailure(status, said).message
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/**
 * The answer must be a review of the version that was sent; what it leaves out counts as that. Throws an Error in the
 * reference's words.
 */
export function checkReviewType(given: { readonly apiVersion: string; readonly kind: string }, sent: string): void {
  const { apiVersion = sent, kind = 'AdmissionReview' } = {
    ...(given.apiVersion === '' ? {} : { apiVersion: given.apiVersion }),
    ...(given.kind === '' ? {} : { kind: given.kind }),
  }
  if (apiVersion === sent && kind === 'AdmissionReview') return
  const [other, version] = [apiVersion, sent].map((each) => each.slice('admission.k8s.io/'.length))
  if (kind === 'AdmissionReview' && (apiVersion === reviewGroup('v1') || apiVersion === reviewGroup('v1beta1'))) {
    throw new Error(`converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`)
  }
  throw new Error(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"`,
  )
}

const reviewGroup = (version: string): string => `admission.k8s.io/${version}`
