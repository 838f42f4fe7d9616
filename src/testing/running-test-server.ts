/**
 * A server for tests, running in this process: the whole server on a memory store, with a clock, requests and faults that
 * the test owns, and a state that can be put back.
 *
 * Kept true: nothing that was begun on one state is written to another. Before the state is put back, requests and
 * controllers come to rest; while it is, both wait.
 */
import { randomBytes } from 'node:crypto'
import type { KnownEntries } from '../cache/reflector.ts'
import { parseServerOptions, type ServerOptions } from '../config/server-options.ts'
import { createLogger, type Logger, silentLogger } from '../lib/logger.ts'
import { issueCertificate } from '../server/certificates.ts'
import type { Credentials } from '../server/data-folder.ts'
import type { RunningServer } from '../server/running-server.ts'
import { startServer } from '../server/server.ts'
import type { ServerLayers } from '../server/test-seams.ts'
import type { Simulation } from '../simulate/simulation.ts'
import { type MemorySnapshot, openMemory, type RestorableStore } from '../store/memory.ts'
import type * as api from './api.ts'
import { ControlledClock, turn } from './controlled-clock.ts'
import { FakeNodes } from './fake-nodes.ts'
import { FaultList } from './fault-list.ts'
import { clientOf, kubeconfigOf, TemporaryFiles } from './kubeconfig-of.ts'
import { callLocally, type LocalAnswer } from './local-exchange.ts'
import { inOrder, type Manifest, readManifest } from './manifest.ts'
import { RequestFailure } from './request-failure.ts'
import { RequestRecorder } from './request-recorder.ts'
import { findResource, pathOf, resourceOf } from './resource-lookup.ts'
import { Seams } from './seams.ts'
import {
  fillStartState,
  hasStartState,
  knownStartState,
  placeStartState,
  rememberStartState,
  type StartState,
  startStateOf,
} from './start-state.ts'
import { testCredentials } from './test-credentials.ts'
import { watchUntil } from './waiting.ts'
import { WatchControl } from './watch-control.ts'

const defaultMaxRequests = 10_000
const admins = ['system:masters']
const noServiceAccounts = '--disable-admission-plugins=ServiceAccount'
const fieldManager = 'pilothouse-testing'
/** How long the server's controllers may take to come to rest, in real time. */
const settleMs = 60_000

/** A state to go back to, and where it came from. */
export class TakenSnapshot implements api.Snapshot {
  readonly name: string | undefined
  readonly state: MemorySnapshot
  readonly known: KnownEntries

  constructor(name: string | undefined, state: MemorySnapshot, known: KnownEntries) {
    this.name = name
    this.state = state
    this.known = known
  }
}

/** What a server begins with that is no new one. */
interface Origin {
  readonly options: ServerOptions
  readonly start: TakenSnapshot
  readonly credentials: Credentials
  readonly users: readonly { readonly name: string; readonly groups: readonly string[]; readonly token: string }[]
  readonly snapshots: ReadonlyMap<string, TakenSnapshot>
  readonly now: number
  readonly fakeNode: FakeNodes
}

interface Parts {
  readonly start: api.StartOptions
  readonly startFlags: readonly string[] | undefined
  readonly options: ServerOptions
  readonly credentials: Credentials
  readonly memory: RestorableStore
  readonly clock: ControlledClock
  readonly recorder: RequestRecorder
  readonly faults: FaultList
  readonly seams: Seams
  readonly running: RunningServer
}

/** Resolves when the server is ready and at rest. */
export async function startTestServer(start: api.StartOptions = {}, origin?: Origin): Promise<RunningTestServer> {
  const options = origin?.options ?? serverOptions(start)
  const credentials = origin?.credentials ?? testCredentials(options)
  const logger =
    start.log === undefined ? silentLogger() : createLogger({ format: 'json', verbosity: 4, output: start.log })
  const startFlags =
    origin === undefined ? (start.flags ?? []).filter((flag) => !flag.startsWith('--simulate')) : undefined
  const server = await openTestServer({ start, options, credentials, logger, origin, startFlags })
  try {
    await server.ready
  } catch (error) {
    await server.close()
    throw error
  }
  return server
}

