/** What is attacked as a whole: one server on LMDB, of one process or of several, or two that share an etcd of three members. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { EtcdCluster } from '../../contract/store/etcd-process.ts'
import { freePorts } from '../../support/free-port.ts'
import { KillsClient } from './client.ts'
import { ServerProcess, token } from './server-process.ts'

export type Backend = 'lmdb' | 'lmdb-workers' | 'etcd'

const members = 3
const serversOnEtcd = 2
/** One of them is the primary. */
const requestWorkers = 3
/** Large enough for the writes of a round, small enough to be filled in seconds. */
export const etcdQuotaBytes = 64 * 1024 * 1024

export class Deployment {
  readonly servers: readonly ServerProcess[]
  readonly etcd: EtcdCluster | undefined
  /** Asks the servers in turn. */
  readonly client: KillsClient
  readonly #folder: string

  private constructor(folder: string, servers: readonly ServerProcess[], etcd: EtcdCluster | undefined) {
    this.#folder = folder
    this.servers = servers
    this.etcd = etcd
    const ports = servers.map(({ port }) => port)
    this.client = new KillsClient(ports, token)
  }

  static async open(backend: Backend): Promise<Deployment> {
    const isEtcd = backend === 'etcd'
    // Long enough for members that hardly get the processor.
    const flags = { 'quota-backend-bytes': etcdQuotaBytes, 'heartbeat-interval': 200, 'election-timeout': 2000 }
    const etcd = isEtcd ? await EtcdCluster.start(members, undefined, { flags }) : undefined
    const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-kills-'))
    const flagsOf = (): string[] => {
      if (etcd !== undefined) return ['--store=etcd', `--etcd-servers=${etcd.urls.join(',')}`]
      return ['--store=lmdb', ...(backend === 'lmdb-workers' ? [`--request-workers=${requestWorkers}`] : [])]
    }
    const ports = await freePorts(isEtcd ? serversOnEtcd : 1)
    const servers = ports.map(
      (port, i) => new ServerProcess({ folder: path.join(folder, `${i}`), port, flags: flagsOf() }),
    )
    return new Deployment(folder, servers, etcd)
  }

  /** Starts the servers that are not alive, all at once, and waits until all are ready. */
  async start(): Promise<void> {
    for (const server of this.servers) if (!server.isAlive()) server.start()
    await this.ready()
  }

  async ready(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.ready()))
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()))
    this.client.close()
    await this.etcd?.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
