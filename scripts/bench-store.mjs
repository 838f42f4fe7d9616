// Measures the stores: durable writes, ranges, watch latency, opening. `npm run bench:store [-- memory channel lmdb etcd] [--json]`.
// The raw line is LMDB itself under the same conditions (groups of 64 puts of the same size, synced), for comparison. The channel of request
// workers is measured by the processor time of a write, of all ends together.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { freePort } from './free-port.mjs'
import { loadSources } from './load-sources.mjs'

const valueBytes = 2048
const rangeLimit = 500
const names = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
const asJson = process.argv.includes('--json')

const loadStores = () =>
  loadSources(`
    export { openMemoryStore } from './src/store/memory.ts'
    export { openLmdbStore } from './src/store/lmdb/lmdb-store.ts'
    export { openChannelStore } from './src/store/channel/channel-store.ts'
    export { serveStore } from './src/store/channel/serve-store.ts'
    export { openEtcdStore } from './src/store/etcd/etcd-store.ts'`)

const value = Buffer.alloc(valueBytes, 0x61)

async function writesPerSecond(store, inFlight, count) {
  let next = 0
  const writer = async () => {
    while (next < count) await store.write({ type: 'create', key: `/bench/${inFlight}/${next++}`, value })
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: inFlight }, writer))
  return (count / (performance.now() - start)) * 1000
}

async function rangesPerSecond(store, count) {
  const start = performance.now()
  for (let i = 0; i < count; i++) await store.range('/bench/64/', { limit: rangeLimit })
  return (count / (performance.now() - start)) * 1000
}

/** From the call of `write` to the event, one write at a time, in milliseconds. */
async function watchLatency(store, count) {
  let arrived
  const watch = store.watch('/latency/', {
    onEvents: () => arrived(),
    onProgress: () => arrived(),
    onEnd: () => undefined,
  })
  await new Promise((resolve) => {
    arrived = resolve
    watch.requestProgress()
  })
  const times = []
  for (let i = 0; i < count; i++) {
    const start = performance.now()
    const event = new Promise((resolve) => {
      arrived = () => resolve(performance.now())
    })
    const [time] = await Promise.all([event, store.write({ type: 'create', key: `/latency/${i}`, value })])
    times.push(time - start)
  }
  watch.close()
  times.sort((a, b) => a - b)
  return { p50: times[Math.floor(count / 2)], p99: times[Math.floor(count * 0.99)] }
}

async function measure(store, scale) {
  await writesPerSecond(store, 8, 200 * scale)
  return {
    'writes/s, 1 in flight': await writesPerSecond(store, 1, 300 * scale),
    'writes/s, 64 in flight': await writesPerSecond(store, 64, 3000 * scale),
    [`ranges/s of ${rangeLimit}`]: await rangesPerSecond(store, 30 * scale),
    'watch ms': await watchLatency(store, 30 * scale),
  }
}

async function rawLmdb(folder) {
  const db = open({ path: join(folder, 'raw'), overlappingSync: false })
  const table = db.openDB('raw', { encoding: 'binary' })
  const groups = 600
  const start = performance.now()
  for (let group = 0; group < groups; group++) {
    let last
    for (let i = 0; i < 64; i++) last = table.put(group * 64 + i, value)
    await last
  }
  const perSecond = ((groups * 64) / (performance.now() - start)) * 1000
  await db.close()
  return { 'writes/s, 64 in flight': perSecond }
}

/** What the writer of a pod knows of it. */
const hint = JSON.stringify(['bench', 'made-abcdefgh', 300, { app: 'app-7', tier: 'front' }, ['node-1', '', ''], null])

/** All listen to all writes, of which the first `writers` make as many each; without any, the owner of the store makes them. */
async function channelCost(listeners, writers, count = 20_000) {
  const owner = stores.openMemoryStore({ takesHints: true })
  const served = stores.serveStore(owner)
  const others = []
  for (let i = 0; i < listeners; i++) {
    const [near, far] = await connectedSockets()
    served.serve(far)
    others.push(await stores.openChannelStore({ stream: near }))
  }
  const all = []
  for (const store of [owner, ...others]) all.push((await listen(store, count)).all)
  const before = process.cpuUsage()
  let next = 0
  const write = async (store) => {
    for (let i = next++; i < count; i = next++) {
      await store.write({ type: 'create', key: `/bench/${i}`, value: Buffer.from(value), hint })
    }
  }
  await Promise.all(Array.from({ length: 128 }, (_, i) => write(writers === 0 ? owner : others[i % writers])))
  await Promise.all(all)
  const { user, system } = process.cpuUsage(before)
  for (const store of others) await store.close()
  await owner.close()
  return (user + system) / count
}

