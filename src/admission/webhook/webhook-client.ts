/**
 * Calls webhooks over HTTPS. Connections are kept for each server and authority, every call has a time limit and its
 * answer a size limit; redirects are not followed. Failures are told in the words of the reference.
 */

import type { IncomingMessage } from 'node:http'
import { type Agent, type AgentOptions, request as httpsRequest } from 'node:https'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Dial, dialAgent, isLostWhileKept } from '../../lib/dial.ts'
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
    return parseReview(await this.#post(target, body, { client, deadline }))
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
        throw new Error(`Post ${JSON.stringify(full)}: ${(error as Error).message}`)
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

  #post(
    target: Target,
    body: Buffer,
    { client, deadline }: { client: ClientConfig; deadline: number },
  ): Promise<string> {
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
      const cancel = this.#options.clock.setTimeout(
        () => request.destroy(new Error('context deadline exceeded')),
        timeoutMs,
      )
      request.on('error', (error: NodeJS.ErrnoException) => {
        cancel()
        if (isLostWhileKept(request, error)) {
          resolve(this.#post(target, body, { client, deadline }))
          return
        }
        this.#options.onCall?.(serverName, undefined)
        failed(networkMessage(error, host, port))
      })
      request.on('response', (response) => {
        readText(response)
          .then((text) => {
            const status = response.statusCode ?? 0
            this.#options.onCall?.(serverName, status)
            if (status >= 200 && status <= 206) resolve(text)
            else reject(new Error(statusMessage(status, text)))
          })
          .catch((error: Error) => {
            request.destroy()
            failed(error.message)
          })
          .finally(cancel)
      })
      request.end(body)
    })
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > maxAnswerBytes) throw new Error('http: request body too large')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

function networkMessage(
  error: NodeJS.ErrnoException & { reason?: string; host?: string },
  host: string,
  port: number,
): string {
  const verify = 'tls: failed to verify certificate: x509:'
  const code = error.code ?? ''
  if (untrusted.has(code)) return `${verify} certificate signed by unknown authority`
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${host.includes(':') ? `[${host}]` : host}:${port}: connect: connection refused`
    case 'ENOTFOUND':
      return `dial tcp: lookup ${host}: no such host`
    case 'ECONNRESET':
      return 'EOF'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${verify} certificate is not valid for ${host}: ${error.reason ?? ''}`
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${verify} certificate has expired or is not yet valid`
    default:
      return error.message
  }
}

const statusTexts: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports',
  409: 'the server reported a conflict',
  415: 'the server responded with the status code 415 but did not return more information',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
}

function statusMessage(status: number, text: string): string {
  const answer = parsed(text)
  if (isJsonObject(answer) && answer['kind'] === 'Status' && typeof answer['message'] === 'string')
    return answer['message']
  const said = text.trim() === '' ? 'unknown' : text.trim().slice(0, 2048)
  if (status === 403) return said
  return (
    statusTexts[status] ??
    (status >= 500
      ? `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
      : `the server responded with the status code ${status} but did not return more information`)
  )
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** Text that is no JSON reads as a YAML string, as in the reference. */
function parseReview(text: string): JsonObject {
  const value = parsed(text)
  if (!isJsonObject(value)) {
    const kind = Array.isArray(value)
      ? 'array'
      : value === undefined
        ? 'string'
        : typeof value === 'boolean'
          ? 'bool'
          : typeof value
    throw new Error(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${kind} into Go value of type ${typeMeta}`,
    )
  }
  return value
}

/** The answer must be a review of the version that was sent. Throws an Error in the reference's words. */
export function checkReviewType(review: JsonObject, version: string): void {
  const [apiVersion, kind] = [review['apiVersion'], review['kind']].map((text) =>
    typeof text === 'string' ? text : '',
  ) as [string, string]
  if (apiVersion === `admission.k8s.io/${version}` && kind === 'AdmissionReview') return
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${JSON.stringify(review)}'`)
  if (apiVersion === '') throw new Error(`Object 'apiVersion' is missing in '${JSON.stringify(review)}'`)
  const other =
    apiVersion.startsWith('admission.k8s.io/') && kind === 'AdmissionReview' ? apiVersion.split('/')[1] : undefined
  if (other === 'v1' || other === 'v1beta1') {
    throw new Error(`converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`)
  }
  throw new Error(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"`,
  )
}
