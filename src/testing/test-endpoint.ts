/**
 * What a test does to its server, over HTTP, for tests in other languages. Only with `--test-endpoint`, only on a loopback
 * address, only for callers that are no browsers. Bodies and answers are JSON; an error is `{"error": "…"}`.
 *
 *   GET    /                 where the server is, and how to reach it: `url`, `token`, `kubeconfig` (YAML)
 *   POST   /reset            `{"to": "name", "watches": "end" | "keep"}`, both optional
 *   POST   /snapshot         `{"name": "…"}`, optional; answers with the name
 *   POST   /restore          `{"to": "name", "watches": …}`
 *   POST   /fork             a copy of the server on ports of its own: answers as `GET /`, with its `testEndpoint`
 *   DELETE /                 closes a fork
 *   POST   /apply            a manifest, as JSON or YAML
 *   POST   /users            `{"name": "alice", "groups": ["devs"]}`: answers with `token` and `kubeconfig`
 *   GET    /faults           the faults, with their `id` and `hits`
 *   POST   /faults           a fault, as `server.faults.add` takes it; answers with its `id`
 *   DELETE /faults[/ID]      removes one, or all
 *   GET    /requests         those that match `?verb=…&resource=…&namespace=…&name=…&user=…&userAgent=…&path=…`
 *   DELETE /requests         forgets them
 *   GET    /watches          the open watches that match, as `/requests`, each with its `events`
 *   POST   /watches/wait     `{"match": {…}, "timeout": 30000}`: answers when such a watch is open
 *   POST   /watches/break    `{"kind": "cut", "match": {…}}`: answers with how many
 *   GET    /clock            `{"now": 1234567890}`
 *   POST   /clock/advance    `{"ms": 60000}`
 *   POST   /compact          forgets all history
 *   POST   /settled          answers when the server's controllers have nothing to do
 *   POST   /pods/scripts     `{"pods": "web-*", "script": {"exit": {"exitCode": 1}}}`: what simulated pods do; answers with its `id`
 *   DELETE /pods/scripts[/ID]  ends one, or all
 *   POST   /nodes/fail       `{"name": "node-1"}`: a simulated node; likewise `/nodes/return` and `/nodes/relieve`
 *   POST   /nodes/pressure   `{"name": "node-1", "resource": "memory", "evict": "web-*"}`, the last is optional
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { isLoopbackIp, parseIp } from '../api/ip.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { RunningServer, ServerDependencies } from '../server/running-server.ts'
import type {
  Fault,
  FaultSpec,
  OpenWatch,
  PodPattern,
  PodScript,
  RequestMatch,
  RestoreOptions,
  RunningScript,
  WatchFaultKind,
} from './api.ts'
import { RequestFailure } from './request-failure.ts'
import { openTestServer, type RunningTestServer } from './running-test-server.ts'

const maxBodyBytes = 16 * 1024 * 1024

/** Starts the server that the command serves, as one for tests. */
export async function startWithTestEndpoint(
  options: ServerOptions,
  { logger, credentials }: ServerDependencies,
): Promise<RunningServer> {
  const address = parseAddress(options.testEndpoint ?? '')
  if (options.storage.kind !== 'memory') {
    throw new ConfigError(`--test-endpoint needs --store=memory, not ${options.storage.kind}`)
  }
  const server = await openTestServer({ start: {}, options, credentials, logger })
  const endpoint = await openTestEndpoint(server, address).catch(async (error: unknown) => {
    await server.close()
    throw error
  })
  logger.warn({ url: endpoint.url }, 'the test endpoint is open: whoever reaches it owns this server')
  return {
    addresses: server.addresses,
    ready: server.ready,
    consoleLink: (user) => server.consoleLink(user),
    async close() {
      await endpoint.close()
      await server.close()
    },
  }
}

interface Address {
  readonly host: string
  readonly port: number
}

/** Only loopback addresses. Throws a `ConfigError`. */
export function parseAddress(text: string): Address {
  const at = text.lastIndexOf(':')
  const host = text.slice(0, at).replace(/^\[|\]$/g, '')
  const port = Number(text.slice(at + 1))
  const ip = parseIp(host === 'localhost' ? '127.0.0.1' : host)
  if (at < 0 || ip === undefined || !isLoopbackIp(ip) || !Number.isInteger(port) || port < 0 || port > 65535) {
    throw new ConfigError(`--test-endpoint must be a loopback address and a port, such as 127.0.0.1:9443, not ${text}`)
  }
  return { host: host === 'localhost' ? '127.0.0.1' : host, port }
}

