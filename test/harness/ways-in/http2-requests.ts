/**
 * Requests over HTTP/2 that no client library sends, as header blocks: pseudo headers twice, missing, late or unknown, headers of
 * connections, lengths that are not true. Each must be refused, or end its stream or the connection.
 */
import { connect } from 'node:tls'
import { type Attack, adminToken, secretPath, userToken } from './attack.ts'

type Header = readonly [name: string, value: string]

interface Http2Request {
  readonly headers: readonly Header[]
  readonly data?: string
  /** It is answered as though what is wrong were not there: such a header is dropped, or counts for nothing (as in the reference). */
  readonly isHarmless?: true
}

const authority: Header = [':authority', 'a']
const get: readonly Header[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
]
const user: Header = ['authorization', `Bearer ${userToken}`]
const version: Header = [':path', '/version']
/** All of them would be answered 200 without what is wrong. */
const good: readonly Header[] = [...get, version, authority, user]
const post: readonly Header[] = [
  [':method', 'POST'],
  [':scheme', 'https'],
  [':path', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
  authority,
  user,
  ['content-type', 'application/json'],
]
const review =
  '{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{"verb":"get"}}}'

const http2Requests: Readonly<Record<string, Http2Request>> = {
  'two paths': { headers: [...get, version, [':path', secretPath], authority, user] },
  'two paths, the secret first': { headers: [...get, [':path', secretPath], version, authority, user] },
  'two methods': { headers: [...good.slice(0, 1), [':method', 'DELETE'], ...good.slice(1)] },
  'two authorities': { headers: [...get, version, authority, [':authority', 'b'], user] },
  'two schemes': { headers: [...get, [':scheme', 'http'], version, authority, user] },
  'no path': { headers: [...get, authority, user] },
  'an empty path': { headers: [...get, [':path', ''], authority, user] },
  'a path without a slash': { headers: [...get, [':path', 'version'], authority, user] },
  'a path with a space': { headers: [...get, [':path', '/version HTTP/1.1'], authority, user] },
  'a path with line ends': { headers: [...get, [':path', '/version\r\nX: a'], authority, user] },
  'no method': { headers: [[':scheme', 'https'], version, authority, user] },
  'no scheme': { headers: [[':method', 'GET'], version, authority, user] },
  'a path after the headers': { headers: [...get, authority, user, version] },
  'an unknown pseudo header': { headers: [...get, version, [':user', 'admin'], authority, user] },
  'the pseudo header of an answer': { headers: [...get, version, [':status', '200'], authority, user] },
  'a protocol without CONNECT': { headers: [...get, version, [':protocol', 'websocket'], authority, user] },
  'a name in capitals': { headers: [...good, ['X-A', 'a']] },
  'a name with a space': { headers: [...good, ['x a', 'a']], isHarmless: true },
  'an empty name': { headers: [...good, ['', 'a']], isHarmless: true },
  'a value with line ends': { headers: [...good, ['x-a', 'a\r\nimpersonate-user: admin']], isHarmless: true },
  'a value with NUL': { headers: [...good, ['impersonate-user', 'admin\0']], isHarmless: true },
  connection: { headers: [...good, ['connection', 'authorization']] },
  'keep-alive': { headers: [...good, ['keep-alive', 'timeout=5']] },
  'proxy-connection': { headers: [...good, ['proxy-connection', 'keep-alive']] },
  'transfer-encoding': { headers: [...post, ['transfer-encoding', 'chunked']], data: review },
  upgrade: { headers: [...good, ['upgrade', 'websocket']] },
  'te other than trailers': { headers: [...good, ['te', 'gzip']] },
  'a host that is not the authority': { headers: [...good, ['host', 'b']], isHarmless: true },
  'two hosts': { headers: [...get, version, user, ['host', 'a'], ['host', 'b']] },
  'two credentials': { headers: [...good, ['authorization', `Bearer ${adminToken}x`]], isHarmless: true },
  'a good credential behind a bad one': {
    headers: [
      ...get,
      [':path', secretPath],
      authority,
      ['authorization', 'Bearer nobody'],
      ['authorization', `Bearer ${adminToken}`],
    ],
  },
  "an administrator's credential behind a user's": {
    headers: [...get, [':path', secretPath], authority, user, ['authorization', `Bearer ${adminToken}`]],
  },
  'a length that is too short': { headers: [...post, ['content-length', '4']], data: review },
  'a length that is too long': { headers: [...post, ['content-length', '4000']], data: review },
  'two lengths': { headers: [...post, ['content-length', '4'], ['content-length', `${review.length}`]], data: review },
  'a tunnel': { headers: [[':method', 'CONNECT'], [':authority', '127.0.0.1:22'], user] },
}

/** Each counts by what it was answered: as an attack that is refused, or one that cannot be. */
export async function http2Attacks(port: number): Promise<Attack[]> {
  const attacks: Attack[] = []
  for (const [name, request] of Object.entries(http2Requests)) {
    const statuses = await sendHttp2(port, request)
    const isRefused =
      request.isHarmless === true ? statuses.join() === '200' : statuses.every((status) => status >= 400)
    attacks.push({
      name: `HTTP/2, ${name} (${statuses.join(', ')})`,
      path: '/nothing',
      refusals: isRefused ? [403] : [],
    })
  }
  return attacks
}

export const http2Frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A literal that is not indexed, without Huffman coding. */
export function literalHeader([name, value]: Header): Buffer {
  const text = (of: string): Buffer => Buffer.concat([lengthOf(Buffer.byteLength(of)), Buffer.from(of)])
  return Buffer.concat([Buffer.of(0), text(name), text(value)])
}

function lengthOf(length: number): Buffer {
  if (length < 127) return Buffer.of(length)
  const bytes = [127]
  let rest = length - 127
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128)
  return Buffer.of(...bytes, rest)
}

