/** Floods, slow clients, limits and the end of a server, over real connections. */
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import http, { type Server } from 'node:http'
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { kubeconfigFor } from '../support/kubeconfig.ts'
import { until } from '../support/until.ts'
import { type Answer, call, startTestServer, type TestServer } from './support/test-server.ts'

const as = (name: string) => ({ 'impersonate-user': name })

interface SlowAuthorizer {
  readonly server: Server
  /** Nobody of the flood gets an answer; from then on each gets it after a while. */
  hold(): void
  release(): void
}

/** Answers who may do what: everybody everything, but the flood has to wait for it. */
async function startSlowAuthorizer(delayMs: number): Promise<SlowAuthorizer> {
  let held: (() => void)[] | undefined
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString())
      const answer = () => response.end(JSON.stringify({ ...review, status: { allowed: true } }))
      response.setHeader('content-type', 'application/json')
      if (review.spec.user !== 'flood') answer()
      else if (held === undefined) setTimeout(answer, delayMs)
      else held.push(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    server,
    hold() {
      held = []
    },
    release() {
      for (const answer of held ?? []) answer()
      held = undefined
    },
  }
}

function authorizerFlags(server: Server): string[] {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'overload-')), 'authorizer.json')
  const { port } = server.address() as AddressInfo
  writeFileSync(file, kubeconfigFor({ server: `http://127.0.0.1:${port}/` }))
  return ['--authorization-mode', 'Webhook', '--authorization-webhook-config-file', file]
}

function count(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('one tenant floods', () => {
  let authorizer: SlowAuthorizer
  let server: TestServer | undefined
  const sessions: ClientHttp2Session[] = []

  beforeAll(async () => {
    authorizer = await startSlowAuthorizer(30)
  })
  afterEach(async () => {
    for (const session of sessions.splice(0)) session.destroy()
    await server?.close()
  })
  afterAll(() => {
    authorizer.server.close()
  })

  /**
   * Hundreds of slow requests of one user at once, and meanwhile some of another, four at a time. Those of the flood
   * rest until many of them are refused, however long it takes to send them.
   */
  async function flood(more: readonly string[]) {
    server = await startTestServer([
      ...['--store', 'memory', '--max-requests-inflight', '40', '--max-mutating-requests-inflight', '20'],
      ...authorizerFlags(authorizer.server),
      ...more,
    ])
    const started = server
    const get = (session: ClientHttp2Session, name: string, user: string) =>
      call(session, {
        method: 'GET',
        path: `/api/v1/namespaces/x/configmaps/${name}`,
        body: undefined,
        headers: as(user),
      })
    sessions.push(...Array.from({ length: 4 }, () => started.connect()))
    authorizer.hold()
    let refused = 0
    const flooding = Promise.all(
      Array.from({ length: 500 }, async (_, i) => {
        const answer = await get(sessions[i % 4] as ClientHttp2Session, `flood-${i}`, 'flood')
        if (answer.status === 429) refused++
        return answer
      }),
    )
    await until('the flood to be refused', () => refused > 150)
    authorizer.release()
    const calm = started.connect()
    sessions.push(calm)
    await get(calm, 'first', 'warm-up-that-may-be-refused')
    const answers: Answer[] = []
    for (let round = 0; round < 15; round++) {
      const four = [0, 1, 2, 3].map((i) => get(calm, `calm-${round}-${i}`, 'calm'))
      answers.push(...(await Promise.all(four)))
    }
    return { flood: count(await flooding), calm: count(answers) }
  }

  it('and another gets all its answers, with fairness', async () => {
    const counts = await flood([])
    console.info('with fairness: flood', counts.flood, 'calm', counts.calm)
    expect(counts.calm).toEqual({ 404: 60 })
    expect(counts.flood[429]).toBeGreaterThan(150)
    expect((counts.flood[404] ?? 0) + (counts.flood[429] ?? 0)).toBe(500)
    const page = await server?.call('GET', '/metrics')
    expect(page?.body.toString()).toMatch(
      /apiserver_flowcontrol_rejected_requests_total\{flow_schema="global-default",priority_level="global-default",reason="queue-full"\} \d+/,
    )
  })

  it('and another is refused too, with plain limits', async () => {
    const counts = await flood(['--enable-priority-and-fairness=false'])
    console.info('with plain limits: flood', counts.flood, 'calm', counts.calm)
    expect(counts.flood[429]).toBeGreaterThan(150)
    expect((counts.calm[404] ?? 0) + (counts.calm[429] ?? 0)).toBe(60)
    expect(await server?.call('GET', '/debug/api_priority_and_fairness/dump_queues')).toMatchObject({ status: 404 })
  })
})

describe('clients that are slow on purpose', () => {
  it('keep no other user of their level waiting, and no more of them are connected than there may be', async () => {
    const server = await startTestServer([
      ...['--store', 'memory', '--authorization-mode', 'AlwaysAllow', '--max-connections', '4'],
      ...['--max-requests-inflight', '40', '--max-mutating-requests-inflight', '20'],
    ])
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } })
    // Levels borrow and lend seats every ten seconds: this one keeps its own.
    const level = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/global-default'
    const fixed = { spec: { limited: { borrowingLimitPercent: 0, lendablePercent: 0 } } }
    const merge = { 'content-type': 'application/merge-patch+json' }
    expect(await server.call('PATCH', level, fixed, merge)).toMatchObject({ status: 200 })
    const flood = server.connect()
    const dump = async (): Promise<string> =>
      (await server.call('GET', '/debug/api_priority_and_fairness/dump_priority_levels')).body.toString()
    const levels = async () =>
      /global-default, .*/
        .exec(await dump())?.[0]
        .split(/, */)
        .map(Number) ?? []
    for (let i = 0; i < 20; i++) {
      const headers = { ':method': 'POST', ':path': configMaps, 'content-type': 'application/json', ...as('flood') }
      const stream = flood.request(headers)
      stream.on('error', () => {})
      stream.write('{')
    }
    // All seats are taken: five run and the others wait.
    await until('all seats to be taken', async () => {
      const [, , , , waiting, executing] = await levels()
      return executing === 5 && waiting === 15
    })
    const get = { method: 'GET', path: `${configMaps}/x`, body: undefined, headers: as('calm') }
    const calm = server.connect()
    for (let i = 0; i < 10; i++) expect((await call(calm, get)).status).toBe(404)
    const [, , , , waiting, executing] = await levels()
    expect([executing, waiting]).toEqual([5, 15])

    const { hostname, port } = new URL(server.url)
    const sockets = Array.from({ length: 6 }, () =>
      tls.connect({ host: hostname, port: Number(port), rejectUnauthorized: false }),
    )
    let closed = 0
    for (const socket of sockets) socket.on('error', () => {}).on('close', () => closed++)
    await until('those that are too many to be closed', () => closed >= 4)
    expect((await call(calm, get)).status).toBe(404)
    for (const socket of sockets) socket.destroy()
    for (const session of [flood, calm]) session.destroy()
    // Those that waited, too, give up at once, though their turn comes when they are gone already.
    await until('all seats to be free', async () => (await levels()).slice(4, 6).every((count) => count === 0))
    await server.close()
  })

  const configMaps = '/api/v1/namespaces/default/configmaps'
})

