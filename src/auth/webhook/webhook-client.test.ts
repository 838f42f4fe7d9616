/** Questions to a webhook over HTTP: what is sent, what is tried again, and what is not. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { Clock } from '../../lib/clock.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { ReviewClient, type ReviewClientOptions } from './webhook-client.ts'

interface Answer {
  readonly status: number
  readonly body: string
}

const requests: { readonly method: string | undefined; readonly url: string | undefined; readonly body: string }[] = []
let answers: Answer[] = []
const server = createServer((request: IncomingMessage, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => void chunks.push(chunk))
  request.on('end', () => {
    requests.push({ method: request.method, url: request.url, body: Buffer.concat(chunks).toString() })
    const { status, body } = answers.shift() ?? { status: 200, body: '{"a":1}' }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body)
  })
})
let url = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})
beforeEach(() => {
  requests.length = 0
  answers = []
})

/** Time in which pauses are over at once, and are written down. */
function pausing(): { readonly clock: Clock; readonly pauses: number[] } {
  const pauses: number[] = []
  const clock = new FakeClock()
  const hurried: Clock = {
    now: () => clock.now(),
    random: () => clock.random(),
    uuid: () => clock.uuid(),
    setTimeout: (fn, ms) => {
      if (ms >= 10_000) return () => undefined
      pauses.push(ms)
      setImmediate(fn)
      return () => undefined
    },
  }
  return { clock: hurried, pauses }
}

async function withClient<T>(
  given: Partial<ReviewClientOptions>,
  use: (client: ReviewClient, pauses: number[]) => Promise<T>,
): Promise<T> {
  const { clock, pauses } = pausing()
  const client = new ReviewClient({
    connection: { url: `${url}/authorize`, headers: () => ({}) },
    read: (body) => JSON.parse(body.toString()) as JsonObject,
    timeoutMs: 30_000,
    clock,
    ...given,
  })
  try {
    return await use(client, pauses)
  } finally {
    client.close()
  }
}

const status = (code: number, reason: string): Answer => ({
  status: code,
  body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message: reason, code }),
})

describe('a question', () => {
  it('is posted as JSON, with its time-out, and its answer is read', async () => {
    const read = (body: Buffer, sent: JsonObject): JsonObject => ({ answer: body.toString(), sent })
    const found = await withClient({ read }, (client) => client.post({ q: 1 }))
    expect(found).toEqual({ answer: '{"a":1}', sent: { q: 1 } })
    expect(requests).toEqual([{ method: 'POST', url: '/authorize?timeout=30s', body: '{"q":1}' }])
  })

  it.each([
    [false, '{"metadata":{"creationTimestamp":null}}'],
    [true, '{"metadata":{}}'],
  ])('has no time of its creation in later releases: %s', async (omitsZeroTime, expected) => {
    await withClient({ omitsZeroTime }, (client) => client.post({ metadata: { creationTimestamp: null } }))
    expect(requests.map(({ body }) => body)).toEqual([expected])
  })

  it.each<[string, Answer, number]>([
    ['an error within', status(500, 'InternalError'), 5],
    ['too many requests', status(429, 'TooManyRequests'), 5],
    ['a time-out', status(504, 'Timeout'), 5],
    ['a refusal', status(403, 'Forbidden'), 1],
    ['a bad request', status(400, 'BadRequest'), 1],
  ])('that is answered with %s is asked again or not', async (_, answer, expected) => {
    answers = Array.from({ length: 20 }, () => answer)
    await withClient({}, (client) => expect(client.post({})).rejects.toThrow())
    expect(requests).toHaveLength(expected)
  })

  it('is asked again with growing pauses', async () => {
    answers = Array.from({ length: 3 }, () => status(500, 'InternalError'))
    const found = await withClient({ attempts: 4, firstPauseMs: 100 }, async (client, pauses) => [
      await client.post({}),
      pauses,
    ])
    expect(found[0]).toEqual({ a: 1 })
    const grown = (found[1] as number[]).map((ms) => Math.round(ms))
    expect(grown).toEqual([110, 165, 248])
  })

  it('is asked as often as it may be, and no longer than somebody waits', async () => {
    answers = Array.from({ length: 20 }, () => status(500, 'InternalError'))
    await withClient({ attempts: 2 }, (client) => expect(client.post({})).rejects.toThrow())
    expect(requests).toHaveLength(2)
    const gone = new AbortController()
    gone.abort()
    await withClient({}, (client) => expect(client.post({}, gone.signal)).rejects.toThrow())
    expect(requests.length).toBeLessThanOrEqual(3)
  })

  it('is not asked again when its answer cannot be read', async () => {
    answers = [{ status: 200, body: 'x' }]
    await withClient({}, (client) => expect(client.post({})).rejects.toThrow(SyntaxError))
    expect(requests).toHaveLength(1)
  })

  it('has no address that is none', () => {
    const connection = { url: '://x', headers: () => ({}) }
    expect(() => new ReviewClient({ connection, read: () => ({}), timeoutMs: 1 })).toThrow(
      'is not an http or https address',
    )
  })
})

describe('a delivery', () => {
  it.each<[string, Answer, number]>([
    ['with an answer', { status: 200, body: 'whatever' }, 1],
    ['without a word', { status: 200, body: '' }, 1],
    ['without content', { status: 204, body: '' }, 1],
  ])('is done %s', async (_, answer, expected) => {
    answers = [answer]
    await withClient({}, (client) => client.deliver('{"x":1}'))
    expect(requests.map(({ body }) => body)).toEqual(Array.from({ length: expected }, () => '{"x":1}'))
  })

  it('is tried again whatever fails', async () => {
    answers = [status(403, 'Forbidden'), status(400, 'BadRequest')]
    await withClient({}, (client) => client.deliver('{}'))
    expect(requests).toHaveLength(3)
    requests.length = 0
    answers = Array.from({ length: 9 }, () => status(403, 'Forbidden'))
    await withClient({ attempts: 3 }, (client) => expect(client.deliver('{}')).rejects.toThrow())
    expect(requests).toHaveLength(3)
  })
})
