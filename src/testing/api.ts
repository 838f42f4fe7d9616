/**
 * What `pilothouse-apiserver/testing` offers: the contract of the test server, as its users see it. It imports nothing but
 * other parts of it, so that its types stand alone in the package.
 */
import type { Webhooks } from './webhooks/api.ts'

/** Any object of the API. */
export interface ApiObject {
  apiVersion?: string
  kind?: string
  metadata?: ApiMetadata
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
  [field: string]: any
}

export interface ApiMetadata {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
  [field: string]: any
}

/** An object as the server answers with it. */
export interface StoredObject extends ApiObject {
  metadata: StoredMetadata
}

export interface StoredMetadata extends ApiMetadata {
  name: string
}

export interface StartOptions {
  /**
   * Flags of the command `pilothouse`, for what has no option here: `['--feature-gates=WatchList=false']`. The admission
   * plugin ServiceAccount is off unless a flag names it, as no controller makes the accounts that it asks for.
   */
  flags?: readonly string[]
  /**
   * The release of Kubernetes that the server behaves as, such as `'1.36'`: the same as the flag `--emulated-version`.
   *
   * @example
   * await using server = await startServer({ release: '1.36' })
   */
  release?: string
  /** False: plain HTTP. Users then prove who they are by their tokens alone. */
  tls?: boolean
  /** The port to listen on; a free one unless given. */
  port?: number
  /**
   * A cluster that lives: workload controllers, a scheduler and simulated nodes.
   *
   * @example
   * await using server = await startServer({ simulate: { nodes: 3 } })
   */
  simulate?: boolean | SimulateOptions
  /** Seeds everything that faults leave to chance. */
  seed?: number
  /** How many requests `requests` remembers: 10,000 unless given. */
  maxRequests?: number
  /** Where the server's log goes: nowhere unless given. */
  log?: { write(line: string): void }
}

/** What `simulate` takes; the same settings as those of the flag `--simulate`. */
export interface SimulateOptions {
  /** How many nodes there are at the start: 3 unless given. */
  nodes?: number
  /** Seeds all that is left to chance, so that a run can be repeated. */
  seed?: number
  /** False: pods are bound by another scheduler. */
  scheduler?: boolean
  /** Names of schedulers whose pods are bound, with + between them: `default-scheduler` unless given. */
  schedulers?: string
  /** What each of these nodes has: 16 processors, 64Gi of memory and room for 110 pods unless given. */
  cpu?: string
  memory?: string
  pods?: number
  /** Over how many zones they are spread: 3 unless given; 0: they are in none. */
  zones?: number
  /**
   * Seconds between two renewals of a node's Lease. 0 unless given: a Lease lasts until its node fails, so that years can pass
   * by the clock at no cost.
   */
  heartbeat?: number
  /** Sets of KWOK-like stages that are there from the start, joined by `+`: `pod-general+pod-chaos`. */
  stages?: string
  /** Images that no registry has, joined by `+`, `*` for any text: `*:404+registry.example.com/*`. */
  missingImages?: string
}

/** Whom a link to the console signs in. */
export interface ConsoleUser {
  /** The administrator if absent. */
  readonly user?: string
  readonly groups?: readonly string[]
}

/** A running server of one's own. `await using` closes it at the end of the block. */
export interface TestServer {
  /** Where it listens: `https://127.0.0.1:34567`. */
  readonly url: string
  /** The CA that clients must trust, as PEM; undefined for plain HTTP. */
  readonly ca: string | undefined
  /** The administrator's bearer token. */
  readonly token: string
  readonly clock: TestClock
  readonly faults: Faults
  readonly requests: RequestLog
  readonly watches: OpenWatches
  readonly webhooks: Webhooks
  /** What the pods of a simulated cluster do. */
  readonly pods: SimulatedPods
  /** The nodes of a simulated cluster. */
  readonly nodes: SimulatedNodes

  /** How clients reach this server as its administrator. */
  kubeconfig(): TestKubeconfig
  /**
   * A client of `@kubernetes/client-node`, which must be installed: `await server.client(CoreV1Api)`, or by name,
   * `client<CoreV1Api>('CoreV1Api')`, where tests are CommonJS and cannot load that package.
   */
  client<T>(api: ApiClass<T> | string): Promise<T>
  /**
   * Somebody else: credentials, a kubeconfig and clients of their own. They may do what RBAC lets them.
   *
   * @example
   * const alice = server.user('alice', ['devs'])
   * await assert.rejects(alice.call('GET', '/api/v1/namespaces/default/secrets'), { status: 403 })
   */
  user(name: string, groups?: readonly string[]): TestUser
  /**
   * A link to the console of this server, which signs in once, within two minutes: for the administrator, or for somebody who may
   * see less. Nothing of the console is loaded before.
   *
   * @example
   * const link = await server.console()
   * assert.match(link, /\/console\/#code=/)
   */
  console(options?: ConsoleUser): Promise<string>

