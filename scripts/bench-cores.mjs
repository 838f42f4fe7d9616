// Measures what request workers gain and cost: one server with one process and one with several, side by side, each measured in turns, so that
// whatever else the machine does falls on both. Figures are medians of the turns, and ratios of the pairs.
//
//   npm run bench:cores [-- --workers 2] [--store lmdb|memory] [--pods 10000] [--turns 5] [--seconds 3] [--watchers 100] [--model] [--json]
//
// Requests are driven by h2load: a client in Node would take as much of two cores as the server. With KUBE_APISERVER_BIN and ETCD35_BIN a
// kube-apiserver on an etcd is measured in the same turns, and always the floor (bench/floor-server.mjs), by as many processes: what one process
// and several can reach at all on this machine, where the load generator runs on the same cores.
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { call, connect, connectAll, drive, openWatch, pool } from './bench/http-client.mjs'
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
import { setup } from './setup.mjs'

const { values: options } = parseArgs({
  options: {
    workers: { type: 'string', default: '2' },
    store: { type: 'string', default: 'lmdb' },
    pods: { type: 'string', default: '10000' },
    turns: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    watchers: { type: 'string', default: '100' },
    json: { type: 'boolean', default: false },
    model: { type: 'boolean', default: false },
  },
})
const workers = Number(options.workers)
const pods = Number(options.pods)
const turns = Number(options.turns)
const seconds = Number(options.seconds)
const watchers = Number(options.watchers)
const collection = '/api/v1/namespaces/bench/pods'
/** Enough that each process has several. */
const connections = 4 * workers
/** Creates with few under way say more about the cost of one, with many about what goes through. */
const creating = 16

setup()
await ensureComponents(['h2load'])

async function main() {
  const reference = await startReference()
  const ours = [await startOurs('one', 1), await startOurs('several', workers)]
  const floors = [await startFloor('floor-one'), await startFloor('floor-several', { workers })]
  const servers = [...ours, ...floors, ...(reference === undefined ? [] : [reference])]
  for (const server of servers) await fill(server)
  const rows = []
  for (const [name, measure] of Object.entries(measures())) rows.push(await inTurns(name, servers, measure))
  report(rows, servers)
  if (options.model) await reportModel()
}

/** How many processes show what each more of them costs the primary. */
const manyProcesses = 9

async function reportModel() {
  const [alone, few, many] = [await costsWith(1), await costsWith(2), await costsWith(manyProcesses)]
  const send = Math.max(0, (many.create.primary - few.create.primary) / (manyProcesses - 2))
  const costs = {
    get: few.get.serving,
    create: { serving: few.create.serving, store: few.create.primary - send, send, listening: many.create.listening },
  }
  console.log(JSON.stringify({ alone, costs, model: model(costs) }, undefined, 2))
}

// ---------------------------------------------------------------------------------------------- servers

/** Started a few times; the last one is kept. */
async function startOurs(name, count) {
  const startMs = []
  for (let i = 0; ; i++) {
    const server = await startPilothouse(`${name}-${i}`, { store: options.store, workers: count })
    startMs.push(server.startMs)
    if (i === 2) {
      await until(() => server.pids().length === count)
      return { ...server, name, startMs: median(startMs) }
    }
    await server.stop()
  }
}

const pod = (name) => benchPod({ name, app: 'app-7', tier: 'front', node: 'node-1' })

/** The name is short-lived: the benchmark's own objects go with its folder. */
let made = 0

async function fill(server, count = pods) {
  server.memoryAtStart = memoryMiB(server)
  const width = Math.max(connections, 4 * server.pids().length)
  const client = connectAll(server.url, width)
  await client.call(0, 'POST', '/api/v1/namespaces', { metadata: { name: 'bench' } })
  await pool(count, 8 * width, (i) => client.call(i, 'POST', collection, pod(`pod-${i}`)))
  client.close()
  // Every process has read the pods once, as after a while in use: anew, as the first client may have been sent elsewhere.
  await delay(100)
  const readers = connectAll(server.url, width)
  await Promise.all(Array.from({ length: width }, (_, i) => readers.call(i, 'GET', `${collection}?limit=500`)))
  readers.close()
  await delay(count === pods ? restMs : 1000)
  server.memoryAtRest = memoryMiB(server)
}

/** By then what a burst has left is given back. */
const restMs = 15_000

// ---------------------------------------------------------------------------------------------- what is measured

