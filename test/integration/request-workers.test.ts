/**
 * One server of several processes, as it is shipped: what one of them has acknowledged all others show, one that is killed is
 * replaced, and limits, metrics, audit and the stop are those of one server.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http2, { type ClientHttp2Session } from 'node:http2'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import type { Json } from './support/test-server.ts'

const program = path.resolve('dist/cli.js')
const processes = 3

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any kind.
  readonly body: any
  readonly text: string
}

/** One HTTP/2 connection, which stays with one process. */
class Connection {
  readonly session: ClientHttp2Session
  readonly #token: string

  private constructor(session: ClientHttp2Session, token: string) {
    this.session = session
    this.#token = token
  }

  static open(port: number, token: string): Promise<Connection> {
    const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
    session.on('error', () => undefined)
    return new Promise((resolve, reject) => {
      session.once('connect', () => resolve(new Connection(session, token)))
      session.once('close', () => reject(new Error('the connection was closed')))
    })
  }

  /** Status 0 when the connection broke. */
  call(method: string, target: string, body?: Json): Promise<Answer> {
    return new Promise((resolve) => {
      const stream = this.#request(method, target)
      let status = 0
      let text = ''
      stream.on('response', (headers) => {
        status = Number(headers[':status'])
      })
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      stream.on('error', () => undefined)
      stream.on('close', () => {
        const isJson = text.startsWith('{') && stream.readableEnded
        resolve({ status: stream.readableEnded ? status : 0, body: isJson ? JSON.parse(text) : undefined, text })
      })
      stream.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  #request(method: string, target: string) {
    return this.session.request({
      ':method': method,
      ':path': target,
      authorization: `Bearer ${this.#token}`,
      'content-type': 'application/json',
    })
  }

  /** The events of a watch as they come. Resolves when it has begun. */
  watch(target: string): Promise<WatchedEvents> {
    const stream = this.#request('GET', target)
    const watched: WatchedEvents = { events: [], isOver: false }
    let rest = ''
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) watched.events.push(JSON.parse(line))
    })
    stream.on('error', () => undefined)
    stream.on('close', () => {
      watched.isOver = true
    })
    stream.end()
    return new Promise((resolve) => stream.once('response', () => resolve(watched)))
  }
}

interface WatchedEvents {
  // biome-ignore lint/suspicious/noExplicitAny: events of any kind.
  readonly events: any[]
  isOver: boolean
}

interface LogLine {
  readonly msg?: string
  readonly worker?: number
  readonly pid?: number
}

class Server {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-workers-'))
  readonly port: number
  readonly #child: ChildProcess
  readonly #connections: Connection[] = []
  readonly log: LogLine[] = []
  #output = ''

  private constructor(port: number, flags: readonly string[]) {
    this.port = port
    const tokens = path.join(this.folder, 'tokens.csv')
    writeFileSync(tokens, 'admin-token,admin,admin,"system:masters"\nuser-token,user,user\n', { mode: 0o600 })
    this.#child = spawn(
      process.execPath,
      [
        program,
        `--request-workers=${processes}`,
        `--data-dir=${this.folder}/data`,
        '--bind-address=127.0.0.1',
        `--secure-port=${port}`,
        `--token-auth-file=${tokens}`,
        '--disable-admission-plugins=ServiceAccount',
        ...flags.map((flag) => flag.replace('FOLDER', this.folder)),
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#note(text))
    }
  }

  #note(text: string): void {
    const lines = (this.#output + text).split('\n')
    this.#output = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('{')) this.log.push(JSON.parse(line) as LogLine)
  }

