// What a test server costs: the figures of docs/testing.md, measured on the built package. The time that passed says something only on a
// machine that has nothing else to do; the time that a processor worked is nearly the same on every day.
//
//   npm run bench:testing
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { CoreV1Api } from '@kubernetes/client-node'
import { root, setup } from './setup.mjs'

setup()
const dist = path.join(root, 'dist')
const results = []
const note = (what, { passed, worked }) => results.push([what, show(passed), show(worked)])

const processor = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** In milliseconds; with what came of it. */
async function timed(run) {
  const begin = performance.now()
  const before = processor()
  const value = await run()
  return { passed: performance.now() - begin, worked: processor() - before, value }
}

async function median(times, run) {
  const all = []
  for (let i = 0; i < times; i++) all.push(await timed(run))
  return middle(all)
}

const middle = (all) => all.sort((a, b) => a.worked - b.worked)[all.length >> 1]

function show(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`
  return `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`
}

const loading = await timed(() => import(path.join(dist, 'testing.js')))
note('load pilothouse-apiserver/testing', loading)
const { startServer } = loading.value
const first = await timed(() => startServer())
note('startServer, the first of a process', first)
const server = first.value
const others = []
note('startServer, the next ones', await median(11, async () => others.push(await startServer())))
note('close', await median(11, () => others.pop().close()))

note('reset, nothing changed', await median(11, () => server.reset()))
for (let i = 0; i < 5000; i++) {
  await server.call('POST', '/api/v1/namespaces/default/configmaps', {
    metadata: { name: `c${i}` },
    data: { i: `${i}` },
  })
}
const full = server.snapshot()
const resets = { end: [], keep: [] }
const restores = []
for (let i = 0; i < 20; i++) {
  restores.push(await timed(() => server.restore(full)))
  const watches = i % 2 === 0 ? 'end' : 'keep'
  resets[watches].push(await timed(() => server.reset(undefined, { watches })))
}
note('reset, 5,000 objects to take away', middle(resets.end))
note('reset, 5,000 objects to take away, watches kept', middle(resets.keep))
note('restore, 5,000 objects to bring back', middle(restores))
await server.restore(full)
note('fork with 5,000 objects, and its end', await median(5, async () => (await server.fork()).close()))
await server.close()

for (const tls of [false, true]) {
  const own = await startServer({ tls })
  const core = await own.client(CoreV1Api)
  const suite = await timed(async () => {
    for (let i = 0; i < 200; i++) {
      await own.reset()
      await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'same' } } })
      await core.readNamespacedConfigMap({ namespace: 'default', name: 'same' })
      await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'same' })
      await core.listNamespacedConfigMap({ namespace: 'default' })
      await core.createNamespacedSecret({ namespace: 'default', body: { metadata: { name: 'left-behind' } } })
    }
  })
  note(`200 tests of 5 requests, each after a reset (${tls ? 'TLS' : 'plain HTTP'})`, suite)
  await own.close()
}

/** A shell knows how long its children worked. */
function command(...args) {
  const begin = performance.now()
  const { stdout } = spawnSync('sh', ['-c', '"$@" >/dev/null; times', 'sh', process.execPath, cli, ...args], {
    input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
    encoding: 'utf8',
  })
  const passed = performance.now() - begin
  const [, children] = stdout.trim().split('\n')
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, rest]) => minutes * 60 + Number(rest))
  return { passed, worked: seconds.reduce((sum, each) => sum + each) * 1000 }
}
const cli = path.join(dist, 'cli.js')
const fiveTimes = (...args) => middle(Array.from({ length: 5 }, () => command(...args)))
note('pilothouse test -- true', fiveTimes('test', '--', 'true'))
note('pilothouse check -f - (one object)', fiveTimes('check', '-f', '-'))

process.stdout.write(`${''.padEnd(62)} passed     worked\n`)
for (const [what, passed, worked] of results)
  process.stdout.write(`${what.padEnd(62)} ${passed.padEnd(10)} ${worked}\n`)
