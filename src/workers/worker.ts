/**
 * A process that answers requests for a server whose store and ports another process has. It ends on request, and at
 * once when the primary is gone.
 */
import { createPrivateKey } from 'node:crypto'
import { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { ServerOptions } from '../config/server-options.ts'
import { systemClock } from '../lib/clock.ts'
import { type Logger, setVerbosity } from '../lib/logger.ts'
import type { AuditSink } from '../pipeline/audit/sink.ts'
import { sharedCredentials } from '../pki/data-folder.ts'
import type { MetricPage, ProcessRole, RoleParts, StartServer } from '../server/running-server.ts'
import { openChannelStore } from '../store/channel/channel-store.ts'
import { Watermark } from '../store/channel/watermark.ts'
import { ControlPort } from './control-port.ts'
import { ConnectionInbox } from './inbox.ts'
import { metricCountsOf, receivedMetrics } from './merge-metrics.ts'
import { type CountedMetric, kinds, type WorkerLoad, type WorkerStart } from './messages.ts'
import { storeDescriptor, watermarkDescriptor } from './worker-process.ts'
import { WorkerSeats } from './worker-seats.ts'

/** How often this process reports its load to the primary. */
const loadMs = 1000

export interface WorkerEnvironment {
  readonly logger: Logger
  loadServer(): Promise<StartServer>
  /** Called once, when requests are taken. */
  onReady(): void
}

/** Resolves when the worker has finished. */
export async function runWorker(options: ServerOptions, environment: WorkerEnvironment): Promise<void> {
  const { logger } = environment
  const control = new ControlPort(process as unknown as ConstructorParameters<typeof ControlPort>[0])
  process.once('disconnect', () => process.exit(0))
  if (!process.connected) process.exit(0)
  // A terminal sends these to all processes in front of it: it is the primary that decides.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const beginning = new Promise<WorkerStart>((resolve) => control.on<WorkerStart>(kinds.begin, resolve))
  const stop = new Promise<void>((resolve) => control.on(kinds.stop, () => resolve()))
  const startServer = await environment.loadServer()
  const given = await beginning
  const worker = new Worker(control, { options, logger, given })
  const credentials = sharedCredentials(options, given.credentials, async () =>
    createPrivateKey(await control.ask<string>(kinds.signingKey)),
  )
  const server = await startServer(options, { logger, credentials, clock: systemClock, role: worker.role })
  await server.ready
  control.notify(kinds.ready)
  environment.onReady()
  worker.reportLoad()
  await stop
  await server.close()
}

interface WorkerParts {
  readonly options: ServerOptions
  readonly logger: Logger
  readonly given: WorkerStart
}

class Worker {
  readonly role: ProcessRole
  readonly #control: ControlPort
  readonly #seats: WorkerSeats
  readonly #inbox: ConnectionInbox
  #parts: RoleParts | undefined

  constructor(control: ControlPort, { options, logger, given }: WorkerParts) {
    this.#control = control
    this.#seats = new WorkerSeats(control)
    this.#inbox = new ConnectionInbox(control, given.ports)
    control.on(kinds.shed, () => {
      for (const listener of this.#parts?.listeners ?? []) listener.shed()
    })
    control.on<number>(kinds.verbosity, (verbosity) => setVerbosity(logger, verbosity))
    control.on<MetricPage>(kinds.counted, (page) => this.#counted(page))
    this.role = {
      isPrimary: false,
      loopbackToken: given.loopbackToken,
      ticketKeys: Buffer.from(given.ticketKeys),
      seats: this.#seats,
      openStore: options.storage.kind === 'etcd' ? undefined : openOwnersStore,
      auditSink: options.audit && this.#auditSink(options.audit),
      storeOpened: () => Promise.resolve(),
      connections: (port) => this.#inbox.source(port),
      gather: (page) => this.#gather(page),
      started: (parts) => {
        this.#parts = parts
      },
      stopWorkers: () => Promise.resolve(),
      setVerbosity: (verbosity) => control.notify(kinds.verbosity, verbosity),
    }
  }

  /** Until the process ends. */
  reportLoad(): void {
    let before = performance.eventLoopUtilization()
    setInterval(() => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      const load: WorkerLoad = { utilization, demand: this.#seats.demand() }
      this.#control.notify(kinds.load, load)
    }, loadMs).unref()
  }

  async #counted(page: MetricPage): Promise<CountedMetric[]> {
    const set = this.#parts?.metrics[page]
    return set === undefined ? [] : metricCountsOf(set)
  }

  async #gather(page: MetricPage) {
    const set = this.#parts?.metrics[page]
    if (set === undefined) return []
    return receivedMetrics(set, await this.#control.ask<CountedMetric[]>(kinds.gather, page))
  }

  /** Events are kept by the primary. Only where answers wait for that is it asked whether they are. */
  #auditSink({ log, webhook }: NonNullable<ServerOptions['audit']>): AuditSink {
    const holdsAnswers = [log, webhook].some((sink) => sink !== undefined && sink.mode !== 'batch')
    return {
      process: (events) => {
        const parts = events.map((event) => event.parts)
        if (holdsAnswers) return this.#control.ask<boolean>(kinds.audit, parts).catch(() => false)
        this.#control.notify(kinds.audit, parts)
        return true
      },
      close: () => Promise.resolve(),
    }
  }
}

function openOwnersStore() {
  const watermark = new Watermark(watermarkDescriptor)
  return openChannelStore({
    stream: new Socket({ fd: storeDescriptor, readable: true, writable: true }),
    watermark: () => watermark.read(),
    // The caches of this process may be stale from now on.
    onLost: () => process.exit(1),
  })
}
