/**
 * Floods a server from one tenant and measures what another one notices. Invariants: the server lives, the quiet tenant is
 * answered, its 99th percentile stays under the bound, seats are shared as configured, and the memory that a flood takes is
 * bounded and comes back.
 *
 * A machine that is busy with other things makes every latency long. So one that is over the bound counts only if the
 * server itself worked that long before it answered (processor time of its thread), in three attempts.
 *
 * Memory has come back when what is alive is what it was. The C library keeps what it was given back: most of its pages are
 * used again, so that the same flood once more must take far less than the first time.
 */
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { connect, request, text } from './flood/client.ts'
import { measureFairShares } from './flood/fair-shares.ts'
import { type Scenario, scenarios } from './flood/scenarios.ts'
import { type FloodTarget, startFloodTarget } from './flood/target.ts'
import type { HarnessFailure, HarnessRun } from './harness.ts'

const latencyBound = 50
const attempts = 3
/** What is alive above what it was before the flood, once the flood is over for a while. */
const memoryLeft = 48 * 2 ** 20
const recoveryMs = 60_000
/** What the same flood may take the second time: this much, or this part of what it took the first time. */
const secondBound = 96 * 2 ** 20
const secondPart = 0.5
/** Of what the one who asks for many lists gets, the least that the one who asks for few gets. */
const leastShare = 0.4

