// What each thing gains that leans on the insides of Node (src/engine/features.ts): servers with all of them, and with all but one, side by side
// and in turns. Figures are the medians, over the turns, of the ratio to the server that has all: above 1 the feature gains.
//
//   npm run bench:engine [-- --node /path/to/node] [--features stream-table,body-intake] [--turns 7] [--seconds 2] [--json]
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { call, connect, drive } from './bench/http-client.mjs'
import { cpuSeconds, median, memoryMiB, startPilothouse, work } from './bench/servers.mjs'
import { benchPod } from './bench-pod.mjs'
import { ensureComponents } from './components.mjs'
import { setup } from './setup.mjs'

const { values: options } = parseArgs({
  options: {
    node: { type: 'string', default: process.execPath },
    features: { type: 'string', default: 'stream-table,body-intake,tier-up,heap-growth' },
    turns: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
  },
})
const seconds = Number(options.seconds)
const pods = '/api/v1/namespaces/bench/pods'
const configMaps = '/api/v1/namespaces/bench/configmaps'
const { metadata, ...pod } = benchPod({ app: 'app-7', tier: 'front', node: 'node-1' })
const generated = { generateName: 'made-' }
const requests = {
  'get.pod': { targets: [`${pods}/pod`] },
  'create.pod': creating(pods, { ...pod, metadata: { ...metadata, ...generated, name: undefined } }),
  'create.configmap': creating(configMaps, { metadata: generated, data: { a: 'b'.repeat(500) } }),
}

function creating(target, body) {
  return { targets: [target], body: JSON.stringify(body), type: 'application/json', streams: 16 }
}

setup()
await ensureComponents(['h2load'])
const names = options.features.split(',')
const servers = [await startWithout('')]
for (const name of names) servers.push(await startWithout(name))
const table = {}
for (const [name, request] of Object.entries(requests)) table[name] = ratios(await inTurns(request))
table['memory.after'] = ratios(servers.map((server) => [{ memory: memoryMiB(server).rss }]))
print(table)
process.exit(0)

async function startWithout(feature) {
  const server = await startPilothouse(`without-${feature}`, {
    node: options.node,
    env: { PILOTHOUSE_ENGINE_OFF: feature },
  })
  const session = connect(server.url)
  await call(session, 'POST', '/api/v1/namespaces', { metadata: { name: 'bench' } })
  await call(session, 'POST', pods, { ...pod, metadata: { ...metadata, name: 'pod' } })
  session.destroy()
  return server
}

/** By server, what each turn came to. The first turn warms up and does not count. */
async function inTurns(request) {
  const results = servers.map(() => [])
  for (let turn = 0; turn <= Number(options.turns); turn++) {
    const order = turn % 2 === 0 ? [...servers.keys()] : [...servers.keys()].reverse()
    for (const i of order) {
      const before = cpuSeconds(servers[i])
      const { count, rate } = drive(servers[i].url, { ...request, seconds, folder: work })
      servers[i].check()
      if (turn > 0) results[i].push({ rate, cpu: (cpuSeconds(servers[i]) - before) / count })
    }
  }
  return results
}

/** More of a cost without the feature, or less of a rate, is a gain. */
function ratios([all, ...without]) {
  const ratio = (turns, key) => median(turns.map((turn, i) => (turn[key] ?? Number.NaN) / all[i][key]))
  return Object.fromEntries(
    names.map((name, i) => {
      const turns = without[i]
      if (all[0].memory !== undefined) return [name, { memory: ratio(turns, 'memory') }]
      return [name, { cpu: ratio(turns, 'cpu'), rate: 1 / ratio(turns, 'rate') }]
    }),
  )
}

function print(figures) {
  if (options.json) return console.log(JSON.stringify({ load: loadavg()[0], figures }, undefined, 2))
  console.log(`${options.node}, load ${loadavg()[0].toFixed(1)}; without the feature against with it, × more`)
  for (const [request, byFeature] of Object.entries(figures)) {
    const cells = Object.entries(byFeature).map(([name, ratio]) => {
      const shown = Object.entries(ratio).map(([key, value]) => `${key} × ${value.toFixed(3)}`)
      return `${name}: ${shown.join(', ')}`
    })
    console.log(`${request.padEnd(18)} ${cells.join('; ')}`)
  }
}