export interface Opening {
  readonly start: api.StartOptions
  readonly options: ServerOptions
  readonly credentials: Credentials
  readonly logger: Logger
  readonly origin?: Origin | undefined
  /** The flags that decide what the server makes of itself, if all of them are known: it may then begin with that. */
  readonly startFlags?: readonly string[] | undefined
}

/** Resolves when the server listens; its `ready` follows. */
export async function openTestServer(opening: Opening): Promise<RunningTestServer> {
  const { start, options, credentials, logger, origin, startFlags } = opening
  const clock = new ControlledClock(origin?.now)
  const memory = openMemory({ clock, historyMs: options.storage.historyDuration }, origin?.start.state)
  const state = startFlags === undefined ? undefined : knownStartState(startFlags)
  const facts = state === undefined ? undefined : fillStartState(state, memory, clock)
  const recorder = new RequestRecorder(clock, start.maxRequests ?? defaultMaxRequests)
  const faults = new FaultList(start.seed ?? 1, () => seams.layers.storage.reflector.revision)
  const seams: Seams = new Seams({
    store: memory.store,
    known: origin?.start.known,
    facts,
    // A copy has what its origin has, and puts nothing back that was taken away there.
    hasRoles: origin !== undefined || state?.complete === true,
    onStarted(place) {
      if (state !== undefined && facts !== undefined) placeStartState(state, memory, facts, { clock, place })
    },
    clock,
    recorder,
    faults,
  })
  const running = await startServer(options, { logger, credentials, clock, seams }).catch(async (error: unknown) => {
    await memory.store.close()
    clock.close()
    throw error
  })
  return new RunningTestServer(
    { start, startFlags, options, credentials, memory, clock, recorder, faults, seams, running },
    origin,
  )
}

function serverOptions({ flags: given = [], tls = true, port = 0, simulate }: api.StartOptions): ServerOptions {
  const flags = [...given, ...simulateFlags(simulate)]
  // Nobody makes the service accounts that pods would need: that takes a controller manager.
  const withoutAccounts = flags.some((flag) => flag.includes('ServiceAccount')) ? [] : [noServiceAccounts]
  const parsed = parseServerOptions(['--store=memory', '--bind-address=127.0.0.1', ...withoutAccounts, ...flags])
  if (parsed.storage.kind !== 'memory') throw new Error('a test server keeps its state in memory: leave out --store')
  const ports = tls ? { securePort: port } : { securePort: 0, insecurePort: port }
  return { ...parsed, serving: { ...parsed.serving, ...ports } }
}

function simulateFlags(simulate: api.StartOptions['simulate']): string[] {
  if (simulate === undefined || simulate === false) return []
  const settings = simulate === true ? [] : Object.entries(simulate).filter(([, value]) => value !== undefined)
  return ['--simulate', '--simulate=heartbeat=0', ...settings.map(([name, value]) => `--simulate=${name}=${value}`)]
}

export class RunningTestServer implements api.TestServer {
  /** Settles when the server is ready and at rest. */
  readonly ready: Promise<void>
  readonly url: string
  readonly ca: string | undefined
  readonly token: string
  readonly clock: api.TestClock
  readonly faults: api.Faults
  readonly requests: api.RequestLog
  readonly watches: api.OpenWatches
  readonly fakeNode: FakeNodes
  readonly #parts: Parts
  readonly #files = new TemporaryFiles()
  readonly #snapshots = new Map<string, TakenSnapshot>()
  readonly #users: { name: string; groups: readonly string[]; token: string }[] = []
  readonly #admin: api.TestUser
  #start: TakenSnapshot
  #closing: Promise<void> | undefined
  #namespaces = 0

