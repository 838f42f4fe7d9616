/** Exact reads of states that the store has compacted, of a resource that has not changed since: gone all the same. */
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { openMemoryStore } from '../../src/store/memory.ts'
import { laggingStore } from '../support/lagging-store.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

const ns = '/api/v1/namespaces/default'

describe.each([
  { kind: 'its own', lags: false },
  { kind: 'a shared', lags: true },
])('on $kind store', ({ lags }) => {
  it('a token of a compacted version is answered with one that goes on with what there is', async () => {
    const memory = openMemoryStore()
    const store = lags ? laggingStore(memory).store : memory
    const server: TestServer = await startTestServer(['--store', 'memory'], systemClock, store)
    try {
      for (const name of ['a', 'b', 'c']) await server.call('POST', `${ns}/secrets`, { metadata: { name } })
      const list = async (query: string): Promise<Json> => (await server.call('GET', `${ns}/secrets?${query}`)).json()
      const first = await list('limit=1')
      const token = `limit=1&continue=${first.metadata.continue}`
      const exact = `resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=Exact`
      // Changes of others only.
      await server.call('POST', `${ns}/configmaps`, { metadata: { name: 'other' } })
      expect((await list(token)).items.map((each: Json) => each.metadata.name)).toEqual(['b'])
      expect((await list(exact)).items).toHaveLength(3)
      await memory.compact(await memory.currentRevision())
      const expired = await list(token)
      expect([expired.code, expired.reason]).toEqual([410, 'Expired'])
      expect(await list(exact)).toMatchObject({ code: 410, reason: 'Expired' })
      const rest = await list(`limit=5&continue=${expired.metadata.continue}`)
      expect(rest.items.map((each: Json) => each.metadata.name)).toEqual(['b', 'c'])
    } finally {
      await server.close()
    }
  })
})
