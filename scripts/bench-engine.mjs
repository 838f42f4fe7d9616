// What each thing gains that leans on the insides of Node (src/engine/features.ts): servers with all of them, and with all but one, in turns. Each
// turn has processes of its own, one at a time, as what the compiler makes of the same program differs by ten percent from one process to the
// next. Figures are the medians of the turns, without the feature against with all: above 1 the feature gains; and the quartiles.
//
//   npm run bench:engine [-- --node /path/to/node] [--features body-intake,heap-growth] [--turns 7] [--json]
import { rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { call, connect, drive } from './bench/http-client.mjs'
import { cpuSeconds, memoryMiB, startPilothouse, work } from './bench/servers.mjs'
import { benchPod } from './bench-pod.mjs'
import { ensureComponents } from './components.mjs'
import { setup } from './setup.mjs'

const { values: options } = parseArgs({
  options: {
    node: { type: 'string', default: process.execPath },
    features: { type: 'string', default: 'body-intake,tier-up,heap-growth' },
    turns: { type: 'string', default: '7' },
    json: { type: 'boolean', default: false },
  },
})
const pods = '/api/v1/namespaces/bench/pods'
const configMaps = '/api/v1/namespaces/bench/configmaps'
const { metadata, ...pod } = benchPod({ app: 'app-7', tier: 'front', node: 'node-1' })
const generated = { generateName: 'made-' }
/** So many requests are measured, after half as many that warm up. */
const requests = {
  'get.pod': { targets: [`${pods}/pod`], requests: 40_000 },
  'create.pod': creating(pods, { ...pod, metadata: { ...metadata, ...generated, name: undefined } }),
  'create.configmap': creating(configMaps, { metadata: generated, data: { a: 'b'.repeat(500) } }),
}

function creating(target, body) {
  return { targets: [target], body: JSON.stringify(body), type: 'application/json', streams: 16, requests: 10_000 }
}

setup()
await ensureComponents(['h2load'])
const features = options.features.split(',')
const configurations = ['', ...features]
const turns = []
for (let i = 0; i < Number(options.turns); i++) {
  const turn = {}
  const order = i % 2 === 0 ? configurations : configurations.toReversed()
  for (const without of order) turn[without] = await measure(without, i)
  turns.push(turn)
}
const table = Object.fromEntries(features.map((feature) => [feature, gains(feature)]))
if (options.json) console.log(JSON.stringify({ load: loadavg()[0], table }, undefined, 2))
else print(table)
process.exit(0)

/** The costs of a fresh server without one feature, by what they are of. */
async function measure(without, turn) {
  const server = await startPilothouse(`without-${without}-${turn}`, {
    node: options.node,
    env: { PILOTHOUSE_ENGINE_OFF: without },
  })
  const session = connect(server.url)
  await call(session, 'POST', '/api/v1/namespaces', { metadata: { name: 'bench' } })
  await call(session, 'POST', pods, { ...pod, metadata: { ...metadata, name: 'pod' } })
  session.destroy()
  const costs = {}
  for (const [name, request] of Object.entries(requests)) {
    drive(server.url, { ...request, requests: request.requests / 2, folder: work })
    const before = cpuSeconds(server)
    const { rate, count } = drive(server.url, { ...request, folder: work })
    server.check()
    costs[`${name} time`] = 1 / rate
    costs[`${name} processor`] = (cpuSeconds(server) - before) / count
  }
  costs['memory'] = memoryMiB(server).rss
  await server.stop()
  rmSync(path.join(work, `without-${without}-${turn}`), { recursive: true })
  return costs
}

function gains(feature) {
  const quartiles = (ratios) => {
    const sorted = ratios.toSorted((a, b) => a - b)
    return [1, 2, 3].map((quarter) => sorted[Math.round(((sorted.length - 1) * quarter) / 4)])
  }
  return Object.fromEntries(
    Object.keys(turns[0][feature]).map((cost) => [
      cost,
      quartiles(turns.map((turn) => turn[feature][cost] / turn[''][cost])),
    ]),
  )
}

function print(byFeature) {
  console.log(
    `${options.node}, load ${loadavg()[0].toFixed(1)}; without the feature against with it, × more (quartiles)`,
  )
  for (const [feature, costs] of Object.entries(byFeature)) {
    console.log(feature)
    for (const [cost, [low, middle, high]] of Object.entries(costs)) {
      console.log(`  ${cost.padEnd(28)} × ${middle.toFixed(3)} (${low.toFixed(2)} to ${high.toFixed(2)})`)
    }
  }
}
