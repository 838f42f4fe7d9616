/**
 * One client that does one thing after the other and always sends the version that it was given last. Nobody else
 * writes, so nothing may be refused: no conflict, no missing object, no failed precondition, no lost or repeated change,
 * on every store, however far a watch cache lags, and through several servers on one etcd.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { openMemoryStore } from '../../src/store/memory.ts'
import { type Store, StoreError, type WriteOperation, type WriteResult } from '../../src/store/store.ts'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { decorated } from '../support/contended-store.ts'
import { laggingStore } from '../support/lagging-store.ts'
import { type Answer, type Json, startTestServer, type TestServer } from './support/test-server.ts'

const ns = '/api/v1/namespaces/default'
const configMaps = `${ns}/configmaps`
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
const merge = { 'content-type': 'application/merge-patch+json' }
const jsonPatch = { 'content-type': 'application/json-patch+json' }
const apply = { 'content-type': 'application/apply-patch+yaml' }

interface Bench {
  readonly servers: readonly TestServer[]
  /** Has the watch lag from now on. */
  hold?(): void
  close(): Promise<void>
}

interface Setup {
  readonly name: string
  readonly rounds: number
  readonly start: () => Promise<Bench>
}

const setups: Setup[] = [
  {
    name: 'memory',
    rounds: 50,
    start: async () => {
      const server = await startTestServer(['--store', 'memory'])
      return { servers: [server], close: () => server.close() }
    },
  },
  {
    name: 'lmdb',
    rounds: 50,
    start: async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pilothouse-rmw-'))
      const server = await startTestServer(['--store', 'lmdb', '--data-dir', folder])
      return {
        servers: [server],
        close: async () => {
          await server.close()
          rmSync(folder, { recursive: true, force: true })
        },
      }
    },
  },
  {
    name: 'a store whose watch lags until it is asked',
    rounds: 100,
    start: async () => {
      const lagging = laggingStore(openMemoryStore())
      const server = await startTestServer(['--store', 'memory'], systemClock, lagging.store)
      return {
        servers: [server],
        hold: () => lagging.hold(),
        close: async () => {
          lagging.release()
          await server.close()
        },
      }
    },
  },
]

for (const count of [1, 2]) {
  setups.push({
    name: `etcd with ${count === 1 ? 'one server' : 'two servers'}`,
    rounds: 300,
    start: async () => {
      const etcd = await EtcdCluster.start(1)
      const flags = ['--store', 'etcd', '--etcd-servers', etcd.urls.join()]
      const servers: TestServer[] = []
      for (let i = 0; i < count; i++) servers.push(await startTestServer(flags))
      return {
        servers,
        close: async () => {
          for (const server of servers) await server.close()
          await etcd.stop()
        },
      }
    },
  })
}

