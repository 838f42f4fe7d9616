/**
 * A server for tests, running in this process: the whole server on a memory store, with a clock, requests and faults that
 * the test owns, and a state that can be put back.
 */
import { randomBytes } from 'node:crypto'
import process from 'node:process'
import type { UserInfo } from '../api/user.ts'
import type { ConsoleLink } from '../console/session-authenticator.ts'
import { mapErrorsOf } from '../lib/stack-map.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import type { ServerLayers } from '../server/test-seams.ts'
import type { RunningNodes } from '../simulate/nodes/simulated-nodes.ts'
import type { Simulation } from '../simulate/simulation.ts'
import type { Answer, CallOptions } from './api/calls.ts'
import type { Faults } from './api/faults.ts'
import type { StoredObject } from './api/objects.ts'
import type { Replayed, ReplayOptions, RequestLog, SavedRequest } from './api/requests.ts'
import type {
  EventMatch,
  RecordedEvent,
  RestoreOptions,
  Snapshot,
  TestClock,
  TestServer,
  WaitOptions,
} from './api/server.ts'
import type { SimulatedNodes, SimulatedPods } from './api/simulation.ts'
import type { ApiClass, ConsoleUser, TestKubeconfig, TestUser } from './api/users.ts'
import type { OpenWatches } from './api/watches.ts'
import { applyObjects } from './applying.ts'
import { callServer } from './call-server.ts'
import type { ConsoleControls } from './console-controls.ts'
import { turnOfLoop } from './controlled-clock.ts'
import { TemporaryFiles } from './kubeconfig-of.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { matchingEvents } from './recorded-events.ts'
import { readRequests, replay } from './replay.ts'
import { RequestFailure } from './request-failure.ts'
import { lookUpResource, pathOf } from './resource-lookup.ts'
import type { Origin, TestServerParts } from './server-parts.ts'
import { scriptedNodes, scriptedPods } from './simulated-cluster.ts'
import { hasStartState, rememberStartState, type StartState, startStateOf } from './start-state.ts'
import { settleMs, type TakenSnapshot, TestState } from './test-state.ts'
import { type KnownUser, newUser, testUser } from './test-users.ts'
import { TraceRecorder } from './trace/trace-recorder.ts'
import { trackOpenServer } from './unclosed.ts'
import { watchUntil } from './waiting.ts'
import { WatchControl } from './watch-control.ts'
import { TestWebhooks } from './webhooks/test-webhooks.ts'

const admins = ['system:masters']

type Parts = TestServerParts<RunningTestServer>

export class RunningTestServer implements TestServer {
  /** Settles when the server is ready and at rest. */
  readonly ready: Promise<void>
  readonly url: string
  readonly ca: string | undefined
  readonly token: string
  readonly clock: TestClock
  readonly faults: Faults
  readonly requests: RequestLog
  readonly watches: OpenWatches
  readonly webhooks: TestWebhooks
  readonly #parts: Parts
  readonly #files = new TemporaryFiles()
  readonly #state: TestState
  readonly #users: KnownUser[] = []
  readonly #admin: TestUser
  #start: TakenSnapshot
  #closing: Promise<void> | undefined
  #namespaces = 0
  #controls: ConsoleControls | undefined
  #noteClosed = (): void => undefined
  /** Only where traces are on. */
  readonly #trace: TraceRecorder | undefined