  constructor(parts: Parts, origin: Origin | undefined) {
    const { clock, faults, recorder, seams, credentials, running, start } = parts
    this.#parts = parts
    this.clock = clock
    this.faults = faults
    this.requests = recorder
    this.watches = new WatchControl(seams)
    const [secure = '', plain = secure] = running.addresses
    this.url = start.tls === false ? plain : secure
    this.ca = start.tls === false ? undefined : credentials.servingCaPem
    for (const [name, snapshot] of origin?.snapshots ?? []) this.#snapshots.set(name, snapshot)
    for (const user of origin?.users ?? []) this.#addUser(user)
    this.#admin = this.user('admin', admins)
    this.token = this.#admin.token
    this.#start = this.#take(undefined)
    this.fakeNode = new FakeNodes({
      clock,
      pods: () => this.#layers.resources.registries.need('', 'pods'),
      call: (method, path, body, contentType) =>
        this.call(method, path, body, contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
    })
    this.ready = this.#begin(origin)
    this.ready.catch(() => undefined)
  }

  /** The base URLs that it listens on, HTTPS first. */
  get addresses(): readonly string[] {
    return this.#parts.running.addresses
  }

  /** What it made of itself, for others to start with. */
  startState(): Promise<StartState> {
    const { storage, place } = this.#layers
    return startStateOf(this.#parts.memory, storage.reflector.snapshot(), place)
  }

  /** The simulated cluster from the inside, where there is one. */
  get simulation(): Simulation | undefined {
    return this.#parts.seams.simulation
  }

  get #layers(): ServerLayers {
    return this.#parts.seams.layers
  }

  /** The state once everything is there that a server has of itself is the one that `reset` goes back to. */
  async #begin(origin: Origin | undefined): Promise<void> {
    const { running, start, startFlags } = this.#parts
    await running.ready
    const isPlain = this.#parts.options.simulate === undefined
    if (isPlain && startFlags !== undefined && !hasStartState(startFlags))
      rememberStartState(await this.startState(), startFlags)
    if (origin !== undefined) await this.fakeNode.continue(origin.fakeNode)
    else if (start.fakeNode) await this.fakeNode.start(start.fakeNode === true ? {} : start.fakeNode)
    await this.settled()
    this.#start = this.#take(undefined)
  }

  kubeconfig(): api.TestKubeconfig {
    return this.#admin.kubeconfig()
  }

  client<T>(apiClass: api.ApiClass<T> | string): Promise<T> {
    return this.#admin.client(apiClass)
  }

