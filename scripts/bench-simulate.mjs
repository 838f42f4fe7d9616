// What a simulated cluster costs, measured on the built package: the figures of docs/simulation.md. The time that passed says something
// only on a machine that has nothing else to do; the time that a processor worked is nearly the same on every day.
//
//   npm run bench:simulate                 all of it
//   npm run bench:simulate -- --days 3     fewer days of cron jobs
import path from 'node:path'
import { parseArgs } from 'node:util'
import { root, setup } from './setup.mjs'

const { values } = parseArgs({ options: { days: { type: 'string', default: '100' } } })
setup()
const { startServer } = await import(path.join(root, 'dist/testing.js'))
const results = []

const processor = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

async function measure(what, run) {
  const begin = performance.now()
  const before = processor()
  await run()
  results.push([what, seconds(performance.now() - begin), seconds(processor() - before)])
}

const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`

const deployment = (name, replicas) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
  },
})

const cronJob = (name) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name },
  spec: {
    schedule: '0 * * * *',
    jobTemplate: {
      spec: {
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'work', command: ['true'] }] },
        },
      },
    },
  },
})

const isReady =
  (replicas) =>
  ({ status }) =>
    status?.availableReplicas === replicas

async function thousandPods() {
  // The first one compiles what the second one is measured with.
  for (const isMeasured of [false, true]) {
    const server = await startServer({ simulate: { nodes: 50, seed: 7 } })
    const run = async () => {
      await server.apply(deployment('web', 1000))
      await server.waitFor('deployments', isReady(1000), { timeout: 600_000 })
    }
    await (isMeasured ? measure('1,000 pods of a Deployment on 50 nodes are ready', run) : run())
    await server.close()
  }
}

async function cronDays(days) {
  const server = await startServer({ simulate: { nodes: 3, seed: 7 } })
  for (let i = 0; i < 100; i++) await server.apply(cronJob(`tick-${i}`))
  await measure(`${days} days of 100 hourly CronJobs`, async () => {
    for (let day = 0; day < days; day++) await server.clock.advance(24 * 3_600_000)
  })
  await server.close()
}

/** What 5,000 pods take beyond their stored objects: the heap, less what the same objects take without the simulation. */
async function memoryOfPods() {
  const count = 5000
  const collect = () => {
    globalThis.gc?.()
    const { heapUsed, arrayBuffers, external } = process.memoryUsage()
    return heapUsed + external + arrayBuffers
  }
  const server = await startServer({ simulate: { nodes: 50, seed: 7, pods: 200 }, maxRequests: 1 })
  const empty = collect()
  await server.apply(deployment('web', count))
  await server.waitFor('deployments', isReady(count), { timeout: 600_000 })
  await server.settled()
  await server.compact()
  const full = collect()
  const stored = JSON.stringify(await server.list('pods', 'default')).length
  await server.close()
  const perPod = (full - empty) / count
  results.push([
    `${count} pods: memory of each`,
    `${(perPod / 1024).toFixed(1)} KiB`,
    `stored ${(stored / count / 1024).toFixed(1)} KiB`,
  ])
}

async function idle() {
  const server = await startServer({ simulate: { nodes: 3 } })
  await server.apply(deployment('web', 10))
  await server.settled()
  const before = processor()
  const ms = 30_000
  await new Promise((resolve) => setTimeout(resolve, ms))
  const share = ((processor() - before) / ms) * 100
  results.push(['idle with 3 nodes and 10 pods', `${ms / 1000} s`, `${share.toFixed(2)} % of a core`])
  await server.close()
}

await thousandPods()
await idle()
await memoryOfPods()
await cronDays(Number(values.days))
for (const [what, passed, worked] of results)
  console.log(`${what.padEnd(56)} ${passed.padStart(12)} ${worked.padStart(16)}`)
