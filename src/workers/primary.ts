/**
 * The process that has the store and the ports. It starts the workers, sends them connections, serves the store to them, and
 * has for all of them what there is one of.
 */
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { newLoopbackToken } from '../auth/authentication/loopback.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Clock } from '../lib/clock.ts'
import { type Logger, setVerbosity } from '../lib/logger.ts'
import type { Metric } from '../lib/metrics.ts'
import { AuditEvent } from '../pipeline/audit/event.ts'
import type { ServerCredentials } from '../pki/data-folder.ts'
import type { MetricPage, PortAddress, PortName, ProcessRole, RoleParts } from '../server/running-server.ts'
import { type ServedStore, serveStore } from '../store/channel/serve-store.ts'
import { Watermark } from '../store/channel/watermark.ts'
import type { Store } from '../store/store.ts'
import { type ConnectionTarget, chooseProcess, Rebalancer } from './balance.ts'
import { gateway } from './gateway.ts'
import { addMetricCounts, mergeMetrics } from './merge-metrics.ts'
import { type CountedMetric, type EventParts, kinds, type WorkerLoad, type WorkerStart } from './messages.ts'
import { Respawn } from './respawn.ts'
import { SeatLedger } from './seat-ledger.ts'
import { WorkerProcess } from './worker-process.ts'

export interface PrimaryOptions {
  readonly options: ServerOptions
  readonly clock: Clock
  readonly logger: Logger
  /** Read when the first worker begins. */
  readonly credentials: () => ServerCredentials
}

/** How often it is looked at how busy the processes are. */
const lookMs = 1000
/** How long a worker is waited for that should say what it has counted. */
const countMs = 5000
/** How long workers may take to end beyond what the server itself takes. */
const endMs = 10_000

export class Primary {
  readonly role: ProcessRole
  readonly #given: PrimaryOptions
  readonly #watermark: Watermark | undefined
  readonly #workers = new Set<WorkerProcess>()
  readonly #own = { isPrimary: true, connections: 0, utilization: 0 }
  readonly #ports: Partial<Record<PortName, { host: string; port: number }>> = {}
  readonly #seats: SeatLedger
  readonly #rebalancer = new Rebalancer<ConnectionTarget>()
  readonly #loopbackToken = newLoopbackToken()
  readonly #ticketKeys = randomBytes(48)
  /** What workers had counted that are gone. */
  readonly #departed: Record<MetricPage, readonly CountedMetric[]> = { metrics: [], slis: [] }
  #served: ServedStore | undefined
  #parts: RoleParts | undefined
  /** Unless it is that of the options. */
  #verbosity: number | undefined
  #isStopping = false
  #cancelLook: () => void = () => undefined
  /** Looks whether all workers have ended, once they should. */
  #workerEnded: () => void = () => undefined

  constructor(given: PrimaryOptions) {
    this.#given = given
    const { storage, serving } = given.options
    this.#watermark = storage.kind === 'etcd' ? undefined : Watermark.create(0)
    this.#seats = new SeatLedger({ processes: serving.requestWorkers })
    this.role = this.#makeRole()
    this.#look()
  }

