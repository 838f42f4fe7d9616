/**
 * Three servers, each a process of its own, on one etcd behind a small TCP balancer: all are restarted one after the
 * other under load, and one is killed. The client does what client-go does: it reads again after a lost connection, sends
 * a write again only when it surely was not taken, waits when it is told to, and watches on from where it was.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http2 from 'node:http2'
import https from 'node:https'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { freePort, freePorts } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import type { Json } from './support/test-server.ts'

const bundles = path.resolve('node_modules', '.cache', `pilothouse-ha-test-${process.pid}`)
const command = path.join(bundles, 'stdin.js')

class ServerProcess {
  readonly port: number
  readonly #flags: readonly string[]
  #child: ChildProcess | undefined
  isReady = false

  constructor(port: number, flags: readonly string[]) {
    this.port = port
    this.#flags = flags
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [command, ...this.#flags], { stdio: ['ignore', 'pipe', 'ignore'] })
    this.#child = child
    await new Promise<void>((resolve, reject) => {
      let said = ''
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
      child.stdout?.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        if (said.includes('is ready')) resolve()
      })
    })
    this.isReady = true
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined) return null
    const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill(signal)
    const code = await gone
    this.isReady = false
    return code
  }
}

/** Passes connections to the servers in turn, and not to those whose /readyz fails. */
class Balancer {
  readonly #servers: readonly ServerProcess[]
  readonly #server = net.createServer((client) => this.#connect(client, 0))
  readonly #checks: NodeJS.Timeout
  readonly #healthy = new Map<ServerProcess, boolean>()
  #next = 0

  constructor(servers: readonly ServerProcess[]) {
    this.#servers = servers
    this.#checks = setInterval(() => this.#check(), 50)
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return (this.#server.address() as net.AddressInfo).port
  }

  #check(): void {
    for (const server of this.#servers) {
      const options = {
        host: '127.0.0.1',
        port: server.port,
        path: '/readyz',
        rejectUnauthorized: false,
        timeout: 1000,
      }
      https
        .get({ ...options, agent: false }, (answer) => {
          this.#healthy.set(server, answer.statusCode === 200)
          answer.resume()
        })
        .on('error', () => this.#healthy.set(server, false))
    }
  }

  #connect(client: net.Socket, tries: number): void {
    client.on('error', () => client.destroy())
    const able = this.#servers.filter((server) => this.#healthy.get(server) !== false)
    const server = able[this.#next++ % able.length]
    if (server === undefined || tries > 5) {
      client.destroy()
      return
    }
    const upstream = net.connect(server.port, '127.0.0.1')
    const refused = (): void => this.#connect(client, tries + 1)
    upstream.once('error', refused)
    upstream.once('connect', () => {
      upstream.off('error', refused)
      upstream.on('error', () => client.destroy())
      upstream.once('close', () => client.destroy())
      client.once('close', () => upstream.destroy())
      client.pipe(upstream).pipe(client)
    })
  }

  close(): void {
    clearInterval(this.#checks)
    this.#server.close()
  }
}

interface Answered {
  readonly status: number
  readonly body: Json
}

class RetryingClient {
  readonly #connect: () => http2.ClientHttp2Session
  #session: http2.ClientHttp2Session | undefined
  retries = 0

  constructor(connect: () => http2.ClientHttp2Session) {
    this.#connect = connect
  }

  session(): http2.ClientHttp2Session {
    const known = this.#session
    if (known !== undefined && !known.closed && !known.destroyed) return known
    const session = this.#connect()
    session.on('error', () => {})
    // After a GOAWAY nothing new is sent here; what runs may end.
    session.on('goaway', () => {
      if (this.#session === session) this.#session = undefined
    })
    this.#session = session
    return session
  }

  async call(method: string, url: string, body?: object): Promise<Answered> {
    for (let attempt = 0; attempt < 500; attempt++) {
      const outcome = await this.#once(method, url, body)
      if ('error' in outcome) {
        const mayRepeat = method === 'GET' || !outcome.sent
        if (!mayRepeat) throw outcome.error
      } else if (outcome.retryAfter === undefined) return outcome
      this.retries++
      await delay('error' in outcome ? 50 : Math.min(1000, Number(outcome.retryAfter) * 1000))
    }
    throw new Error(`${method} ${url} failed too often`)
  }

  #once(
    method: string,
    url: string,
    body: object | undefined,
  ): Promise<(Answered & { retryAfter: string | undefined }) | { error: Error; sent: boolean }> {
    return new Promise((resolve) => {
      let session: http2.ClientHttp2Session
      let stream: http2.ClientHttp2Stream
      try {
        session = this.session()
        const type = body === undefined ? {} : { 'content-type': 'application/json' }
        stream = session.request({ ':method': method, ':path': url, ...type }, { endStream: body === undefined })
      } catch (error) {
        resolve({ error: error as Error, sent: false })
        return
      }
      let headers: http2.IncomingHttpHeaders = {}
      const chunks: Buffer[] = []
      stream.on('response', (received) => {
        headers = received
      })
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', (error) => {
        const sent = !session.connecting && stream.rstCode !== http2.constants.NGHTTP2_REFUSED_STREAM
        resolve({ error, sent: sent && wasConnected })
      })
      let wasConnected = !session.connecting
      session.once('connect', () => {
        wasConnected = true
      })
      stream.on('end', () => {
        const status = Number(headers[':status'])
        if (!Number.isFinite(status)) return
        const text = Buffer.concat(chunks).toString()
        const mustWait = status === 429 || status >= 500
        resolve({
          status,
          body: text.startsWith('{') ? JSON.parse(text) : text,
          retryAfter: mustWait ? (headers['retry-after'] as string | undefined) : undefined,
        })
      })
      stream.on('close', () =>
        resolve({ error: new Error(`closed with ${stream.rstCode}`), sent: wasConnected && stream.rstCode !== 7 }),
      )
      if (body !== undefined) stream.end(JSON.stringify(body))
    })
  }

