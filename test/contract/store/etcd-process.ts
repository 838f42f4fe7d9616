// Real etcd processes for the tests: one member or a cluster, on random ports of the loopback, in folders that go with them.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { get as getSecurely } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../support/free-port.ts'
import { until } from '../../support/until.ts'

export type EtcdRelease = 'etcd-3.5' | 'etcd-3.4'

/** The releases that are promised to work: tests that are short run on each, the others on the first. */
export const etcdReleases: readonly EtcdRelease[] = ['etcd-3.5', 'etcd-3.4']

const variables: Readonly<Record<EtcdRelease, string>> = { 'etcd-3.5': 'ETCD35_BIN', 'etcd-3.4': 'ETCD34_BIN' }

function etcdBinary(release: EtcdRelease): string {
  const places = [process.env[variables[release]], `.components/${release}/usr/bin/etcd`]
  const file = places.find((each) => each && existsSync(each))
  if (file !== undefined) return file
  throw new Error(
    `there is no ${release}: \`node scripts/components.mjs ${release}\` gets it, ${variables[release]} names one`,
  )
}

/** How many keys `seed` creates in one transaction (which all get one revision). */
const seedGroup = 1000

/** Files for an etcd that speaks TLS and asks its clients for a certificate of the CA. */
export interface EtcdTlsFiles {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

interface MemberPorts {
  readonly name: string
  readonly client: number
  readonly peer: number
}

export class EtcdProcess {
  readonly ports: MemberPorts
  readonly #cluster: readonly MemberPorts[]
  readonly #folder: string
  readonly #tls: EtcdTlsFiles | undefined
  readonly #binary: string
  readonly #flags: Readonly<Record<string, string | number>>
  #child: ChildProcess | undefined

  constructor(
    ports: MemberPorts,
    cluster: readonly MemberPorts[],
    setup: { folder: string; tls: EtcdTlsFiles | undefined; binary: string; flags: Record<string, string | number> },
  ) {
    this.ports = ports
    this.#cluster = cluster
    this.#folder = setup.folder
    this.#tls = setup.tls
    this.#binary = setup.binary
    this.#flags = setup.flags
  }

  get url(): string {
    return `${this.#tls ? 'https' : 'http'}://127.0.0.1:${this.ports.client}`
  }

  /** Starts the member with the data it had, and does not wait for it. */
  start(): void {
    const { name, peer } = this.ports
    const clientUrl = this.url
    const peerUrl = `http://127.0.0.1:${peer}`
    const flags = {
      name,
      'data-dir': join(this.#folder, name),
      'listen-client-urls': clientUrl,
      'advertise-client-urls': clientUrl,
      'listen-peer-urls': peerUrl,
      'initial-advertise-peer-urls': peerUrl,
      'initial-cluster': this.#cluster.map((m) => `${m.name}=http://127.0.0.1:${m.peer}`).join(','),
      'heartbeat-interval': this.#cluster.length > 1 ? 50 : 10,
      'election-timeout': this.#cluster.length > 1 ? 500 : 100,
      'max-txn-ops': seedGroup,
      'log-level': 'fatal',
      ...(this.#tls && {
        'trusted-ca-file': this.#tls.ca,
        'cert-file': this.#tls.cert,
        'key-file': this.#tls.key,
        'client-cert-auth': true,
      }),
      ...this.#flags,
    }
    const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)
    const env = { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch }
    this.#child = spawn(this.#binary, args, { env, stdio: 'ignore' })
  }

  /** Resolves when the member has a leader and answers. */
  async ready(): Promise<void> {
    await until(`etcd ${this.ports.name} to answer`, async () => {
      const { exitCode, signalCode } = this.#child ?? {}
      if (exitCode != null || signalCode != null) throw new Error(`etcd ended with ${exitCode ?? signalCode}`)
      return (await this.#page('/health')).includes('"true"')
    })
  }

  /** What etcd tells of itself; empty when it does not. With TLS its own certificate opens the door. */
  #page(path: string): Promise<string> {
    return new Promise((resolve) => {
      const read = (response: NodeJS.ReadableStream): void => {
        let text = ''
        response.on('data', (chunk) => {
          text += String(chunk)
        })
        response.on('end', () => resolve(text))
        response.on('error', () => resolve(''))
      }
      const { ca, cert, key } = this.#tls ?? {}
      const files = ca && cert && key && { ca: readFileSync(ca), cert: readFileSync(cert), key: readFileSync(key) }
      const request = files
        ? getSecurely(this.url + path, { ...files, agent: false }, read)
        : get(this.url + path, { agent: false }, read)
      request.on('error', () => resolve(''))
    })
  }

  async isLeader(): Promise<boolean> {
    return /^etcd_server_is_leader 1$/m.test(await this.#page('/metrics'))
  }

  /** SIGSTOP: connections stay open and nothing is answered. */
  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  /** kill -9. The data stays. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }
}

export class EtcdCluster {
  readonly members: readonly EtcdProcess[]
  readonly #folder: string

  private constructor(members: readonly EtcdProcess[], folder: string) {
    this.members = members
    this.#folder = folder
  }

  /** `flags` go to every member, without dashes. */
  static async start(
    size = 1,
    tls?: EtcdTlsFiles,
    { release = 'etcd-3.5', flags = {} }: { release?: EtcdRelease; flags?: Record<string, string | number> } = {},
  ): Promise<EtcdCluster> {
    const binary = etcdBinary(release)
    const folder = mkdtempSync(join(tmpdir(), 'pilothouse-etcd-'))
    const ports = await freePorts(2 * size)
    const all = Array.from({ length: size }, (_, i) => ({
      name: `m${i}`,
      client: ports[2 * i]!,
      peer: ports[2 * i + 1]!,
    }))
    const cluster = new EtcdCluster(
      all.map((member) => new EtcdProcess(member, all, { folder, tls, binary, flags })),
      folder,
    )
    for (const member of cluster.members) member.start()
    await Promise.all(cluster.members.map((member) => member.ready()))
    return cluster
  }

  get urls(): string[] {
    return this.members.map((member) => member.url)
  }

  /** Creates many keys by etcd's JSON gateway, past the store. */
  async seed(items: readonly { key: string; value: string }[]): Promise<void> {
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    for (let start = 0; start < items.length; start += seedGroup) {
      const success = items
        .slice(start, start + seedGroup)
        .map(({ key, value }) => ({ requestPut: { key: base64(key), value: base64(value) } }))
      const response = await fetch(`${this.urls[0]}/v3/kv/txn`, { method: 'POST', body: JSON.stringify({ success }) })
      if (!response.ok) throw new Error(`etcd refuses the keys: ${await response.text()}`)
    }
  }

  leader(): Promise<EtcdProcess> {
    return until('a leader of the etcd cluster', async () => {
      for (const member of this.members) if (await member.isLeader()) return member
      return undefined
    })
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()))
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