  user(name: string, groups: readonly string[] = []): api.TestUser {
    const token = randomBytes(18).toString('base64url')
    this.#addUser({ name, groups, token })
    const kubeconfig = (): api.TestKubeconfig =>
      kubeconfigOf({ server: this.url, caPem: this.ca, user: name, token }, this.#files)
    const user: api.TestUser = {
      name,
      groups,
      token,
      kubeconfig,
      client: (apiClass) => clientOf(kubeconfig(), apiClass),
      call: (method, path, body, options) => this.call(method, path, body, { ...options, user }),
      certificate: () => {
        const request = { commonName: name, organizations: groups, usage: 'client' as const, now: this.clock.now() }
        const { certPem, keyPem } = issueCertificate(this.#parts.credentials.ca, request)
        return { cert: certPem, key: keyPem }
      },
    }
    return user
  }

  #addUser(user: { name: string; groups: readonly string[]; token: string }): void {
    this.#users.push(user)
    this.#parts.seams.addUser(user.token, { name: user.name, groups: [...user.groups], extra: new Map() })
  }

  async call(method: string, path: string, body?: unknown, options: api.CallOptions = {}): Promise<api.ApiObject> {
    const { status, body: answer } = await this.send(method, path, body, options)
    const value = readAnswer(answer)
    if (status >= 400) throw new RequestFailure(`${method} ${path}`, status, value)
    return value
  }

  /** As `call`, with the whole answer, whatever it is. */
  send(method: string, path: string, body: unknown, options: api.CallOptions = {}): Promise<LocalAnswer> {
    const { headers = {}, user = this.#admin } = options
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    return callLocally(
      {
        method,
        path,
        headers: {
          accept: 'application/json',
          'user-agent': 'pilothouse-testing',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...lower,
          authorization: `Bearer ${user.token}`,
        },
        body: body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      },
      this.#layers.requests.handle,
    )
  }

  /** What policies said to the last request that they denied: the answer has only the first of it. */
  takeDenials(): readonly string[] {
    return this.#parts.seams.takeDenials()
  }

  async get(resource: string, name: string, namespace?: string): Promise<api.ApiObject | undefined> {
    const found = findResource(this.#layers.resources.registries, resource)
    const path = pathOf(found, namespace ?? 'default', name)
    try {
      return await this.call('GET', path)
    } catch (error) {
      if (error instanceof RequestFailure && error.status === 404) return undefined
      throw error
    }
  }

  async list(resource: string, namespace?: string): Promise<api.ApiObject[]> {
    const found = findResource(this.#layers.resources.registries, resource)
    const { apiVersion, kind } = found.version
    const { items } = await this.call('GET', pathOf(found, namespace))
    return (items as api.ApiObject[]).map((item) => ({ apiVersion, kind, ...item }))
  }

  async apply(manifest: Manifest): Promise<api.ApiObject[]> {
    const { definitions, rest } = inOrder(readManifest(manifest))
    const applied: api.ApiObject[] = []
    for (const definition of definitions) applied.push(await this.#applyOne(definition))
    for (const definition of definitions) await this.#untilServed(definition)
    for (const object of rest) applied.push(await this.#applyOne(object))
    // Roles, policies and the like count from now on.
    const { store, reflector } = this.#layers.storage
    await reflector.waitFor(await store.currentRevision(), settleMs)
    await turn()
    return applied
  }

  async #applyOne(object: api.ApiObject): Promise<api.ApiObject> {
    const found = resourceOf(this.#layers.resources.registries, object)
    const { name, namespace = 'default' } = object.metadata ?? {}
    // Apply needs a name, and the kinds that are answers rather than objects can only be created.
    if (name === undefined || !found.registry.definition.verbs.has('patch')) {
      return this.call('POST', pathOf(found, namespace), object)
    }
    const query = `fieldManager=${fieldManager}&force=true`
    const headers = { 'content-type': 'application/apply-patch+yaml' }
    return this.call('PATCH', `${pathOf(found, namespace, name)}?${query}`, object, { headers })
  }

  async #untilServed({ metadata, spec }: api.ApiObject): Promise<void> {
    const definitions = findResource(this.#layers.resources.registries, 'customresourcedefinitions')
    await watchUntil(
      definitions,
      (present) => {
        const conditions: { type: string; status: string; message?: string }[] =
          present.get(`/${metadata?.name}`)?.['status']?.conditions ?? []
        const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False')
        if (refused !== undefined) throw new Error(`${metadata?.name} is not served: ${refused.message}`)
        return conditions.some(({ type, status }) => type === 'Established' && status === 'True') || undefined
      },
      { wanted: `established: ${metadata?.name}`, timeout: settleMs },
    )
    for (const end = Date.now() + settleMs; ; await turn()) {
      if (this.#layers.resources.registries.get(spec?.group ?? '', spec?.names?.plural ?? '') !== undefined) return
      if (Date.now() > end) throw new Error(`${metadata?.name} is established but not served`)
    }
  }

  async namespace(name?: string): Promise<string> {
    const chosen = name ?? `test-${++this.#namespaces}-${randomBytes(3).toString('hex')}`
    await this.call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: chosen } })
    return chosen
  }

  snapshot(name?: string): api.Snapshot {
    const snapshot = this.#take(name)
    if (name !== undefined) this.#snapshots.set(name, snapshot)
    return snapshot
  }

  #take(name: string | undefined): TakenSnapshot {
    return new TakenSnapshot(name, this.#parts.memory.snapshot(), this.#layers.storage.reflector.snapshot())
  }

  #find(to: api.Snapshot | string): TakenSnapshot {
    const found = typeof to === 'string' ? this.#snapshots.get(to) : to
    if (found instanceof TakenSnapshot) return found
    throw new Error(typeof to === 'string' ? `there is no snapshot ${JSON.stringify(to)}` : 'this is no snapshot')
  }

  async restore(to: api.Snapshot | string, { watches = 'end' }: api.RestoreOptions = {}): Promise<void> {
    const { memory, seams, clock } = this.#parts
    const { state, known } = this.#find(to)
    await seams.hold()
    try {
      await Promise.all([...clock.queues].map((queue) => queue.pause()))
      const { reflector } = this.#layers.storage
      if (watches === 'keep') reflector.recalling(known, () => memory.restore(state))
      else {
        for (const stream of this.#layers.requests.openWatches) stream.end()
        await reflector.become(known, () => memory.become(state))
      }
    } finally {
      for (const queue of clock.queues) queue.resume()
      await this.settled()
      seams.release()
    }
  }

  async reset(to: api.Snapshot | string = this.#start, options?: api.RestoreOptions): Promise<void> {
    const { faults, recorder, clock } = this.#parts
    faults.clear()
    clock.reset()
    await this.restore(to, options)
    recorder.clear()
  }

  fork(): Promise<RunningTestServer> {
    const { start, options, credentials } = this.#parts
    const { serving } = options
    return startTestServer(start, {
      options: {
        ...options,
        serving: { ...serving, securePort: 0, insecurePort: serving.insecurePort === undefined ? undefined : 0 },
      },
      start: this.#take(undefined),
      credentials,
      users: this.#users,
      snapshots: this.#snapshots,
      now: this.clock.now(),
      fakeNode: this.fakeNode,
    })
  }

  waitFor(
    resource: string,
    predicate: (object: api.ApiObject) => boolean,
    options: api.WaitOptions = {},
  ): Promise<api.ApiObject> {
    return watchUntil(
      findResource(this.#layers.resources.registries, resource),
      (present) => {
        for (const object of present.values()) if (predicate(object)) return object
        return undefined
      },
      { ...options, wanted: `what ${predicate} says` },
    )
  }

  async waitForNone(
    resource: string,
    predicate: (object: api.ApiObject) => boolean = () => true,
    options: api.WaitOptions = {},
  ): Promise<void> {
    await watchUntil(
      findResource(this.#layers.resources.registries, resource),
      (present) => ([...present.values()].some(predicate) ? undefined : true),
      { ...options, wanted: 'none' },
    )
  }

  async events(match: api.EventMatch = {}): Promise<api.RecordedEvent[]> {
    const found = (await this.list('events', match.namespace)).map(recordedEvent)
    return found.filter(({ type, reason, object }) => {
      const { kind, name } = object['involvedObject'] ?? {}
      const facts: Record<string, unknown> = { kind, name, type, reason }
      return Object.entries(match).every(([key, wanted]) => key === 'namespace' || facts[key] === wanted)
    })
  }

  async settled(): Promise<void> {
    const end = Date.now() + settleMs
    // What is idle may begin something in the next turn; what is idle for some turns, with nothing left to tell it, rests.
    for (let quiet = 0; quiet < 3; quiet++) {
      await turn()
      if ([...this.#parts.clock.queues].every(({ isIdle }) => isIdle)) continue
      quiet = -1
      if (Date.now() > end) throw new Error(`the server's controllers are still busy after ${settleMs} ms`)
    }
  }

  async compact(): Promise<void> {
    const { store } = this.#parts.memory
    this.#layers.storage.reflector.forgetHistory()
    await store.compact(await store.currentRevision())
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { running, clock, seams } = this.#parts
    await this.fakeNode.stop()
    seams.abandon()
    await running.close()
    clock.close()
    this.#files.remove()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function readAnswer(body: Buffer): api.ApiObject {
  const text = body.toString('utf8')
  try {
    return JSON.parse(text) as api.ApiObject
  } catch {
    return { text }
  }
}

function recordedEvent(object: api.ApiObject): api.RecordedEvent {
  const { type = '', reason = '', message = '', count = 1, involvedObject } = object
  const { kind = '', namespace, name = '' } = involvedObject ?? {}
  const about = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
  return { type, reason, message, count, about, object }
}
