/**
 * Many writers, watchers, list-then-watch clients and paged listers at once. What they saw is held against one order of
 * changes: that of a watcher from the beginning, which itself must have every acknowledged write.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { type Answer, type Json, startTestServer, type TestServer, type WatchEvent } from './support/test-server.ts'

const collection = '/api/v1/namespaces/storm/configmaps'
const names = Array.from({ length: 30 }, (_, i) => `item-${String(i).padStart(2, '0')}`)
const sides = ['left', 'right'] as const
const mergePatch = { 'content-type': 'application/merge-patch+json' }

const version = (object: Json): number => Number(object.metadata.resourceVersion)
const changeOf = ({ type, object }: WatchEvent): string => `${type} ${object.metadata.name}@${version(object)}`
const stateOf = (objects: readonly Json[]): string[] => objects.map((each) => `${each.metadata.name}@${version(each)}`)

/** Deterministic, so that a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Calls again while the store is away. */
async function persist(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    const answer = await call()
    if (answer.status < 500 || tries > 2000) return answer
    await delay(50)
  }
}

class Storm {
  readonly servers: readonly TestServer[]
  readonly acknowledged: string[] = []
  over = false
  /** That of the last change of all, once it is known. */
  finalVersion = Number.POSITIVE_INFINITY

  constructor(servers: readonly TestServer[]) {
    this.servers = servers
  }

  server(i: number): TestServer {
    return this.servers[i % this.servers.length] as TestServer
  }

  async write(id: number, operations: number): Promise<void> {
    const random = randomNumbers(id + 1)
    for (let i = 0; i < operations; i++) {
      const server = this.server(random(100))
      const name = names[random(names.length)] as string
      const labels = { side: sides[random(2)] as string }
      const choice = random(4)
      const path = `${collection}/${name}`
      if (choice === 0) {
        await persist(() => server.call('DELETE', path))
        continue
      }
      const body = { metadata: { name, labels }, data: { writer: `${id}-${i}` } }
      const created = choice === 1 ? await persist(() => server.call('POST', collection, body)) : undefined
      const answer = created ?? (await persist(() => server.call('PATCH', path, body, mergePatch)))
      if (answer.status < 300) this.acknowledged.push(`${name}@${version(answer.json())}`)
      if (answer.status < 300) await this.readElsewhere(path, version(answer.json()), random(100))
    }
  }

  /** A write can be read from any server by its version. */
  async readElsewhere(path: string, written: number, i: number): Promise<void> {
    const answer = await persist(() => this.server(i).call('GET', `${path}?resourceVersion=${written}`))
    if (answer.status === 200) expect(version(answer.json())).toBeGreaterThanOrEqual(written)
    else expect(answer.status).toBe(404)
  }

  /** Lists, watches on from there, is cut off, and resumes, until the storm is over. */
  async follow(id: number, query: string): Promise<Followed> {
    const random = randomNumbers(id + 1000)
    const list = (await persist(() => this.server(id).call('GET', `${collection}?${query}`))).json()
    const followed: Followed = { query, list, changes: [] }
    let last = version(list)
    let patienceMs = 300
    while (last < this.finalVersion) {
      const server = this.server(id + random(2))
      const watch = await server.watch(
        `${collection}?watch=1&allowWatchBookmarks=true&${query}&resourceVersion=${last}`,
      )
      const enough = 1 + random(20)
      const until = Date.now() + patienceMs
      while (watch.events.length < enough && Date.now() < until) await delay(5)
      // On a busy machine nothing may come for so long, time and again.
      if (watch.events.length === 0) patienceMs *= 2
      watch.close()
      for (const event of [...watch.events]) {
        expect(event.type, JSON.stringify(event.object)).not.toBe('ERROR')
        last = Math.max(last, version(event.object))
        if (event.type !== 'BOOKMARK') followed.changes.push(event)
      }
    }
    return followed
  }

  async page(id: number): Promise<PagedRead[]> {
    const reads: PagedRead[] = []
    for (let round = 0; !this.over; round++) {
      const items: Json[] = []
      const versions = new Set<number>()
      let token = ''
      do {
        const next = token === '' ? '' : `&continue=${encodeURIComponent(token)}`
        const answer = await persist(() => this.server(id + round).call('GET', `${collection}?limit=4${next}`))
        expect(answer.status, answer.body.toString()).toBe(200)
        const page = answer.json()
        items.push(...page.items)
        versions.add(version(page))
        token = page.metadata.continue ?? ''
      } while (token !== '')
      expect(versions.size).toBe(1)
      reads.push({ revision: [...versions][0] as number, state: stateOf(items) })
      await delay(10)
    }
    return reads
  }
}

interface Followed {
  readonly query: string
  readonly list: Json
  readonly changes: WatchEvent[]
}

interface PagedRead {
  readonly revision: number
  readonly state: string[]
}

