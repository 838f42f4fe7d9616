/** Watches in every form that they are sent in, and what becomes of clients that do not read. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeCbor } from '../../src/codec/cbor.ts'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const token = 'reader-token'
let server: TestServer
let folder: string
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pilothouse-watch-'))
  const tokens = join(folder, 'tokens.csv')
  writeFileSync(tokens, `${token},reader,reader,"system:masters"\n`)
  const gates = ['--feature-gates', 'CBORServingAndStorage=true,WatchList=true']
  server = await startTestServer(['--store', 'memory', '--token-auth-file', tokens, ...gates])
  await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } })
  await server.call('POST', configMaps, { metadata: { name: 'first', labels: { form: 'yes' } }, data: { a: 'b' } })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const watchPath = `${configMaps}?watch=1&labelSelector=form%3Dyes`

interface Upgraded {
  readonly socket: Duplex
  readonly messages: { readonly opcode: number; readonly payload: Buffer }[]
  readonly protocol: string | undefined
}

/** A client of RFC 6455, as far as it is needed here. */
async function openWebSocket(path: string, headers: Record<string, string> = {}): Promise<Upgraded | number> {
  const { hostname, port } = new URL(server.url)
  const request = https.get({
    hostname,
    port,
    path,
    rejectUnauthorized: false,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
      origin: 'https://localhost',
      authorization: `Bearer ${token}`,
      ...headers,
    },
  })
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('upgrade', (response, socket, head) => {
      const messages: Upgraded['messages'] = []
      let rest = head
      const read = (chunk: Buffer): void => {
        rest = Buffer.concat([rest, chunk])
        for (let frame = cutFrame(rest); frame !== undefined; frame = cutFrame(rest)) {
          messages.push(frame)
          rest = rest.subarray(frame.end)
        }
      }
      socket.on('data', read)
      socket.on('error', () => {})
      read(Buffer.alloc(0))
      resolve({ socket, messages, protocol: response.headers['sec-websocket-protocol'] })
    })
  })
}

function cutFrame(data: Buffer): { opcode: number; payload: Buffer; end: number } | undefined {
  if (data.length < 2) return undefined
  const short = (data[1] as number) & 0x7f
  const header = short < 126 ? 2 : short === 126 ? 4 : 10
  if (data.length < header) return undefined
  const length = short < 126 ? short : short === 126 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2))
  const end = header + length
  if (data.length < end) return undefined
  return { opcode: (data[0] as number) & 0x0f, payload: Buffer.from(data.subarray(header, end)), end }
}

const masked = (opcode: number, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload])