  close(): void {
    this.#session?.destroy()
  }
}

/** Lists once, then watches, and watches on from the last version it saw whenever the stream ends. */
class Informer {
  readonly versions: number[] = []
  readonly #client: RetryingClient
  readonly #url: string
  #stopped = false
  rewatches = 0
  isWatching = false

  constructor(client: RetryingClient, url: string) {
    this.#client = client
    this.#url = url
  }

  async run(): Promise<void> {
    let version: string = (await this.#client.call('GET', this.#url)).body.metadata.resourceVersion
    while (!this.#stopped) {
      version = await this.#watch(version)
      this.rewatches++
      await delay(20)
    }
  }

  #watch(from: string): Promise<string> {
    return new Promise((resolve) => {
      let last = from
      let rest = ''
      const end = (): void => resolve(last)
      try {
        const stream = this.#client.session().request({ ':path': `${this.#url}?watch=1&resourceVersion=${from}` })
        stream.on('response', () => {
          this.isWatching = true
        })
        stream.on('data', (chunk: Buffer) => {
          const lines = (rest + chunk.toString()).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) {
            const { type, object } = JSON.parse(line) as Json
            // A Status instead of an event: the request is refused, and made again.
            if (type === undefined || type === 'ERROR') continue
            last = object.metadata.resourceVersion
            this.versions.push(Number(last))
          }
        })
        stream.on('error', end)
        stream.on('close', end)
      } catch {
        end()
      }
    })
  }

  stop(): void {
    this.#stopped = true
  }
}