function measures() {
  return {
    'get.pod': (server) => driven(server, `${collection}/pod-1`, 8),
    'list.500': (server) => driven(server, `${collection}?limit=500`, 1),
    'create.pod': (server) => creates(server, creating),
    ...(watchers > 0 ? { 'watch.lag': watchLag } : {}),
  }
}

function driven(server, target, streams) {
  return costing(server, { targets: [target], streams })
}

function creates(server, streams) {
  return costing(server, { ...createRequest(), streams })
}

function createRequest() {
  const { metadata, ...rest } = pod()
  const body = JSON.stringify({ ...rest, metadata: { ...metadata, generateName: 'made-' } })
  return { targets: [collection], body, type: 'application/json' }
}

/** With the processor time that a request took all processes of the server. */
function costing(server, request) {
  const before = cpuSeconds(server)
  const { count, rate } = drive(server.url, { ...request, connections, seconds, folder: work })
  return { rate, cpu: ((cpuSeconds(server) - before) / count) * 1e6 }
}

/** From the moment before a create is sent until a watcher has its event, over all watchers, in milliseconds. */
async function watchLag(server) {
  const sessions = Array.from({ length: connections }, () => connect(server.url))
  const { metadata } = JSON.parse(await call(sessions[0], 'GET', `${collection}?limit=1`))
  const target = `${collection}?watch=true&resourceVersion=${metadata.resourceVersion}`
  const sentAt = new Map()
  const lags = []
  const onData = (chunk) => {
    for (const [, name] of chunk.toString('latin1').matchAll(/"name":"(lag-\d+)"/g)) {
      const at = sentAt.get(name)
      if (at !== undefined) lags.push(performance.now() - at)
    }
  }
  for (let i = 0; i < watchers; i++) await openWatch(sessions[i % sessions.length], target, onData)
  for (let i = 0; i < 30; i++) {
    const name = `lag-${made++}`
    sentAt.set(name, performance.now())
    await call(sessions[i % sessions.length], 'POST', collection, pod(name))
    await delay(10)
  }
  await delay(500)
  for (const session of sessions) session.destroy()
  lags.sort((a, b) => a - b)
  return { rate: lags[Math.floor(lags.length * 0.5)], p99: lags[Math.floor(lags.length * 0.99)] }
}

// ---------------------------------------------------------------------------------------------- turns and report

/** A turn measures each server once, in an order that changes; the first turn warms up and does not count. */
async function inTurns(name, servers, measure) {
  const results = new Map(servers.map((server) => [server, []]))
  for (let turn = 0; turn <= turns; turn++) {
    const order = turn % 2 === 0 ? servers : servers.toReversed()
    for (const server of order) {
      const figures = { ...(await measure(server)), load: loadavg()[0] }
      if (turn > 0) results.get(server).push(figures)
    }
  }
  return { name, results }
}

function report(rows, servers) {
  const [one, several, floorOne, floorSeveral, reference] = servers
  const out = { workers, store: options.store, load: [], figures: {} }
  for (const { name, results } of rows) {
    const [a, b] = [results.get(one), results.get(several)]
    out.load.push(...a.map(({ load }) => load))
    const ratio = (key) => median(b.map((figures, i) => figures[key] / a[i][key]))
    const unit = name === 'watch.lag' ? 'ms p50' : 'req/s'
    const row = {
      one: median(a.map(({ rate }) => rate)),
      several: median(b.map(({ rate }) => rate)),
      ratio: ratio('rate'),
      unit,
    }
    if (a[0].cpu !== undefined)
      Object.assign(row, { cpuOne: median(a.map((each) => each.cpu)), cpuRatio: ratio('cpu') })
    if (a[0].p99 !== undefined)
      Object.assign(row, { p99One: median(a.map((each) => each.p99)), p99Ratio: ratio('p99') })
    row.floor = floorRow(results.get(floorOne), results.get(floorSeveral))
    if (reference !== undefined) row.reference = median(results.get(reference).map(({ rate }) => rate))
    out.figures[name] = row
  }
  for (const [when, unit] of [
    ['memoryAtStart', 'MiB without objects'],
    ['memoryAtRest', `MiB at ${pods} pods`],
  ]) {
    for (const kind of ['pss', 'rss']) {
      const of = (a, b) => ({ one: a[when][kind], several: b[when][kind], ratio: b[when][kind] / a[when][kind] })
      const name = `memory.${kind}${when === 'memoryAtStart' ? '.0' : ''}`
      out.figures[name] = { ...of(one, several), unit, floor: of(floorOne, floorSeveral) }
    }
  }
  out.figures.start = {
    one: one.startMs,
    several: several.startMs,
    ratio: several.startMs / one.startMs,
    unit: 'ms to the announcement',
  }
  out.load = median(out.load)
  if (options.json) console.log(JSON.stringify(out, undefined, 2))
  else show(out)
}

