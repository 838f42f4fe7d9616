// Measures a freshly built server from outside, over TLS and HTTP/2, as its clients meet it.
//
//   npm run bench [-- --pods 10000] [--made 10000] [--watchers 500] [--named-watches 3000] [--seconds 4] [--only loads,lists] [--json]
//                 [--many 100000] [--store lmdb|memory] [--dist DIR] [--server-arg X]… [--node-arg X]…
//
// Servers hold the same objects at any time, or figures of lists and of memory would tell nothing: creates are so many (--made for each figure,
// after a fifth as many that warm up), and not as many as a server makes in so many seconds. With --many as many config maps are written to servers of their own, which are then started again.
//
// Beside it run the floor, which does only what no server can leave out (bench/floor-server.mjs), and a kube-apiserver on etcd where
// KUBE_APISERVER_BIN and ETCD35_BIN name them. Each figure is taken from all of them before the next one, so that what else the machine does
// falls on all. Absolute figures move with the machine: look at those beside them, and at the processor time of a request (µs), of all
// processes and threads of a server.
import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { call, connect, drive, openWatch, pool } from './bench/http-client.mjs'
import {
  cpuSeconds,
  median,
  memoryMiB,
  startFloor,
  startPilothouse,
  startReference,
  sum,
  work,
} from './bench/servers.mjs'
import { benchPod } from './bench-pod.mjs'
import { ensureComponents } from './components.mjs'
import { root } from './setup.mjs'

