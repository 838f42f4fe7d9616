import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { refuseBadRequest } from './bad-requests.ts'

describe('refuseBadRequest', () => {
  let server: http.Server
  beforeEach(async () => {
    server = http
      .createServer({ maxHeaderSize: 1024 }, (_, response) => response.end())
      .on('clientError', refuseBadRequest)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })
  /** Reads nothing before it is asked for the answer. */
  const connect = (): { socket: net.Socket; answer: () => Promise<string> } => {
    const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
    let text = ''
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.on('close', resolve))
    const answer = async (): Promise<string> => {
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.resume()
      await closed
      return text
    }
    return { socket, answer }
  }

  it('answers a client that goes on sending before it reads', async () => {
    const { socket, answer } = connect()
    const answered = new Promise((resolve) => server.once('clientError', resolve))
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(2000)}`)
    await answered
    for (let i = 0; i < 5; i++) {
      socket.write('x'.repeat(2000))
      await sleep(5)
    }
    expect(await answer()).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/)
  })

  it('closes a connection whose client does not end', async () => {
    const { socket, answer } = connect()
    socket.write('no request\r\n\r\n')
    expect(await answer()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  })
})