  static async start(flags: readonly string[]): Promise<Server> {
    const server = new Server(await freePort(), flags)
    await until('the server is ready', () => server.said(/is ready on/).length > 0 || server.hasEnded)
    await until('the workers are ready', () => server.workerPids.length === processes - 1 || server.hasEnded)
    if (server.hasEnded) throw new Error(`the server ended: ${JSON.stringify(server.log)}`)
    return server
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  said(what: RegExp): LogLine[] {
    return this.log.filter(({ msg }) => what.test(msg ?? ''))
  }

  /** Of those that took connections at any time, the last ones first. */
  get workerPids(): number[] {
    return this.said(/takes connections/).map(({ pid }) => pid as number)
  }

  async connect(token = 'admin-token'): Promise<Connection> {
    const connection = await Connection.open(this.port, token)
    this.#connections.push(connection)
    return connection
  }

  /** One for each process: each goes to the one that has the fewest. */
  async connectAll(token?: string): Promise<Connection[]> {
    const connections: Connection[] = []
    for (let i = 0; i < processes; i++) connections.push(await this.connect(token))
    return connections
  }

  stop(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGTERM')
    return ended
  }

  async close(): Promise<void> {
    for (const { session } of this.#connections) session.destroy()
    if (!this.hasEnded) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve))
      this.#child.kill('SIGKILL')
      await ended
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const maps = '/api/v1/namespaces/default/configmaps'
const map = (name: string, value: string): Json => ({ metadata: { name }, data: { value } })

describe.each(['lmdb', 'memory'])('several processes on %s', (store) => {
  let server: Server
  let connections: Connection[]
  const at = (i: number): Connection => connections[i % connections.length] as Connection

  beforeAll(async () => {
    server = await Server.start([`--store=${store}`, '-v=3'])
    connections = await server.connectAll()
  })
  afterAll(() => server.close())

  it('gives each of the first connections to another process', async () => {
    for (const [i, connection] of connections.entries()) await connection.call('GET', `${maps}/process-${i}`)
    const by = (i: number) => server.log.find((line) => JSON.stringify(line).includes(`configmaps/process-${i}`))
    await until('all are logged', () => connections.every((_, i) => by(i) !== undefined))
    const numbers = connections.map((_, i) => by(i)?.worker ?? 0)
    expect(numbers.toSorted()).toEqual([0, 1, 2])
  })

  it('shows what one process has acknowledged to the next request at any other', async () => {
    for (let i = 0; i < 60; i++) {
      const [writer, reader] = [at(i), at(i + 1 + (i % (processes - 1)))]
      const name = `read-${i % 7}`
      const before = await reader.call('GET', `${maps}/${name}`)
      const written =
        before.status === 404
          ? await writer.call('POST', maps, map(name, `${i}`))
          : await writer.call('PUT', `${maps}/${name}`, map(name, `${i}`))
      expect([200, 201]).toContain(written.status)
      const [got, listed, selected] = await Promise.all([
        reader.call('GET', `${maps}/${name}`),
        reader.call('GET', maps),
        reader.call('GET', `${maps}?fieldSelector=metadata.name%3D${name}`),
      ])
      expect(got.body).toEqual(written.body)
      expect(Number(listed.body.metadata.resourceVersion)).toBeGreaterThanOrEqual(
        Number(written.body.metadata.resourceVersion),
      )
      expect(selected.body.items.map((item: Json) => (item as { data: Json }).data)).toEqual([{ value: `${i}` }])
      if (i % 5 === 0) {
        expect((await writer.call('DELETE', `${maps}/${name}`)).status).toBe(200)
        expect((await reader.call('GET', `${maps}/${name}`)).status).toBe(404)
      }
    }
  })

  it('loses no increment that processes make at the same time', async () => {
    await at(0).call('POST', maps, map('counter', '0'))
    const increment = async (connection: Connection): Promise<void> => {
      for (;;) {
        const { body } = await connection.call('GET', `${maps}/counter`)
        const next = { ...body, data: { value: `${Number(body.data.value) + 1}` } }
        const { status } = await connection.call('PUT', `${maps}/counter`, next)
        if (status === 200) return
        expect(status).toBe(409)
      }
    }
    await Promise.all(
      connections.map(async (connection) => {
        for (let i = 0; i < 20; i++) await increment(connection)
      }),
    )
    expect((await at(1).call('GET', `${maps}/counter`)).body.data.value).toBe(`${20 * processes}`)
  })

  it('serves what one process was told of at once from the others: definitions, roles, addresses', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'sails.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'sails', kind: 'Sail' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    }
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    expect((await at(0).call('POST', definitions, definition)).status).toBe(201)
    const isEstablished = async (): Promise<boolean> => {
      const { body } = await at(0).call('GET', `${definitions}/sails.example.com`)
      return JSON.stringify(body.status ?? {}).includes('"type":"Established","status":"True"') || hasCondition(body)
    }
    await until('the definition is established', isEstablished)
    for (const [i, connection] of connections.entries()) {
      const sail = { apiVersion: 'example.com/v1', kind: 'Sail', metadata: { name: `sail-${i}` } }
      const target = '/apis/example.com/v1/namespaces/default/sails'
      await until('the resource is served', async () => (await connection.call('GET', target)).status === 200)
      expect((await connection.call('POST', target, sail)).status).toBe(201)
    }
    const services = '/api/v1/namespaces/default/services'
    const service = (name: string): Json => ({ metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }] } })
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, i) => at(i).call('POST', services, service(`service-${i}`))),
    )
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
    for (const of of [
      (body: { spec: { clusterIP: string } }) => body.spec.clusterIP,
      (body: { spec: { ports: { nodePort: number }[] } }) => body.spec.ports[0]?.nodePort,
    ])
      expect(new Set(made.map(({ body }) => of(body))).size).toBe(made.length)
    const user = await server.connect('user-token')
    const role = {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
    }
    const subject = { kind: 'User', name: 'user', apiGroup: 'rbac.authorization.k8s.io' }
    const roleRef = { kind: 'Role', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' }
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
    await at(0).call('POST', `${rbac}/roles`, role)
    for (let i = 0; i < 10; i++) {
      expect((await user.call('GET', `${maps}/counter`)).status).toBe(403)
      await at(i).call('POST', `${rbac}/rolebindings`, { metadata: { name: 'reader' }, subjects: [subject], roleRef })
      expect((await user.call('GET', `${maps}/counter`)).status).toBe(200)
      await at(i + 1).call('DELETE', `${rbac}/rolebindings/reader`)
    }
  })

  it('adds up the metrics of all processes, whichever is asked', async () => {
    for (const connection of connections) {
      for (let i = 0; i < 10; i++) await connection.call('GET', '/api/v1/namespaces/default/endpoints')
    }
    const counts = await Promise.all(connections.map((connection) => connection.call('GET', '/metrics')))
    for (const { text } of counts) {
      const line = /^apiserver_request_total\{.*verb="LIST".*resource="endpoints",.*\} (\d+)$/m.exec(text)
      expect(line?.[1]).toBe(`${10 * processes}`)
      expect(text).toMatch(/^apiserver_storage_objects\{resource="namespaces"\} 4$/m)
    }
  })

  it('replaces a worker that is killed; nothing is lost, and watches at others do not notice', async () => {
    const from = (await at(0).call('GET', maps)).body.metadata.resourceVersion as string
    const watches = await Promise.all(
      connections.map((connection) => connection.watch(`${maps}?watch=true&resourceVersion=${from}`)),
    )
    const acknowledged: string[] = []
    let isOver = false
    const write = async (connection: Connection, writer: number): Promise<void> => {
      for (let i = 0; !isOver && !connection.session.destroyed; i++) {
        const name = `killed-${writer}-${i}`
        const { status } = await connection.call('POST', maps, map(name, 'x'))
        if (status === 201) acknowledged.push(name)
      }
    }
    const writing = connections.map((connection, i) => write(connection, i))
    await until('writes are acknowledged', () => acknowledged.length > 30)
    const [victim = 0] = server.workerPids
    const before = server.workerPids.length
    process.kill(victim, 'SIGKILL')
    await until('the worker is replaced', () => server.workerPids.length > before)
    await until('one connection has broken', () => connections.some(({ session }) => session.destroyed))
    const more = acknowledged.length + 30
    await until('others go on', () => acknowledged.length > more)
    isOver = true
    await Promise.all(writing)
    const alive = connections.filter(({ session }) => !session.destroyed)
    expect(alive).toHaveLength(processes - 1)
    const fresh = await server.connect()
    const { body } = await fresh.call('GET', maps)
    const names = new Set<string>(body.items.map((item: { metadata: { name: string } }) => item.metadata.name))
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([])
    const written = [...names].filter((name) => name.startsWith('killed-')).toSorted()
    for (const [i, connection] of connections.entries()) {
      if (connection.session.destroyed) continue
      const { events } = watches[i] as WatchedEvents
      await until('the watch has all', () => events.length >= written.length)
      expect(events.map(({ object }) => object.metadata.name as string).toSorted()).toEqual(written)
      const versions = events.map(({ object }) => Number(object.metadata.resourceVersion))
      expect(versions).toEqual(versions.toSorted((a, b) => a - b))
    }
    connections = [...alive, fresh]
  })

  it('ends as a whole: requests are answered, watches end, no process is left', async () => {
    const watches = await Promise.all(connections.map((connection) => connection.watch(`${maps}?watch=true`)))
    expect(await server.stop()).toBe(0)
    await until('all watches are over', () => watches.every(({ isOver }) => isOver))
    expect(server.workerPids.filter(isAlive)).toEqual([])
  })
})