const { values: options } = parseArgs({
  options: {
    store: { type: 'string', default: 'lmdb' },
    pods: { type: 'string', default: '10000' },
    watchers: { type: 'string', default: '500' },
    'named-watches': { type: 'string', default: '3000' },
    seconds: { type: 'string', default: '4' },
    made: { type: 'string', default: '10000' },
    many: { type: 'string', default: '0' },
    only: { type: 'string' },
    dist: { type: 'string' },
    'server-arg': { type: 'string', multiple: true, default: [] },
    'node-arg': { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
})
const pods = Number(options.pods)
const seconds = Number(options.seconds)
const collection = '/api/v1/namespaces/bench/pods'
const configMaps = '/api/v1/namespaces/bench/configmaps'
/** What the measured creates make is in a namespace that nobody lists. */
const madePods = '/api/v1/namespaces/made/pods'
const madeConfigMaps = '/api/v1/namespaces/made/configmaps'
const figures = []

/** The first server's figure, and those of the others with the ratio to them. */
function report(name, unit, byServer) {
  figures.push({ name, unit, ...byServer })
  if (options.json) return
  const [ours, ...others] = Object.entries(byServer)
  const beside = others.map(([server, { value, cpu }]) => {
    const ratio = (ours[1].value / value).toPrecision(3)
    return `${server} ${short(value)}${cpu === undefined ? '' : ` (${cpu.toFixed(0)} µs)`}, × ${ratio}`
  })
  const cpu = ours[1].cpu === undefined ? '' : `${ours[1].cpu.toFixed(0)} µs`
  console.log(
    `${name.padEnd(26)} ${short(ours[1].value).padStart(8)} ${unit.padEnd(6)} ${cpu.padEnd(8)} ${beside.join('; ')}`,
  )
}

const short = (value) => String(Number(value.toPrecision(4)))

/** Measures one server after the other. */
async function each(servers, name, unit, measure) {
  const byServer = {}
  for (const server of servers) {
    const measured = await measure(server)
    server.check()
    byServer[server.name] = typeof measured === 'number' ? { value: measured } : measured
  }
  report(name, unit, byServer)
}

/** With the processor time that a request took the server. */
async function costing(server, run) {
  const before = cpuSeconds(server)
  const { count, rate } = await run()
  return { value: rate, cpu: ((cpuSeconds(server) - before) / count) * 1e6 }
}

/** Warmed up for a second. */
function driven(server, request) {
  drive(server.url, { ...request, seconds: 1, folder: work })
  return costing(server, () => drive(server.url, { ...request, seconds, folder: work }))
}

/** As many for each server, which have the same objects afterwards. */
function creates(servers, name, target, object) {
  const count = Number(options.made)
  const shape = { targets: [target], body: JSON.stringify(object), type: 'application/json', streams: 16, folder: work }
  return each(servers, name, 'req/s', (server) => {
    drive(server.url, { ...shape, requests: Math.ceil(count / 5) })
    return costing(server, () => drive(server.url, { ...shape, requests: count }))
  })
}

const pod = (i) =>
  benchPod({ name: `pod-${i}`, app: `app-${i % 100}`, tier: i % 2 ? 'front' : 'back', node: `node-${i % 50}` })

// ---------------------------------------------------------------------------------------------- what is measured

async function loads(servers) {
  const first = Math.min(2000, pods)
  await warmClient()
  await each(servers, 'create.pod.first', 'req/s', (server) => createPods(server, 0, first))
  if (pods > first) await each(servers, 'create.pod.next', 'req/s', (server) => createPods(server, first, pods))
  await memory(servers, 'loaded')
}

/** `own` leaves out pages of files, which the system can take back. */
async function memory(servers, when) {
  await each(servers, `memory.${when}`, 'MiB', (server) => memoryMiB(server).rss)
  await each(servers, `memory.${when}.own`, 'MiB', (server) => memoryMiB(server).anonymous)
}

async function made(servers) {
  const { metadata, ...rest } = pod(7)
  const generated = { ...rest, metadata: { ...metadata, name: undefined, generateName: 'made-' } }
  await creates(servers, 'create.pod', madePods, generated)
  await creates(servers, 'create.configmap', madeConfigMaps, smallMap)
}

const smallMap = { metadata: { generateName: 'made-' }, data: { a: 'b'.repeat(500) } }

/** Else the server that is measured first would be measured with a client that is still being compiled, on the same cores. */
async function warmClient() {
  const server = await startFloor('client')
  await createPods(server, 0, 10_000)
  await server.stop()
}

async function createPods(server, from, to) {
  const session = connect(server.url)
  const begin = performance.now()
  const figure = await costing(server, async () => {
    await pool(to - from, 64, (i) => call(session, 'POST', collection, pod(from + i)))
    return { count: to - from, rate: (to - from) / ((performance.now() - begin) / 1000) }
  })
  session.destroy()
  return figure
}

async function patches(servers) {
  const some = Array.from({ length: Math.min(1000, pods) }, (_, i) => `${collection}/pod-${i}`)
  const method = 'PATCH'
  const label = { metadata: { labels: { touched: 'yes' } } }
  const applied = { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { touched: 'yes' } } }
  const owned = some.map((target) => `${target}?fieldManager=bench&force=true`)
  await writes(servers, 'patch.merge', { targets: some, method, body: label, type: 'application/merge-patch+json' })
  await writes(servers, 'apply.same', { targets: owned, method, body: applied, type: 'application/apply-patch+yaml' })
  await each(servers, 'patch.status', 'req/s', (server) => costing(server, () => statuses(server, some)))
}

function writes(servers, name, { body, type = 'application/json', ...request }) {
  const shape = { ...request, body: JSON.stringify(body), type }
  return each(servers, name, 'req/s', (server) => driven(server, shape))
}

/** Each changes its object, as the writes of a controller do. */
async function statuses(server, targets) {
  const session = connect(server.url)
  const begin = performance.now()
  const end = begin + seconds * 1000
  let count = 0
  const change = async () => {
    while (performance.now() < end) {
      const status = { status: { message: `m${count}` } }
      const target = `${targets[count++ % targets.length]}/status`
      await call(session, 'PATCH', target, status, 'application/merge-patch+json')
    }
  }
  await Promise.all(Array.from({ length: 32 }, change))
  session.destroy()
  return { count, rate: count / ((performance.now() - begin) / 1000) }
}

async function reads(servers) {
  const few = { connections: 2, streams: 2 }
  await gets(servers, 'get.pod', [`${collection}/pod-1`])
  await gets(servers, 'list.500', [`${collection}?limit=500`], few)
  await gets(servers, 'list.selector', [`${collection}?labelSelector=app%3Dapp-7&resourceVersion=0`], few)
}

function gets(servers, name, targets, shape = {}) {
  const request = { targets, ...shape }
  return each(servers, name, 'req/s', (server) => driven(server, request))
}

async function lists(servers) {
  await each(servers, 'list.all', 'ms', (server) => timedLists(server, `${collection}?resourceVersion=0`, 1))
  await each(servers, 'list.all.consistent', 'ms', (server) => timedLists(server, collection, 1))
  await each(servers, 'list.all.x4', 'ms', (server) => timedLists(server, `${collection}?resourceVersion=0`, 4))
  await each(servers, 'memory.ten-lists', 'MiB', tenLists)
  await memory(servers, 'after-lists')
  await delay(10_000)
  await memory(servers, 'at-rest')
}

async function timedLists(server, target, width) {
  const session = connect(server.url)
  await call(session, 'GET', target)
  const times = []
  await pool(width * 5, width, async () => {
    const begin = performance.now()
    await call(session, 'GET', target)
    times.push(performance.now() - begin)
  })
  session.destroy()
  return median(times)
}

/** The most that the server's memory grows while ten clients read the whole list at once. */
async function tenLists(server) {
  const sessions = Array.from({ length: 10 }, () => connect(server.url))
  await call(sessions[0], 'GET', `${collection}?resourceVersion=0`)
  await delay(1000)
  const before = memoryMiB(server).rss
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, memoryMiB(server).rss)
  }, 5)
  await Promise.all(sessions.map((session) => call(session, 'GET', `${collection}?resourceVersion=0`)))
  clearInterval(timer)
  for (const session of sessions) session.destroy()
  return most - before
}

