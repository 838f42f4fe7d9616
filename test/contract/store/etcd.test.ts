// What only the etcd store has to keep: through failures of etcd, and together with others that use the same etcd.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEtcdStore } from '../../../src/store/etcd/etcd-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { type Certificate, createCa, issueCertificate } from './certificates.ts'
import { EtcdCluster } from './etcd-process.ts'
import { bytes, create, found, Recorder } from './fixtures.ts'
import { type Acknowledged, isWhole, storm } from './storm.ts'

describe('a write-and-watch storm', () => {
  let cluster: EtcdCluster
  let store: Store
  afterEach(async () => {
    await store.close()
    await cluster.stop()
  })

  async function survives(size: number, disturb: () => Promise<void>): Promise<void> {
    cluster = await EtcdCluster.start(size)
    store = openEtcdStore({ servers: cluster.urls, compactionIntervalMs: 0 })
    const start = await create(store, '/storm/start', 'x')
    const watch = new Recorder(store, '/storm/', start)
    const abort = new AbortController()
    const acknowledged: Acknowledged[] = []
    const options = {
      prefix: '/storm/',
      writers: 8,
      signal: abort.signal,
      onAcknowledged: (w: Acknowledged) => void acknowledged.push(w),
    }
    const writing = storm(store, options)
    await disturb()
    const before = acknowledged.length
    await watch.until('writes to go on', () => acknowledged.length > before + 100)
    abort.abort()
    await writing
    await watch.untilProgress(await store.currentRevision())
    checkWatch(watch, acknowledged, start)
    const state = found(await store.range('/storm/')).items.filter((item) => item.key !== '/storm/start')
    expect(new Map(state.map((item) => [item.key, item.revision]))).toEqual(lastPuts(watch))
    for (const item of state) expect(isWhole(item.key, item.value)).toBe(true)
  }

  it('loses nothing when etcd is killed and restarted', () =>
    survives(1, async () => {
      for (let round = 0; round < 3; round++) {
        await pause(400)
        await cluster.members[0]!.kill()
        await pause(100)
        cluster.members[0]!.start()
        await cluster.members[0]!.ready()
      }
    }))

  it('loses nothing when the leader of a cluster of three is killed, twice', () =>
    survives(3, async () => {
      for (let round = 0; round < 2; round++) {
        await pause(500)
        const leader = await cluster.leader()
        await leader.kill()
        await pause(1500)
        leader.start()
        await leader.ready()
      }
    }))
})

/** What is reported when the time is up before the first attempt has failed says nothing yet. */
const expectNoConnection = (store: Store): Promise<void> =>
  expect
    .poll(() =>
      store.health(AbortSignal.timeout(500)).then(
        () => 'well',
        (error: unknown) => error,
      ),
    )
    .toMatchObject({ code: 'timeout', message: expect.stringContaining('No connection established') })

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Every acknowledged write once, nothing twice, and nothing missing between two events of a key: each names the one before it. */
function checkWatch(watch: Recorder, acknowledged: readonly Acknowledged[], start: number): void {
  const revisions = watch.events.map((event) => event.revision)
  expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b))
  expect(revisions[0]).toBeGreaterThan(start)
  const byRevision = new Map(watch.events.map((event) => [event.revision, event]))
  for (const { key, revision, value } of acknowledged) {
    const event = byRevision.get(revision)
    expect(event).toMatchObject({ key, type: value === undefined ? 'delete' : 'put' })
    expect(event?.entry && Buffer.from(event.entry.value).toString()).toBe(value)
  }
  const last = new Map<string, number | undefined>()
  for (const event of watch.events) {
    expect(event.previous?.revision).toBe(last.get(event.key))
    last.set(event.key, event.type === 'put' ? event.revision : undefined)
  }
}

function lastPuts(watch: Recorder): Map<string, number> {
  const last = new Map<string, number>()
  for (const event of watch.events) {
    if (event.type === 'put') last.set(event.key, event.revision)
    else last.delete(event.key)
  }
  return last
}

