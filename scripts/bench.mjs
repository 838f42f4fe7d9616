// Measures reading from outside, over TLS and HTTP/2, against a freshly built server in a process and a folder of its own.
//
//   npm run bench [-- --store lmdb|memory] [--pods 10000] [--watchers 500] [--idle 2000] [--seconds 4] [--server-arg X]… [--json]
//
// Absolute figures move with the machine, so every throughput is also given as a ratio to a bare Node HTTP/2 server in the same run: by the
// clock (`of bare`), and by the processor time that one request costs (`by CPU`), which holds on a busy machine, too. Uses h2load where it is
// installed, else a Node client.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { benchPod } from './bench-pod.mjs'
import { freePort } from './free-port.mjs'

const root = path.join(import.meta.dirname, '..')
const { values: options } = parseArgs({
  options: {
    store: { type: 'string', default: 'lmdb' },
    pods: { type: 'string', default: '10000' },
    watchers: { type: 'string', default: '500' },
    idle: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '4' },
    dist: { type: 'string' },
    'server-arg': { type: 'string', multiple: true, default: [] },
    'node-arg': { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
})
const pods = Number(options.pods)
const seconds = Number(options.seconds)
const work = mkdtempSync(path.join(tmpdir(), 'pilothouse-bench-'))
const children = []
const results = {}

function report(name, value, unit, note = '') {
  results[name] = { value, unit, ...(note === '' ? {} : { note }) }
  if (options.json) return
  console.log(`${name.padEnd(26)} ${String(Number(value.toPrecision(4))).padStart(10)} ${unit.padEnd(6)} ${note}`)
}

// ---------------------------------------------------------------------------------------------- the processes under test

function startProcess(args, stdio = ['ignore', 'pipe', 'inherit']) {
  const child = spawn(process.execPath, args, { stdio })
  children.push(child)
  return child
}

/** A server that does nothing but answer: with 2 KiB, or with as many bytes as the query says. */
async function startBare() {
  const [key, cert] = [path.join(work, 'key.pem'), path.join(work, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes', '-keyout', key, '-out', cert]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject], { stdio: 'ignore' })
  const script = path.join(work, 'bare.mjs')
  writeFileSync(
    script,
    `import http2 from 'node:http2'
    import { readFileSync } from 'node:fs'
    const tls = { key: readFileSync(${JSON.stringify(key)}), cert: readFileSync(${JSON.stringify(cert)}) }
    const body = JSON.stringify({ pad: 'x'.repeat(2030) })
    const server = http2.createSecureServer({ maxSessionMemory: 200, ...tls }, (request, response) => {
      const bulk = /bulk=(\\d+)/.exec(request.url)
      const out = bulk === null ? body : Buffer.alloc(Number(bulk[1]), 'x')
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': out.length })
      response.end(out)
    })
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))`,
  )
  const child = startProcess([script])
  const port = await new Promise((resolve) => child.stdout.once('data', (text) => resolve(Number(text))))
  return { url: `https://127.0.0.1:${port}`, pid: child.pid }
}

async function startServer(dist, folder) {
  const tokens = path.join(work, 'tokens.csv')
  writeFileSync(tokens, 'bench-token,admin,admin,"system:masters"\n')
  const port = await freePort()
  const flags = ['--store', options.store, '--data-dir', path.join(work, folder), '--token-auth-file', tokens]
  const address = ['--bind-address', '127.0.0.1', '--secure-port', String(port), '--authorization-mode', 'RBAC']
  // Nobody makes the service accounts that pods would need.
  const admission = ['--disable-admission-plugins', 'ServiceAccount']
  const begin = performance.now()
  const child = startProcess(
    [...options['node-arg'], path.join(dist, 'cli.js'), ...flags, ...address, ...admission, ...options['server-arg']],
    ['ignore', 'ignore', 'ignore'],
  )
  const url = `https://127.0.0.1:${port}`
  await untilReady(url, child)
  return { url, pid: child.pid, startMs: performance.now() - begin }
}

/** Built beside the packages, so that native ones are found. */
function buildServer() {
  const folder = path.join(root, 'node_modules', '.cache', `bench-${process.pid}`)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  execFileSync(process.execPath, [path.join(root, 'scripts', 'build.mjs'), '--outdir', folder], { stdio: 'inherit' })
  return folder
}

async function untilReady(url, child) {
  for (let tries = 0; tries < 2000; tries++) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const session = connect(url)
    const answer = await call(session, 'GET', '/readyz').catch(() => undefined)
    session.destroy()
    if (answer?.status === 200) return
    await delay(5)
  }
  throw new Error('the server does not get ready')
}

/** Seconds of processor time that a process has had; undefined where the system does not tell. */
function cpuSeconds(pid) {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return undefined
  const fields = readFileSync(file, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function memoryMiB(pid) {
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return Number.NaN
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8'))[1]) / 1024
}

// ---------------------------------------------------------------------------------------------- clients

const headers = { authorization: 'Bearer bench-token', accept: 'application/json' }

function connect(url) {
  const session = http2.connect(url, {
    rejectUnauthorized: false,
    peerMaxConcurrentStreams: 1000,
    settings: { initialWindowSize: 1 << 20 },
  })
  session.on('error', () => {})
  return session
}

function call(session, method, target, body, type = 'application/json') {
  return new Promise((resolve, reject) => {
    const content = body === undefined ? {} : { 'content-type': type }
    const request = session.request({ ':method': method, ':path': target, ...headers, ...content })
    const chunks = []
    let status
    request.on('response', (answer) => {
      status = answer[':status']
    })
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => resolve({ status, body: Buffer.concat(chunks) }))
    request.on('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function pool(count, width, job) {
  let next = 0
  const worker = async () => {
    while (next < count) await job(next++)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

const hasH2load = (() => {
  try {
    execFileSync('h2load', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/** Requests per second, and the server's processor time for one, in microseconds. */
async function load({ url, pid }, target, { clients = 4, streams = 8 } = {}) {
  const run = hasH2load ? loadByTool : loadByNode
  const shape = { clients, streams }
  await run(`${url}${target}`, { ...shape, duration: 1 })
  const before = cpuSeconds(pid)
  const { count, rate } = await run(`${url}${target}`, { ...shape, duration: seconds })
  const after = cpuSeconds(pid)
  return { rate, cpu: before === undefined ? Number.NaN : ((after - before) / count) * 1e6 }
}

function loadByTool(url, { clients, streams, duration }) {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const args = ['-c', clients, '-m', streams, '-t', 1, '-D', duration, ...lines, url]
  const out = execFileSync('h2load', args.map(String), { maxBuffer: 1 << 26 }).toString()
  const failed = /(\d+) 4xx, (\d+) 5xx/.exec(out)
  if (failed !== null && (failed[1] !== '0' || failed[2] !== '0')) throw new Error(`not all answers are good: ${out}`)
  return {
    rate: Number(/finished in .*?, ([\d.]+) req\/s/.exec(out)?.[1]),
    count: Number(/requests: .* (\d+) succeeded/.exec(out)?.[1]),
  }
}

async function loadByNode(url, { clients, streams, duration }) {
  const { origin, pathname, search } = new URL(url)
  const begin = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const session = connect(origin)
      await pool(Number.POSITIVE_INFINITY, streams, async () => {
        await call(session, 'GET', pathname + search)
        count++
        if (performance.now() - begin > duration * 1000) throw finished
      }).catch((error) => {
        if (error !== finished) throw error
      })
      session.destroy()
    }),
  )
  return { count, rate: count / ((performance.now() - begin) / 1000) }
}

const finished = new Error('the time is over')

// ---------------------------------------------------------------------------------------------- what is measured

const pod = (i) =>
  benchPod({ name: `pod-${i}`, app: `app-${i % 100}`, tier: i % 2 ? 'front' : 'back', node: `node-${i % 50}` })

const collection = '/api/v1/namespaces/bench/pods'

async function loadPods(session) {
  await call(session, 'POST', '/api/v1/namespaces', { metadata: { name: 'bench' } })
  await pool(pods, 64, async (i) => {
    const { status, body } = await call(session, 'POST', collection, pod(i))
    if (status !== 201) throw new Error(`a pod was refused: ${body}`)
  })
}

async function throughput(server, bare) {
  const small = await load(bare, '/')
  report('bare', small.rate, 'req/s', `${small.cpu.toFixed(0)} µs of CPU`)
  const figures = [
    ['get.pod', `${collection}/pod-1`, {}],
    ['list.500', `${collection}?limit=500`, { clients: 2, streams: 2 }],
    ['list.selector', `${collection}?labelSelector=app%3Dapp-7&resourceVersion=0`, { clients: 2, streams: 2 }],
  ]
  for (const [name, target, shape] of figures) {
    const { rate, cpu } = await load(server, target, shape)
    const ratios = `${(rate / small.rate).toFixed(4)} of bare, ${(small.cpu / cpu).toFixed(4)} by CPU (${cpu.toFixed(0)} µs)`
    const session = connect(server.url)
    const { length } = (await call(session, 'GET', target)).body
    session.destroy()
    const same = length < 20_000 ? undefined : await load(bare, `/?bulk=${length}`, shape)
    const bulk =
      same === undefined ? '' : `; a bare server sends ${(length / 1e6).toFixed(2)} MB for ${same.cpu.toFixed(0)} µs`
    report(name, rate, 'req/s', ratios + bulk)
  }
}

async function wholeLists(server, bare) {
  for (const [name, query, width] of [
    ['list.all', '?resourceVersion=0', 1],
    ['list.all.consistent', '', 1],
    ['list.all.x4', '?resourceVersion=0', 4],
  ]) {
    const ours = await timedReads(server, `${collection}${query}`, width)
    const theirs = await timedReads(bare, `/?bulk=${ours.bytes}`, width)
    const ratios = `${(theirs.ms / ours.ms).toFixed(3)} of bare, ${(theirs.cpu / ours.cpu).toFixed(3)} by CPU`
    report(name, ours.ms, 'ms', `${(ours.bytes / 1e6).toFixed(1)} MB, ${ratios}`)
  }
}

async function timedReads({ url, pid }, target, width) {
  const session = connect(url)
  const { body } = await call(session, 'GET', target)
  const before = cpuSeconds(pid)
  const times = []
  await pool(width * 5, width, async () => {
    const begin = performance.now()
    await call(session, 'GET', target)
    times.push(performance.now() - begin)
  })
  const cpu = cpuSeconds(pid) - before
  session.destroy()
  times.sort((a, b) => a - b)
  return { ms: times[times.length >> 1], cpu, bytes: body.length }
}

/** The most that the server's memory grows while ten clients read the whole list at once. */
async function tenLists({ url, pid }) {
  const sessions = Array.from({ length: 10 }, () => connect(url))
  await call(sessions[0], 'GET', `${collection}?resourceVersion=0`)
  await delay(1000)
  const before = memoryMiB(pid)
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, memoryMiB(pid))
  }, 5)
  await Promise.all(sessions.map((session) => call(session, 'GET', `${collection}?resourceVersion=0`)))
  clearInterval(timer)
  report('memory.ten-lists', most - before, 'MiB', 'growth during ten concurrent lists of everything')
  for (const session of sessions) session.destroy()
}

function openWatch(session, target, onData) {
  return new Promise((resolve) => {
    const request = session.request({ ':path': target, ...headers })
    request.on('response', resolve)
    request.on('error', () => {})
    if (onData !== undefined) request.on('data', onData)
    request.end()
  })
}

async function watchLag({ url }, session) {
  const watchers = Number(options.watchers)
  const sessions = Array.from({ length: Math.ceil(watchers / 50) }, () => connect(url))
  const { resourceVersion } = JSON.parse((await call(session, 'GET', `${collection}?limit=1`)).body).metadata
  const sent = new Map()
  const lags = []
  const onData = () => {
    let rest = ''
    return (chunk) => {
      const now = performance.now()
      const lines = (rest + chunk.toString('latin1')).split('\n')
      rest = lines.pop()
      for (const line of lines) {
        const tick = /"tick":"(\d+)"/.exec(line)
        if (tick !== null) lags.push(now - sent.get(tick[1]))
      }
    }
  }
  const target = `${collection}?watch=1&resourceVersion=${resourceVersion}`
  await Promise.all(
    Array.from({ length: watchers }, (_, i) => openWatch(sessions[Math.floor(i / 50)], target, onData())),
  )
  const writes = 100
  for (let i = 0; i < writes; i++) {
    sent.set(String(i), performance.now())
    const patch = { metadata: { annotations: { tick: String(i) } } }
    await call(session, 'PATCH', `${collection}/pod-${i}`, patch, 'application/merge-patch+json')
    await delay(30)
  }
  await delay(1000)
  lags.sort((a, b) => a - b)
  report('watch.delivered', lags.length / (writes * watchers), 'of 1', `${watchers} watchers, ${writes} writes`)
  report('watch.lag.p50', lags[lags.length >> 1] ?? Number.NaN, 'ms')
  report('watch.lag.p99', lags[Math.floor(lags.length * 0.99)] ?? Number.NaN, 'ms')
  for (const each of sessions) each.destroy()
}

/** On a server that has done nothing else, whose memory only grows by them. */
async function idleWatchers({ url, pid }) {
  const count = Number(options.idle)
  const sessions = Array.from({ length: Math.ceil(count / 200) }, () => connect(url))
  const target = '/api/v1/configmaps?watch=1&resourceVersion=0&allowWatchBookmarks=true'
  const open = (i) => openWatch(sessions[i % sessions.length], target)
  // The first ones pay for the connections and the compiled code.
  await pool(sessions.length * 5, 50, open)
  const before = memoryMiB(pid)
  await pool(count, 50, open)
  await delay(2000)
  report('memory.idle-watcher', ((memoryMiB(pid) - before) / count) * 1024, 'KiB', `each of ${count}`)
  for (const session of sessions) session.destroy()
}

try {
  const dist = options.dist ?? buildServer()
  const server = await startServer(dist, 'data')
  report('start', server.startMs, 'ms', `to /readyz, ${options.store}`)
  const bare = await startBare()
  const session = connect(server.url)
  await delay(500)
  report('memory.idle', memoryMiB(server.pid), 'MiB')
  await loadPods(session)
  report('memory.loaded', memoryMiB(server.pid), 'MiB', `${pods} pods`)
  await throughput(server, bare)
  await wholeLists(server, bare)
  await tenLists(server)
  report('memory.after-lists', memoryMiB(server.pid), 'MiB')
  await watchLag(server, session)
  if (Number(options.idle) > 0) await idleWatchers(await startServer(dist, 'idle-data'))
  if (options.json) console.log(JSON.stringify(results, null, 1))
} finally {
  for (const child of children) child.kill()
  rmSync(work, { recursive: true, force: true })
}
process.exit(0)
