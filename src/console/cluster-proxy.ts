/**
 * The console in front of another cluster: a small server on this machine that has the page, sessions of its own, and what needs no server of ours;
 * everything else goes to the cluster, with the credentials of a kubeconfig in place of the cookie.
 */
import type { Exchange } from '../api/exchange.ts'
import { isLoopbackIp, parseIp } from '../api/ip.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import { queryInTurns } from '../api/query-selectors.ts'
import { servedRelease } from '../api/release.ts'
import { RequestContext } from '../api/request-context.ts'
import { requestInfo } from '../api/request-info.ts'
import { ApiError, internalError, unauthorized } from '../api/status-error.ts'
import type { UserInfo } from '../api/user.ts'
import { encodeJson, JsonDocument } from '../codec/json.ts'
import { programVersion } from '../config/version-info.ts'
import { forward } from '../handlers/connect/forward.ts'
import { listen } from '../http/listener.ts'
import type { Clock } from '../lib/clock.ts'
import { reasonOf } from '../lib/fault.ts'
import { trimTrailing } from '../lib/trim-trailing.ts'
import { callOutbound } from '../outbound/call.ts'
import type { WebhookConnection } from '../outbound/kubeconfig.ts'
import { type Destination, Transport } from '../outbound/transport.ts'
import { accessEndpoints } from './access/access-endpoints.ts'
import { type ClusterReader, clusterAccess, clusterRoles } from './access/cluster-access.ts'
import { Grants } from './access/grants.ts'
import { answerJson } from './answers.ts'
import { readFeatures } from './capabilities.ts'
import { EndpointTable } from './endpoint-table.ts'
import { expressionsEndpoint } from './expressions.ts'
import { ListPage, securityHeaders } from './page.ts'
import { Query } from './query.ts'
import type { Endpoint } from './services.ts'
import { type ConsoleLink, isConsolePath, SessionAuthenticator } from './session-authenticator.ts'
import { sessionEndpoints } from './session-endpoints.ts'

export interface ClusterProxyOptions {
  readonly connection: WebhookConnection
  readonly clock: Clock
  /** 0: any that is free. */
  readonly port: number
  /** Lets nothing pass that changes something. */
  readonly isReadOnly: boolean
  /** Absent: plain HTTP, of which browsers open six connections at most. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined
}

export interface ClusterProxy {
  readonly url: string
  link(): ConsoleLink
  close(): Promise<void>
}

const host = '127.0.0.1'
const callMs = 10_000
const maxAnswerBytes = 4 * 1024 * 1024
const anonymous: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'], extra: new Map() }

export async function openClusterProxy(options: ClusterProxyOptions): Promise<ClusterProxy> {
  const cluster = new Cluster(options.connection)
  const user = await cluster.user()
  let url = ''
  const sessions = new SessionAuthenticator({ clock: options.clock, addresses: [], url: () => url })
  const handler = new ProxyHandler({ ...options, cluster, sessions, user })
  const listener = await listen({
    host,
    port: options.port,
    tls: options.tls,
    http2: options.tls !== undefined,
    maxStreams: 0,
    handler: (exchange) => void handler.handle(exchange),
  })
  url = `${options.tls === undefined ? 'http' : 'https'}://${host}:${listener.port}`
  return {
    url,
    link: () => sessions.link(user),
    async close() {
      sessions.close()
      cluster.close()
      await listener.finish(0)
    },
  }
}

/** The cluster behind. */
class Cluster implements ClusterReader {
  readonly #connection: WebhookConnection
  readonly #transport: Transport
  readonly #base: Destination