/** Resolves when it listens; `all`: when so many events have come. */
async function listen(store, count) {
  let [seen, caughtUp, heardAll] = [0]
  const begun = new Promise((resolve) => (caughtUp = resolve))
  const all = new Promise((resolve) => (heardAll = resolve))
  const onEvents = ({ events }) => {
    seen += events.length
    if (seen === count) heardAll()
  }
  const watch = store.watch('/', {
    withPrevious: false,
    onEvents,
    onProgress: () => caughtUp(),
    onEnd: () => undefined,
  })
  watch.requestProgress()
  await begun
  return { all }
}

function connectedSockets() {
  return new Promise((resolve) => {
    const near = new Socket()
    const server = createServer((far) => {
      server.close()
      resolve([near, far])
    })
    server.listen(0, '127.0.0.1', () => near.connect(server.address().port, '127.0.0.1'))
  })
}

async function withEtcd(folder, use) {
  const binary = process.env.ETCD35_BIN ?? execFileSync('which', ['etcd'], { encoding: 'utf8' }).trim()
  const [client, peer] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${client}`
  const args = [`--data-dir=${join(folder, 'etcd')}`, `--listen-client-urls=${url}`, `--advertise-client-urls=${url}`]
  args.push(`--listen-peer-urls=http://127.0.0.1:${peer}`, '--log-level=fatal')
  const env = { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch }
  const child = spawn(binary, args, { stdio: 'ignore', env })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  try {
    return await use(url)
  } finally {
    child.kill()
    await gone
  }
}

const stores = await loadStores()
const folder = mkdtempSync(join(tmpdir(), 'pilothouse-bench-'))

const benches = {
  async memory() {
    const store = stores.openMemoryStore()
    const result = await measure(store, 20)
    await store.close()
    return result
  },
  async channel() {
    for (let i = 0; i < 2; i++) await channelCost(1, 1)
    return {
      'µs, the owner alone': await channelCost(0, 0),
      'µs, one listens': await channelCost(1, 0),
      'µs, one writes': await channelCost(1, 1),
      'µs, one of 8 writes': await channelCost(8, 1),
      'µs, all of 8 write': await channelCost(8, 8),
    }
  },
  async lmdb() {
    const store = await stores.openLmdbStore({ folder: join(folder, 'lmdb') })
    const result = await measure(store, 10)
    await store.close()
    const start = performance.now()
    const reopened = await stores.openLmdbStore({ folder: join(folder, 'lmdb') })
    result['open ms'] = performance.now() - start
    await reopened.close()
    return result
  },
  raw: () => rawLmdb(folder),
  etcd: () =>
    withEtcd(folder, async (url) => {
      const store = stores.openEtcdStore({ servers: [url] })
      const result = await measure(store, 2)
      await store.close()
      return result
    }),
}

const shown = (figure) =>
  typeof figure === 'number'
    ? Math.round(figure).toLocaleString('en')
    : `p50 ${figure.p50.toFixed(2)}, p99 ${figure.p99.toFixed(2)}`
const results = {}
try {
  for (const name of names.length > 0 ? names : Object.keys(benches)) {
    if (benches[name] === undefined)
      throw new Error(`there is no store ${name}; there are ${Object.keys(benches).join(', ')}`)
    results[name] = await benches[name]()
    if (asJson) continue
    console.log(name === 'raw' ? 'raw LMDB put, synced' : `${name} store, ${valueBytes} bytes a value`)
    for (const [what, figure] of Object.entries(results[name])) console.log(`  ${what.padEnd(24)} ${shown(figure)}`)
  }
  if (asJson) console.log(JSON.stringify(results))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
