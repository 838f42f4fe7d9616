// Times and sizes that are promised: from `npx pilothouse` to the line that it is ready (under 1 s once the caches are warm), and what another
// server in the same process takes (3 MB at most, which is judged).
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../../scripts/free-port.mjs'

export async function startTimes(run, node, folder) {
  const times = []
  for (let i = 0; i < 4; i++) times.push(await startTime(run, node, folder))
  const [first, ...warm] = times
  return `${first.toFixed(2)} s the first time, ${Math.min(...warm).toFixed(2)} s warm (wanted: under 1 s)`
}

async function startTime(run, node, folder) {
  const flags = [`--secure-port=${await freePort()}`, '--bind-address=127.0.0.1']
  const began = performance.now()
  const server = spawn('npx', ['--no-install', 'pilothouse', ...flags], {
    cwd: folder,
    env: run.environment(node, folder),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const said = await run.untilReady(server)
  const seconds = (performance.now() - began) / 1000
  // npx and the server.
  process.kill(-server.pid, 'SIGTERM')
  await run.ended(server)
  if (/warning/i.test(said)) throw new Error(`it complains: ${said}`)
  return seconds
}

const servers = `
const v8 = require('node:v8')
const { startServer } = require('pilothouse-apiserver/testing')
const young = () => v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').physical_space_size
const room = () => { global.gc(); global.gc(); return { ...process.memoryUsage(), young: young() } }
async function main() {
  const first = await startServer()
  const before = room()
  const others = []
  for (let i = 0; i < 20; i++) others.push(await startServer())
  await Promise.all(others.map((server, i) => server.namespace('n' + i)))
  const names = await Promise.all(others.map(async (server) => (await server.list('namespaces')).map((each) => each.metadata.name)))
  const after = room()
  const isAlone = names.every((own, i) => own.includes('n' + i) && own.filter((name) => /^n\\d+$/.test(name)).length === 1)
  if (!isAlone) throw new Error('servers see the namespaces of others')
  const each = (kind) => (after[kind] - before[kind]) / 20 / 1e6
  console.log(JSON.stringify({ heap: each('heapUsed'), resident: each('rss'), young: each('young') }))
  for (const server of [first, ...others]) await server.close()
}
main()
`

const most = 3

/**
 * What a further server adds, resident, is judged with a young generation that does not grow: V8 makes that larger, up to a bound, in any
 * program that allocates, once for the process. With V8's defaults it is told. The least of three runs, because the system counts pages
 * that were freed and not yet taken back.
 */
export async function manyServers(node, folder) {
  const { must, environment } = await import('./run.mjs')
  writeFileSync(path.join(folder, 'servers.cjs'), servers)
  const options = { cwd: folder, env: environment(node, folder) }
  const measure = (...flags) => JSON.parse(must(node, ['--expose-gc', ...flags, 'servers.cjs'], options).stdout)
  const runs = [1, 2, 3].map(() => measure('--max-semi-space-size=1'))
  const resident = Math.min(...runs.map((each) => each.resident))
  const heap = Math.min(...runs.map((each) => each.heap))
  const plain = measure()
  const figures = `${heap.toFixed(1)} MB of heap, ${resident.toFixed(1)} MB in all for each further one; with the young generation, which grew by ${(plain.young * 20).toFixed(0)} MB for the process, ${plain.resident.toFixed(1)} MB`
  if (resident > most) throw new Error(`${figures}: more than ${most} MB`)
  return figures
}
