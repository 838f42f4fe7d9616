// The server of a test: its state, its time, and the way to all else.

import type { Webhooks } from '../webhooks/api.ts'
import type { Answer, CallOptions } from './calls.ts'
import type { Faults } from './faults.ts'
import type { StoredObject } from './objects.ts'
import type { Replayed, ReplayOptions, RequestLog, SavedRequest } from './requests.ts'
import type { SimulatedNodes, SimulatedPods } from './simulation.ts'
import type { ApiClass, ConsoleUser, TestKubeconfig, TestUser } from './users.ts'
import type { OpenWatches } from './watches.ts'

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
