/** The server that is killed: the built program in a process of its own, started again on the same folder and port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { EtcdCluster } from '../../contract/store/etcd-process.ts'
import { freePort } from '../../support/free-port.ts'
import { KillsClient } from './client.ts'

export type Backend = 'lmdb' | 'etcd'

const token = 'kills-administrator'
const startMs = 60_000
const stopMs = 60_000
const keptOutput = 4000

export class Victim {
  readonly client: KillsClient
  readonly etcd: EtcdCluster | undefined
  readonly #folder: string
  readonly #flags: readonly string[]
  #child: ChildProcess | undefined
  #output = ''

  private constructor(folder: string, port: number, etcd: EtcdCluster | undefined) {
    this.#folder = folder
    this.etcd = etcd
    this.client = new KillsClient(port, token)
    this.#flags = [
      ...(etcd === undefined ? ['--store=lmdb'] : ['--store=etcd', `--etcd-servers=${etcd.urls.join(',')}`]),
      `--data-dir=${folder}/data`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--token-auth-file=${folder}/tokens.csv`,
      '--disable-admission-plugins=ServiceAccount',
    ]
  }

  static async open(backend: Backend): Promise<Victim> {
    const etcd = backend === 'etcd' ? await EtcdCluster.start(1) : undefined
    const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-kills-'))
    writeFileSync(path.join(folder, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`)
    return new Victim(folder, await freePort(), etcd)
  }

  /** Does not wait until it is ready. */
  start(): void {
    const child = spawn(process.execPath, [path.resolve('dist/cli.js'), ...this.#flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#output = ''
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-keptOutput)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    this.#child = child
  }

  async ready(): Promise<void> {
    for (const end = Date.now() + startMs; Date.now() < end; await delay(50)) {
      if (!this.isAlive()) throw new Error(`the server ended by itself:\n${this.#output}`)
      if ((await this.client.call('GET', '/readyz')).status === 200) return
    }
    throw new Error(`the server is not ready in time:\n${this.#output}`)
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
    await this.etcd?.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