/** What buffers hold that somebody still needs. */
function buffersInUse(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

describe('over WebSocket', () => {
  test('each event is one message, pings are answered, a close is returned', async () => {
    const opened = (await openWebSocket(watchPath, { 'sec-websocket-protocol': 'base64.binary.k8s.io' })) as Upgraded
    expect(opened.protocol).toBe('base64.binary.k8s.io')
    await until('the first message', () => opened.messages.length === 1)
    const [first] = opened.messages
    expect(first?.opcode).toBe(1)
    expect(JSON.parse(first?.payload.toString() ?? '')).toMatchObject({
      type: 'ADDED',
      object: { metadata: { name: 'first' } },
    })
    opened.socket.write(masked(1, Buffer.from('ignored')))
    opened.socket.write(masked(9, Buffer.from('are you there')))
    await until('the second message', () => opened.messages.length === 2)
    expect(opened.messages[1]).toMatchObject({ opcode: 10, payload: Buffer.from('are you there') })
    opened.socket.write(masked(8, Buffer.from([3, 232])))
    await once(opened.socket, 'close')
    expect(opened.messages[2]?.opcode).toBe(8)
  })

  test('binary encodings come in binary messages', async () => {
    const accept = 'application/vnd.kubernetes.protobuf;stream=watch'
    const opened = (await openWebSocket(watchPath, { accept })) as Upgraded
    await until('the first message', () => opened.messages.length === 1)
    expect(opened.messages[0]?.opcode).toBe(2)
    opened.socket.destroy()
  })

  test('a time-out ends it with a close', async () => {
    const opened = (await openWebSocket(`${watchPath}&timeoutSeconds=1`)) as Upgraded
    await once(opened.socket, 'close')
    expect(opened.messages.at(-1)?.opcode).toBe(8)
  })

  test.each<[string, Record<string, string>, number]>([
    ['without an origin', { origin: '' }, 403],
    ['in an old version', { 'sec-websocket-version': '8' }, 400],
    ['in YAML', { accept: 'application/yaml' }, 406],
  ])('%s it is refused', async (_, headers, status) => {
    expect(await openWebSocket(watchPath, headers)).toBe(status)
  })
})

describe('in other encodings', () => {
  const read = async (accept: string): Promise<{ type: string | undefined; body: Buffer; status: number }> => {
    const answer = await server.call('GET', `${watchPath}&timeoutSeconds=1`, undefined, { accept })
    return { type: answer.headers['content-type'], body: answer.body, status: answer.status }
  }

  test('CBOR is a sequence of items', async () => {
    const { type, body } = await read('application/cbor')
    expect(type).toBe('application/cbor-seq')
    expect((decodeCbor(body) as Json).object.metadata.name).toBe('first')
  })

  test('Protobuf frames carry their length', async () => {
    const { type, body } = await read('application/vnd.kubernetes.protobuf')
    expect(type).toBe('application/vnd.kubernetes.protobuf;stream=watch')
    expect(body.readUInt32BE(0)).toBe(body.length - 4)
  })

  test('there is no YAML', async () => {
    expect((await read('application/yaml')).status).toBe(406)
  })
})

/** A view that fits lists alone has nothing to show of an event: the stream ends, and nothing else does. */
describe('events in views that cannot show them', () => {
  const view = 'as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
  const quiet = `${configMaps}?watch=1&labelSelector=late%3Dyes`

  test.each(['application/json', 'application/vnd.kubernetes.protobuf', 'application/cbor'])(
    'end the stream in %s',
    async (encoding) => {
      const other = await server.watch(quiet)
      const ended = server.call('GET', quiet, undefined, { accept: `${encoding};${view}` })
      const name = `late-${encoding.replaceAll(/[^a-z]/g, '-')}`
      // The watch may open after the write, and begins with it then: the outcome is the same.
      await server.call('POST', configMaps, { metadata: { name, labels: { late: 'yes' } } })
      expect(await ended).toMatchObject({ status: 200, body: Buffer.alloc(0) })
      await other.until((events) => events.some(({ object }) => object.metadata.name === name))
      other.close()
      await server.call('DELETE', `${configMaps}/${name}`)
    },
  )

  test('end the stream when the initial events do', async () => {
    const list = `${quiet}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`
    const answer = await server.call('GET', list, undefined, { accept: `application/json;${view}` })
    expect(answer).toMatchObject({ status: 200, body: Buffer.alloc(0) })
  })
})

describe('clients that do not read', () => {
  const data = { text: 'x'.repeat(500_000) }
  const large = (i: number) => ({ metadata: { name: 'large' }, data: { ...data, i: String(i) } })

  test('of a watch are cut off when history has moved past them, and others are not held up', async () => {
    const session = http2.connect(server.url, { rejectUnauthorized: false })
    session.on('error', () => {})
    const namespace = '/api/v1/namespaces/default/secrets'
    await server.call('POST', namespace, { metadata: { name: 'large' }, stringData: {} })
    const slow = session.request({ ':path': `${namespace}?watch=1`, authorization: `Bearer ${token}` })
    slow.on('error', () => {})
    const closed = new Promise((resolve) => slow.once('close', resolve))
    await once(slow, 'response')
    const quick = await server.watch(`${namespace}?watch=1`)
    const before = buffersInUse()
    const writes = 110
    for (let i = 0; i < writes; i++) {
      const patch = { stringData: { text: large(i).data.text, i: String(i) } }
      const answer = await server.call('PATCH', `${namespace}/large`, patch, {
        'content-type': 'application/merge-patch+json',
      })
      expect(answer.status).toBe(200)
    }
    await quick.until((events) => events.length >= writes + 1)
    await closed
    expect(buffersInUse() - before).toBeLessThan(200 * 1024 * 1024)
    quick.close()
    session.destroy()
  })

  test('of a list hold one chunk of it', async () => {
    for (let i = 0; i < 12; i++) {
      const item = { metadata: { name: `bulk-${i}`, labels: { bulk: 'yes' } }, data }
      expect((await server.call('POST', configMaps, item)).status).toBe(201)
    }
    const session = http2.connect(server.url, { rejectUnauthorized: false })
    session.on('error', () => {})
    const before = buffersInUse()
    const requests = Array.from({ length: 20 }, () => {
      const request = session.request({
        ':path': `${configMaps}?labelSelector=bulk%3Dyes`,
        authorization: `Bearer ${token}`,
      })
      request.on('error', () => {})
      return request
    })
    await Promise.all(requests.map((request) => once(request, 'response')))
    await delay(200)
    // Twenty lists of six megabytes each, none of them read.
    expect(buffersInUse() - before).toBeLessThan(40 * 1024 * 1024)
    const [one] = requests
    let bytes = 0
    one?.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    for (const request of requests.slice(1)) request.close()
    if (one !== undefined) await once(one, 'end')
    expect(bytes).toBeGreaterThan(6_000_000)
    session.destroy()
  })
})

test('a token may come as a protocol', async () => {
  const encoded = Buffer.from(token).toString('base64url')
  const protocols = `base64url.bearer.authorization.k8s.io.${encoded}, base64.binary.k8s.io`
  const opened = await openWebSocket(watchPath, { authorization: '', 'sec-websocket-protocol': protocols })
  expect((opened as Upgraded).protocol).toBe('base64.binary.k8s.io')
  ;(opened as Upgraded).socket.destroy()
})
