import { Duplex, PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { SpdyConnection } from './spdy-connection.ts'
import { SpdyServerConnection } from './spdy-server.ts'

function connected(): [Duplex, Duplex] {
  const [there, back] = [new PassThrough(), new PassThrough()]
  return [Duplex.from({ readable: back, writable: there }), Duplex.from({ readable: there, writable: back })]
}

it('takes the streams that the other side opens, and what they say, in order', async () => {
  const [near, far] = connected()
  const seen: string[] = []
  const server = new SpdyServerConnection(far, Buffer.alloc(0), {
    stream(stream) {
      const name = stream.headers['streamtype'] ?? ''
      seen.push(`open ${name}`)
      stream.onData((chunk) => {
        seen.push(`${name}: ${chunk}`)
        stream.write(Buffer.from(`echo ${chunk}`))
      })
      stream.onEnd(() => {
        seen.push(`end ${name}`)
        stream.end()
      })
    },
    close: () => seen.push('close'),
  })
  const closed = new Promise<void>((resolve) => {
    const client = new SpdyConnection(near, Buffer.alloc(0), { clock: systemClock, onClose: resolve })
    void (async () => {
      for (const streamtype of ['stdin', 'data']) {
        const ended = new Promise<void>((end) => {
          void client
            .open({ streamtype, port: '80' }, { data: (chunk) => seen.push(`back: ${chunk}`), end })
            .then((stream) => {
              stream.write(Buffer.from('hello'))
              stream.end()
            })
        })
        await ended
      }
      server.close()
    })()
  })
  await closed
  expect(seen.filter((each) => each !== 'close')).toEqual(
    ['stdin', 'data'].flatMap((name) => [`open ${name}`, `${name}: hello`, `end ${name}`, 'back: echo hello']),
  )
})

it('ends a connection that says nonsense', async () => {
  const [near, far] = connected()
  const closed = new Promise<void>((resolve) => {
    new SpdyServerConnection(far, Buffer.alloc(0), { stream: () => {}, close: resolve })
  })
  near.on('error', () => {})
  near.write(Buffer.from([0x80, 3, 0, 1, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 9, 9]))
  await closed
})
