// The least that a server of this API can do, to hold our figures against: TLS, HTTP/2, JSON.parse, one LMDB commit a group, JSON text out.
// It knows no rules, versions or users; it fills in what clients count on as a constant, keeps the text of each object, and sends that. What
// it takes cannot be saved.
//
//   node --expose-gc scripts/bench/floor-server.mjs FOLDER PORT KEY CERT [PROCESSES]
//
// With several processes, the first one has the store and the port, and hands every other connection on; each has all texts. A write is two
// messages to the first and back, and one to each other process, in one system call a turn of the loop: what several cannot save either.
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import net from 'node:net'

const [folder, port, key, cert, processes = '1'] = process.argv.slice(2)
/** Of several; the first one is 0. */
const number = Number(process.env.FLOOR_PROCESS ?? 0)
/** By path: the text, and what lists select by. */
const objects = new Map()
const watchers = new Set()
/** Each process counts in steps of its own, so that none has to ask. */
let revision = number

const nothing = Buffer.alloc(0)
const commit = number === 0 ? await openStore() : openChannel()

function keep(target, text, app = /"app":"([^"]*)"/.exec(text)?.[1]) {
  revision += Number(processes)
  objects.set(target, { text, app })
}

async function write(target, object, type) {
  object.metadata.resourceVersion = String(revision + Number(processes))
  const json = JSON.stringify(object)
  // Not of a pool that it would share with what is not kept.
  const text = Buffer.allocUnsafeSlow(Buffer.byteLength(json))
  text.write(json)
  keep(target, text, object.metadata.labels?.app)
  await commit(target, text)
  publish(target, text, type)
  return text
}

function publish(target, text, type) {
  if (watchers.size === 0) return
  const event = Buffer.concat([Buffer.from(`{"type":"${type}","object":`), text, Buffer.from('}\n')])
  for (const { stream, prefix } of watchers) if (target.startsWith(prefix)) stream.write(event)
}

// ---------------------------------------------------------------------------------------------- several processes

/** The first process: a write is shown to the others once it is on disk. */
async function openStore() {
  const { open } = await import('lmdb')
  const store = open({ path: `${folder}/data.mdb`, encoding: 'binary', compression: false, overlappingSync: false })
  for (const { key: target, value } of store.getRange()) keep(target, Buffer.from(value))
  const others = []
  const commitFor = async (writer, target, text) => {
    await store.put(target, text)
    for (const other of others) if (other !== writer) other.send(0, target, text)
  }
  for (let each = 1; each < Number(processes); each++) {
    const env = { ...process.env, FLOOR_PROCESS: String(each) }
    const child = fork(process.argv[1], process.argv.slice(2), { env, stdio: [0, 1, 2, 'ipc', 'pipe'] })
    const other = framesOf(child.stdio[4], async (id, target, text) => {
      keep(target, text)
      await commitFor(other, target, text)
      other.send(id, '', nothing)
      publish(target, text, 'ADDED')
    })
    others.push(Object.assign(other, { child }))
  }
  passConnections(others)
  return (target, text) => commitFor(undefined, target, text)
}

/** Another process: what it writes goes to the first one, what comes without having been asked for is a write of others. */
function openChannel() {
  process.once('disconnect', () => process.exit(0))
  process.on('message', (_, socket) => server.emit('connection', socket))
  const asked = new Map()
  let last = 0
  const { send } = framesOf(new net.Socket({ fd: 4 }), (id, target, text) => {
    if (id === 0) {
      keep(target, text)
      publish(target, text, 'ADDED')
      return
    }
    asked.get(id)()
    asked.delete(id)
  })
  return (target, text) => {
    send(++last, target, text)
    return new Promise((resolve) => asked.set(last, resolve))
  }
}