describe('limits', () => {
  let server: TestServer
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }

  beforeAll(async () => {
    server = await startTestServer([
      ...['--store', 'memory', '--cors-allowed-origins', '//example\\.com$'],
      ...['--strict-transport-security-directives', 'max-age=31536000,includeSubDomains'],
    ])
  })
  afterAll(() => server.close())

  it('end a request whose body does not come in its time', async () => {
    const session = server.connect()
    const target = '/api/v1/namespaces/default/configmaps?timeout=200ms'
    const answer = await new Promise<{ status: unknown; body: string }>((resolve, reject) => {
      const stream = session.request({ ':method': 'POST', ':path': target, 'content-type': 'application/json' })
      let status: unknown
      let body = ''
      stream.on('response', (headers) => {
        status = headers[':status']
      })
      stream.on('data', (chunk: Buffer) => {
        body += chunk
      })
      stream.on('end', () => resolve({ status, body }))
      stream.on('error', reject)
      stream.write('{')
    })
    session.destroy()
    expect(answer.status).toBe(504)
    expect(JSON.parse(answer.body)).toMatchObject({ reason: 'Timeout', code: 504 })
  })

  it('refuse a time-out that is none, bodies of more than 3 MiB and headers of more than 1 MiB', async () => {
    const bad = await server.call('GET', '/api/v1/namespaces?timeout=x')
    expect([bad.status, bad.json().message]).toEqual([
      400,
      'invalid timeout specified in the request URL - time: invalid duration "x"',
    ])
    const large = { ...configMap, data: { a: 'x'.repeat(3 * 1024 * 1024) } }
    const refused = await call(server.connect(), {
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: large,
      headers: {},
    })
    expect([refused.status, refused.json().message]).toEqual([413, 'Request entity too large: limit is 3145728'])
    expect(await rawAnswer(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(1.1 * 1024 * 1024)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/,
    )
  })

  function rawAnswer(text: string): Promise<string> {
    return new Promise((resolve) => {
      const { hostname, port } = new URL(server.url)
      const socket = tls.connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
      let answer = ''
      socket.on('data', (chunk) => {
        answer += chunk
      })
      socket.on('close', () => resolve(answer))
      socket.on('error', () => {})
      socket.write(text)
    })
  }

  it('tell browsers what they may do', async () => {
    const allowed = await server.call('OPTIONS', '/api', undefined, { origin: 'https://example.com' })
    expect(allowed.status).toBe(204)
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': 'https://example.com',
      'access-control-allow-credentials': 'true',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    })
    const other = await server.call('GET', '/api', undefined, { origin: 'https://example.org' })
    expect(other.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('end a connection that opens and resets streams without end, and no other', async () => {
    const before = await served()
    const flooding = server.connect()
    await once(flooding, 'connect')
    const ended = new Promise<void>((resolve) => flooding.once('close', () => resolve()))
    let opened = 0
    for (; opened < 5000 && !flooding.destroyed && !flooding.closed; opened++) {
      const stream = flooding.request({ ':path': '/api/v1/namespaces' })
      stream.on('error', () => {})
      stream.close(8)
      if (opened % 50 === 49) await new Promise((resolve) => setImmediate(resolve))
    }
    await ended
    const reached = (await served()) - before
    console.info(`of ${opened} streams that were reset at once, ${reached} reached the server`)
    expect(reached).toBeLessThan(5000)
  })

  /** How many lists of namespaces the server has answered. */
  async function served(): Promise<number> {
    const page = await call(server.connect(), { method: 'GET', path: '/metrics', body: undefined, headers: {} })
    const lines = page.body.toString().split('\n')
    const counted = lines.filter((line) => /^apiserver_request_total\{.*verb="LIST".*resource="namespaces"/.test(line))
    return counted.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }

  it('ask some clients to connect anew', async () => {
    const moving = await startTestServer(['--store', 'memory', '--goaway-chance', '0.02'])
    const session = moving.connect()
    await once(session, 'connect')
    let answers = 0
    while (!session.closed && !session.destroyed && answers < 3000) {
      const got = await call(session, { method: 'GET', path: '/version', body: undefined, headers: {} })
      expect(got.status).toBe(200)
      answers++
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(answers).toBeLessThan(3000)
    await moving.close()
  })
})

describe('a server that stops', () => {
  it('fails /readyz first, refuses new requests, ends what runs, and then its watches', async () => {
    let endDelay: (() => void) | undefined
    const clock: Clock = {
      ...systemClock,
      setTimeout(fn, ms) {
        if (ms === 3_600_000) endDelay = fn
        return systemClock.setTimeout(fn, ms)
      },
    }
    const flags = [
      ...['--store', 'memory', '--shutdown-delay-duration', '1h', '--shutdown-send-retry-after'],
      ...['--shutdown-watch-termination-grace-period', '1s'],
    ]
    const server = await startTestServer(flags, clock)
    const watch = await server.watch('/api/v1/namespaces/default/configmaps?watch=1')
    const slow = server.connect()
    const post: ClientHttp2Stream = slow.request({
      ':method': 'POST',
      ':path': '/api/v1/namespaces/default/configmaps',
      'content-type': 'application/json',
    })
    const created = new Promise<unknown>((resolve) => post.once('response', (headers) => resolve(headers[':status'])))
    post.write('{"apiVersion":"v1","kind":"ConfigMap",')
    // The request has begun once a later one of its connection is answered.
    await call(slow, { method: 'GET', path: '/version', body: undefined, headers: {} })
    let isStopped = false
    const stopped = server.stop().then(() => {
      isStopped = true
    })
    const ready = await server.call('GET', '/readyz?verbose')
    expect(ready.status).toBe(500)
    expect(ready.body.toString()).toContain('[-]shutdown failed')
    expect((await server.call('GET', '/api/v1/namespaces')).status).toBe(200)
    endDelay?.()
    const refused = await untilRefused(server)
    expect([refused.status, refused.headers['retry-after'], refused.body.toString()]).toEqual([
      429,
      '5',
      'The apiserver is shutting down, please try again later.\n',
    ])
    expect(isStopped).toBe(false)
    post.end('"metadata":{"name":"last"}}')
    expect(await created).toBe(201)
    await watch.ended
    expect(watch.events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toContain('ADDED last')
    await stopped
    await server.close()
  })

  function untilRefused(server: TestServer): Promise<Answer> {
    return until('new requests to be refused', async () => {
      const session = server.connect()
      const answer = await call(session, { method: 'GET', path: '/api/v1/namespaces', body: undefined, headers: {} })
      session.destroy()
      return answer.status !== 200 && answer
    })
  }
})