export interface TestEndpoint {
  readonly url: string
  close(): Promise<void>
}

/** `end` is what a caller may ask for who wants no more of the server. */
export async function openTestEndpoint(
  server: RunningTestServer,
  { host, port }: Address,
  end?: () => Promise<void>,
): Promise<TestEndpoint> {
  const endpoint = new Endpoint(server, end)
  const listener = http.createServer((request, response) => void endpoint.handle(request, response))
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen({ host, port }, resolve)
  })
  const address = listener.address() as { port: number }
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    async close() {
      await endpoint.closeForks()
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

type Body = Readonly<Record<string, unknown>>
type Action = (body: Body, request: { readonly url: URL; readonly text: string }) => unknown

/** Something that is not there. */
class NotThere extends Error {}

class Endpoint {
  readonly #server: RunningTestServer
  readonly #faults = new Map<string, Fault>()
  readonly #scripts = new Map<string, RunningScript>()
  readonly #forks = new Set<{ close(): Promise<void> }>()
  readonly #actions: ReadonlyMap<string, Action>
  #count = 0

  constructor(server: RunningTestServer, end: (() => Promise<void>) | undefined) {
    this.#server = server
    this.#actions = new Map<string, Action>([
      ['GET /', () => this.#describe(server)],
      ['DELETE /', () => endSoon(end)],
      ['POST /reset', (body) => this.#reset(body)],
      ['POST /snapshot', (body) => this.#snapshot(body)],
      ['POST /restore', ({ to, ...options }) => server.restore(String(to), options as RestoreOptions)],
      ['POST /fork', () => this.#fork()],
      ['POST /apply', (_, { text }) => server.apply(text)],
      ['POST /users', (body) => this.#user(body)],
      ['GET /faults', () => [...this.#faults].map(([id, { spec, hits }]) => ({ id, ...spec, hits }))],
      ['POST /faults', (body) => this.#addFault(body)],
      ['DELETE /faults', () => this.#clearFaults()],
      ['GET /requests', (_, { url }) => server.requests.filter(matchOf(url))],
      ['DELETE /requests', () => server.requests.clear()],
      ['GET /watches', (_, { url }) => server.watches.filter(matchOf(url)).map(shownWatch)],
      ['POST /watches/wait', (body) => this.#waitForWatch(body)],
      ['POST /watches/break', (body) => this.#breakWatches(body)],
      ['GET /clock', () => ({ now: server.clock.now() })],
      ['POST /clock/advance', ({ ms }) => server.clock.advance(Number(ms)).then(() => ({ now: server.clock.now() }))],
      ['POST /compact', () => server.compact()],
      ['POST /settled', () => server.settled()],
      ['POST /pods/scripts', (body) => this.#addScript(body)],
      ['DELETE /pods/scripts', () => this.#clearScripts()],
      ['POST /nodes/fail', ({ name }) => server.nodes.fail(nodeName(name))],
      ['POST /nodes/return', ({ name }) => server.nodes.return(nodeName(name))],
      ['POST /nodes/relieve', ({ name }) => server.nodes.relieve(nodeName(name))],
      ['POST /nodes/pressure', (body) => this.#pressure(body)],
    ])
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(`${JSON.stringify(value ?? {})}\n`)
    }
    try {
      if (!isTrusted(request)) return answer(403, { error: 'this endpoint is for tests on this machine' })
      await this.#server.ready
      answer(200, await this.#act(request))
    } catch (error) {
      const { message } = error as Error
      if (error instanceof RequestFailure) answer(error.status, { error: message, status: error.body })
      else answer(error instanceof NotThere ? 404 : 400, { error: message })
    }
  }

  async #act(request: IncomingMessage): Promise<unknown> {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const text = await readText(request)
    const [, kind, id] = /^\/(faults|pods\/scripts)\/([^/]+)$/.exec(url.pathname) ?? []
    if (request.method === 'DELETE' && id !== undefined) {
      return kind === 'faults' ? this.#removeFault(id) : this.#removeScript(id)
    }
    const action = this.#actions.get(`${request.method} ${url.pathname}`)
    if (action === undefined) throw new NotThere(`there is no ${request.method} ${url.pathname}`)
    return action(url.pathname === '/apply' ? {} : parseBody(text), { url, text })
  }

  #describe(server: RunningTestServer): object {
    return { url: server.url, token: server.token, kubeconfig: server.kubeconfig().yaml() }
  }

  async #reset({ to, ...options }: Body): Promise<void> {
    this.#faults.clear()
    this.#scripts.clear()
    await this.#server.reset(to === undefined ? undefined : String(to), options as RestoreOptions)
  }

  #snapshot({ name }: Body): object {
    const chosen = name === undefined ? `snapshot-${++this.#count}` : String(name)
    this.#server.snapshot(chosen)
    return { name: chosen }
  }

  async #fork(): Promise<object> {
    const fork = await this.#server.fork()
    const endpoint = await openTestEndpoint(fork, { host: '127.0.0.1', port: 0 }, () => held.close())
    const held = {
      close: async () => {
        this.#forks.delete(held)
        await endpoint.close()
        await fork.close()
      },
    }
    this.#forks.add(held)
    return { ...this.#describe(fork), testEndpoint: endpoint.url }
  }

  async closeForks(): Promise<void> {
    for (const fork of this.#forks) await fork.close()
  }

  #user({ name, groups = [] }: Body): object {
    const user = this.#server.user(String(name), (groups as unknown[]).map(String))
    return { name: user.name, groups: user.groups, token: user.token, kubeconfig: user.kubeconfig().yaml() }
  }

  #addFault(spec: Body): object {
    const fault = this.#server.faults.add(spec as FaultSpec)
    const id = String(++this.#count)
    this.#faults.set(id, fault)
    return { id }
  }

  #removeFault(id: string): object {
    const fault = this.#faults.get(id)
    if (fault === undefined) throw new NotThere(`there is no fault ${id}`)
    fault.remove()
    this.#faults.delete(id)
    return { hits: fault.hits }
  }

  #clearFaults(): void {
    this.#server.faults.clear()
    this.#faults.clear()
  }

  #addScript({ pods, script }: Body): object {
    if (pods === undefined || script === undefined) throw new Error('a script needs "pods" and "script"')
    const running = this.#server.pods.script(pods as PodPattern, script as PodScript)
    const id = String(++this.#count)
    this.#scripts.set(id, running)
    return { id }
  }

  #removeScript(id: string): void {
    const script = this.#scripts.get(id)
    if (script === undefined) throw new NotThere(`there is no script ${id}`)
    script.stop()
    this.#scripts.delete(id)
  }

  #clearScripts(): void {
    this.#server.pods.clear()
    this.#scripts.clear()
  }

  async #pressure({ name, resource, evict }: Body): Promise<void> {
    const known = pressures.find((each) => each === resource)
    if (known === undefined) throw new Error(`"resource" must be one of ${pressures.join(', ')}`)
    await this.#server.nodes.pressure(nodeName(name), known, evict === undefined ? {} : { evict: evict as PodPattern })
  }

  async #waitForWatch({ match = {}, timeout }: Body): Promise<object> {
    const options = timeout === undefined ? {} : { timeout: Number(timeout) }
    return shownWatch(await this.#server.watches.waitFor(match as RequestMatch, options))
  }

  #breakWatches({ kind, match = {} }: Body): object {
    return { count: this.#server.watches.break(kind as WatchFaultKind, match as RequestMatch) }
  }
}

const pressures = ['memory', 'disk', 'pid'] as const

function nodeName(name: unknown): string {
  if (typeof name !== 'string' || name === '') throw new Error('which node? "name" is missing')
  return name
}

const shownWatch = ({ request, events }: OpenWatch): object => ({ request, events })

/** Once the caller has been told. */
function endSoon(end: (() => Promise<void>) | undefined): void {
  if (end === undefined) throw new Error('only a fork can be closed by its endpoint: stop this server by a signal')
  setTimeout(() => void end(), 10)
}

const matchFields = ['verb', 'resource', 'namespace', 'name', 'user', 'userAgent', 'path'] as const

function matchOf({ searchParams }: URL): RequestMatch {
  const given = matchFields.flatMap((field) => {
    const value = searchParams.get(field)
    return value === null ? [] : [[field, value]]
  })
  return Object.fromEntries(given) as RequestMatch
}

/** No web page may use it, not even by a name that it made lead here. */
function isTrusted({ headers }: IncomingMessage): boolean {
  const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  const ip = parseIp(host)
  return headers.origin === undefined && (host === 'localhost' || (ip !== undefined && isLoopbackIp(ip)))
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > maxBodyBytes) throw new Error(`a body must not be larger than ${maxBodyBytes} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseBody(text: string): Body {
  if (text.trim() === '') return {}
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('the body must be an object')
  return value as Body
}
