// The least that a server of this API can do, to hold our figures against: TLS, HTTP/2, JSON.parse, one LMDB commit a group, JSON text out.
// It knows no rules, versions, owners or users; it keeps the text of each object, and sends that. What it takes cannot be saved.
//
//   node scripts/bench/floor-server.mjs FOLDER PORT KEY CERT
import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import { open } from 'lmdb'

const [folder, port, key, cert] = process.argv.slice(2)
const store = open({ path: `${folder}/data.mdb`, encoding: 'binary', compression: false, overlappingSync: false })
/** By path: the text, and what lists select by. */
const objects = new Map()
const watchers = new Set()
let revision = 0

for (const { key: target, value } of store.getRange()) keep(target, Buffer.from(value))

function keep(target, text, app = /"app":"([^"]*)"/.exec(text)?.[1]) {
  revision++
  objects.set(target, { text, app })
}

async function write(target, object, type) {
  object.metadata.resourceVersion = String(revision + 1)
  const text = Buffer.from(JSON.stringify(object))
  keep(target, text, object.metadata.labels?.app)
  await store.put(target, text)
  if (watchers.size > 0) {
    const event = Buffer.concat([Buffer.from(`{"type":"${type}","object":`), text, Buffer.from('}\n')])
    for (const { stream, prefix } of watchers) if (target.startsWith(prefix)) stream.write(event)
  }
  return text
}

function create(collection, object) {
  const { metadata } = object
  metadata.name ??= `${metadata.generateName}${Math.random().toString(36).slice(2, 9)}`
  metadata.uid = crypto.randomUUID()
  metadata.creationTimestamp = new Date().toISOString()
  return write(`${collection}/${metadata.name}`, object, 'ADDED')
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

/** In pieces, and no faster than they are taken. */
async function list(stream, prefix, query) {
  const limit = Number(query.get('limit') ?? Infinity)
  const app = query.get('labelSelector')?.replace('app=', '')
  stream.respond({ ':status': 200, 'content-type': 'application/json' })
  let parts = [Buffer.from(`{"kind":"List","metadata":{"resourceVersion":"${revision}"},"items":[`)]
  let [size, count] = [0, 0]
  for (const [target, { text, app: labelled }] of objects) {
    if (!target.startsWith(prefix) || (app !== undefined && app !== labelled)) continue
    if (count++ > 0) parts.push(comma)
    parts.push(text)
    size += text.length
    if (count === limit) break
    if (size < 64 * 1024) continue
    if (!stream.write(Buffer.concat(parts))) await new Promise((resolve) => stream.once('drain', resolve))
    parts = []
    size = 0
  }
  stream.end(Buffer.concat([...parts, Buffer.from(']}')]))
}
const comma = Buffer.from(',')

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

const server = http2.createSecureServer({ key: readFileSync(key), cert: readFileSync(cert), maxSessionMemory: 200 })
server.on('stream', (stream, headers) => {
  // A client that is gone is none to answer.
  stream.on('error', () => stream.destroy())
  serve(stream, headers).catch(() => stream.destroy())
})
server.listen(Number(port), '127.0.0.1')
