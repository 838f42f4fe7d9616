import http2, { type ServerHttp2Session } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { http2Frame } from '../../test/harness/ways-in/http2-requests.ts'
import type { Peer } from '../api/exchange.ts'
import { Http2Connection, idleMs } from './http2-connection.ts'

const closing: (() => unknown)[] = []

afterEach(() => {
  vi.useRealTimers()
  for (const close of closing.splice(0).reverse()) close()
})

const peer: Peer = { remoteAddress: '127.0.0.1', isSecure: false, certificates: () => [] }
/** From one look at a connection to the next. */
const lookMs = idleMs / 6

interface Served {
  readonly session: ServerHttp2Session
  readonly connection: Http2Connection
  /** The server's side of the connection. */
  readonly socket: Socket
  readonly client: Socket
  /** The frames that the client has got, by their type. */
  readonly frames: Map<number, Buffer[]>
}

/** A client that speaks in frames of its own, and answers no ping. */
async function serve(onStream: (served: Served) => void = () => {}): Promise<Served> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const server = http2.createServer()
  closing.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets = new Promise<Socket>((resolve) => server.once('connection', resolve))
  const begun = new Promise<ServerHttp2Session>((resolve) => server.once('session', resolve))
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  closing.push(() => client.destroy())
  client.on('error', () => {})
  client.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  client.write(http2Frame(4, 0, 0, Buffer.alloc(0)))
  const session = await begun
  const socket = await sockets
  const served = {
    session,
    socket,
    connection: new Http2Connection(session, socket, peer),
    client,
    frames: framesOf(client),
  }
  session.on('error', () => {})
  session.on('stream', (stream) => {
    stream.on('error', () => {})
    onStream(served)
  })
  return served
}

function framesOf(socket: Socket): Map<number, Buffer[]> {
  const frames = new Map<number, Buffer[]>()
  let rest = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const end = 9 + (rest.length < 9 ? 0 : rest.readUIntBE(0, 3))
      if (rest.length < end) break
      const type = rest[3] ?? 0
      frames.set(type, [...(frames.get(type) ?? []), rest.subarray(9, end)])
      rest = rest.subarray(end)
    }
  })
  return frames
}

const goAwayType = 7
const pingType = 6
/** GET http://a/ */
const request = (stream: number): Buffer => http2Frame(1, 5, stream, Buffer.from([0x82, 0x86, 0x84, 0x01, 0x01, 0x61]))
const reset = (stream: number): Buffer => http2Frame(3, 0, stream, Buffer.from([0, 0, 0, 8]))

// Node does so itself from 22.23 on.
it('closes a connection that the HTTP/2 library has given up', async () => {
  const { session, socket, client, frames } = await serve()
  const closed = new Promise((resolve) => session.once('close', resolve))
  client.write(Buffer.concat([request(1), ...Array.from({ length: 1500 }, () => reset(1))]))
  await expect.poll(() => frames.has(goAwayType)).toBe(true)
  vi.advanceTimersByTime(2 * lookMs)
  await closed
  expect(socket.destroyed).toBe(true)
})

it('keeps a connection whose client answers, until it has been idle for long', async () => {
  const { session, client, frames } = await serve()
  let looks = 0
  for (; !session.closed && looks < 20; looks++) {
    vi.advanceTimersByTime(lookMs)
    await expect.poll(() => session.closed || frames.get(pingType)?.length === looks + 1).toBe(true)
    if (session.closed) break
    const answer = (): boolean => client.write(http2Frame(pingType, 1, 0, frames.get(pingType)?.at(-1) as Buffer))
    answer()
    const seen = new Promise((resolve) => session.ping(resolve))
    await expect.poll(() => frames.get(pingType)?.length).toBe(looks + 2)
    answer()
    await seen
    frames.get(pingType)?.pop()
  }
  expect(looks + 1).toBe(idleMs / lookMs)
})

it('closes a connection whose client keeps resetting what it asks for', async () => {
  let streams = 0
  const { session, client, frames } = await serve(({ connection }) => {
    connection.requestBegan()
    connection.requestEnded(++streams > 100)
  })
  const ask = (count: number, from: number): void => {
    for (let i = 0; i < count; i++) client.write(request(2 * (from + i) + 1))
  }
  ask(200, 0)
  await expect.poll(() => streams).toBe(200)
  expect(session.destroyed).toBe(false)
  ask(1200, 200)
  await expect.poll(() => session.destroyed).toBe(true)
  await expect.poll(() => frames.get(goAwayType)?.[0]?.readUInt32BE(4)).toBe(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM)
})

it('closes the socket of a client that sends GOAWAY and stays', async () => {
  const { session, socket, client } = await serve()
  client.write(http2Frame(goAwayType, 0, 0, Buffer.alloc(8)))
  await expect.poll(() => session.destroyed).toBe(true)
  vi.advanceTimersByTime(lookMs)
  expect(socket.destroyed).toBe(false)
  vi.advanceTimersByTime(lookMs)
  expect(socket.destroyed).toBe(true)
})