/** Frames of an id, a path and a text. Those of one turn of the loop leave together. */
function framesOf(stream, take) {
  let rest = nothing
  stream.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (; rest.length - at >= 10; ) {
      const textAt = at + 10 + rest.readUInt16LE(at + 8)
      const end = textAt + rest.readUInt32LE(at)
      if (end > rest.length) break
      take(rest.readUInt32LE(at + 4), rest.toString('latin1', at + 10, textAt), Buffer.from(rest.subarray(textAt, end)))
      at = end
    }
    rest = rest.subarray(at)
  })
  let isScheduled = false
  const flush = () => {
    isScheduled = false
    stream.uncork()
  }
  const send = (id, target, text) => {
    if (!isScheduled) {
      isScheduled = true
      stream.cork()
      setImmediate(flush)
    }
    const frame = Buffer.allocUnsafe(10 + target.length + text.length)
    frame.writeUInt32LE(text.length, 0)
    frame.writeUInt32LE(id, 4)
    frame.writeUInt16LE(target.length, 8)
    frame.latin1Write(target, 10)
    frame.set(text, 10 + target.length)
    stream.write(frame)
  }
  return { send }
}

function passConnections(others) {
  if (others.length === 0) return
  let next = 0
  const port0 = net.createServer({ pauseOnConnect: true }, (socket) => {
    const other = others[next++ % (others.length + 1)]
    Object.assign(socket, { server: undefined })
    if (other === undefined) server.emit('connection', socket)
    else other.child.send('connection', socket)
  })
  port0.listen(Number(port), '127.0.0.1')
}

// ---------------------------------------------------------------------------------------------- requests

function create(collection, object) {
  const { metadata } = object
  metadata.name ??= `${metadata.generateName}${Math.random().toString(36).slice(2, 9)}`
  metadata.uid = crypto.randomUUID()
  metadata.creationTimestamp = new Date().toISOString()
  const target = `${collection}/${metadata.name}`
  return write(target, complete(object, collection.slice(collection.lastIndexOf('/') + 1)), 'ADDED')
}

/** The benchmarks' objects as every server answers them: their lists must be as long. */
function complete({ metadata, ...rest }, resource) {
  if (resource === 'pods') setDefaults(rest)
  const { labels, annotations } = metadata
  owned[resource] ??= ownedFields({ metadata: { labels, annotations }, ...rest, status: undefined })
  const entry = { operation: 'Update', apiVersion: 'v1', time: metadata.creationTimestamp, fieldsType: 'FieldsV1' }
  metadata.managedFields = [{ manager: 'floor', ...entry, fieldsV1: owned[resource] }]
  return { kind: kinds[resource], apiVersion: 'v1', metadata, ...rest }
}
const kinds = { pods: 'Pod', configmaps: 'ConfigMap', namespaces: 'Namespace' }
/** By resource: the objects of one are all alike. */
const owned = {}