  /**
   * Sends a request as the administrator, without a network. It is neither recorded nor broken by faults. Rejects with a
   * `RequestError` for every answer that is none of success.
   */
  call<T extends object = StoredObject>(method: string, path: string, body?: unknown, options?: CallOptions): Promise<T>
  /**
   * As `call`, with the whole answer, whatever its code: headers, warnings, audit annotations.
   *
   * @example
   * const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'nginx' }] } }
   * await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'strict', labels: { 'pod-security.kubernetes.io/warn': 'restricted' } } })
   * const answer = await server.send('POST', '/api/v1/namespaces/strict/pods', pod)
   * assert.equal(answer.status, 201)
   * assert.match(answer.warnings[0] ?? '', /would violate PodSecurity/)
   * assert.equal(answer.auditAnnotations['authorization.k8s.io/decision'], 'allow')
   */
  send<T extends object = StoredObject>(
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<Answer<T>>
  /** One object, or undefined. `server.get<V1ConfigMap>('configmaps', 'settings')` says what it is. */
  get<T extends object = StoredObject>(resource: string, name: string, namespace?: string): Promise<T | undefined>
  /** All objects of a resource, or those of a namespace. `resource` is `pods`, `deployments.apps` or a kind. */
  list<T extends object = StoredObject>(resource: string, namespace?: string): Promise<T[]>
  /**
   * Makes objects what a manifest says, by server-side apply: YAML text, objects, or the path of a file or folder. Custom
   * resource definitions go first and are waited for, then namespaces, then the rest in the order given.
   *
   * @example
   * const [created] = await server.apply(`
   * apiVersion: v1
   * kind: Namespace
   * metadata:
   *   name: shop
   * `)
   * assert.equal(created?.status.phase, 'Active')
   */
  apply<T extends object = StoredObject>(manifest: string | object | readonly object[]): Promise<T[]>
  /**
   * Sends requests again that `server.requests.save` has written, one after the other, each as its own user. Watches are
   * left out.
   */
  replay(from: string | readonly SavedRequest[], options?: ReplayOptions): Promise<Replayed[]>
  /** Creates a namespace; without a name one that is new. Resolves to its name. */
  namespace(name?: string): Promise<string>

  /**
   * Remembers the present state. Copies nothing, however much there is.
   *
   * @example
   * await server.namespace('shop')
   * const withShop = server.snapshot()
   * await server.reset()
   * assert.equal(await server.get('namespaces', 'shop'), undefined)
   * await server.restore(withShop)
   * assert.ok(await server.get('namespaces', 'shop'))
   */
  snapshot(name?: string): Snapshot
  /** Puts the state back to a snapshot. */
  restore(to: Snapshot | string, options?: RestoreOptions): Promise<void>
  /**
   * Puts the server back to its start: the state (or that of a snapshot), the clock, no faults, no requests
   * remembered.
   */
  reset(to?: Snapshot | string, options?: RestoreOptions): Promise<void>
  /**
   * An independent server that begins as a copy of this one, scripts of simulated pods and all. It shares memory with it until one of them
   * is written to.
   *
   * @example
   * await using other = await server.fork()
   * await other.namespace('only-there')
   * assert.equal(await server.get('namespaces', 'only-there'), undefined)
   */
  fork(): Promise<TestServer>

  /**
   * Resolves to the first object that the predicate holds for, now or later. Rejects when it takes too long, and says
   * what was there instead.
   *
   * @example
   * setTimeout(() => server.namespace('late'), 10)
   * const late = await server.waitFor('namespaces', ({ metadata }) => metadata.name === 'late')
   * assert.equal(late.status.phase, 'Active')
   */
  waitFor<T extends object = StoredObject>(
    resource: string,
    predicate: (object: T) => boolean,
    options?: WaitOptions,
  ): Promise<T>
  /** Resolves when no object of the resource fulfils the predicate (any more). */
  waitForNone<T extends object = StoredObject>(
    resource: string,
    predicate?: (object: T) => boolean,
    options?: WaitOptions,
  ): Promise<void>
  /** The Events that were recorded, oldest first. */
  events(match?: EventMatch): Promise<RecordedEvent[]>
  /**
   * Resolves when the server's own controllers have nothing to do at the moment: what was written counts, policies are
   * checked, their status is written.
   */
  settled(): Promise<void>
  /** Forgets all history now: every older resourceVersion and continue token is answered with 410 from now on. */
  compact(): Promise<void>

  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** What `client` takes: an API class of `@kubernetes/client-node`. */
// biome-ignore lint/suspicious/noExplicitAny: the constructor's argument is the other package's business
export type ApiClass<T> = new (configuration: any) => T

export interface CallOptions {
  headers?: Record<string, string>
  /** Act as somebody else. */
  user?: TestUser
}

/** What the server answered. */
export interface Answer<T extends object = StoredObject> {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The texts of the `Warning` headers. */
  readonly warnings: readonly string[]
  /** What authorization, admission, policies and webhooks noted for the audit log, whether there is one or not. */
  readonly auditAnnotations: Readonly<Record<string, string>>
  /** As data; `{ text }` when it is no JSON. */
  readonly body: T
}

/** An answer that is no success, as the error of a call. */
export interface RequestError extends Error {
  readonly status: number
  /** The Status object. */
  readonly body: ApiObject
  readonly headers: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
}

export interface TestKubeconfig {
  readonly server: string
  /** The config as data, as `KubeConfig.loadFromString(JSON.stringify(…))` takes it too. */
  readonly config: ApiObject
  yaml(): string
  /** Writes it to a file, a temporary one that goes with the server unless a path is given, and returns the path. */
  file(path?: string): string
}

export interface TestUser {
  readonly name: string
  readonly groups: readonly string[]
  readonly token: string
  kubeconfig(): TestKubeconfig
  client<T>(api: ApiClass<T> | string): Promise<T>
  call<T extends object = StoredObject>(
    method: string,
    path: string,
    body?: unknown,
    options?: Omit<CallOptions, 'user'>,
  ): Promise<T>
  send<T extends object = StoredObject>(
    method: string,
    path: string,
    body?: unknown,
    options?: Omit<CallOptions, 'user'>,
  ): Promise<Answer<T>>
  /** A client certificate and its key, as PEM. */
  certificate(): { cert: string; key: string }
}

/** A state to go back to. */
export interface Snapshot {
  readonly name: string | undefined
}

export interface RestoreOptions {
  /**
   * `end` (unless asked otherwise): watches end and older versions are gone, as after a restart. `keep`: they go on and
   * see what changes.
   */
  watches?: 'end' | 'keep'
}

export interface WaitOptions {
  /** Real milliseconds: 30000 unless given, as machines that run tests may be busy. */
  timeout?: number
  namespace?: string
  signal?: AbortSignal
}

export interface EventMatch {
  namespace?: string
  /** The kind and name of what an event is about. */
  kind?: string
  name?: string
  type?: string
  reason?: string
}

export interface RecordedEvent {
  type: string
  reason: string
  message: string
  count: number
  /** `Pod default/web`. */
  about: string
  object: StoredObject
}

/** The server's time: the real one, and as much later as a test wants. */
export interface TestClock {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Lets time pass at once: everything that is due by then happens in order, each at its own time.
   *
   * @example
   * const before = server.clock.now()
   * await server.clock.advance(60_000)
   * assert.ok(server.clock.now() - before >= 60_000)
   */
  advance(ms: number): Promise<void>
}

/**
 * Which requests. All that are given must fit; `*` stands for anything within a text. A verb or a resource that there is
 * not is refused: it would match nothing.
 */
export interface RequestMatch {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; several as a list. */
  verb?: string | readonly string[]
  /** `pods`, `deployments.apps`; with a subresource `pods/status`. Without one it is about the resource itself alone. */
  resource?: string | readonly string[]
  namespace?: string
  name?: string
  user?: string
  userAgent?: string
  path?: string
  /** Anything else; a fault's sees the body as well. What it throws is the error of the test's next call of the server. */
  where?: (request: RecordedRequest) => boolean
}

/** One request that came over the network. */
export interface RecordedRequest {
  /** Counts up from 1. */
  readonly id: number
  readonly verb: string
  readonly method: string
  readonly path: string
  readonly query: string
  /** `deployments.apps`; empty for what is no resource. */
  readonly resource: string
  readonly subresource: string
  readonly version: string
  readonly namespace: string
  readonly name: string
  readonly user: string
  readonly groups: readonly string[]
  readonly userAgent: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Of the answer, names in lower case. */
  readonly responseHeaders: Readonly<Record<string, string>>
  /** The texts of the answer's `Warning` headers. */
  readonly warnings: readonly string[]
  /** What was noted for the audit log, whether there is one or not. */
  readonly auditAnnotations: Readonly<Record<string, string>>
  /** The server's time when it came. */
  readonly time: number
  /** 0 while there is no answer, and when there never was one. */
  readonly status: number
  /** Milliseconds; undefined while the answer is not complete. */
  readonly duration: number | undefined
  /**
   * The body as data, whatever its encoding (JSON, YAML, Protobuf, CBOR); what cannot be decoded as bytes; undefined when
   * there was none.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  readonly body: any
  /** What was answered, likewise; undefined for watches and other streams, and for what is larger than 256 KiB. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  readonly response: any
  /** The faults that it met. */
  readonly faults: readonly string[]
}

/** What the code under test sent, oldest first. Bounded: the oldest go first. */
export interface RequestLog extends Iterable<RecordedRequest> {
  readonly length: number
  /**
   * Those that match.
   *
   * @example
   * const core = await server.client(CoreV1Api)
   * await core.createNamespace({ body: { metadata: { name: 'shop' } } })
   * const [request] = server.requests.filter({ verb: 'create', resource: 'namespaces' })
   * assert.equal(request?.status, 201)
   * assert.equal(request?.body.metadata.name, 'shop')
   */
  filter(match: RequestMatch | ((request: RecordedRequest) => boolean)): RecordedRequest[]
  all(): RecordedRequest[]
  clear(): void
  /** Resolves to the first request that matches and is answered, now or later. */
  waitFor(match: RequestMatch, options?: Pick<WaitOptions, 'timeout'>): Promise<RecordedRequest>
  /** Writes those that match (or all) to a file, for `server.replay`: one JSON object a line, without tokens. */
  save(file: string, match?: RequestMatch): void
}

/** A request to be sent again. */
export interface SavedRequest {
  /** The server's time when it came. */
  readonly time: number
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly user: string
  readonly groups: readonly string[]
  readonly userAgent: string
  /** What it was answered with. */
  readonly status: number
  readonly contentType?: string
  readonly body?: unknown
}

export interface ReplayOptions {
  /** `recorded`: the server's clock passes between two requests as it did then. `at once` unless given. */
  timing?: 'at once' | 'recorded'
}

export interface Replayed {
  readonly request: SavedRequest
  readonly status: number
  /** Whether the code is the one of then. */
  readonly isSame: boolean
  readonly body: ApiObject
}

/** What goes wrong, and for which requests. */
export interface FaultSpec extends RequestMatch {
  /** Names the fault in `RecordedRequest.faults`. */
  label?: string
  /** How many requests that match are let through first. */
  skip?: number
  /** How many are hit, after that; all unless given. */
  times?: number
  /** The share of requests that are hit, 0 to 1, chosen by the seed of the server. */
  share?: number

  /** Answer with this code and the Status that the server would send with it, before anything happened. */
  error?: number | StatusFault
  /** Wait this many milliseconds (of the server's clock) first. Goes with every other kind. */
  latency?: number
  /** Break the connection before the request is looked at, or after it was carried out and before the answer. */
  cut?: 'before' | 'after'
  /** What happens to watches. */
  watch?: WatchFault
  /** Answer a list that continues another with 410 and a token that goes on with the present state. */
  expiredContinue?: boolean
  /**
   * Answer reads that allow it (a resourceVersion is given, such as 0) from an older state, but never one older than they
   * ask for: the one when the fault was added (`true`), or as many writes ago. A watch that may begin with any state begins
   * with that one, and then gets the events since.
   */
  stale?: boolean | number
  /**
   * Breaks calls to admission webhooks instead of requests: `timeout`, `refused` (the connection), or a status code.
   * `resource`, `verb`, `namespace`, `name` and `user` are those of the object that is reviewed.
   */
  webhook?: 'timeout' | 'refused' | number
  /** Only webhooks whose URL fits. A service is `https://name.namespace.svc:443/path`. */
  webhookUrl?: string
}

export interface StatusFault {
  code: number
  reason?: string
  message?: string
  /** Seconds, in the header and in the Status. */
  retryAfter?: number
}

/** `cut`: the connection breaks. `silent`: it stays, but nothing comes any more. `expired`: an ERROR event with 410. */
export type WatchFaultKind = 'cut' | 'silent' | 'expired' | 'without bookmarks'

export type WatchFault = WatchFaultKind | { kind: WatchFaultKind; afterEvents: number }

export interface Fault {
  readonly spec: Readonly<FaultSpec>
  /** How many requests (or calls) it has hit. */
  readonly hits: number
  remove(): void
}

export interface Faults {
  /**
   * From now on. A request is hit by the first fault that matches and is not used up.
   *
   * @example
   * const fault = server.faults.add({ verb: 'list', resource: 'pods', error: { code: 429, retryAfter: 2 }, times: 1 })
   * const core = await server.client(CoreV1Api)
   * await assert.rejects(core.listNamespacedPod({ namespace: 'default' }), { code: 429 })
   * assert.equal((await core.listNamespacedPod({ namespace: 'default' })).items.length, 0)
   * assert.equal(fault.hits, 1)
   */
  add(spec: FaultSpec): Fault
  list(): readonly Fault[]
  clear(): void
  /**
   * Faults of many kinds, by chance, the same for the same seed and the same requests.
   *
   * @example
   * const chaos = server.faults.chaos({ seed: 7, share: 0.5, only: ['errors'], match: { resource: 'pods' } })
   * const core = await server.client(CoreV1Api)
   * for (let i = 0; i < 20; i++) await core.listNamespacedPod({ namespace: 'default' }).catch(() => undefined)
   * assert.ok(chaos.hits > 0)
   * chaos.stop()
   */
  chaos(options: ChaosOptions): Chaos
}

export type ChaosKind = 'conflicts' | 'errors' | 'throttling' | 'latency' | 'cuts' | 'watches' | 'staleReads' | 'pages'

export interface ChaosOptions {
  /** A whole number. Print it: it brings the same chaos back. */
  seed: number
  /** The share of requests that are hit, at most (not every kind can happen to every request): 0.1 unless given. */
  share?: number
  /** All kinds unless given. */
  only?: readonly ChaosKind[]
  /** Only requests that match. */
  match?: Omit<RequestMatch, 'where'>
}

export interface Chaos {
  readonly seed: number
  /** How many requests it has hit. */
  readonly hits: number
  stop(): void
}

/** A watch that is open. */
export interface OpenWatch {
  /** The request that opened it. */
  readonly request: RecordedRequest
  /** How many events it has been sent, bookmarks aside. */
  readonly events: number
  end(): void
  break(kind: WatchFaultKind): void
}

/** The watches that are open now, oldest first. `end` and `break` return how many they were for. */
export interface OpenWatches extends Iterable<OpenWatch> {
  readonly count: number
  filter(match: RequestMatch): OpenWatch[]
  /**
   * Resolves to the first open watch that matches, now or later: the code under test gets every event from then on.
   *
   * @example
   * const reason = server.watches.waitFor({ resource: 'configmaps' }, { timeout: 50 }).catch(({ message }) => message)
   * assert.match(await reason, /no watch matched within 50 ms/)
   */
  waitFor(match: RequestMatch, options?: Pick<WaitOptions, 'timeout'>): Promise<OpenWatch>
  /** Ends them as at the end of their time. */
  end(match?: RequestMatch): number
  /** Does to open watches what a fault does to new ones. */
  break(kind: WatchFaultKind, match?: RequestMatch): number
}

/** `web-*` (in any namespace), `shop/web-*`, or by parts, in which `*` stands for any text. */
export type PodPattern = string | { name?: string; namespace?: string; node?: string; labels?: Record<string, string> }

/** What a script may say of containers: of those that it names by `container` (`*` for any text), or of all but init containers. */
export interface ContainerChoice {
  container?: string
}

/** Milliseconds, from the start of the container, or of the script where that is later. */
export interface ExitOptions extends ContainerChoice {
  after?: number
  /** How often, in each container: always unless given. */
  times?: number
}

export interface CrashOptions extends ExitOptions {
  /** 1 unless given. */
  exitCode?: number
  /** `Error` unless given. */
  reason?: string
  message?: string
}

/** All that a script can say at once, as the annotation `simulate.pilothouse.dev/script` of a pod has it in JSON. */
export interface PodScript extends ContainerChoice {
  /** Containers end by themselves. */
  exit?: {
    exitCode?: number
    after?: number
    times?: number
    reason?: string
    message?: string
    signal?: number
    probe?: 'Liveness' | 'Startup'
    output?: string
  }
  /** Containers run until they are ended, whatever their command says. */
  runs?: boolean
  pull?: { takes?: number; error?: string }
  start?: { takes?: number; error?: string }
  ready?: { after?: number }
  unready?: { after?: number; for?: number; every?: number }
  stop?: { takes?: number; exitCode?: number }
  evict?: { after?: number; resource?: string; message?: string }
  /** What containers have written: `kubectl logs`. */
  logs?: string | readonly string[]
  /** What commands answer, by their first word or `*`: `kubectl exec`. */
  exec?: Record<string, { stdout?: string; stderr?: string; exitCode?: number }>
  /** What connections are answered, by port or `*`: `kubectl port-forward`. */
  ports?: Record<string, string>
  /** What `kubectl top` and autoscalers see. */
  usage?: { cpu?: string; memory?: string }
}

export interface RunningScript {
  /** From now on pods do what they would without it. */
  stop(): void
  [Symbol.dispose](): void
}

/**
 * What the pods of a simulated cluster do, from now on and until the script is stopped or the server is reset. Names and
 * values that are not known are refused. All times are milliseconds of the server's clock.
 *
 * @example
 * await using cluster = await startServer({ simulate: true })
 * await cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { nodeName: 'node-1', containers: [{ name: 'app', image: 'nginx' }] } })
 * cluster.pods.crash('web*', { exitCode: 3 })
 * const crashed = await cluster.waitFor('pods', ({ status }) => status.containerStatuses?.[0].restartCount > 0)
 * assert.equal(crashed.status.containerStatuses[0].lastState.terminated.exitCode, 3)
 */
export interface SimulatedPods {
  /** Containers exit with a failure; their pod starts them again, if it does, with a back-off. */
  crash(pods: PodPattern, options?: CrashOptions): RunningScript
  /** Containers exit with 0. */
  complete(pods: PodPattern, options?: ExitOptions): RunningScript
  /** Containers are killed for want of memory: exit code 137, reason OOMKilled. */
  oomKill(pods: PodPattern, options?: ExitOptions): RunningScript
  /** The liveness probe fails, and the kubelet kills the container. */
  failLiveness(pods: PodPattern, options?: ExitOptions & { output?: string }): RunningScript
  failImagePull(pods: PodPattern, options?: ContainerChoice & { error?: string }): RunningScript
  /** Times that pulling the image, starting the container and becoming ready take. */
  slowStart(
    pods: PodPattern,
    options: ContainerChoice & { pull?: number; start?: number; ready?: number },
  ): RunningScript
  /** The readiness probe fails: `after` a while, `for` so long (for ever unless given), again `every` so often. */
  unready(pods: PodPattern, options?: ContainerChoice & { after?: number; for?: number; every?: number }): RunningScript
  /** Time from SIGTERM to the end of containers, and their exit code then. */
  slowStop(pods: PodPattern, options: ContainerChoice & { takes: number; exitCode?: number }): RunningScript
  /** The kubelet evicts the pods that there are now: the node is short of a resource, memory unless given. */
  evict(pods: PodPattern, options?: { after?: number; resource?: string; message?: string }): RunningScript
  logs(pods: PodPattern, text: string | readonly string[], options?: ContainerChoice): RunningScript
  exec(pods: PodPattern, answers: NonNullable<PodScript['exec']>, options?: ContainerChoice): RunningScript
  usage(pods: PodPattern, usage: NonNullable<PodScript['usage']>, options?: ContainerChoice): RunningScript
  script(pods: PodPattern, script: PodScript): RunningScript
  /** Stops all scripts. */
  clear(): void
}

/** The nodes of a simulated cluster; a name that no node has is refused. */
export interface SimulatedNodes {
  /** Its kubelet falls silent: no Lease is renewed, no pod changes. */
  fail(name: string): Promise<void>
  /** It works again, and goes on with its pods. */
  return(name: string): Promise<void>
  /** It is short of something, which its conditions tell; pods that match are evicted for it. */
  pressure(name: string, resource: 'memory' | 'disk' | 'pid', options?: { evict?: PodPattern }): Promise<void>
  /** It is short of nothing. */
  relieve(name: string): Promise<void>
}