const hasCondition = (body: { status?: { conditions?: { type: string; status: string }[] } }): boolean =>
  body.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false

describe('limits and audit', () => {
  let server: Server | undefined
  const held = new Set<Socket>()
  /** Takes calls and never answers: requests that it is asked about stay in the server. */
  const webhook = createServer((socket) => {
    held.add(socket)
    socket.on('error', () => undefined)
    socket.resume()
  })

  beforeAll(() => new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve)))
  afterEach(() => server?.close())
  afterAll(() => {
    for (const socket of held) socket.destroy()
    webhook.close()
  })

  it('are those of the server: in flight, together, are no more requests than allowed', async () => {
    const limit = 4
    server = await Server.start([
      '--store=memory',
      '--enable-priority-and-fairness=false',
      `--max-mutating-requests-inflight=${limit}`,
      '--authorization-mode=AlwaysAllow',
    ])
    const admin = await server.connect()
    const { port } = webhook.address() as AddressInfo
    const hook = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'holds' },
      webhooks: [
        {
          name: 'holds.example.com',
          clientConfig: { url: `https://127.0.0.1:${port}/` },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          timeoutSeconds: 30,
        },
      ],
    }
    expect(
      (await admin.call('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', hook)).status,
    ).toBe(201)
    const users = await server.connectAll('user-token')
    const answers = Array.from({ length: 12 }, (_, i) =>
      (users[i % users.length] as Connection).call('POST', maps, map(`held-${i}`, 'x')),
    )
    let refused = 0
    for (const answer of answers) void answer.then(({ status }) => (refused += status === 429 ? 1 : 0))
    await until('the others are refused', () => refused === answers.length - limit)
    await until('the rest is held', () => held.size === limit)
    for (const { session } of users) session.destroy()
  })

  it('audits what all processes did in one log', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-workers-policy-'))
    const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] }
    writeFileSync(path.join(folder, 'policy.json'), JSON.stringify(policy))
    server = await Server.start([
      '--store=memory',
      `--audit-policy-file=${folder}/policy.json`,
      '--audit-log-path=FOLDER/audit.log',
      '--audit-log-mode=blocking',
    ])
    const connections = await server.connectAll()
    for (const [i, connection] of connections.entries()) await connection.call('GET', `${maps}/audited-${i}`)
    const lines = readFileSync(path.join(server.folder, 'audit.log'), 'utf8').trim().split('\n')
    const events = lines.map((line) => JSON.parse(line) as { requestURI: string; stage: string })
    for (const i of connections.keys()) {
      const stages = events.filter(({ requestURI }) => requestURI === `${maps}/audited-${i}`).map(({ stage }) => stage)
      expect(stages).toEqual(['RequestReceived', 'ResponseComplete'])
    }
    rmSync(folder, { recursive: true, force: true })
  })
})

describe('a worker', () => {
  it('whose server is gone before it begins ends, and is no server of its own', async () => {
    const flags = ['--store=memory', '--request-workers=3', `--secure-port=${await freePort()}`]
    const orphan = spawn(process.execPath, [program, ...flags], {
      env: { ...process.env, PILOTHOUSE_REQUEST_WORKER: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [orphan.stdout, orphan.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
    const code = await new Promise((resolve) => orphan.once('close', resolve))
    expect([code, said]).toEqual([1, expect.stringContaining('the server that they belong to is gone')])
  })
})
