import { once } from 'node:events'
import http2, { type ClientHttp2Session, type ClientHttp2Stream, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../api/status-error.ts'
import { readBody } from './body.ts'
import { http2BodyReader, interceptedBody, refuseRest } from './http2-body.ts'

const limit = 200_000

const readers = { 'as it is handed in': http2BodyReader(interceptedBody), 'by its events': http2BodyReader(readBody) }
/** The one that is tested. */
let read = readers['by its events']

/** Answers with the length of the body, or with the code of what is wrong with it. */
async function answer(stream: ServerHttp2Stream, declared: string | undefined): Promise<void> {
  try {
    const body = await read(stream, limit, declared)
    stream.respond({ ':status': 200 })
    stream.end(`${body.length} ${new Set(body).size}`)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    failures.push(error.code)
    if (stream.destroyed || stream.closed) return
    stream.respond({ ':status': error.code })
    stream.end()
    refuseRest(stream)
  }
}

const failures: number[] = []
let open = 0
/** What is read late has come before. */
let readLater: Promise<unknown> = Promise.resolve()
const server = http2.createServer()
server.on('stream', (stream, headers) => {
  open++
  stream.on('close', () => open--)
  stream.on('error', () => {})
  const go = (): void => void answer(stream, headers['content-length'])
  if (headers[':path'] === '/late') void readLater.then(go)
  else go()
})
let client: ClientHttp2Session

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterAll(() => {
  client.close()
  server.close()
})

function post(path: string, headers: Record<string, string> = {}): ClientHttp2Stream {
  return client.request({ ':method': 'POST', ':path': path, ...headers })
}

async function answerTo(request: ClientHttp2Stream): Promise<string> {
  let text = ''
  const [headers] = (await once(request, 'response')) as [Record<string, unknown>]
  for await (const chunk of request) text += String(chunk)
  return `${String(headers[':status'])} ${text}`.trim()
}

const nothingOpen = () => expect.poll(() => open).toBe(0)

describe.each(Object.entries(readers))('a body %s', (_, reader) => {
  beforeAll(() => {
    read = reader
  })

  const piece = 'x'.repeat(60_000)

  it.each([
    { name: 'of one piece', pieces: ['abc'], expected: '200 3 3' },
    { name: 'of many pieces, past all windows', pieces: [piece, piece, piece], expected: '200 180000 1' },
    { name: 'of no pieces', pieces: [], expected: '200 0 0' },
    { name: 'that is too long', pieces: [piece, piece, piece, piece], expected: '413' },
  ])('$name is read', async ({ pieces, expected }) => {
    const request = post('/')
    // The answer may come before the last piece is sent.
    const answered = answerTo(request)
    for (const each of pieces) {
      request.write(each)
      // The next piece comes after this one has been seen.
      await new Promise((resolve) => client.ping(resolve))
    }
    request.end()
    expect(await answered).toBe(expected)
    await nothingOpen()
  })

  it.each([
    { name: 'that ends with its headers', body: undefined, expected: '200 0 0' },
    { name: 'that is empty', body: '', expected: '200 0 0' },
    { name: 'that is short', body: 'abcabc', expected: '200 6 3' },
  ])('$name is read when it has come before', async ({ body, expected }) => {
    let release = (): void => {}
    readLater = new Promise<void>((resolve) => {
      release = resolve
    })
    const request = post('/late')
    if (body === undefined) request.end()
    else {
      request.write(body)
      request.end()
    }
    await new Promise((resolve) => client.ping(resolve))
    release()
    expect(await answerTo(request)).toBe(expected)
    await nothingOpen()
  })

  it('that is too long may go on for ever', async () => {
    const request = post('/')
    request.on('error', () => {})
    for (let i = 0; i < 4; i++) request.write(piece)
    const [headers] = (await once(request, 'response')) as [Record<string, unknown>]
    expect(headers[':status']).toBe(413)
    await nothingOpen()
  })

  it('that says that it is too long is refused unread', async () => {
    const request = post('/', { 'content-length': '200001' })
    const [headers] = (await once(request, 'response')) as [Record<string, unknown>]
    expect(headers[':status']).toBe(413)
    request.on('error', () => {})
    request.close()
    await nothingOpen()
  })

  it('that ends with trailers is read', async () => {
    const request = client.request({ ':method': 'POST', ':path': '/' }, { waitForTrailers: true })
    request.on('wantTrailers', () => request.sendTrailers({ 'x-end': 'yes' }))
    request.end('abc')
    expect(await answerTo(request)).toBe('200 3 3')
    await nothingOpen()
  })

  it('whose client goes away is none', async () => {
    failures.length = 0
    const request = post('/')
    request.on('error', () => {})
    request.write('abc')
    await expect.poll(() => open).toBe(1)
    request.destroy()
    await expect.poll(() => failures).toEqual([400])
    await nothingOpen()
  })

  it('may be whole before its client goes away', async () => {
    const request = post('/')
    request.on('error', () => {})
    request.write('abc')
    await expect.poll(() => open).toBe(1)
    request.close(http2.constants.NGHTTP2_CANCEL)
    await nothingOpen()
  })

  it('is one of many that come together', async () => {
    const bodies = Array.from({ length: 60 }, (_, i) => 'y'.repeat(i * 100 + 1))
    const answers = await Promise.all(
      bodies.map((body) => {
        const request = post('/')
        request.end(body)
        return answerTo(request)
      }),
    )
    expect(answers).toEqual(bodies.map((body) => `200 ${body.length} 1`))
    await nothingOpen()
  })
})
