// What a test server costs: the figures of docs/testing.md, measured on the built package.
//
//   npm run bench:testing
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { CoreV1Api } from '@kubernetes/client-node'
import { root, setup } from './setup.mjs'

setup()
const dist = path.join(root, 'dist')
const results = []
const note = (what, value) => results.push([what, value])

async function timed(run) {
  const begin = performance.now()
  const value = await run()
  return [performance.now() - begin, value]
}

async function median(times, run) {
  const all = []
  for (let i = 0; i < times; i++) all.push((await timed(run))[0])
  return all.sort((a, b) => a - b)[times >> 1]
}

const ms = (value) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`

const [loading, { startServer }] = await timed(() => import(path.join(dist, 'testing.js')))
note('load pilothouse/testing', ms(loading))
const [first, server] = await timed(() => startServer())
note('startServer, the first of a process', ms(first))
const others = []
note('startServer, the next ones', ms(await median(11, async () => others.push(await startServer()))))
note('close', ms(await median(11, () => others.pop().close())))

note('reset, nothing changed', ms(await median(11, () => server.reset())))
for (let i = 0; i < 5000; i++) {
  await server.call('POST', '/api/v1/namespaces/default/configmaps', {
    metadata: { name: `c${i}` },
    data: { i: `${i}` },
  })
}
const full = server.snapshot()
const resets = []
for (let i = 0; i < 5; i++) {
  await server.restore(full)
  resets.push((await timed(() => server.reset()))[0])
}
note('reset, 5,000 objects to take away', ms(resets.sort((a, b) => a - b)[2]))
await server.restore(full)
note('fork with 5,000 objects', ms(await median(5, async () => (await server.fork()).close())))
await server.close()

for (const tls of [false, true]) {
  const own = await startServer({ tls })
  const core = await own.client(CoreV1Api)
  const [suite] = await timed(async () => {
    for (let i = 0; i < 200; i++) {
      await own.reset()
      await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'same' } } })
      await core.readNamespacedConfigMap({ namespace: 'default', name: 'same' })
      await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'same' })
      await core.listNamespacedConfigMap({ namespace: 'default' })
      await core.createNamespacedSecret({ namespace: 'default', body: { metadata: { name: 'left-behind' } } })
    }
  })
  note(`200 tests of 5 requests, each after a reset (${tls ? 'TLS' : 'plain HTTP'})`, `${(suite / 1000).toFixed(2)} s`)
  await own.close()
}

const command = (...args) =>
  spawnSync(process.execPath, [path.join(dist, 'cli.js'), ...args], {
    input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
  })
note('pilothouse test -- true', ms(await median(5, () => command('test', '--', 'true'))))
note('pilothouse check -f - (one object)', ms(await median(5, () => command('check', '-f', '-'))))

for (const [what, value] of results) process.stdout.write(`${what.padEnd(62)} ${value}\n`)