  constructor(connection: WebhookConnection) {
    const { certificateAuthority: ca, clientCertificate: cert, clientKey: key, serverName } = connection
    this.#connection = connection
    this.#transport = new Transport({
      tls: { ca, cert, key, serverName, insecure: connection.insecureSkipTlsVerify },
    })
    this.#base = destinationOf(connection.url)
  }

  /** Who the credentials are; what the cluster does not report is not known. */
  async user(): Promise<UserInfo> {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const answer = await this.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review)
    const status = isJsonObject(answer?.['status']) ? answer['status'] : {}
    const { username, groups } = isJsonObject(status['userInfo']) ? status['userInfo'] : {}
    return {
      name: typeof username === 'string' ? username : 'unknown',
      groups: Array.isArray(groups) ? groups.map(String) : [],
      extra: new Map(),
    }
  }

  /** The object that is answered; undefined for an answer that is none of success. */
  async post(path: string, body: JsonObject): Promise<JsonObject | undefined> {
    return this.#call('POST', path, encodeJson(body))
  }

  async get(path: string): Promise<JsonObject | undefined> {
    return this.#call('GET', path)
  }

  read(path: string): Promise<JsonObject> {
    return this.#needed('GET', path)
  }

  create(path: string, body: JsonObject): Promise<JsonObject> {
    return this.#needed('POST', path, encodeJson(body))
  }

  async #needed(method: string, path: string, body?: string): Promise<JsonObject> {
    const { status, value } = await this.#send(method, path, body)
    if (isSuccess(status) && value !== undefined) return value
    const message = typeof value?.['message'] === 'string' ? value['message'] : `the cluster answered ${status}`
    const reason = typeof value?.['reason'] === 'string' ? value['reason'] : 'InternalError'
    throw new ApiError({ code: status >= 400 ? status : 502, reason, message })
  }

  async #call(method: string, path: string, body?: string): Promise<JsonObject | undefined> {
    const { status, value } = await this.#send(method, path, body)
    return isSuccess(status) ? value : undefined
  }

  async #send(
    method: string,
    path: string,
    body?: string,
  ): Promise<{ readonly status: number; readonly value: JsonObject | undefined }> {
    const { status, body: bytes } = await callOutbound(this.#transport, this.#at(path), {
      method,
      headers: { ...this.#connection.headers(), accept: 'application/json', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
      timeoutMs: callMs,
      maxBytes: maxAnswerBytes,
      redirects: false,
    })
    return { status, value: objectOf(bytes) }
  }

  /** The request as it came, but for what only this server is to know. */
  forward(exchange: Exchange): Promise<void> {
    const own = Object.keys(exchange.headers).filter((name) => isOwnHeader.test(name))
    return forward(exchange, {
      transport: this.#transport,
      destination: this.#at(exchange.query === '' ? exchange.path : `${exchange.path}?${exchange.query}`),
      headers: { ...Object.fromEntries(own.map((name) => [name, undefined])), ...this.#connection.headers() },
      refusesRedirects: true,
    })
  }

  close(): void {
    this.#transport.close()
  }

  #at(path: string): Destination {
    return { ...this.#base, path: this.#base.path + path }
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299

/** Undefined for what is no JSON object. */
function objectOf(bytes: Buffer): JsonObject | undefined {
  try {
    const value: JsonValue = new JsonDocument(bytes).value()
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isOwnHeader = /^(cookie|origin|referer|x-pilothouse-console|sec-.*|x-remote-.*|x-forwarded-.*)$/

function destinationOf(text: string): Destination {
  const url = new URL(text)
  const scheme = url.protocol === 'http:' ? 'http' : 'https'
  const port = url.port === '' ? (scheme === 'https' ? 443 : 80) : Number(url.port)
  return { scheme, host: url.hostname.replace(/^\[|\]$/g, ''), port, path: trimTrailing(url.pathname, '/') }
}

interface FrontParts extends ClusterProxyOptions {
  readonly cluster: Cluster
  readonly sessions: SessionAuthenticator
  readonly user: UserInfo
}

class ProxyHandler {
  readonly #parts: FrontParts
  readonly #page = new ListPage()
  readonly #endpoints: EndpointTable

  constructor(parts: FrontParts) {
    this.#parts = parts
    this.#endpoints = new EndpointTable([
      ...sessionEndpoints(parts),
      capabilities(parts),
      ...accessEndpoints(clusterAccess(parts.cluster), new Grants(clusterRoles(parts.cluster, parts.clock))),
      expressionsEndpoint({
        authorize: async () => ({ allowed: false, reason: 'nobody can be asked in front of another cluster' }),
        definition: (_, name) => definitionOf(parts.cluster, name),
      }),
    ])
  }

  async handle(exchange: Exchange): Promise<void> {
    try {
      await this.#answer(exchange)
    } catch (error) {
      if (exchange.answered) exchange.cut()
      else answerError(exchange, error instanceof ApiError ? error : internalError(reasonOf(error)))
    }
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { sessions, cluster, isReadOnly } = this.#parts
    checkHost(exchange)
    const context = new RequestContext(exchange, requestInfo(exchange, await queryInTurns(exchange.query)), anonymous)
    sessions.guard(context)
    const { path } = context.info
    if (isConsolePath(path) && path !== '/console/v1' && !path.startsWith('/console/v1/')) {
      this.#page.answer(context)
      return
    }
    const session = sessions.sessionOf(context)
    const isSignIn = path === '/console/v1/session' && exchange.method === 'POST'
    if (session === undefined && !isSignIn) throw unauthorized('not signed in')
    if (session !== undefined) context.user = session.user
    if (isConsolePath(path)) return this.#endpoints.find(context)(context)
    if (!isOfCluster(path)) throw new ApiError({ code: 404, reason: 'NotFound', message: 'there is nothing here' })
    if (isReadOnly && !isRead(context)) {
      throw new ApiError({ code: 403, reason: 'Forbidden', message: 'the console was started with --read-only' })
    }
    await cluster.forward(exchange)
  }
}

/** A name that another page made lead here is none of ours. */
function checkHost({ headers }: Exchange): void {
  const name = String(headers[':authority'] ?? headers['host'] ?? '')
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
  const ip = parseIp(name)
  if (name === 'localhost' || (ip !== undefined && isLoopbackIp(ip))) return
  throw new ApiError({ code: 403, reason: 'Forbidden', message: 'the console is reached by a loopback address alone' })
}

const clusterPaths = ['/api', '/apis', '/openapi', '/version', '/healthz', '/livez', '/readyz']

const isOfCluster = (path: string): boolean =>
  clusterPaths.some((known) => path === known || path.startsWith(`${known}/`))

/** Reviews ask and change nothing; connections to pods may do anything. */
function isRead({ exchange, info }: RequestContext): boolean {
  if (exchange.headers['upgrade'] !== undefined || info.verb === 'proxy' || connecting.has(info.subresource))
    return false
  if (exchange.method === 'GET' || exchange.method === 'HEAD') return true
  return exchange.method === 'POST' && reviews.has(`${info.group}/${info.resource}`)
}

const connecting: ReadonlySet<string> = new Set(['proxy', 'exec', 'attach', 'portforward'])
const reviews: ReadonlySet<string> = new Set([
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authentication.k8s.io/selfsubjectreviews',
])

function answerError(exchange: Exchange, error: ApiError): void {
  const headers = { 'content-type': 'application/json', ...securityHeaders(), ...error.headers }
  exchange.respond(error.code, headers, `${encodeJson(error.toStatus())}\n`)
}

async function definitionOf(cluster: Cluster, name: string): Promise<JsonObject> {
  const found = await cluster.get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${encodeURIComponent(name)}`)
  if (found !== undefined) return found
  throw new ApiError({
    code: 404,
    reason: 'NotFound',
    message: `the definition ${JSON.stringify(name)} cannot be read`,
  })
}

const absent = [...readFeatures.filter((name) => name !== 'access'), 'testing', 'links']

/** Why a view has nothing in front of another cluster; what has no words here is asked of the resource API instead. */
const reasons: Readonly<Record<string, string>> = {
  requests: 'Another cluster does not tell what is asked of it: its audit log has that.',
  watches: 'Another cluster does not tell who watches.',
  history: 'Another cluster does not give out the versions before the present one.',
  server: 'Another cluster does not tell its flags and gates.',
  metrics: 'Another cluster is measured by its own monitoring.',
  flows: 'Another cluster does not tell who waits for a seat.',
  testing: 'This is no test server of Pilothouse.',
}

const missing = (name: string): object => ({
  available: false,
  allowed: false,
  reason: reasons[name] ?? 'the cluster does not tell',
})

function capabilities({ cluster, user, isReadOnly }: FrontParts): Endpoint {
  const there = { available: true, allowed: true }
  return {
    path: '/console/v1/capabilities',
    methods: {
      async GET(context) {
        new Query(context, [])
        const version = await cluster.get('/version').catch(() => undefined)
        answerJson(context, {
          version: 1,
          server: 'other',
          release: typeof version?.['gitVersion'] === 'string' ? version['gitVersion'] : servedRelease,
          program: programVersion,
          user: { name: user.name, groups: user.groups },
          features: {
            ...Object.fromEntries(absent.map((name) => [name, missing(name)])),
            access: there,
            expressions: there,
            writes: isReadOnly ? { available: false, allowed: false, reason: '--read-only' } : there,
          },
        })
      },
    },
  }
}
