// Times and sizes that are promised: from `npx pilothouse` to the line that it is ready (under 1 s once the caches are warm), and what another
// server in the same process takes (some 3 MB).
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
const { startServer } = require('pilothouse-apiserver/testing')
const room = () => { global.gc(); global.gc(); return process.memoryUsage() }
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
  const each = (kind) => ((after[kind] - before[kind]) / 20 / 1e6).toFixed(1)
  console.log(each('heapUsed') + ' MB of heap, ' + each('rss') + ' MB in all for each further one')
  for (const server of [first, ...others]) await server.close()
}
main()
`

export async function manyServers(node, folder) {
  const { must, environment } = await import('./run.mjs')
  writeFileSync(path.join(folder, 'servers.cjs'), servers)
  const options = { cwd: folder, env: environment(node, folder) }
  return must(node, ['--expose-gc', 'servers.cjs'], options).stdout.trim()
}
