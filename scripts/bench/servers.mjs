// The servers that are measured, each in processes of its own: Pilothouse, the floor (floor-server.mjs), and a
// kube-apiserver on etcd where KUBE_APISERVER_BIN and ETCD35_BIN say where they are.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../free-port.mjs'
import { root } from '../setup.mjs'
import { statusOf, token } from './http-client.mjs'

/** Of this run; goes with it, and so do the servers. */
export const work = mkdtempSync(path.join(tmpdir(), 'pilothouse-bench-'))
const children = []
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(work, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const tokens = path.join(work, 'tokens.csv')
writeFileSync(tokens, `${token},admin,admin,"system:masters"\n`, { mode: 0o600 })

/** Nobody makes the service accounts that pods would need. */
const common = [
  '--token-auth-file',
  tokens,
  '--authorization-mode',
  'RBAC',
  '--disable-admission-plugins',
  'ServiceAccount',
]

function start(command, args, env = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  child.tail = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      child.tail = (child.tail + text).slice(-4000)
    })
  }
  children.push(child)
  return child
}

/** A server that has just become ready, by what `isReady` says. */
async function started(name, { child, begin, url, pids, isReady }) {
  for (const deadline = begin + 120_000; !(await isReady()); await delay(5)) {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${child.tail}`)
    if (performance.now() > deadline) throw new Error(`${name} does not get ready: ${child.tail}`)
  }
  return {
    name,
    url,
    pids,
    startMs: performance.now() - begin,
    stop: () => stop(child),
    /** Throws once the server is gone: figures of none are none. */
    check: () => {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${name} ended: ${child.tail}`)
    },
  }
}

function stop(child) {
  if (child.exitCode !== null) return undefined
  child.kill('SIGTERM')
  return new Promise((resolve) => child.once('exit', resolve))
}

const readyAt = (url) => async () => (await statusOf(url, '/readyz')) === 200

/** `folder` is a name in the run's folder: with the name of a server that was stopped, it is started again on what that one has left. */
export async function startPilothouse(folder, options) {
  const { dist = path.join(root, 'dist'), store = 'lmdb', workers = 1, args = [], nodeArgs = [] } = options
  const { node = process.execPath, env } = options
  const port = await freePort()
  const begin = performance.now()
  const flags = [
    ...['--store', store, '--data-dir', path.join(work, folder), '--request-workers', String(workers)],
    ...['--bind-address', '127.0.0.1', '--secure-port', String(port), ...common, ...args],
  ]
  const child = start(node, [...nodeArgs, path.join(dist, 'cli.js'), ...flags], env)
  const pids = () => [child.pid, ...childrenOf(child.pid)]
  const isReady = () => /is ready on/.test(child.tail)
  return started('pilothouse', { child, begin, url: `https://127.0.0.1:${port}`, pids, isReady })
}

export async function startFloor(folder, { workers = 1 } = {}) {
  const port = await freePort()
  const { key, cert } = certificate()
  const begin = performance.now()
  mkdirSync(path.join(work, folder), { recursive: true })
  const program = path.join(import.meta.dirname, 'floor-server.mjs')
  const args = [path.join(work, folder), String(port), key, cert, String(workers)]
  const child = start(process.execPath, ['--expose-gc', program, ...args])
  const url = `https://127.0.0.1:${port}`
  const pids = () => [child.pid, ...childrenOf(child.pid)]
  return started('floor', { child, begin, url, pids, isReady: readyAt(url) })
}

/** None where its programs are not at hand. */
export async function startReference() {
  const { KUBE_APISERVER_BIN: program, ETCD35_BIN: etcdProgram } = process.env
  if (!program || !etcdProgram) return undefined
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()]
  const local = (each) => `http://127.0.0.1:${each}`
  const key = path.join(work, 'sa.key')
  execFileSync('openssl', ['genrsa', '-out', key, '2048'], { stdio: 'ignore' })
  const begin = performance.now()
  const etcd = start(etcdProgram, [
    ...['--data-dir', path.join(work, 'etcd'), '--listen-client-urls', local(client)],
    ...['--advertise-client-urls', local(client), '--listen-peer-urls', local(peer)],
    ...['--initial-advertise-peer-urls', local(peer), '--initial-cluster', `default=${local(peer)}`],
  ])
  const child = start(program, [
    ...['--etcd-servers', local(client), '--bind-address', '127.0.0.1', '--secure-port', String(port)],
    ...['--cert-dir', path.join(work, 'reference'), ...common],
    ...['--service-account-key-file', key, '--service-account-signing-key-file', key],
    ...['--service-account-issuer', 'https://kubernetes.default.svc', '--service-cluster-ip-range', '10.0.0.0/24'],
  ])
  const url = `https://127.0.0.1:${port}`
  return started('kube-apiserver', { child, begin, url, pids: () => [child.pid, etcd.pid], isReady: readyAt(url) })
}

function certificate() {
  const [key, cert] = [path.join(work, 'key.pem'), path.join(work, 'cert.pem')]
  if (!existsSync(key)) {
    const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes', '-keyout', key, '-out', cert]
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
    execFileSync('openssl', ['req', '-x509', ...curve, ...subject], { stdio: 'ignore' })
  }
  return { key, cert }
}

function childrenOf(pid) {
  try {
    const lists = readdirSync(`/proc/${pid}/task`).map((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'),
    )
    return lists.join(' ').split(/\s+/).filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Processor time of all processes of a server, in seconds; NaN where the system does not say. */
export function cpuSeconds({ pids }) {
  return sum(
    pids().map((pid) => {
      const file = `/proc/${pid}/stat`
      if (!existsSync(file)) return Number.NaN
      const fields = readFileSync(file, 'utf8').split(') ')[1].split(' ')
      return (Number(fields[11]) + Number(fields[12])) / 100
    }),
  )
}

/**
 * In MiB, of all processes of a server. Pages that they share count once in `pss`, and once for each in `rss`; `anonymous` leaves out those of
 * files (the program, the map of the store), which the system can take back.
 */
export function memoryMiB({ pids }) {
  const read = (pid, file, what) =>
    existsSync(`/proc/${pid}/${file}`)
      ? Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1]) / 1024
      : Number.NaN
  return {
    pss: sum(pids().map((pid) => read(pid, 'smaps_rollup', 'Pss'))),
    rss: sum(pids().map((pid) => read(pid, 'status', 'VmRSS'))),
    anonymous: sum(pids().map((pid) => read(pid, 'status', 'RssAnon'))),
  }
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

export const sum = (values) => values.reduce((total, each) => total + each, 0)
