/**
 * A cluster in processes of its own: a server of this build with simulated nodes, and either the simulated controllers and
 * scheduler, or the reference's programs in their place.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts } from '../support/free-port.ts'
import { kubeconfigFor } from '../support/kubeconfig.ts'
import { Client } from './client.ts'

export interface Programs {
  readonly controllerManager: string
  readonly scheduler: string
}

export interface ClusterOptions {
  /** Made if need be. */
  readonly folder: string
  readonly seed: number
  /** In place of what is simulated. */
  readonly programs?: Programs | undefined
}

export interface Cluster {
  readonly client: Client
  close(): Promise<void>
}

const builtProgram = path.resolve('dist/cli.js')
/** Beta and off, but part of what is compared. */
const gates = '--feature-gates=DynamicResourceAllocation=true'
const startMs = 180_000
const users = { admin: 'system:masters', 'system:kube-controller-manager': '', 'system:kube-scheduler': '' } as const

export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { folder, programs } = options
  mkdirSync(folder, { recursive: true })
  const processes: Process[] = []
  const close = async (): Promise<void> => {
    for (const each of processes.toReversed()) await each.stop()
  }
  try {
    const [port, managerPort, schedulerPort] = (await freePorts(3)) as [number, number, number]
    const url = `https://127.0.0.1:${port}`
    processes.push(new Process('server', process.execPath, [builtProgram, ...serverFlags(options, port)], folder))
    const client = await readyClient(url, processes)
    if (programs === undefined) return { client, close: closing(client, close) }
    processes.push(new Process('manager', programs.controllerManager, managerFlags(folder, url, managerPort), folder))
    processes.push(new Process('scheduler', programs.scheduler, schedulerFlags(folder, url, schedulerPort), folder))
    return { client, close: closing(client, close) }
  } catch (error) {
    await close()
    throw error
  }
}

const closing = (client: Client, close: () => Promise<void>) => async (): Promise<void> => {
  client.close()
  await close()
}

function serverFlags({ folder, seed, programs }: ClusterOptions, port: number): string[] {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = path.join(folder, 'accounts.key')
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  const tokens = path.join(folder, 'tokens.csv')
  const lines = Object.entries(users).map(([user, group]) => `${tokenOf(user)},${user},${user},"${group}"\n`)
  writeFileSync(tokens, lines.join(''), { mode: 0o600 })
  const simulate = [`seed=${seed}`, 'missingImages=*:missing', ...(programs === undefined ? [] : ['scheduler=false'])]
  return [
    '--store=memory',
    `--data-dir=${path.join(folder, 'data')}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--authorization-mode=Node,RBAC',
    `--token-auth-file=${tokens}`,
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    gates,
    '--runtime-config=resource.k8s.io/v1beta1=true',
    `--simulate=${simulate.join(',')}`,
    // Without a cloud there are no load balancers, and the reference has nobody that makes up addresses.
    `--controllers=${programs === undefined ? '*,-service-lb-controller' : '-*'}`,
  ]
}

const managerFlags = (folder: string, url: string, port: number): string[] => [
  ...commonFlags(folder, { url, port, user: 'system:kube-controller-manager' }),
  '--use-service-account-credentials',
  `--service-account-private-key-file=${path.join(folder, 'accounts.key')}`,
  `--root-ca-file=${path.join(folder, 'data/pki/ca.crt')}`,
  `--cluster-signing-cert-file=${path.join(folder, 'data/pki/ca.crt')}`,
  `--cluster-signing-key-file=${path.join(folder, 'data/pki/ca.key')}`,
  '--allocate-node-cidrs',
  '--cluster-cidr=10.244.0.0/16',
  '--service-cluster-ip-range=10.0.0.0/24',
]

const schedulerFlags = (folder: string, url: string, port: number): string[] =>
  commonFlags(folder, { url, port, user: 'system:kube-scheduler' })

interface Login {
  readonly url: string
  readonly port: number
  readonly user: string
}

function commonFlags(folder: string, { url, port, user }: Login): string[] {
  const file = path.join(folder, `${tokenOf(user)}.kubeconfig`)
  const cluster = { server: url, 'certificate-authority': path.join(folder, 'data/pki/ca.crt') }
  writeFileSync(file, kubeconfigFor(cluster, { token: tokenOf(user) }), { mode: 0o600 })
  return [
    `--kubeconfig=${file}`,
    gates,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ]
}

const tokenOf = (user: string): string => `token-${user.replace('system:', '')}`

async function readyClient(url: string, processes: readonly Process[]): Promise<Client> {
  for (const end = Date.now() + startMs; Date.now() < end; await delay(200)) {
    for (const each of processes) each.check()
    const client = await Client.open({ url, token: tokenOf('admin') }).catch(() => undefined)
    if (client !== undefined && (await client.list(nodeMetrics)).length > 0) return client
    client?.close()
  }
  throw new Error('a server is not ready in time')
}

/** Served once the nodes are there. */
const nodeMetrics = '/apis/metrics.k8s.io/v1beta1/nodes'

const keptOutput = 4000

class Process {
  readonly #name: string
  readonly #child: ChildProcess
  #output = ''

  constructor(name: string, command: string, args: readonly string[], folder: string) {
    this.#name = name
    const env = { ...process.env, GOMEMLIMIT: '2GiB' }
    this.#child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const log = path.join(folder, `${name}.log`)
    const keep = (chunk: Buffer): void => {
      appendFileSync(log, chunk)
      this.#output = (this.#output + chunk.toString()).slice(-keptOutput)
    }
    this.#child.stdout?.on('data', keep)
    this.#child.stderr?.on('data', keep)
    this.#child.on('error', (error) => {
      this.#output += error.message
    })
  }

  check(): void {
    const { exitCode, signalCode } = this.#child
    if (exitCode === null && signalCode === null && this.#child.pid !== undefined) return
    throw new Error(`the ${this.#name} ended by itself:\n${this.#output}`)
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.pid === undefined) return
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGTERM')
    const killing = setTimeout(() => this.#child.kill('SIGKILL'), 20_000)
    await ended
    clearTimeout(killing)
  }
}
