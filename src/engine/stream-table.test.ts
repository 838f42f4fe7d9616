import { once } from 'node:events'
import http2, { type ServerHttp2Session } from 'node:http2'
import net, { type AddressInfo } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { StreamTable, useStreamTable } from './stream-table.ts'

type Step = readonly ['set' | 'delete', number]

it('is a Map for all that can be asked of it', () => {
  const step = fc.tuple(fc.constantFrom<Step[0]>('set', 'set', 'delete'), fc.integer({ min: 1, max: 80 }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const table = new StreamTable<string>()
      const model = new Map<number, string>()
      for (const [what, id] of steps) {
        if (what === 'set') {
          table.set(id, `s${id}`)
          model.set(id, `s${id}`)
        } else expect(table.delete(id)).toBe(model.delete(id))
        expect([table.size, table.get(id), table.has(id)]).toEqual([model.size, model.get(id), model.has(id)])
      }
      const inOrder = (entries: Iterable<[number, string]>) => [...entries].sort(([a], [b]) => a - b)
      expect(inOrder(table)).toEqual(inOrder(model))
      const seen: [number, string][] = []
      table.forEach((stream, id) => {
        seen.push([id, stream])
      })
      expect(inOrder(seen)).toEqual(inOrder(model))
      expect([...table.keys()].length).toBe(model.size)
      expect([...table.values()].sort()).toEqual([...model.values()].sort())
      table.clear()
      expect([table.size, ...table]).toEqual([0])
    }),
  )
})

it('goes on with those that are left when streams go while they are gone through', () => {
  const table = new StreamTable<string>()
  for (const id of [1, 3, 5, 33, 35]) table.set(id, `s${id}`)
  const seen: number[] = []
  table.forEach((_, id) => {
    seen.push(id)
    table.delete(1)
    table.delete(33)
  })
  expect(seen.filter((id) => id !== 1 && id !== 33).sort((a, b) => a - b)).toEqual([3, 5, 35])
})

it('takes the place of the streams of a session', async () => {
  let session: ServerHttp2Session | undefined
  let isUsed = false
  const server = net.createServer((socket) => {
    session = http2.performServerHandshake(socket) as unknown as ServerHttp2Session
    isUsed = useStreamTable(session)
    session.on('stream', (stream) => {
      stream.respond({ ':status': 200 })
      stream.end('ok')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const ask = async (): Promise<string> => {
    let body = ''
    for await (const chunk of client.request({ ':path': '/' })) body += String(chunk)
    return body
  }
  const answers = await Promise.all(Array.from({ length: 40 }, ask))
  expect(new Set(answers)).toEqual(new Set(['ok']))
  expect(isUsed).toBe(true)
  // A session that thinks it had streams would not close.
  const closed = once(client, 'close')
  session?.close()
  await closed
  server.close()
  await once(server, 'close')
})