export const run: HarnessRun = async ({ seconds, log }) => {
  // All of it takes some minutes; a short run has smaller floods.
  const scale = Math.min(1, seconds / 240)
  const flooding = new Flooding(await startFloodTarget(), {
    scale,
    log,
    ms: Math.max(3000, (seconds * 1000) / (scenarios.length * 3)),
  })
  try {
    await flooding.prepare()
    const { FLOOD_ONLY: only = '' } = process.env
    for (const scenario of scenarios) if (scenario.name.includes(only)) await flooding.measure(scenario)
    if ('fair shares'.includes(only)) await flooding.shares()
    await flooding.again(only)
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
  /** What each flood took, by its name. */
  readonly #took = new Map<string, number>()

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

  async measure(scenario: Scenario): Promise<void> {
    const { ms, log } = this.#options
    const { name } = scenario
    const quiet = this.#quiet as QuietTenant
    await quiet.take()
    await delay(ms / 3)
    const before = await quiet.take()
    const live = await this.#live()
    let last: Measured | undefined
    for (let attempt = 0; attempt < attempts; attempt++) {
      last = await this.#flood(scenario)
      if (isPrompt(last.during)) break
    }
    const { during, resident, peak, done } = last as Measured
    const left = await this.#recovered(live)
    this.figures[name] = [
      `p50/p99 ${shown(before.latencies)} before, ${shown(during.latencies)} ms during (${shown(during.works)} ms of work)`,
      `${mebibytes(resident)} before, ${mebibytes(peak)} at most, ${mebibytes(this.#target.resident())} after`,
      ...(this.#target.isOwn ? [`alive ${mebibytes(live)} before, ${mebibytes(left)} after`] : []),
      ...Object.entries(done).map(([what, figure]) => `${figure} ${what}`),
    ].join('; ')
    log(`${name}: ${this.figures[name]}`)
    this.#judge(scenario, { ...(last as Measured), live, left })
  }

  /** One attempt, while the quiet tenant goes on asking. */
  async #flood({ begin }: Scenario): Promise<Measured> {
    const { ms, scale } = this.#options
    const quiet = this.#quiet as QuietTenant
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
    return { during, resident, peak, done }
  }

  /** Bytes in use, as the server tells; 0 for another server. */
  async #live(): Promise<number> {
    if (!this.#target.isOwn) return 0
    const session = await connect(this.#target)
    const metrics = await text(session, this.#target, '/metrics')
    session.destroy()
    const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0)
    return value('nodejs_heap_size_used_bytes') + value('nodejs_external_memory_bytes')
  }

  /** What is alive once the rest is collected, or after a while. */
  async #recovered(before: number): Promise<number> {
    let live = await this.#live()
    for (const end = Date.now() + recoveryMs; Date.now() < end && live > before + memoryLeft; live = await this.#live())
      await delay(1000)
    return live
  }

  #judge({ name, memory }: Scenario, { during, resident, peak, live, left }: Judged): void {
    const { scale } = this.#options
    this.#check(this.#target.isAlive(), `${name}: the server died`)
    this.#check(during.failures === 0, `${name}: ${during.failures} requests of the quiet tenant failed`)
    this.#check(during.latencies.length > 0, `${name}: the quiet tenant was not answered at all`)
    this.#check(
      isPrompt(during),
      `${name}: the quiet tenant's p99 is ${percentile(during.latencies, 0.99).toFixed(1)} ms, of which the server worked ${percentile(during.works, 0.99).toFixed(1)} ms; the bound is ${latencyBound} ms`,
    )
    const bound = memory(scale) * 2 ** 20
    this.#check(
      peak <= resident + bound,
      `${name}: the flood took ${mebibytes(peak - resident)} of ${mebibytes(bound)}`,
    )
    this.#check(left <= live + memoryLeft, `${name}: ${mebibytes(left - live)} are not given back`)
    this.#took.set(name, peak - resident)
  }

  /** The floods that take most memory once more: they must do with what they gave back. */
  async again(only: string): Promise<void> {
    for (const scenario of scenarios.filter(({ name, isHeavy }) => isHeavy && name.includes(only))) {
      const { name } = scenario
      const live = await this.#live()
      const { peak, resident } = await this.#flood(scenario)
      await this.#recovered(live)
      const first = this.#took.get(name) ?? 0
      const took = `${mebibytes(peak - resident)} after ${mebibytes(first)} the first time`
      this.#options.log(`${name}, once more: ${took}`)
      this.figures[`${name}, once more`] = took
      this.#check(peak - resident <= Math.max(secondBound, first * secondPart), `${name}: once more took ${took}`)
    }
  }

  /** Seats as configured. */
  async shares(): Promise<void> {
    const { many, few, seats } = await measureFairShares(this.#target, this.#options.ms * 2)
    const shownSeats = seats.map(([used, limit]) => `${used}/${limit}`).join(' ')
    const got = `${mebibytes(many)} of lists for 100 readers of one tenant, ${mebibytes(few)} for 10 of the other`
    this.figures['fair shares'] = `${got}; seats ${shownSeats}`
    this.#check(few > 0 && few >= many * leastShare, `fair shares: ${got}`)
    for (const [used, limit] of seats) this.#check(used <= limit, `fair shares: ${used} seats of ${limit} in use`)
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
  readonly during: Taken
  readonly resident: number
  readonly peak: number
  readonly done: Readonly<Record<string, number | string>>
}

interface Judged extends Measured {
  readonly live: number
  readonly left: number
}

interface Taken {
  readonly latencies: readonly number[]
  /** Processor time of the server's thread between question and answer. */
  readonly works: readonly number[]
  readonly failures: number
}

/** A latency is never less than the work in it: the work decides where the machine is busy. */
const isPrompt = ({ latencies, works }: Taken): boolean =>
  latencies.length > 0 &&
  (percentile(latencies, 0.99) <= latencyBound ||
    (percentile(works, 0.99) > 0 && percentile(works, 0.99) <= latencyBound))

class QuietTenant {
  readonly #worker: Worker

  constructor({ url, token, isOwn, pid }: FloodTarget) {
    const workerData = { url, token, path: '/api/v1/namespaces/quiet/configmaps/small', pid: isOwn ? pid : 0 }
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

const shown = (values: readonly number[]): string =>
  `${percentile(values, 0.5).toFixed(1)}/${percentile(values, 0.99).toFixed(1)}`
const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`
