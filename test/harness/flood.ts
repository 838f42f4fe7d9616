/**
 * Floods a server from one tenant and measures what another one notices. Invariants: the server lives, the quiet tenant is
 * answered, its 99th percentile stays under the bound (or a small multiple of what it is without a flood, on a machine that
 * is busy with other things), and the memory that a flood took comes back.
 */
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { connect, request } from './flood/client.ts'
import { type Scenario, scenarios } from './flood/scenarios.ts'
import { type FloodTarget, startFloodTarget } from './flood/target.ts'
import type { HarnessFailure, HarnessRun } from './harness.ts'

const latencyBound = 50
/** Of the 99th percentile without a flood. */
const busyFactor = 5
const memoryBound = 1024 * 2 ** 20
/** Above what it was before the flood, once the flood is over for a while. */
const memoryLeft = 150 * 2 ** 20
const recoveryMs = 30_000

export const run: HarnessRun = async ({ seconds, log }) => {
  // All of it takes some minutes; a short run has smaller floods.
  const scale = Math.min(1, seconds / 240)
  const flooding = new Flooding(await startFloodTarget(), {
    scale,
    log,
    ms: Math.max(3000, (seconds * 1000) / (scenarios.length * 2)),
  })
  try {
    await flooding.prepare()
    const { FLOOD_ONLY: only = '' } = process.env
    for (const scenario of scenarios) if (scenario.name.includes(only)) await flooding.measure(scenario)
  } finally {
    await flooding.close()
  }
  return { passed: flooding.passed, failed: flooding.failed, figures: flooding.figures }
}

interface FloodingOptions {
  readonly scale: number
  /** How long each flood goes on. */
  readonly ms: number
  readonly log: (line: string) => void
}

class Flooding {
  passed = 0
  readonly failed: HarnessFailure[] = []
  readonly figures: Record<string, number | string> = {}
  readonly #target: FloodTarget
  readonly #options: FloodingOptions
  #quiet: QuietTenant | undefined

  constructor(target: FloodTarget, options: FloodingOptions) {
    this.#target = target
    this.#options = options
  }

  /** The tenants, what they may do, and the objects of the flood. */
  async prepare(): Promise<void> {
    const session = await connect(this.#target)
    const post = (to: string, body: unknown): Promise<number> =>
      request(session, this.#target, { method: 'POST', path: to, user: '', body })
    for (const name of ['flood', 'quiet']) {
      await post('/api/v1/namespaces', { metadata: { name } })
      await post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        metadata: { name: `harness-${name}` },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }],
      })
    }
    await post('/api/v1/namespaces/quiet/configmaps', { metadata: { name: 'small' }, data: { a: 'b' } })
    await post('/api/v1/namespaces/flood/configmaps', { metadata: { name: 'changing' }, data: {} })
    const pods = Math.round(10_000 * this.#options.scale)
    for (let made = 0; made < pods; made += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, i) => post('/api/v1/namespaces/flood/pods', pod(made + i))))
    }
    session.destroy()
    this.figures['pods'] = pods
    this.#quiet = new QuietTenant(this.#target)
  }

  async measure({ name, begin }: Scenario): Promise<void> {
    const { ms, scale, log } = this.#options
    const quiet = this.#quiet as QuietTenant
    await quiet.take()
    await delay(ms / 3)
    const before = await quiet.take()
    const resident = this.#target.resident()
    let peak = resident
    const watching = setInterval(() => {
      peak = Math.max(peak, this.#target.resident())
    }, 100)
    const flood = await begin(this.#target, scale)
    await quiet.take()
    await delay(ms)
    const during = await quiet.take()
    const done = await flood.stop()
    clearInterval(watching)
    const left = await this.#recovered(resident)
    this.figures[name] = [
      `p50/p99 ${shown(before)} before, ${shown(during)} ms during`,
      `${mebibytes(resident)} before, ${mebibytes(peak)} at most, ${mebibytes(left)} after`,
      ...Object.entries(done).map(([what, figure]) => `${figure} ${what}`),
    ].join('; ')
    log(`${name}: ${this.figures[name]}`)
    this.#judge(name, { before, during, resident, peak, left })
  }

  /** The memory once it is back, or after a while. */
  async #recovered(before: number): Promise<number> {
    for (const end = Date.now() + recoveryMs; Date.now() < end && this.#target.resident() > before + memoryLeft; )
      await delay(500)
    return this.#target.resident()
  }

  #judge(name: string, { before, during, resident, peak, left }: Measured): void {
    const bound = Math.max(latencyBound, busyFactor * percentile(before.latencies, 0.99))
    this.#check(this.#target.isAlive(), `${name}: the server died`)
    this.#check(during.failures === 0, `${name}: ${during.failures} requests of the quiet tenant failed`)
    this.#check(during.latencies.length > 0, `${name}: the quiet tenant was not answered at all`)
    const slowest = percentile(during.latencies, 0.99)
    this.#check(
      slowest <= bound,
      `${name}: the quiet tenant's p99 is ${slowest.toFixed(1)} ms; the bound is ${bound.toFixed(1)} ms`,
    )
    this.#check(peak <= resident + memoryBound, `${name}: the flood took ${mebibytes(peak - resident)}`)
    this.#check(left <= resident + memoryLeft, `${name}: ${mebibytes(left - resident)} are not given back`)
  }

  #check(holds: boolean, what: string): void {
    if (holds) this.passed++
    else this.failed.push({ what })
  }

  async close(): Promise<void> {
    this.#quiet?.stop()
    await this.#target.close()
  }
}

interface Measured {
  readonly before: Taken
  readonly during: Taken
  readonly resident: number
  readonly peak: number
  readonly left: number
}

interface Taken {
  readonly latencies: readonly number[]
  readonly failures: number
}

class QuietTenant {
  readonly #worker: Worker

  constructor({ url, token }: FloodTarget) {
    const workerData = { url, token, path: '/api/v1/namespaces/quiet/configmaps/small' }
    this.#worker = new Worker(path.resolve('test/harness/flood/quiet-tenant.mjs'), { workerData })
  }

  /** What it measured since it was last asked. */
  take(): Promise<Taken> {
    return new Promise((resolve) => {
      this.#worker.once('message', resolve)
      this.#worker.postMessage('take')
    })
  }

  stop(): void {
    this.#worker.postMessage('stop')
    void this.#worker.terminate()
  }
}

const pod = (i: number): object => ({
  metadata: { name: `pod-${i}`, labels: { app: `app-${i % 50}` }, annotations: { note: 'x'.repeat(300) } },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'example.com/main:1',
        env: [{ name: 'A', value: `${i}` }],
        resources: { requests: { cpu: '100m' } },
      },
    ],
  },
})

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const shown = ({ latencies }: Taken): string =>
  `${percentile(latencies, 0.5).toFixed(1)}/${percentile(latencies, 0.99).toFixed(1)}`
const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`
