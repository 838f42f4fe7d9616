// What a simulated cluster costs, measured on the built package: the figures of docs/simulation.md. The time that passed says something
// only on a machine that has nothing else to do; the time that a processor worked is nearly the same on every day.
//
//   npm run bench:simulate                     all of it
//   npm run bench:simulate -- --only pods      one part: pods, idle, memory, large, crowd, cron
//   npm run bench:simulate -- --days 100       more days of cron jobs than one
//   npm run bench:simulate -- --pods 1000      fewer pods whose memory is measured than 5,000
import path from 'node:path'
import { parseArgs } from 'node:util'
import { root, setup } from './setup.mjs'

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '1' },
    only: { type: 'string' },
    pods: { type: 'string', default: '5000' },
  },
})
setup()
const { startServer } = await import(path.join(root, 'dist/testing.js'))

const processor = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const report = (what, passed, worked) => console.log(`${what.padEnd(56)} ${passed.padStart(12)} ${worked.padStart(22)}`)

async function measure(what, run) {
  const begin = performance.now()
  const before = processor()
  await run()
  report(what, seconds(performance.now() - begin), seconds(processor() - before))
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

/** What weak tables let go of is only collected the next time. */
async function collect() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`

/** What pods take, the stored objects and the server's caches of them included. History is not: it is compacted. */
async function memoryOf(server, count, run) {
  const empty = await collect()
  await run()
  await server.settled()
  await server.compact()
  return ((await collect()) - empty) / count
}

/** The same pods and events on a server without simulation, as a client would have written them. */
async function memoryOfObjects(pods, events) {
  const server = await startServer({ maxRequests: 1 })
  for (const resource of ['pods', 'events']) await server.list(resource, 'default')
  const each = await memoryOf(server, pods.length, async () => {
    for (const pod of pods) {
      const { name, namespace, labels, ownerReferences } = pod.metadata
      const path = `/api/v1/namespaces/${namespace}/pods`
      await server.call('POST', path, { ...pod, metadata: { name, labels, ownerReferences }, status: {} })
      await server.call('PUT', `${path}/${name}/status`, { ...pod, metadata: { name } })
    }
    for (const { metadata, ...event } of events) {
      await server.call('POST', '/api/v1/namespaces/default/events', { ...event, metadata: { name: metadata.name } })
    }
  })
  await server.close()
  return each
}

async function shareOf(what, ms) {
  const before = processor()
  await new Promise((resolve) => setTimeout(resolve, ms))
  const share = ((processor() - before) / ms) * 100
  report(what, `${ms / 1000} s`, `${share.toFixed(2)} % of a core`)
}

async function memoryOfPods() {
  const count = Number(values.pods)
  const server = await startServer({ simulate: { nodes: 50, seed: 7, pods: 200 }, maxRequests: 1 })
  const whole = await memoryOf(server, count, async () => {
    await server.apply(deployment('web', count))
    await server.waitFor('deployments', isReady(count), { timeout: 600_000 })
  })
  const pods = await server.list('pods', 'default')
  const events = await server.list('events', 'default')
  await server.close()
  const objects = await memoryOfObjects(pods, events)
  report(`${count} pods: memory of each, with its events`, kib(whole), `pod as text ${kib(textOf(pods) / count)}`)
  report('  of that, beyond the same objects unsimulated', kib(whole - objects), `objects ${kib(objects)}`)
}

const textOf = (objects) => JSON.stringify(objects).length

async function large() {
  const count = 10_000
  const server = await startServer({ simulate: { nodes: 1000, seed: 7, heartbeat: 10 }, maxRequests: 1 })
  await server.settled()
  const each = await memoryOf(server, count, () =>
    measure(`${count} pods of ten Deployments on 1,000 nodes are ready`, async () => {
      await server.apply(Array.from({ length: 10 }, (_, i) => deployment(`web-${i}`, count / 10)))
      for (let i = 0; i < 10; i++) {
        const isIt = (each) => each.metadata.name === `web-${i}` && isReady(count / 10)(each)
        await server.waitFor('deployments', isIt, { timeout: 600_000 })
      }
    }),
  )
  report(`  memory of each pod, with its events`, kib(each), '')
  await shareOf('idle with 1,000 nodes and 10,000 pods', 30_000)
  await server.close()
}

async function idle() {
  const server = await startServer({ simulate: { nodes: 3, heartbeat: 10 } })
  await server.apply(deployment('web', 10))
  await server.settled()
  await shareOf('idle with 3 nodes and 10 pods', 30_000)
  await server.close()
}

/**
 * The longest turn of the event loop while `run` was under way: of the time that passed and the processor time of all threads the
 * shorter, since other processes may take the processor, and other threads of ours work beside the loop.
 */
async function longestTurn(run) {
  let longest = 0
  let isOver = false
  let before = { passed: performance.now(), worked: processor() }
  const tick = () => {
    const now = { passed: performance.now(), worked: processor() }
    longest = Math.max(longest, Math.min(now.passed - before.passed, now.worked - before.worked))
    before = now
    if (!isOver) setImmediate(tick)
  }
  tick()
  await run()
  isOver = true
  return longest
}

async function crowd() {
  const count = 10_000
  const server = await startServer({ simulate: { nodes: 1, seed: 7 }, maxRequests: 1 })
  await server.settled()
  const longest = await longestTurn(() =>
    measure(`${count} pods for one node of 110: the others wait`, async () => {
      await server.apply(deployment('web', count))
      const isPlaced = ({ status }) => status?.replicas === count && status.availableReplicas === 110
      await server.waitFor('deployments', isPlaced, { timeout: 600_000 })
      await server.settled()
    }),
  )
  report('  the longest turn of the event loop', '', `${longest.toFixed(0)} ms`)
  await server.close()
}

const parts = {
  pods: thousandPods,
  idle,
  memory: memoryOfPods,
  large,
  crowd,
  cron: () => cronDays(Number(values.days)),
}
for (const [name, run] of Object.entries(parts)) if ((values.only ?? name) === name) await run()