function setDefaults(pod) {
  const [container] = pod.spec.containers
  container.ports[0].protocol = 'TCP'
  container.env[0].valueFrom.fieldRef.apiVersion = 'v1'
  container.readinessProbe.httpGet.scheme = 'HTTP'
  Object.assign(
    container.readinessProbe,
    { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1 },
    { failureThreshold: 3 },
  )
  Object.assign(container, { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' })
  Object.assign(container, { imagePullPolicy: 'IfNotPresent' })
  const policies = { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', preemptionPolicy: 'PreemptLowerPriority' }
  const scheduling = { terminationGracePeriodSeconds: 30, schedulerName: 'default-scheduler', priority: 0 }
  const tolerations = ['not-ready', 'unreachable'].map((taint) => ({
    key: `node.kubernetes.io/${taint}`,
    ...{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
  }))
  Object.assign(pod.spec, policies, scheduling, { securityContext: {}, enableServiceLinks: true, tolerations })
  pod.status = { phase: 'Pending', qosClass: 'Burstable' }
}

function ownedFields(value) {
  if (typeof value !== 'object') return {}
  const keyOf = (name, each) => (Array.isArray(value) ? `k:${JSON.stringify({ name: each.name })}` : `f:${name}`)
  const members = Object.entries(value).filter(
    ([, each]) => each !== undefined && (!Array.isArray(value) || typeof each === 'object'),
  )
  return Object.fromEntries(members.map(([name, each]) => [keyOf(name, each), ownedFields(each)]))
}

function patch(target, change) {
  const { text } = objects.get(target)
  const object = JSON.parse(text)
  return change.kind === undefined ? write(target, merge(object, change), 'MODIFIED') : text
}

function merge(object, change) {
  for (const [name, value] of Object.entries(change)) {
    const nested = typeof value === 'object' && typeof object[name] === 'object'
    object[name] = nested ? merge(object[name], value) : value
  }
  return object
}

/** In pieces that are used again, and no faster than they are taken. */
async function list(stream, prefix, query) {
  const limit = Number(query.get('limit') ?? Infinity)
  const app = query.get('labelSelector')?.replace('app=', '')
  stream.respond({ ':status': 200, 'content-type': 'application/json' })
  let piece = pieces.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
  let used = piece.write(`{"kind":"List","metadata":{"resourceVersion":"${revision}"},"items":[`)
  let count = 0
  for (const [target, { text, app: labelled }] of objects) {
    if (!target.startsWith(prefix) || (app !== undefined && app !== labelled)) continue
    if (used + text.length + 3 > pieceBytes) {
      await sent(stream, piece, used)
      if (stream.destroyed) return
      piece = pieces.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
      used = 0
    }
    if (count++ > 0) piece[used++] = comma
    used += text.copy(piece, used)
    if (count === limit) break
  }
  used += piece.write(']}', used)
  await sent(stream, piece, used)
  stream.end()
}
const comma = 0x2c
const pieceBytes = 128 * 1024
const pieces = []

function sent(stream, piece, used) {
  return new Promise((resolve) => {
    stream.once('close', resolve)
    stream.write(piece.subarray(0, used), (error) => {
      stream.off('close', resolve)
      if (!error) pieces.push(piece)
      resolve()
    })
  })
}

function watch(stream, prefix) {
  const watcher = { stream, prefix }
  watchers.add(watcher)
  stream.on('close', () => watchers.delete(watcher))
  stream.respond({ ':status': 200, 'content-type': 'application/json' })
}

function answer(stream, status, text) {
  stream.respond({ ':status': status, 'content-type': 'application/json', 'content-length': text.length })
  stream.end(text)
}

function readBody(stream) {
  return new Promise((resolve) => {
    const chunks = []
    stream.on('data', (chunk) => chunks.push(chunk))
    stream.on('end', () => resolve(JSON.parse(Buffer.concat(chunks))))
  })
}

async function serve(stream, headers) {
  const [target, query = ''] = headers[':path'].split('?')
  const options = new URLSearchParams(query)
  if (headers[':method'] === 'POST') return answer(stream, 201, await create(target, await readBody(stream)))
  const named = target.replace(/\/status$/, '')
  if (headers[':method'] === 'PATCH') return answer(stream, 200, await patch(named, await readBody(stream)))
  if (options.has('watch')) return watch(stream, `${target}/`)
  const found = objects.get(target)
  if (found !== undefined) return answer(stream, 200, found.text)
  return target === '/readyz' ? answer(stream, 200, Buffer.from('ok')) : list(stream, `${target}/`, options)
}

let served = 0
const server = http2.createSecureServer({ key: readFileSync(key), cert: readFileSync(cert), maxSessionMemory: 200 })
server.on('stream', (stream, headers) => {
  // A client that is gone is none to answer.
  stream.on('error', () => stream.destroy())
  served++
  serve(stream, headers).catch(() => stream.destroy())
})
if (Number(processes) === 1) server.listen(Number(port), '127.0.0.1')

/** Once nothing was asked for a while, what is garbage is given back. */
let isGarbage = false
let seen = 0
setInterval(() => {
  if (isGarbage && seen === served) gc()
  isGarbage = seen !== served
  seen = served
}, 1000)