describe('three servers on one etcd', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-ha-'))
  const servers: ServerProcess[] = []
  let cluster: EtcdCluster
  let balancer: Balancer
  let port: number

  beforeAll(async () => {
    mkdirSync(bundles, { recursive: true })
    const built = build({
      stdin: { contents: `import { main } from './src/cli/main.ts'\nmain()`, resolveDir: '.' },
      outdir: bundles,
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    })
    cluster = await EtcdCluster.start()
    await built
    for (const [i, free] of (await freePorts(3)).entries()) {
      const n = i + 1
      servers.push(
        new ServerProcess(free, [
          ...['--etcd-servers', cluster.urls.join(','), '--bind-address', '127.0.0.1', '--secure-port', String(free)],
          ...['--data-dir', path.join(folder, String(n)), '--cert-dir', path.join(folder, 'pki')],
          ...['--advertise-address', `10.9.0.${n}`, '--shutdown-delay-duration', '300ms'],
        ]),
      )
    }
    // The first makes the certificates that all use.
    await servers[0]!.start()
    await Promise.all(servers.slice(1).map((server) => server.start()))
    balancer = new Balancer(servers)
    port = await balancer.listen()
  })
  afterAll(async () => {
    balancer?.close()
    await Promise.all(servers.map((server) => server.end('SIGKILL')))
    await cluster?.stop()
    rmSync(folder, { recursive: true, force: true })
    rmSync(bundles, { recursive: true, force: true })
  })

  const connectTo = (where: number) => (): http2.ClientHttp2Session => {
    const file = (name: string) => readFileSync(path.join(folder, 'pki', name))
    const session = http2.connect(`https://127.0.0.1:${where}`, {
      ca: file('ca.crt'),
      cert: file('admin.crt'),
      key: file('admin.key'),
    })
    // Every request that waits for the connection listens for it.
    session.setMaxListeners(0)
    return session
  }

  it('are restarted one after the other, and no request fails and no event is lost', async () => {
    const url = '/api/v1/namespaces/default/configmaps'
    const watching = new RetryingClient(connectTo(port))
    const informer = new Informer(watching, url)
    const informing = informer.run()
    await expect.poll(() => informer.isWatching).toBe(true)
    const written: number[] = []
    const failures: unknown[] = []
    let isOver = false
    const writer = async (n: number): Promise<void> => {
      const client = new RetryingClient(connectTo(port))
      for (let i = 0; !isOver; i++) {
        try {
          const name = `c${n}-${i}`
          const made = await client.call('POST', url, { metadata: { name }, data: { i: String(i) } })
          if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.body)}`)
          written.push(Number(made.body.metadata.resourceVersion))
          const read = await client.call('GET', `${url}/${name}`)
          if (read.status !== 200) throw new Error(`${read.status} ${JSON.stringify(read.body)}`)
        } catch (error) {
          failures.push(error)
        }
        await delay(5)
      }
      client.close()
    }
    const writing = Promise.all([0, 1, 2, 3].map(writer))
    for (const server of servers) {
      expect(await server.end('SIGTERM')).toBe(0)
      await server.start()
      const before = written.length
      await expect.poll(() => written.length).toBeGreaterThan(before + 20)
    }
    isOver = true
    await writing
    expect(failures).toEqual([])
    await expect.poll(() => informer.versions.at(-1) ?? 0).toBeGreaterThanOrEqual(Math.max(...written))
    informer.stop()
    watching.close()
    await informing
    expect(new Set(informer.versions).size).toBe(informer.versions.length)
    const seen = new Set(informer.versions)
    expect(written.filter((version) => !seen.has(version))).toEqual([])
  })

  it.concurrent('do the work of controllers in turn: when the one that does it is killed, another takes over within its lease', async ({
    expect,
  }) => {
    const [first, second, last] = servers as [ServerProcess, ServerProcess, ServerProcess]
    const client = new RetryingClient(connectTo(last.port))
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/pilothouse-controllers'
    const leaderSeenBy = async (from: RetryingClient): Promise<string> =>
      (await from.call('GET', lease)).body.spec?.holderIdentity ?? ''
    // The last one is restarted until one of the others leads.
    const before = await until('another leader', async () => {
      await last.end('SIGTERM')
      const elsewhere = new RetryingClient(connectTo(first.port))
      const holder = await until('a leader', async () => (await leaderSeenBy(elsewhere)) || undefined)
      elsewhere.close()
      await last.start()
      return (await leaderSeenBy(client)) === holder && holder
    })
    const namespace = (await client.call('POST', '/api/v1/namespaces', { metadata: { name: 'gone' } })).body
    await Promise.all([first.end('SIGKILL'), second.end('SIGKILL')])
    await client.call('DELETE', '/api/v1/namespaces/gone', { preconditions: { uid: namespace.metadata.uid } })
    await expect.poll(() => leaderSeenBy(client), { interval: 200 }).not.toBe(before)
    const status = async (): Promise<number> => (await client.call('GET', '/api/v1/namespaces/gone')).status
    await expect.poll(status).toBe(404)
    client.close()
  })

  it.concurrent('says so and ends when no etcd answers', async ({ expect }) => {
    const free = await freePort()
    const child = spawn(process.execPath, [
      command,
      '--etcd-servers',
      `http://127.0.0.1:${free}`,
      '--data-dir',
      path.join(folder, 'x'),
      '--secure-port',
      String(free),
    ])
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    // 'close' comes after the last output was read.
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1)
    expect(said).toContain(`the etcd at http://127.0.0.1:${free} cannot be used`)
  })
})