  constructor(parts: Parts, origin: Origin | undefined) {
    const { clock, faults, recorder, seams, credentials, running, start } = parts
    this.#parts = parts
    this.clock = clock
    this.faults = faults
    this.requests = recorder
    this.watches = new WatchControl(seams, parts.check)
    const [secure = '', plain = secure] = running.addresses
    this.url = start.tls === false ? plain : secure
    this.ca = start.tls === false ? undefined : credentials.servingCaPem
    this.#state = new TestState(parts, origin?.snapshots)
    for (const user of origin?.users ?? []) this.#addUser(user)
    this.#admin = this.user('admin', admins)
    this.token = this.#admin.token
    this.#start = this.#state.take()
    this.webhooks = new TestWebhooks({ server: this, errors: parts.errors, files: this.#files })
    const folder = process.env['PILOTHOUSE_TRACE']
    if (folder) this.#trace = this.#startTrace(folder)
    if (parts.startedAt !== undefined) this.#noteClosed = trackOpenServer(this.url, parts.startedAt)
    seams.testing = { act: async (request) => (await this.#consoleControls()).act(request) }
    this.ready = this.#begin(origin)
    this.ready.catch(() => undefined)
  }

  #startTrace(folder: string): TraceRecorder {
    const { clock, store, recorder, faults } = this.#parts
    const trace = new TraceRecorder({
      folder,
      server: this.url,
      clock,
      store,
      requests: () => recorder.all(),
    })
    faults.onAdd = (fault) => trace.fault(fault.label, fault.spec, () => fault.seenHits)
    clock.onAdvance = (ms) => trace.note({ kind: 'clock', title: `${ms} ms pass` })
    return trace
  }

  /** The base URLs that it listens on, HTTPS first. */
  get addresses(): readonly string[] {
    return this.#parts.running.addresses
  }

  /** What it made of itself, for others to start with. */
  startState(): Promise<StartState> {
    const { storage, place } = this.#layers
    return startStateOf(this.#parts.store, storage.reflector.snapshot(), place)
  }

  readonly pods: SimulatedPods = scriptedPods(() => this.#simulatedNodes)
  readonly nodes: SimulatedNodes = scriptedNodes(this, () => this.#simulatedNodes)

  get #simulatedNodes(): RunningNodes {
    const nodes = this.simulation?.controller('nodes')
    if (nodes === undefined) throw new Error('nothing is simulated: start the server with `simulate`')
    return nodes as RunningNodes
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
    const { running, startFlags } = this.#parts
    await running.ready
    for (const script of origin?.scripts ?? []) this.#simulatedNodes.scripts.add(script)
    const isPlain = this.#parts.options.simulate === undefined
    if (isPlain && startFlags !== undefined && !hasStartState(startFlags))
      rememberStartState(await this.startState(), startFlags)
    await this.#state.atRest()
    this.#start = this.#state.take()
  }

  /** Loaded on first access. */
  async #consoleControls(): Promise<ConsoleControls> {
    if (this.#controls === undefined) {
      const loaded = await import('./console-controls.ts')
      this.#controls ??= new loaded.ConsoleControls(this)
    }
    return this.#controls
  }

  /** Those that have a name. */
  get snapshotNames(): readonly string[] {
    return [...this.#state.named.keys()]
  }

  async console({ user = 'admin', groups = user === 'admin' ? admins : [] }: ConsoleUser = {}): Promise<string> {
    return (await this.consoleLink({ name: user, groups, extra: new Map() })).url
  }

  consoleLink(user: UserInfo): Promise<ConsoleLink> {
    const { consoleLink } = this.#parts.running
    if (consoleLink === undefined) throw new Error('this server has no console')
    return consoleLink(user, this.url)
  }

  kubeconfig(): TestKubeconfig {
    return this.#admin.kubeconfig()
  }

  async client<T>(apiClass: ApiClass<T> | string): Promise<T> {
    return this.#admin.client(apiClass)
  }

  user(name: string, groups: readonly string[] = []): TestUser {
    const known = newUser(name, groups)
    this.#addUser(known)
    return testUser(known, { server: this, authority: this.#parts.credentials.ca, files: this.#files })
  }

  #addUser(user: KnownUser): void {
    this.#users.push(user)
    this.#parts.seams.addUser(user.token, { name: user.name, groups: [...user.groups], extra: new Map() })
  }

  async call<T extends object = StoredObject>(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<T> {
    const answer = await this.send<T>(method, path, body, options)
    if (answer.status >= 400) throw new RequestFailure(`${method} ${path}`, answer)
    return answer.body
  }

  async send<T extends object = StoredObject>(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Answer<T>> {
    this.#parts.errors.check()
    if (typeof method !== 'string' || typeof path !== 'string')
      throw new TypeError(`a request has a method and a path, not ${String(method)} ${String(path)}`)
    const { headers, user = this.#admin } = options
    const whole = await callServer<T>(this.#layers.requests.handle, { method, path, body, headers, token: user.token })
    this.#trace?.call(`${method} ${path}`, body, whole)
    return whole
  }

  /** The minor number of the release that is served. */
  get release(): number {
    return this.#parts.options.version.emulation.minor
  }

  /** The type of a kind that is served. */
  schemaOf(apiVersion: string, kind: string): ObjectSchema | undefined {
    for (const { definition } of this.#layers.resources.registries.all()) {
      const version = definition.versions.find((each) => each.apiVersion === apiVersion && each.kind === kind)
      if (version !== undefined) return version.schema
    }
    return undefined
  }

  /** What policies said to the last request that they denied: the answer has only the first of it. */
  takeDenials(): readonly string[] {
    return this.#parts.seams.takeDenials()
  }

  async get<T extends object = StoredObject>(
    resource: string,
    name: string,
    namespace?: string,
  ): Promise<T | undefined> {
    const found = lookUpResource(this.#layers.resources.registries, resource)
    const path = pathOf(found, namespace ?? 'default', name)
    try {
      return await this.call<T>('GET', path)
    } catch (error) {
      if (error instanceof RequestFailure && error.status === 404) return undefined
      throw error
    }
  }

  async list<T extends object = StoredObject>(resource: string, namespace?: string): Promise<T[]> {
    const found = lookUpResource(this.#layers.resources.registries, resource)
    const { apiVersion, kind } = found.version
    const { items } = await this.call<{ items: T[] }>('GET', pathOf(found, namespace))
    return items.map((item) => ({ apiVersion, kind, ...item }))
  }

  async apply<T extends object = StoredObject>(manifest: Manifest): Promise<T[]> {
    const { registries } = this.#layers.resources
    const objects = this.webhooks.redirected(readManifest(manifest))
    const applied = await applyObjects({ registries, call: this.call.bind(this) }, objects)
    // Roles, policies and the like count from now on.
    const { store, reflector } = this.#layers.storage
    await reflector.waitFor(await store.currentRevision(), settleMs)
    await turnOfLoop()
    return applied as object[] as T[]
  }

  async replay(from: string | readonly SavedRequest[], options: ReplayOptions = {}): Promise<Replayed[]> {
    return replay(this, typeof from === 'string' ? readRequests(from) : from, options)
  }

  async namespace(name?: string): Promise<string> {
    const chosen = name ?? `test-${++this.#namespaces}-${randomBytes(3).toString('hex')}`
    await this.call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: chosen } })
    return chosen
  }

  snapshot(name?: string): Snapshot {
    return this.#state.take(name)
  }

  restore(to: Snapshot | string, options: RestoreOptions = {}): Promise<void> {
    return this.#state.restore(to, options, () => this.#trace?.restored())
  }

  compact(): Promise<void> {
    return this.#state.compact()
  }

  async reset(to: Snapshot | string = this.#start, options?: RestoreOptions): Promise<void> {
    const { faults, recorder, clock, errors } = this.#parts
    this.#trace?.endSegment()
    faults.clear()
    if (this.simulation !== undefined) this.pods.clear()
    clock.reset()
    await this.restore(to, options)
    recorder.clear()
    errors.check()
  }

  async fork(): Promise<RunningTestServer> {
    const { start, options, credentials } = this.#parts
    const { serving } = options
    return this.#parts.startCopy(start, {
      options: {
        ...options,
        serving: { ...serving, securePort: 0, insecurePort: serving.insecurePort === undefined ? undefined : 0 },
      },
      start: this.#state.take(),
      credentials,
      users: this.#users,
      snapshots: this.#state.named,
      now: this.clock.now(),
      startedAt: this.#parts.startedAt,
      scripts: this.simulation === undefined ? [] : this.#simulatedNodes.scripts.all,
    })
  }

  async waitFor<T extends object = StoredObject>(
    resource: string,
    predicate: (object: T) => boolean,
    options: WaitOptions = {},
  ): Promise<T> {
    this.#parts.errors.check()
    return watchUntil<T>(
      lookUpResource(this.#layers.resources.registries, resource),
      (present) => {
        for (const object of present.values() as Iterable<object>) if (predicate(object as T)) return object as T
        return undefined
      },
      { ...options, wanted: `what ${predicate} says` },
    )
  }

  async waitForNone<T extends object = StoredObject>(
    resource: string,
    predicate: (object: T) => boolean = () => true,
    options: WaitOptions = {},
  ): Promise<void> {
    this.#parts.errors.check()
    await watchUntil(
      lookUpResource(this.#layers.resources.registries, resource),
      (present) => ([...present.values()].some((object) => predicate(object as object as T)) ? undefined : true),
      { ...options, wanted: 'none' },
    )
  }

  async events(match: EventMatch = {}): Promise<RecordedEvent[]> {
    return matchingEvents(await this.list('events', match.namespace), match)
  }

  async settled(): Promise<void> {
    this.#parts.errors.check()
    await this.#state.atRest(() => {
      for (const queue of this.#parts.clock.queues) queue.hurry?.()
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { running, clock, seams, errors } = this.#parts
    this.#noteClosed()
    this.#trace?.close()
    await this.#controls?.close()
    seams.abandon()
    await running.close()
    await this.webhooks.close()
    clock.close()
    this.#files.remove()
    errors.check()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

mapErrorsOf(RunningTestServer.prototype)