describe('etcd', () => {
  let cluster: EtcdCluster
  const stores: Store[] = []
  beforeEach(async () => {
    cluster = await EtcdCluster.start()
  })
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()))
    await cluster.stop()
  })
  function opened(options: { compactionIntervalMs: number; servers?: string[] }): Store {
    const store = openEtcdStore({ servers: cluster.urls, ...options })
    stores.push(store)
    return store
  }

  it('shows each store what the other writes', async () => {
    const [one, two] = [opened({ compactionIntervalMs: 0 }), opened({ compactionIntervalMs: 0 })]
    const watch = new Recorder(two, '/')
    await watch.untilProgress(1)
    const revision = await create(one, '/a', 'x')
    await watch.untilEvents(1)
    expect(await two.get('/a')).toMatchObject({ entry: { revision } })
    expect(await two.write({ type: 'create', key: '/a', value: bytes('y') })).toMatchObject({
      ok: false,
      current: { revision },
    })
  })

  it('is compacted by one of the stores that share it', async () => {
    const [one, two] = [opened({ compactionIntervalMs: 150 }), opened({ compactionIntervalMs: 150 })]
    const old = await create(one, '/a', 'x')
    await create(one, '/b', 'x')
    for (const store of [one, two]) {
      await expect.poll(async () => (await store.range('/', { revision: old })).status).toBe('compacted')
    }
    expect(found(await one.range('/')).items).toHaveLength(2)
    const round = await one.get('compact_rev_key')
    expect(round.status === 'ok' && Number(Buffer.from(round.entry!.value).toString())).toBeGreaterThanOrEqual(old)
  })

  it('is asked for few leases', async () => {
    const store = opened({ compactionIntervalMs: 0 })
    const write = (i: number) =>
      store.write({ type: 'create', key: `/event/${i}`, value: bytes('x'), ttlSeconds: 3600 })
    await Promise.all(Array.from({ length: 1500 }, (_, i) => write(i)))
    const response = await fetch(`${cluster.urls[0]}/v3/lease/leases`, { method: 'POST', body: '{}' })
    expect(((await response.json()) as { leases: unknown[] }).leases).toHaveLength(2)
  })

  it('is found behind a server that does not answer', async () => {
    const store = opened({ compactionIntervalMs: 0, servers: ['http://127.0.0.1:1', ...cluster.urls] })
    const watch = new Recorder(store, '/')
    await create(store, '/a')
    await watch.untilProgress(2)
    await store.health(AbortSignal.timeout(60_000))
  })

  it('shows in the health of the store when it is gone, and is watched again when it is back', async () => {
    const store = opened({ compactionIntervalMs: 0 })
    const watch = new Recorder(store, '/')
    await watch.untilProgress(1)
    await cluster.members[0]!.kill()
    await expectNoConnection(store)
    cluster.members[0]!.start()
    await cluster.members[0]!.ready()
    await create(store, '/a')
    await watch.untilEvents(1)
  })

  it.each(['', 'ftp://x', 'http://'])('needs an address that is one, not %j', (server) => {
    expect(() => openEtcdStore({ servers: [server] })).toThrow('is not the address of an etcd server')
  })
})

describe('etcd with TLS', () => {
  it('is reached with the right CA and a client certificate, and not without', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pilothouse-tls-'))
    const [ca, otherCa] = [createCa(folder, 'ca'), createCa(folder, 'other-ca')]
    const server = issueCertificate(folder, 'etcd', ca)
    const client = issueCertificate(folder, 'client', ca)
    const stranger = issueCertificate(folder, 'stranger', otherCa)
    const cluster = await EtcdCluster.start(1, { ca: ca.cert, ...server })
    const open = (own: Certificate | undefined, trusted: Certificate): Store => {
      const files = own && { cert: readFileSync(own.cert), key: readFileSync(own.key) }
      return openEtcdStore({
        servers: cluster.urls,
        compactionIntervalMs: 0,
        tls: { ca: readFileSync(trusted.cert), ...files },
      })
    }
    const good = open(client, ca)
    const bad = [open(undefined, ca), open(stranger, ca), open(client, otherCa)]
    try {
      const watch = new Recorder(good, '/')
      await create(good, '/a', 'secret')
      await watch.untilProgress(2)
      for (const store of bad) await expectNoConnection(store)
    } finally {
      await Promise.all([good, ...bad].map((store) => store.close()))
      await cluster.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