async function watches(servers) {
  const lags = new Map()
  for (const server of servers) lags.set(server, await watchLags(server))
  const quantile = (of) => (server) => lags.get(server)[Math.floor(lags.get(server).length * of)] ?? Number.NaN
  const expected = Number(options.watchers) * tickedWrites
  await each(servers, 'watch.delivered', 'of 1', (server) => lags.get(server).length / expected)
  await each(servers, 'watch.lag.p50', 'ms', quantile(0.5))
  await each(servers, 'watch.lag.p99', 'ms', quantile(0.99))
  if (Number(options['named-watches']) > 0) await namedWatches(servers)
}

const tickedWrites = 100

/** In milliseconds, sorted, from before a write is sent until a watcher has its event. */
async function watchLags({ url }) {
  const session = connect(url)
  const sessions = Array.from({ length: Math.ceil(options.watchers / 50) }, () => connect(url))
  const { resourceVersion } = JSON.parse(await call(session, 'GET', `${collection}?limit=1`)).metadata
  const target = `${collection}?watch=1&resourceVersion=${resourceVersion}`
  const sent = new Map()
  const lags = []
  const onData = () => {
    let rest = ''
    return (chunk) => {
      const now = performance.now()
      const lines = (rest + chunk.toString('latin1')).split('\n')
      rest = lines.pop()
      for (const line of lines) {
        const tick = /"tick":"(\d+)"/.exec(line)
        if (tick !== null) lags.push(now - sent.get(tick[1]))
      }
    }
  }
  await pool(Number(options.watchers), 50, (i) => openWatch(sessions[Math.floor(i / 50)], target, onData()))
  for (let i = 0; i < tickedWrites; i++) {
    sent.set(String(i), performance.now())
    const patch = { metadata: { annotations: { tick: String(i) } } }
    await call(session, 'PATCH', `${collection}/pod-${i}`, patch, 'application/merge-patch+json')
    await delay(30)
  }
  await delay(1000)
  for (const one of [session, ...sessions]) one.destroy()
  return lags.sort((a, b) => a - b)
}

/** What kube-apiserver lets a connection have. */
const watchesPerConnection = 100

