import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isStaleConnectionReset } from './transport.ts'

describe('isStaleConnectionReset', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let server: Server
  /** What the server does with a request. */
  let answer: (socket: Socket, end: () => void) => void = (_, end) => end()
  beforeAll(async () => {
    server = createServer({ keepAliveTimeout: 0 }, (request, response) =>
      answer(request.socket, () => void response.end('x')),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => {
    agent.destroy()
    server.close()
  })

  /** Undefined when it was answered. */
  const isLost = async (): Promise<boolean | undefined> => {
    const request = get({ agent, host: '127.0.0.1', port: (server.address() as AddressInfo).port })
    return new Promise((resolve) => {
      request.on('error', (error) => resolve(isStaleConnectionReset(request, error)))
      request.on('response', (response: IncomingMessage) => response.resume().on('end', () => resolve(undefined)))
    })
  }

  it('is true of a connection that was used before and closed instead of an answer, once', async () => {
    expect(await isLost()).toBeUndefined()
    answer = (socket) => socket.destroy()
    expect([await isLost(), await isLost()]).toEqual([true, false])
  })
})