/** The state after every change up to a revision. */
function fold(events: readonly WatchEvent[], revision = Number.POSITIVE_INFINITY): Map<string, Json> {
  const state = new Map<string, Json>()
  for (const { type, object } of events) {
    if (version(object) > revision) break
    if (type === 'DELETED') state.delete(object.metadata.name)
    else state.set(object.metadata.name, object)
  }
  return new Map([...state].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What a watcher of one side must see of the whole order. */
function selected(events: readonly WatchEvent[], side: string | undefined): string[] {
  if (side === undefined) return events.map(changeOf)
  const inside = new Set<string>()
  return events.flatMap(({ type, object }) => {
    const { name, labels } = object.metadata
    const was = inside.has(name)
    const is = type !== 'DELETED' && labels?.side === side
    if (is) inside.add(name)
    else inside.delete(name)
    if (is) return [changeOf({ type: was ? 'MODIFIED' : 'ADDED', object })]
    return was ? [changeOf({ type: 'DELETED', object })] : []
  })
}

async function runStorm(servers: readonly TestServer[], disturb: () => Promise<void>, operations: number) {
  const storm = new Storm(servers)
  const [first] = servers as [TestServer]
  await persist(() => first.call('POST', '/api/v1/namespaces', { metadata: { name: 'storm' } }))
  const start = version((await persist(() => first.call('GET', collection))).json())
  const from = (query: string) => `${collection}?watch=1${query}&resourceVersion=${start}`
  const whole = await first.watch(from(''))
  const others = await Promise.all(servers.map((server) => server.watch(from(''))))
  const left = await Promise.all(servers.map((server) => server.watch(from('&labelSelector=side%3Dleft'))))
  const followers = [
    ...Array.from({ length: 3 }, (_, i) => storm.follow(i, '')),
    ...Array.from({ length: 2 }, (_, i) => storm.follow(i + 3, 'labelSelector=side%3Dright')),
  ]
  const pagers = [storm.page(0), storm.page(1)]
  const disturbance = disturb()
  await Promise.all(Array.from({ length: 6 }, (_, id) => storm.write(id, operations)))
  await disturbance
  const last = await persist(() =>
    first.call('POST', collection, { metadata: { name: 'last', labels: { side: 'right' } } }),
  )
  storm.finalVersion = version(last.json())
  storm.over = true
  await whole.until((events) => events.some(({ object }) => version(object) === storm.finalVersion))
  for (const watch of others) await watch.until((events) => events.length >= whole.events.length)
  for (const watch of left) {
    const expected = selected(whole.events, 'left').length
    await watch.until((events) => events.length >= expected)
  }
  const followed = await Promise.all(followers)
  const paged = (await Promise.all(pagers)).flat()
  const final = (await persist(() => first.call('GET', collection))).json()
  for (const watch of [whole, ...others, ...left]) watch.close()
  return { storm, whole: whole.events, others, left, followed, paged, final }
}

async function checkStorm(
  servers: readonly TestServer[],
  { disturb = async () => {}, operations = 60 }: { disturb?: () => Promise<void>; operations?: number } = {},
): Promise<void> {
  const { storm, whole, others, left, followed, paged, final } = await runStorm(servers, disturb, operations)
  const versions = whole.map(({ object }) => version(object))
  expect(versions, 'in order, each once').toEqual([...new Set(versions)].sort((a, b) => a - b))
  const seen = new Set(whole.map(({ object }) => `${object.metadata.name}@${version(object)}`))
  expect(storm.acknowledged.filter((write) => !seen.has(write))).toEqual([])
  expect(stateOf([...fold(whole).values()])).toEqual(stateOf(final.items.filter(isOurs)))
  for (const watch of others) expect(watch.events.map(changeOf)).toEqual(whole.map(changeOf))
  for (const watch of left) expect(watch.events.map(changeOf)).toEqual(selected(whole, 'left'))
  expect(paged.length).toBeGreaterThan(0)
  for (const { revision, state } of paged) {
    expect(state.filter((each) => !each.startsWith('kube-root'))).toEqual(stateOf([...fold(whole, revision).values()]))
  }
  for (const { query, list, changes } of followed) checkFollower(whole, { query, list, changes })
}

const isOurs = ({ metadata }: Json): boolean => !metadata.name.startsWith('kube-root')

function checkFollower(whole: readonly WatchEvent[], { query, list, changes }: Followed): void {
  const side = query === '' ? undefined : 'right'
  const begun = version(list)
  const state = [...fold(whole, begun).values()].filter(
    (each) => side === undefined || each.metadata.labels?.side === side,
  )
  expect(stateOf(list.items.filter(isOurs))).toEqual(stateOf(state))
  const expected = selected(whole, side).filter((change) => Number(change.split('@')[1]) > begun)
  const got = changes.map(changeOf)
  expect(got).toEqual(expected.slice(0, got.length))
  expect(got.length).toBe(expected.length)
}

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const withServers = async (flags: readonly (readonly string[])[], run: (servers: TestServer[]) => Promise<void>) => {
  const servers: TestServer[] = []
  try {
    for (const each of flags) servers.push(await startTestServer(each))
    await run(servers)
  } finally {
    for (const server of servers) await server.close()
  }
}

describe('a storm of readers and writers', () => {
  test('on memory', () => withServers([['--store', 'memory']], (servers) => checkStorm(servers)))

  test('on lmdb', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pilothouse-storm-'))
    folders.push(folder)
    return withServers([['--store', 'lmdb', '--data-dir', folder]], (servers) => checkStorm(servers))
  })

  describe('on etcd', () => {
    test('that is killed and comes back', async () => {
      const cluster = await EtcdCluster.start()
      const [member] = cluster.members
      const disturb = async () => {
        await delay(300)
        await member?.kill()
        await delay(500)
        member?.start()
        await member?.ready()
      }
      const flags = ['--etcd-servers', cluster.urls.join(',')]
      try {
        await withServers([flags], (servers) => checkStorm(servers, { disturb, operations: 25 }))
      } finally {
        await cluster.stop()
      }
    })

    test('with two servers', async () => {
      const cluster = await EtcdCluster.start()
      const flags = ['--etcd-servers', cluster.urls.join(',')]
      try {
        await withServers([flags, flags], (servers) => checkStorm(servers, { operations: 25 }))
      } finally {
        await cluster.stop()
      }
    })
  })
})