/** Deterministic, so that a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

class Client {
  readonly #servers: readonly TestServer[]
  readonly #random = randomNumbers(20)
  #count = 0

  constructor(servers: readonly TestServer[]) {
    this.#servers = servers
  }

  pick(below: number): number {
    return this.#random(below)
  }

  unique(): string {
    return `n-${this.#count++}`
  }

  call(method: string, path: string, body?: Json, headers?: Record<string, string>): Promise<Answer> {
    const server = this.#servers[this.pick(this.#servers.length)] as TestServer
    return server.call(method, path, body, headers)
  }

  async expect(status: number, [method, path, body, headers]: Parameters<Client['call']>): Promise<Json> {
    const answer = await this.call(method, path, body, headers)
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
    return answer.json()
  }
}

const configMap = (name: string, data: Json, metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

/** One ConfigMap through random writes, each with the version of the last. */
async function oneLife(client: Client): Promise<void> {
  const name = client.unique()
  const path = `${configMaps}/${name}`
  let data: Record<string, string> = { n: '0' }
  let last = await client.expect(201, ['POST', configMaps, configMap(name, data)])
  const version = (): string => last.metadata.resourceVersion
  const next = (): Record<string, string> => ({ ...data, n: String(Number(data['n']) + 1) })
  const steps: (() => Promise<void>)[] = [
    async () => {
      data = next()
      last = await client.expect(200, ['PUT', path, { ...last, data }])
    },
    async () => {
      data = next()
      const patch = { metadata: { resourceVersion: version() }, data: { n: data['n'] } }
      last = await client.expect(200, ['PATCH', path, patch, merge])
    },
    async () => {
      data = next()
      const config = configMap(name, { n: data['n'] })
      last = await client.expect(200, ['PATCH', `${path}?fieldManager=me&force=true`, config, apply])
    },
    // A no-op: that nothing is written must be true of the newest state.
    async () => {
      const before = version()
      last = await client.expect(200, ['PATCH', path, { data: { n: data['n'] } }, merge])
      expect(version()).toBe(before)
    },
    // Back to what it was: a no-op only to somebody who missed the change in between.
    async () => {
      const other = { ...data, n: 'other' }
      last = await client.expect(200, ['PATCH', path, { data: { n: 'other' } }, merge])
      expect(last.data).toEqual(other)
      last = await client.expect(200, ['PATCH', path, { data: { n: data['n'] } }, merge])
    },
    async () => {
      const test = [
        { op: 'test', path: '/data/n', value: data['n'] },
        { op: 'replace', path: '/data/n', value: next()['n'] },
      ]
      data = next()
      last = await client.expect(200, ['PATCH', path, test, { 'content-type': 'application/json-patch+json' }])
    },
    async () => {
      const shown = await client.expect(200, ['PUT', `${path}?dryRun=All`, { ...last, data: next() }])
      expect(shown.data).toEqual(next())
    },
  ]
  for (let i = 0; i < 6; i++) {
    await (steps[client.pick(steps.length)] as () => Promise<void>)()
    expect(last.data).toEqual(data)
  }
  const { uid } = last.metadata
  const preconditions = client.pick(2) === 0 ? { uid } : { uid, resourceVersion: version() }
  await client.expect(200, ['DELETE', path, { preconditions }])
  await client.expect(404, ['DELETE', path])
  // The name is free at once.
  await client.expect(201, ['PATCH', `${path}?fieldManager=me`, configMap(name, { n: '0' }), apply])
  await client.expect(409, ['POST', `${configMaps}?dryRun=All`, configMap(name, {})])
}

async function createdByPut(client: Client): Promise<void> {
  const name = client.unique()
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  }
  const made = await client.expect(201, ['PUT', `${roles}/${name}`, role])
  await client.expect(200, ['PUT', `${roles}/${name}`, { ...made, rules: [] }])
}

async function scaled(client: Client): Promise<void> {
  const name = client.unique()
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const spec = { selector: { matchLabels: { a: 'b' } }, template }
  let { metadata } = await client.expect(201, ['POST', deployments, { metadata: { name }, spec }])
  for (const replicas of [2, 3]) {
    const { resourceVersion } = metadata
    const scale = { metadata: { name, namespace: 'default', resourceVersion }, spec: { replicas } }
    metadata = (await client.expect(200, ['PUT', `${deployments}/${name}/scale`, scale])).metadata
  }
  await client.expect(200, ['DELETE', `${deployments}/${name}?resourceVersion=${metadata.resourceVersion}`])
}

/** Unready pods that their budget lets go, with and without a version; then one that spends the budget. */
async function evicted(client: Client): Promise<void> {
  const label = client.unique()
  const selector = { matchLabels: { a: label } }
  await client.expect(201, ['POST', budgets, { metadata: { name: label }, spec: { minAvailable: 1, selector } }])
  const healthy = {
    disruptionsAllowed: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
    observedGeneration: 1,
  }
  await client.expect(200, ['PATCH', `${budgets}/${label}/status`, { status: healthy }, merge])
  for (const [isReady, isPinned] of [
    [false, false],
    [false, true],
    [true, true],
  ]) {
    const name = client.unique()
    const pod = { metadata: { name, labels: { a: label } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    await client.expect(201, ['POST', `${ns}/pods`, pod])
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }]
    const status = { phase: 'Running', conditions }
    const { metadata } = await client.expect(200, ['PATCH', `${ns}/pods/${name}/status`, { status }, merge])
    const { resourceVersion, uid } = metadata
    const deleteOptions = isPinned ? { preconditions: { resourceVersion, uid } } : {}
    const eviction = { metadata: { name, namespace: 'default' }, deleteOptions }
    await client.expect(201, ['POST', `${ns}/pods/${name}/eviction`, eviction])
  }
}

