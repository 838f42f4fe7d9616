/** Calls of webhooks, against a real server: where they go, what they carry, and when they fail. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { forgeCertificate } from '../../auth/testing/forged-certificates.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Dial } from '../../outbound/dial.ts'
import type { ClientIdentity } from '../../outbound/kubeconfig.ts'
import { WebhookClient, type WebhookClientOptions } from './webhook-client.ts'

interface Seen {
  readonly path: string
  readonly body: string
  readonly agent: string | undefined
  readonly authorization: string | undefined
  readonly trace: unknown
  readonly serverName: unknown
}

const authority = forgeCertificate({ commonName: 'ca', authority: 0 })
const own = forgeCertificate(
  {
    commonName: 'hook',
    purpose: 'server',
    names: [
      ['dns', 'localhost'],
      ['dns', 'hook.ns.svc'],
    ],
  },
  authority,
)
const caBundle = Buffer.from(authority.pem).toString('base64')
let server: Server
let seen: Seen[]
const port = (): number => (server.address() as AddressInfo).port

beforeAll(async () => {
  const key = own.key.export({ type: 'pkcs8', format: 'pem' })
  server = createServer({ cert: own.pem, key }, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    seen.push({
      path: request.url ?? '',
      body,
      agent: request.headers['user-agent'],
      authorization: request.headers.authorization,
      trace: request.headers['x-trace'],
      serverName: (request.socket as unknown as { servername?: unknown }).servername,
    })
    if (request.url?.startsWith('/broken')) response.writeHead(400)
    response.end('{"answer":1}')
  })
  await once(server.listen(0, 'localhost'), 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

let clients: WebhookClient[]
beforeEach(() => {
  seen = []
  clients = []
})
afterEach(() => {
  for (const client of clients) client.close()
})

function clientOf(options: Partial<WebhookClientOptions> = {}) {
  const told: string[] = []
  const client = new WebhookClient({
    clock: systemClock,
    resolveService: async () => ({ host: 'localhost', port: port() }),
    credentials: () => ({ headers: () => ({}) }),
    encode: (review) => JSON.stringify(review),
    read: (body, review) => ({ read: JSON.parse(body.toString()) as JsonObject, review }),
    onCall: (host, status) => void told.push(`${host} ${status}`),
    ...options,
  })
  clients.push(client)
  return { client, told }
}

const review = { kind: 'AdmissionReview' }
const byUrl = (path = '/hook') => ({ url: `https://localhost:${port()}${path}`, caBundle })
const byService = { service: { name: 'hook', namespace: 'ns', path: '/hook' }, caBundle }

it('posts the review to a URL, and reads the answer', async () => {
  const { client, told } = clientOf({ headers: () => ({ 'x-trace': 't' }) })
  expect(await client.call(byUrl(), review, 5)).toEqual({ read: { answer: 1 }, review })
  expect(seen).toEqual([
    {
      path: '/hook?timeout=5s',
      body: JSON.stringify(review),
      agent: 'kube-apiserver-admission',
      authorization: undefined,
      trace: 't',
      serverName: 'localhost',
    },
  ])
  expect(told).toEqual([`localhost:${port()} 200`])
})

it('posts to a service under its own name', async () => {
  const asked: unknown[] = []
  const { client, told } = clientOf({
    resolveService: async (service) => {
      asked.push(service)
      return { host: 'localhost', port: port() }
    },
  })
  await client.call(byService, review, 5)
  expect(asked).toEqual([{ name: 'hook', namespace: 'ns', port: 443 }])
  expect([seen[0]?.serverName, told]).toEqual(['hook.ns.svc', ['hook.ns.svc:443 200']])
})

it('says who it is to each server', async () => {
  const identity: ClientIdentity = { headers: () => ({ authorization: 'Bearer t' }) }
  const asked: string[] = []
  const credentials = (hostPort: string): ClientIdentity => {
    asked.push(hostPort)
    return identity
  }
  const { client } = clientOf({ credentials })
  await client.call(byUrl(), review, 5)
  await client.call(byService, review, 5)
  expect(asked).toEqual([`localhost:${port()}`, 'hook.ns.svc:443'])
  expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer t', 'Bearer t'])
})

it('goes other ways to services and to URLs', async () => {
  const ways: string[] = []
  const dial =
    (way: string): Dial =>
    async (host, at) => {
      ways.push(way)
      const socket = connect(at, host)
      await once(socket, 'connect')
      return socket
    }
  const { client } = clientOf({ dials: { service: dial('service'), url: dial('url') } })
  await client.call(byUrl(), review, 5)
  await client.call(byService, review, 5)
  expect(ways).toEqual(['url', 'service'])
})

it('fails where the server is not to be trusted', async () => {
  const { client, told } = clientOf()
  const other = Buffer.from(forgeCertificate({ commonName: 'other', authority: 0 }).pem).toString('base64')
  await expect(client.call({ ...byUrl(), caBundle: other }, review, 5)).rejects.toThrow('tls: failed to verify')
  await client.call(byUrl(), review, 5)
  await expect(client.call({ ...byUrl(), caBundle: other }, review, 5)).rejects.toThrow('tls: failed to verify')
  expect([seen.length, told[0]]).toEqual([1, `localhost:${port()} undefined`])
})

it('fails where the answer is no success', async () => {
  const { client, told } = clientOf()
  await expect(client.call(byUrl('/broken'), review, 5)).rejects.toThrow()
  expect(told).toEqual([`localhost:${port()} 400`])
})

it('fails where the service is not there, or nothing is named', async () => {
  const { client } = clientOf({ resolveService: () => Promise.reject(new Error('no such service')) })
  await expect(client.call(byService, review, 5)).rejects.toThrow(
    'Post "https://hook.ns.svc:443/hook?timeout=5s": no such service',
  )
  await expect(client.call({}, review, 5)).rejects.toThrow('webhook configuration must have either service or URL')
})

it('fails where a test wants it to, before anything is sent', async () => {
  const asked: unknown[] = []
  const before: WebhookClientOptions['before'] = async (call) => {
    asked.push(call)
    throw new Error('not today')
  }
  const { client } = clientOf({ before })
  await expect(client.call(byUrl(), review, 5)).rejects.toThrow('not today')
  expect(asked).toEqual([{ url: `https://localhost:${port()}/hook?timeout=5s`, review, timeoutMs: 5000 }])
  expect(seen).toEqual([])
})

it('has only the time that is left after encoding', async () => {
  let now = 0
  const encode = (): string => {
    now = 5000
    return '{}'
  }
  const { client } = clientOf({ clock: { ...systemClock, now: () => now }, encode })
  await expect(client.call(byUrl(), review, 5)).rejects.toThrow('context deadline exceeded')
})