/** What kubelets do: each watches single objects, none of which changes meanwhile. */
async function namedWatches(servers) {
  await creates(servers, 'create.unwatched', madeConfigMaps, smallMap)
  const opened = []
  for (const { url } of servers) {
    const sessions = Array.from({ length: Math.ceil(options['named-watches'] / watchesPerConnection) }, () =>
      connect(url),
    )
    opened.push(...sessions)
    const target = (i) => `${madeConfigMaps}?watch=1&fieldSelector=metadata.name%3Dkept-${i}`
    await pool(Number(options['named-watches']), 50, (i) => openWatch(sessions[i % sessions.length], target(i)))
  }
  await creates(servers, 'create.beside-watches', madeConfigMaps, smallMap)
  for (const session of opened) session.destroy()
}

// ---------------------------------------------------------------------------------------------- the run

/** Built beside the packages, so that native ones are found. */
function buildServer() {
  const folder = path.join(root, 'node_modules', '.cache', `bench-${process.pid}`)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  execFileSync(process.execPath, [path.join(root, 'scripts', 'build.mjs'), '--outdir', folder], { stdio: 'inherit' })
  return folder
}

/** What a start on very many objects takes, and what they take in memory and on disk. */
async function manyObjects(startOne) {
  const count = Number(options.many)
  const folders = { pilothouse: 'many', floor: 'many-floor' }
  const start = (name) => startOne[name](folders[name])
  let running = [await start('pilothouse'), await start('floor')]
  await each(running, 'many.create', 'req/s', (server) => costing(server, () => createMany(server, count)))
  await delay(10_000)
  await memory(running, 'many')
  await each(running, 'many.disk', 'MiB', ({ name }) => folderBytes(path.join(work, folders[name])) / 2 ** 20)
  for (const server of running) await server.stop()
  running = [await start('pilothouse'), await start('floor')]
  await each(running, 'many.restart', 'ms', ({ startMs }) => startMs)
  await delay(30_000)
  await memory(running, 'many-restarted')
  for (const server of running) await server.stop()
}

async function createMany(server, count) {
  const session = connect(server.url)
  await call(session, 'POST', '/api/v1/namespaces', { metadata: { name: 'bench' } })
  const begin = performance.now()
  const map = (i) => ({
    metadata: { name: `map-${i}`, labels: { app: `app-${i % 100}` } },
    data: { a: 'b'.repeat(500) },
  })
  await pool(count, 64, (i) => call(session, 'POST', configMaps, map(i)))
  session.destroy()
  return { count, rate: count / ((performance.now() - begin) / 1000) }
}

function folderBytes(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  return sum(files.map(({ parentPath, name }) => statSync(path.join(parentPath, name)).blocks * 512))
}

/** The median of five starts on new folders; the last one is kept. */
async function startAll(pilothouse) {
  const kinds = [pilothouse, startFloor, ...(process.env.KUBE_APISERVER_BIN ? [startReference] : [])]
  const servers = []
  for (const start of kinds) {
    const times = []
    for (let i = 0; ; i++) {
      const server = await start(`${start.name}-${i}`)
      times.push(server.startMs)
      if (i === 4 || start === startReference) {
        servers.push({ ...server, startMs: median(times) })
        break
      }
      await server.stop()
    }
  }
  return servers
}

await ensureComponents(['h2load'])
const { store, 'server-arg': args, 'node-arg': nodeArgs } = options
const dist = options.dist ?? buildServer()
const pilothouse = (folder) => startPilothouse(folder, { dist, store, args, nodeArgs })
if (Number(options.many) > 0) await manyObjects({ pilothouse, floor: startFloor })
const servers = await startAll(pilothouse)
await each(servers, 'start', 'ms', ({ startMs }) => startMs)
await delay(5000)
await memory(servers, 'idle')
for (const { url } of servers) {
  const session = connect(url)
  for (const name of ['bench', 'made']) await call(session, 'POST', '/api/v1/namespaces', { metadata: { name } })
  session.destroy()
}
// Lists while there is nothing but what they list.
const parts = { loads, lists, made, reads, patches, watches }
for (const [name, measure] of Object.entries(parts)) {
  if (options.only === undefined || name === 'loads' || options.only.split(',').includes(name)) await measure(servers)
}
if (options.json) console.log(JSON.stringify(figures, null, 1))
process.exit(0)
