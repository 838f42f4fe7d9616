/** A server that is killed: a built program in a process of its own, started again on the same folder and port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { KillsClient } from './client.ts'

export const token = 'kills-administrator'
export const builtProgram = path.resolve('dist/cli.js')
const jumpingClock = pathToFileURL(path.resolve('test/harness/kills/jumping-clock.mjs')).href
const startMs = 120_000
const stopMs = 60_000
const keptOutput = 8000
const workerReady = /"pid":(\d+),"msg":"a request worker takes connections"/g
const noEtcd = /etcd.*(?:cannot be used|does not answer)/

export interface ServerSetup {
  /** Made if need be; the store's files are in it, and `tokens.csv`. */
  readonly folder: string
  readonly port: number
  readonly flags: readonly string[]
  /** Goes before the program and its arguments: another way into the same program. */
  readonly wrapper?: readonly string[]
  /** In which the server sees its folder; the same unless it is told. */
  readonly seenFolder?: string
}

/** How a process ended by itself. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
}

export class ServerProcess {
  /** The build that the next start runs. */
  program = builtProgram
  readonly client: KillsClient
  readonly port: number
  readonly #setup: ServerSetup
  #child: ChildProcess | undefined
  #clockOffset = 0
  #output = ''
  readonly #workers = new Set<number>()

  constructor(setup: ServerSetup) {
    this.#setup = setup
    this.port = setup.port
    this.client = new KillsClient([setup.port], token)
    mkdirSync(setup.folder, { recursive: true })
    writeFileSync(path.join(setup.folder, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`, { mode: 0o600 })
  }

  /** What it has said since its last start, or the end of that. */
  get output(): string {
    return this.#output
  }

  /** Does not wait until it is ready. */
  start(): void {
    const { folder, flags, wrapper = [], seenFolder = folder, port } = this.#setup
    const [command, ...args] = [
      ...wrapper,
      process.execPath,
      `--import=${jumpingClock}`,
      this.program,
      ...flags,
      `--data-dir=${seenFolder}/data`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--token-auth-file=${seenFolder}/tokens.csv`,
      '--disable-admission-plugins=ServiceAccount',
    ]
    const child = spawn(command as string, args, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, CLOCK_OFFSET_MS: `${this.#clockOffset}` },
    })
    this.#output = ''
    this.#workers.clear()
    const keep = (chunk: Buffer): void => {
      const text = chunk.toString()
      for (const [, pid] of text.matchAll(workerReady)) this.#workers.add(Number(pid))
      this.#output = (this.#output + text).slice(-keptOutput)
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    // A message to a process that has just ended.
    child.on('error', () => undefined)
    this.#child = child
  }

  async ready(): Promise<void> {
    const ending = await this.readyOrEnded()
    if (ending !== undefined)
      throw new Error(`the server ended by itself (${ending.signal ?? ending.code}):\n${ending.output}`)
  }

  /** How it ended if it did before it was ready. */
  async readyOrEnded(): Promise<Ending | undefined> {
    for (const end = Date.now() + startMs; Date.now() < end; await delay(50)) {
      if (!this.isAlive() && !noEtcd.test(this.#output)) return this.#ending()
      // Whatever runs servers starts one again that found no etcd: on a busy machine elections take their time.
      if (!this.isAlive()) this.start()
      if ((await this.client.call('GET', '/readyz')).status === 200) return undefined
    }
    throw new Error(`the server is not ready in time:\n${this.#output}`)
  }

  /** Resolves when the listener answers at all. */
  async answers(): Promise<void> {
    for (const end = Date.now() + startMs; Date.now() < end; await delay(50)) {
      if (!this.isAlive()) throw new Error(`the server ended by itself:\n${this.#output}`)
      if ((await this.client.call('GET', '/livez')).status === 200) return
    }
    throw new Error(`the server is not alive in time:\n${this.#output}`)
  }

  #ending(): Ending {
    return { code: this.#child?.exitCode ?? null, signal: this.#child?.signalCode ?? null, output: this.#output }
  }

  /** The pids of its request workers, as it tells when they take connections; those that are gone left out. */
  workers(): number[] {
    return [...this.#workers].filter(isRunning)
  }

  isAlive(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Throws when the server had ended before it was killed. */
  async kill(): Promise<void> {
    if (!this.isAlive()) throw new Error(`the server ended by itself:\n${this.#output}`)
    await this.#end('SIGKILL')
  }

  /** Throws when the server does not shut down in time. */
  async terminate(): Promise<void> {
    if (!(await this.#end('SIGTERM'))) throw new Error(`SIGTERM does not end the server:\n${this.#output}`)
  }

  async pause(ms: number): Promise<void> {
    this.#child?.kill('SIGSTOP')
    await delay(ms)
    this.#child?.kill('SIGCONT')
  }

  /** Moves the wall clock of the process, and of those that follow it. */
  setClock(offsetMs: number): void {
    this.#clockOffset = offsetMs
    if (this.isAlive()) this.#child?.send({ clockOffsetMs: offsetMs }, () => undefined)
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<boolean> {
    const child = this.#child
    if (child === undefined || !this.isAlive()) return true
    const gone = new Promise<boolean>((resolve) => child.once('exit', () => resolve(true)))
    child.kill(signal)
    return Promise.race([gone, delay(stopMs, false, { ref: false })])
  }

  async close(): Promise<void> {
    await this.#end('SIGKILL')
    this.client.close()
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