describe.each(setups)('on $name', ({ rounds, start }) => {
  it('a lone writer is never refused', async () => {
    const bench = await start()
    try {
      const first = bench.servers[0] as TestServer
      await first.call('POST', `${ns}/serviceaccounts`, { metadata: { name: 'default' } })
      bench.hold?.()
      const client = new Client(bench.servers)
      for (let i = 0; i < rounds / 10; i++) {
        await oneLife(client)
        await createdByPut(client)
        await scaled(client)
        await evicted(client)
      }
    } finally {
      await bench.close()
    }
  })

  it('has a version that counts', async () => {
    const bench = await start()
    try {
      bench.hold?.()
      const client = new Client(bench.servers)
      let last = await client.expect(201, ['POST', configMaps, configMap('counter', { n: '0' })])
      for (let i = 1; i <= rounds; i++) {
        last = await client.expect(200, ['PUT', `${configMaps}/counter`, { ...last, data: { n: String(i) } }])
      }
      expect(last.data.n).toBe(String(rounds))
    } finally {
      await bench.close()
    }
  })
})

describe('a store that fails after it has taken a write', () => {
  /** Applies the next write to the key, and says that it does not know. */
  function losingAnswers(inner: Store): { store: Store; lose: (key: string) => void } {
    const lost = new Set<string>()
    const write = async (operation: WriteOperation): Promise<WriteResult> => {
      const result = await inner.write(operation)
      if (!lost.delete(operation.key)) return result
      throw new StoreError('unavailable', 'the connection is gone', { maybeApplied: true })
    }
    return { store: decorated(inner, { write }), lose: (key) => lost.add(key) }
  }

  it('is never answered with a refusal: the write is there', async () => {
    const lagging = laggingStore(openMemoryStore())
    const { store, lose } = losingAnswers(lagging.store)
    const server = await startTestServer(['--store', 'memory'], systemClock, store)
    try {
      const key = '/registry/configmaps/default/a'
      const created = (await server.call('POST', configMaps, { metadata: { name: 'a' } })).json()
      const { resourceVersion } = created.metadata
      const writes: [string, Json, Record<string, string>?][] = [
        ['PUT', { metadata: { name: 'a', resourceVersion }, data: { a: '1' } }],
        ['PATCH', { metadata: { resourceVersion: '<rv>' }, data: { b: '2' } }, merge],
        [
          'PATCH',
          [
            { op: 'test', path: '/data/b', value: '2' },
            { op: 'remove', path: '/data/b' },
          ],
          jsonPatch,
        ],
        ['DELETE', { preconditions: { resourceVersion: '<rv>' } }],
      ]
      for (const [method, body, headers] of writes) {
        lagging.hold()
        const current = (await server.call('GET', `${configMaps}/a`)).json().metadata.resourceVersion as string
        lose(key)
        const sent = JSON.parse(JSON.stringify(body).replace('<rv>', current)) as Json
        const answer = await server.call(method, `${configMaps}/a`, sent, headers)
        expect([method, answer.status, answer.json().message]).toEqual([method, 503, 'the connection is gone'])
        const found = await store.get(key)
        expect(found).toMatchObject({ status: 'ok' })
        expect(found.status === 'ok' && String(found.entry?.revision ?? '')).not.toBe(current)
        lagging.release()
      }
      expect((await server.call('GET', `${configMaps}/a`)).status).toBe(404)
    } finally {
      lagging.release()
      await server.close()
    }
  })
})
