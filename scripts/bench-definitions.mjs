// Measures what a CustomResourceDefinition with a schema of 30 KB costs: `npm run bench:definitions [-- COUNT STORE]`. Prints
// the time and the processor time of a create, how long after it the resource is served, the memory for each definition,
// and the same of a start with all of them (not for the memory store).
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [count = 500, store = 'lmdb'] = process.argv.slice(2).map((arg, i) => (i === 0 ? Number(arg) : arg))
const folder = mkdtempSync(join(tmpdir(), 'bench-definitions-'))
const port = 20_000 + Math.floor(Math.random() * 20_000)
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
writeFileSync(join(folder, 'tokens.csv'), 'token,admin,admin,"system:masters"\n')

const stat = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
const processorMs = (pid) => (Number(stat(pid)[11]) + Number(stat(pid)[12])) * 10
const memoryKiB = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1])
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

function call(session, method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = { ':method': method, ':path': path, authorization: 'Bearer token' }
    const request = session.request(body === undefined ? headers : { ...headers, 'content-type': 'application/json' })
    request.on('response', (answer) => request.resume().on('end', () => resolve(answer[':status'])))
    request.on('error', reject)
    request.end(body)
  })
}

async function connected() {
  for (;;) {
    const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
    session.on('error', () => {})
    if ((await call(session, 'GET', '/readyz').catch(() => 0)) === 200) return session
    session.destroy()
    await pause(10)
  }
}

async function start() {
  const flags = { store, 'data-dir': join(folder, 'data'), 'bind-address': '127.0.0.1', 'secure-port': port }
  const args = Object.entries({ ...flags, 'token-auth-file': join(folder, 'tokens.csv') })
  const begin = performance.now()
  const server = spawn(
    process.execPath,
    [join(root, 'dist/cli.js'), ...args.map(([name, value]) => `--${name}=${value}`)],
    {
      stdio: 'ignore',
    },
  )
  const session = await connected()
  return { server, session, ms: performance.now() - begin }
}

async function stop({ server, session }) {
  session.destroy()
  const gone = new Promise((resolve) => server.once('exit', resolve))
  server.kill()
  await gone
}

const fields = (depth) =>
  Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [
      `field${i}`,
      depth > 0 && i < 4
        ? { type: 'object', properties: fields(depth - 1) }
        : { type: i % 2 ? 'string' : 'integer', description: `What field ${i} is for. `.repeat(3) },
    ]),
  )

const definition = (i) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things${i}.bench.example.com` },
  spec: {
    group: 'bench.example.com',
    scope: 'Namespaced',
    names: { plural: `things${i}`, kind: `Thing${i}` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: fields(2) } } },
        },
      },
    ],
  },
})

const show = (what, value, unit) => console.log(`${what.padEnd(34)} ${value.toFixed(1).padStart(8)} ${unit}`)

const empty = await start()
const { pid } = empty.server
const before = { processor: processorMs(pid), memory: memoryKiB(pid) }
show('start with none', empty.ms, 'ms')
let creating = 0
const served = []
for (let i = 0; i < count; i++) {
  const body = JSON.stringify(definition(i))
  const begin = performance.now()
  if ((await call(empty.session, 'POST', definitions, body)) !== 201) throw new Error('a definition was refused')
  const made = performance.now()
  creating += made - begin
  while ((await call(empty.session, 'GET', `/apis/bench.example.com/v1/things${i}`)) !== 200);
  served.push(performance.now() - made)
}
served.sort((a, b) => a - b)
show('create', creating / count, 'ms each')
show('create and first list, processor', (processorMs(pid) - before.processor) / count, 'ms each')
show('served after the create, median', served[Math.floor(count / 2)], 'ms')
show('served after the create, longest', served.at(-1), 'ms')
await pause(8000)
show('memory', (memoryKiB(pid) - before.memory) / count, 'KiB each')
await stop(empty)
if (store !== 'memory') {
  const full = await start()
  show('start with all', full.ms, 'ms')
  show('start, processor', (processorMs(full.server.pid) - before.processor) / count, 'ms each')
  await stop(full)
}
rmSync(folder, { recursive: true })
