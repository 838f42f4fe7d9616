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
 *   GET    /pods/scripts     the scripts of simulated pods, each with its `id`
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
import { openTestServer } from './open-test-server.ts'
import { RequestFailure } from './request-failure.ts'
import type { RunningTestServer } from './running-test-server.ts'
import { describeServer, NotFoundError, type OpenFork, TestActions } from './test-actions.ts'

const maxBodyBytes = 16 * 1024 * 1024

/** Starts the server that the command serves, as one for tests. */
export async function startWithTestEndpoint(
  options: ServerOptions,
  { logger, credentials }: ServerDependencies,
): Promise<RunningServer> {
  const address = parseEndpointAddress(options.testEndpoint ?? '')
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
export function parseEndpointAddress(text: string): Address {
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
  const actions = new TestActions(server, openForkEndpoint, end)
  const listener = http.createServer((request, response) => void handle(server, actions, { request, response }))
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen({ host, port }, resolve)
  })
  const address = listener.address() as { port: number }
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    async close() {
      await actions.closeForks()
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

const openForkEndpoint: OpenFork = async (fork, close) => {
  const endpoint = await openTestEndpoint(fork, { host: '127.0.0.1', port: 0 }, close)
  return { answer: { ...describeServer(fork), testEndpoint: endpoint.url }, close: () => endpoint.close() }
}

interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

async function handle(server: RunningTestServer, actions: TestActions, { request, response }: Call): Promise<void> {
  const answer = (status: number, value: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(`${JSON.stringify(value ?? {})}\n`)
  }
  try {
    if (!isTrusted(request)) return answer(403, { error: 'this endpoint is for tests on this machine' })
    await server.ready
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const text = await readText(request)
    answer(200, await actions.act({ method: request.method ?? '', path: pathname, search: searchParams, text }))
  } catch (error) {
    const { message } = error as Error
    if (error instanceof RequestFailure) answer(error.status, { error: message, status: error.body })
    else answer(error instanceof NotFoundError ? 404 : 400, { error: message })
  }
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