/** The statuses of the answers: those of streams that were reset, and of connections that were ended, are none. */
function sendHttp2(port: number, { headers, data }: Http2Request): Promise<number[]> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
    let received: Buffer = Buffer.alloc(0)
    const finish = (): void => {
      socket.destroy()
      resolve(statusesIn(received))
    }
    socket.on('secureConnect', () => {
      const block = Buffer.concat(headers.map(literalHeader))
      const last = data === undefined ? 1 : 0
      socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
      socket.write(http2Frame(4, 0, 0, Buffer.alloc(0)))
      socket.write(http2Frame(1, 4 | last, 1, block))
      if (data !== undefined) socket.write(http2Frame(0, 1, 1, Buffer.from(data)))
    })
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (isOver(received)) finish()
    })
    socket.setTimeout(5_000, finish)
    socket.on('error', finish).on('close', finish)
  })
}

interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

export function* framesIn(bytes: Buffer): Generator<Frame> {
  for (let at = 0; at + 9 <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3)
    if (at + 9 + length > bytes.length) return
    const payload = bytes.subarray(at + 9, at + 9 + length)
    yield { type: bytes[at + 3]!, flags: bytes[at + 4]!, stream: bytes.readUInt32BE(at + 5), payload }
    at += 9 + length
  }
}

/** The stream was answered to its end or reset, or the connection is being closed. */
function isOver(bytes: Buffer): boolean {
  for (const { type, flags, stream } of framesIn(bytes)) {
    if (type === 3 || type === 7) return true
    if (stream === 1 && (type === 0 || type === 1) && (flags & 1) !== 0) return true
  }
  return false
}

/** The static table of HPACK has the usual statuses. */
const indexed = new Map([200, 204, 206, 304, 400, 404, 500].map((status, i) => [0x88 + i, status]))
/** The Huffman codes of the first digit, in the high bits of a byte. */
const codes: readonly (readonly [bits: number, code: number, status: number])[] = [
  [5, 0b00001, 100],
  [5, 0b00010, 200],
  [6, 0b011001, 300],
  [6, 0b011010, 400],
  [6, 0b011011, 500],
]

/** Of other statuses the class alone. What cannot be read counts as a success, which fails. */
function statusOf(block: Buffer): number {
  // A change of the table's size may come first.
  const at = [...block].findIndex((byte) => (byte & 0xe0) !== 0x20)
  const known = indexed.get(block[at] ?? 0)
  if (known !== undefined) return known
  const isHuffman = ((block[at + 1] ?? 0) & 0x80) !== 0
  const first = block[at + 2] ?? 0
  if (!isHuffman) return (first - 0x30) * 100
  return codes.find(([bits, code]) => first >> (8 - bits) === code)?.[2] ?? 200
}

const statusesIn = (bytes: Buffer): number[] =>
  [...framesIn(bytes)].filter(({ type, stream }) => type === 1 && stream === 1).map(({ payload }) => statusOf(payload))