/** What the floor does in the same turns. */
function floorRow(one, several) {
  const ratio = (key) => median(several.map((figures, i) => figures[key] / one[i][key]))
  const rates = { one: median(one.map(({ rate }) => rate)), several: median(several.map(({ rate }) => rate)) }
  return { ...rates, ratio: ratio('rate'), ...(one[0].cpu === undefined ? {} : { cpuRatio: ratio('cpu') }) }
}

function show({ figures, load }) {
  console.log(`${workers} processes against one, on ${options.store}; load of the machine ${load.toFixed(1)}`)
  for (const [name, row] of Object.entries(figures)) {
    const more = [
      row.cpuRatio === undefined ? '' : `CPU of one request ${row.cpuOne.toFixed(0)} µs, × ${row.cpuRatio.toFixed(2)}`,
      row.p99Ratio === undefined ? '' : `p99 ${row.p99One.toFixed(1)} ms, × ${row.p99Ratio.toFixed(2)}`,
      row.floor === undefined ? '' : showFloor(row.floor),
      row.reference === undefined ? '' : `reference ${row.reference.toPrecision(4)}`,
    ].filter(Boolean)
    console.log(
      `${name.padEnd(12)} ${row.one.toPrecision(4).padStart(8)} → ${row.several.toPrecision(4).padStart(8)} ${row.unit.padEnd(24)} × ${row.ratio.toFixed(2)}  ${more.join('; ')}`,
    )
  }
}

function showFloor({ one, several, ratio, cpuRatio }) {
  const cpu = cpuRatio === undefined ? '' : `, CPU × ${cpuRatio.toFixed(2)}`
  return `floor ${one.toPrecision(4)} → ${several.toPrecision(4)}, × ${ratio.toFixed(2)}${cpu}`
}

// ---------------------------------------------------------------------------------------------- the model

/**
 * What one request costs each process, in microseconds: all requests go to one worker by one connection, so that the others show what is
 * done for them by the primary and what an event costs a worker that only hears of it.
 */
async function costsWith(count) {
  const server = await startOurs(`costs-${count}`, count)
  await fill(server, 10)
  const costs = {
    create: await costOfEach(server, createRequest()),
    get: await costOfEach(server, { targets: [`${collection}/pod-1`] }),
  }
  await server.stop()
  return costs
}

const warmSeconds = 10
/** What a server at its limit has under way: events leave in batches then. */
const underWay = 100

async function costOfEach(server, request) {
  const driveFor = (lasting) =>
    drive(server.url, { ...request, streams: underWay, connections: 1, seconds: lasting, folder: work })
  driveFor(warmSeconds)
  const times = () => server.pids().map((pid) => cpuSeconds({ pids: () => [pid] }))
  for (;;) {
    // The primary is given the connection where it is not known yet that the one before has gone.
    await delay(1000)
    const before = times()
    const { count } = driveFor(seconds)
    const [primary, ...others] = times().map((after, i) => ((after - before[i]) / count) * 1e6)
    if (others.length === 0) return { primary }
    const serving = Math.max(...others)
    if (serving > primary) return { primary, serving, listening: (sum(others) - serving) / (others.length - 1) }
  }
}

/** Requests a second that N processes on N cores can answer, by the costs of one. */
function model({ create, get }) {
  const rows = []
  for (const count of [1, 2, 4, 8, 16, 32, 64]) {
    rows.push({ count, get: (count * 1e6) / get, create: createsOf(count, create) })
  }
  return rows

  /** Each worker: x·serving + (X − x)·listening = 1 s. Primary: X·(store + send·workers) + own·serving = 1 s. */
  function createsOf(count, { store, serving, listening, send }) {
    const others = count - 1
    const share = (others * listening) / (serving - listening)
    const ofStore = store + send * others
    const together = (others / (serving - listening) + 1 / serving) / (1 + share + ofStore / serving)
    const bound = 1 / ofStore
    return Math.min(together, bound) * 1e6
  }
}

async function until(probe) {
  for (const deadline = performance.now() + 120_000; performance.now() < deadline; await delay(5)) {
    if (await probe()) return
  }
  throw new Error('waited in vain')
}

await main()
process.exit(0)
