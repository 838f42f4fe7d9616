/** One worker as the primary sees it: a process that is started, fed with connections, and replaced when it dies. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import type { ConnectionTarget } from './balance.ts'
import { ControlPort } from './control-port.ts'
import type { CountedMetric, MetricPage } from './messages.ts'
import { workerVariable } from './worker-variable.ts'

/** Where the channel of the store and the watermark are in a worker. */
export const storeDescriptor = 4
export const watermarkDescriptor = 5

export class WorkerProcess implements ConnectionTarget {
  readonly isPrimary = false
  readonly number: number
  readonly control: ControlPort
  readonly #child: ChildProcess
  /** Takes connections. */
  isReady = false
  connections = 0
  utilization = 0
  /** What it had counted when it was last asked. */
  readonly counted: Record<MetricPage, readonly CountedMetric[]> = { metrics: [], slis: [] }

  /** `watermark`: its descriptor; undefined where workers have a store of their own. */
  constructor(number: number, watermark: number | undefined) {
    this.number = number
    this.#child = spawn(process.execPath, [...process.execArgv, ...programArguments()], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe', watermark ?? 'ignore'],
      env: { ...process.env, [workerVariable]: String(number) },
      serialization: 'advanced',
    })
    this.control = new ControlPort(this.#child)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** The channel of the store. */
  get stream(): Duplex {
    return this.#child.stdio[storeDescriptor] as Duplex
  }

  /** Called once, however it ended, and if it could not be started. */
  onEnd(listener: (why: string) => void): void {
    let hasEnded = false
    const notify = (why: string): void => {
      if (hasEnded) return
      hasEnded = true
      listener(why)
    }
    this.#child.once('error', (error) => notify(error.message))
    this.#child.once('exit', (code, signal) => notify(signal ?? `exit code ${code}`))
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

/** As this process was started; a single executable is its own program. */
function programArguments(): string[] {
  const [, program = '', ...rest] = process.argv
  return program === process.execPath ? rest : [program, ...rest]
}
