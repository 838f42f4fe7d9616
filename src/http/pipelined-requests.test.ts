import http from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { serializePipelined } from './pipelined-requests.ts'

const closing: (() => void)[] = []

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function serve(handle: http.RequestListener): Promise<number> {
  const queue = serializePipelined(handle)
  const server = http.createServer().on('request', queue.request)
  server.on('upgrade', (request: http.IncomingMessage, socket: Socket) => {
    queue.upgrade(socket, () => {
      const response = new http.ServerResponse(request)
      response.assignSocket(socket)
      response.once('finish', () => socket.end())
      handle(request, response)
    })
  })
  closing.push(() => server.close().closeAllConnections())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`

it('begins with the next request of a connection when the one before has been answered', async () => {
  let running = 0
  let most = 0
  const seen: string[] = []
  const port = await serve((request, response) => {
    most = Math.max(most, ++running)
    seen.push(request.url ?? '')
    setImmediate(() => {
      running--
      response.end(request.url)
    })
  })
  const paths = Array.from({ length: 300 }, (_, i) => `/${i}`)
  const socket = connect(port, '127.0.0.1')
  closing.push(() => socket.destroy())
  socket.write(paths.map((path, i) => get(path, i === 299 ? 'Connection: close\r\n' : '')).join(''))
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  expect([most, seen]).toEqual([1, paths])
  expect(text.split('HTTP/1.1 200 OK').length - 1).toBe(300)
})

it('goes on with other connections, and forgets one that is gone', async () => {
  const seen: string[] = []
  const port = await serve((request, response) => {
    seen.push(request.url ?? '')
    if (request.url !== '/held') response.end()
  })
  const held = connect(port, '127.0.0.1')
  held.on('error', () => undefined)
  held.write(get('/held') + get('/behind'))
  while (!seen.includes('/held')) await new Promise((resolve) => setImmediate(resolve))
  expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(200)
  const gone = new Promise((resolve) => held.once('close', resolve))
  held.destroy()
  await gone
  expect((await fetch(`http://127.0.0.1:${port}/last`)).status).toBe(200)
  expect(seen).toEqual(['/held', '/other', '/last'])
})

const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'

it.each([1, 5])('ends a connection whose upgrade comes behind %i requests that are under way', async (count) => {
  const seen: string[] = []
  let ended = 0
  const port = await serve((request, response) => {
    seen.push(request.url ?? '')
    response.once('close', () => ended++)
  })
  const paths = Array.from({ length: count }, (_, i) => `/${i}`)
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  const gone = new Promise((resolve) => socket.once('close', resolve))
  socket.resume().write(paths.map((path) => get(path)).join('') + get('/upgrade', upgrade))
  await gone
  while (ended === 0) await new Promise((resolve) => setImmediate(resolve))
  expect([seen, ended]).toEqual([['/0'], 1])
})

it('begins with an upgrade behind requests that have been answered', async () => {
  const seen: string[] = []
  const port = await serve((request, response) => {
    seen.push(request.url ?? '')
    response.end(request.url)
  })
  const socket = connect(port, '127.0.0.1')
  closing.push(() => socket.destroy())
  socket.write(get('/first'))
  let text = ''
  for await (const chunk of socket) {
    text += String(chunk)
    if (seen.length === 1 && text.includes('/first')) socket.write(get('/upgrade', upgrade))
  }
  expect(seen).toEqual(['/first', '/upgrade'])
})
