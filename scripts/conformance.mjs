// Plays the conformance suite (conformance/) against the built server, started as the reference was when it was recorded.
//
//   npm run conformance                                   everything, on the default store
//   npm run conformance -- --store memory|etcd            on another one; etcd is started for it
//   npm run conformance -- --request-workers 2            by several processes
//   npm run conformance -- --release 1.36                 a server of a later release, and what its reference answers
//   npm run conformance -- --release 1.35 --gates         what is behind gates that are off, on a server that has them on
//   npm run conformance -- --focus patch/apply --verbose  what `pilothouse conformance --help` lists
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ensureComponents } from './components.mjs'
import { freePort } from './free-port.mjs'
import { root, setup } from './setup.mjs'

const program = path.join(root, 'dist', 'cli.js')
const token = 'admintoken'

const [store, afterStore] = takeOption('store', 'lmdb', process.argv.slice(2))
const [workers, rest] = takeOption('request-workers', '1', afterStore)
const release = flagValue(rest, '--release')
setup()
process.exitCode = await main()

async function main() {
  const work = mkdtempSync(path.join(tmpdir(), 'pilothouse-conformance-'))
  const children = []
  const cleanUp = async () => {
    for (const child of children.reverse()) await stop(child)
    rmSync(work, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => cleanUp().then(() => process.exit(1)))
  try {
    const flags = store === 'etcd' ? await startEtcd(work, children) : [`--store=${store}`, `--data-dir=${work}/data`]
    const port = await freePort()
    const server = start(process.execPath, [program, ...flags, ...serverFlags(work, port)])
    children.push(server)
    await untilReady(server, port)
    const kubeconfig = path.join(work, 'kubeconfig')
    writeFileSync(kubeconfig, kubeconfigOf(port))
    return await run([program, 'conformance', '--kubeconfig', kubeconfig, ...rest])
  } finally {
    await cleanUp()
  }
}

/** An option that is ours, and what is left for the command. */
function takeOption(name, otherwise, args) {
  const at = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`))
  if (at < 0) return [otherwise, args]
  const isJoined = args[at].includes('=')
  return [isJoined ? args[at].slice(`--${name}=`.length) : args[at + 1], args.toSpliced(at, isJoined ? 1 : 2)]
}

/** The value of a flag, which stays where it is. */
function flagValue(args, flag) {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`))
  return at < 0 ? undefined : args[at].includes('=') ? args[at].slice(flag.length + 1) : args[at + 1]
}

/** As conformance/README.md says. */
function serverFlags(work, port) {
  writeFileSync(path.join(work, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`)
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--request-workers=${workers}`,
    '--authorization-mode=RBAC',
    `--token-auth-file=${work}/tokens.csv`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    '--allow-privileged=true',
    '--disable-admission-plugins=ServiceAccount',
    '--controllers=namespace-controller,garbage-collector-controller',
    ...(release === undefined ? [] : [`--emulated-version=${release}`]),
    ...(rest.includes('--gates') ? gateFlags() : []),
  ]
}

/** What the gated area of a release needs beside that: a flag a line. */
function gateFlags() {
  const file = path.join(root, 'conformance', `v${release}-gates`, 'flags.txt')
  return readFileSync(file, 'utf8').split('\n').filter(Boolean)
}

/** The flags that point the server at it. */
async function startEtcd(work, children) {
  const [missing] = await ensureComponents(['etcd-3.5'])
  if (missing !== undefined) throw new Error(`etcd is needed: ${missing.reason}`)
  const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`)
  const etcd = start(process.env.ETCD35_BIN, [
    `--data-dir=${work}/etcd`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ])
  children.push(etcd)
  return [`--etcd-servers=${client}`, `--data-dir=${work}/data`]
}

function start(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  child.tail = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      child.tail = (child.tail + text).slice(-8000)
    })
  }
  return child
}

async function untilReady(server, port) {
  for (const deadline = Date.now() + 300_000; Date.now() < deadline; ) {
    if (hasEnded(server)) throw new Error(`the server ended before it was ready:\n${server.tail}`)
    if ((await statusOf(`https://127.0.0.1:${port}/readyz`)) === 200) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the server was not ready within five minutes:\n${server.tail}`)
}

function statusOf(url) {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` }
    const request = https.get(url, { headers, rejectUnauthorized: false, agent: false, timeout: 5000 }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(0))
  })
}

function kubeconfigOf(port) {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'admin' } }],
    'current-context': 'c',
  })
}

function run(args) {
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
}

function hasEnded(child) {
  return child.exitCode !== null || child.signalCode !== null
}

async function stop(child) {
  if (hasEnded(child)) return
  const ended = new Promise((resolve) => child.on('exit', resolve))
  child.kill('SIGTERM')
  const impatient = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await ended
  clearTimeout(impatient)
}