  #makeRole(): ProcessRole {
    return {
      isPrimary: true,
      loopbackToken: this.#loopbackToken,
      ticketKeys: this.#ticketKeys,
      seats: this.#seats.shares,
      storeOpened: (store) => this.#storeOpened(store),
      connections: (name, at) => this.#connections(name, at),
      gather: (page) => this.#gather(page),
      started: (parts) => this.#started(parts),
      stopWorkers: () => this.#stop(),
      setVerbosity: (verbosity) => this.#setVerbosity(verbosity),
    }
  }

  /** Starts the workers: the primary, which answers by itself until they do, has had the processors for its own start. */
  serverReady(): void {
    const { clock, options } = this.#given
    if (this.#isStopping) return
    for (let number = 1; number < options.serving.requestWorkers; number++) this.#start(number, new Respawn(clock))
  }

  #start(number: number, respawn: Respawn): void {
    const { logger } = this.#given
    const worker = new WorkerProcess(number, this.#watermark?.descriptor)
    this.#workers.add(worker)
    respawn.started()
    this.#answer(worker)
    worker.onEnd((why) => {
      this.#workers.delete(worker)
      this.#seats.left(worker)
      void this.#keepCounted(worker)
      this.#workerEnded()
      if (this.#isStopping) return
      logger.error({ worker: number, pid: worker.pid, why }, 'a request worker has ended and is replaced')
      respawn.again(() => {
        if (!this.#isStopping) this.#start(number, respawn)
      })
    })
    this.#begin(worker)
  }

  #begin(worker: WorkerProcess): void {
    const { ca, serving, admin, servingCaPem } = this.#given.credentials()
    const beginning: WorkerStart = {
      credentials: { ca, serving, admin, servingCaPem },
      loopbackToken: this.#loopbackToken,
      ticketKeys: this.#ticketKeys,
      ports: this.#ports,
    }
    worker.control.notify(kinds.begin, beginning)
    this.#served?.serve(worker.stream)
    if (this.#verbosity !== undefined) worker.control.notify(kinds.verbosity, this.#verbosity)
  }

  #setVerbosity(verbosity: number): void {
    this.#verbosity = verbosity
    setVerbosity(this.#given.logger, verbosity)
    for (const { control } of this.#workers) control.notify(kinds.verbosity, verbosity)
  }

  #answer(worker: WorkerProcess): void {
    const { control } = worker
    control.on(kinds.ready, () => {
      worker.isReady = true
      this.#given.logger.info({ worker: worker.number, pid: worker.pid }, 'a request worker takes connections')
    })
    control.on<number>(kinds.closed, (count) => {
      worker.connections -= count
    })
    control.on<WorkerLoad>(kinds.load, ({ utilization, demand }) => {
      worker.utilization = utilization
      this.#seats.demanded(worker, demand)
    })
    control.on(kinds.signingKey, async () => {
      const key = await this.#given.credentials().serviceAccountKeys.signingKey()
      return key.export({ type: 'pkcs8', format: 'pem' })
    })
    control.on<number>(kinds.verbosity, (verbosity) => this.#setVerbosity(verbosity))
    control.on<MetricPage>(kinds.gather, async (page) =>
      (await this.#gather(page)).map(({ definition, samples }) => ({ name: definition.name, samples: [...samples()] })),
    )
    control.on<readonly EventParts[]>(kinds.audit, (events) =>
      this.#parts?.auditSink?.process(events.map((parts) => new AuditEvent(parts))),
    )
    this.#seats.joined(worker)
  }

  async #storeOpened(store: Store): Promise<void> {
    const watermark = this.#watermark
    if (watermark === undefined) return
    watermark.write(await store.currentRevision())
    store.watch('', {
      withPrevious: false,
      onEvents: ({ revision }) => watermark.write(revision),
      onEnd: () => undefined,
    })
    // The watch has caught up before anything is written.
    await Promise.resolve()
    this.#served = serveStore(store)
  }

  #connections(name: PortName, at: PortAddress) {
    const source = gateway({
      at,
      passOn: (socket) => this.#passOn(name, socket),
      open: () => [...this.#workers].reduce((sum, { connections }) => sum + connections, this.#own.connections),
      count: (by) => {
        this.#own.connections += by
      },
    })
    return {
      ...source,
      open: async (take: (socket: Socket) => void) => {
        const address = await source.open(take)
        this.#ports[name] = address
        return address
      },
    }
  }

  #candidates(): (ConnectionTarget | WorkerProcess)[] {
    return [this.#own, ...[...this.#workers].filter(({ isReady }) => isReady)]
  }

  #passOn(port: PortName, socket: Socket): boolean {
    const chosen = chooseProcess(this.#candidates())
    if (!(chosen instanceof WorkerProcess)) return false
    chosen.connections++
    // Node would keep track of what becomes of it in the worker, for a server that wants to know.
    Object.assign(socket, { server: undefined })
    chosen.control.notify(kinds.connection, { port }, socket, (error) => {
      if (error === null) return
      chosen.connections--
      socket.destroy()
    })
    return true
  }

  #started(parts: RoleParts): void {
    this.#parts = parts
  }

  async #gather(page: MetricPage): Promise<readonly Metric[]> {
    const set = this.#parts?.metrics[page]
    if (set === undefined) return []
    const ready = [...this.#workers].filter(({ isReady }) => isReady)
    const [own, ...others] = await Promise.all([set.collect(), ...ready.map((worker) => this.#counted(worker, page))])
    return mergeMetrics(own, [...others, this.#departed[page]])
  }

  /** A worker that does not answer has counted what it last said. */
  async #counted({ control, counted }: WorkerProcess, page: MetricPage): Promise<readonly CountedMetric[]> {
    let cancel = (): void => undefined
    const late = new Promise<undefined>((resolve) => {
      cancel = this.#given.clock.setTimeout(() => resolve(undefined), countMs)
    })
    const asked = control.ask<CountedMetric[]>(kinds.counted, page).catch(() => undefined)
    counted[page] = (await Promise.race([asked, late])) ?? counted[page]
    cancel()
    return counted[page]
  }

  /** Counters never go back: what a worker had counted is kept when it is gone. */
  async #keepCounted({ counted }: WorkerProcess): Promise<void> {
    for (const page of ['metrics', 'slis'] as const) {
      const own = (await this.#parts?.metrics[page].collect()) ?? []
      this.#departed[page] = addMetricCounts(own, this.#departed[page], counted[page])
    }
  }

  #look(): void {
    let before = performance.eventLoopUtilization()
    const look = (): void => {
      const now = performance.eventLoopUtilization()
      this.#own.utilization = performance.eventLoopUtilization(now, before).utilization
      before = now
      const busiest = this.#rebalancer.look(this.#candidates())
      if (busiest instanceof WorkerProcess) busiest.control.notify(kinds.shed)
      else if (busiest !== undefined) for (const listener of this.#parts?.listeners ?? []) listener.shed()
      again()
    }
    const again = (): void => {
      this.#cancelLook = this.#given.clock.setTimeout(look, lookMs, { background: true })
    }
    again()
  }

  async #stop(): Promise<void> {
    this.#isStopping = true
    this.#cancelLook()
    const { clock, options } = this.#given
    const ended = new Promise<void>((resolve) => {
      this.#workerEnded = (): void => {
        if (this.#workers.size === 0) resolve()
      }
      this.#workerEnded()
    })
    for (const worker of this.#workers) {
      if (worker.isReady) worker.control.notify(kinds.stop)
      else worker.kill()
    }
    const { shutdown, limits } = options
    const ms = shutdown.delay + (limits.requestTimeout || 60_000) + shutdown.watchGracePeriod + endMs
    const cancel = clock.setTimeout(() => this.kill(), ms)
    await ended
    cancel()
  }

  /** Ends all workers at once. */
  kill(): void {
    this.#isStopping = true
    for (const worker of this.#workers) worker.kill()
  }
}
