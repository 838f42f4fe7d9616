/**
 * APIServices: which group versions other servers serve, whether they can be reached, and what they say they have.
 * Every remote one is asked for its resources when it changes and again and again after that; the answer decides its
 * `Available` condition. Group versions of custom resources get a local APIService each.
 */

import { quote } from '../../api/golang/quote.ts'
import type { GroupVersion } from '../../api/group-version.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { equalJson, isJsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import { formatTime, instantOfMillis } from '../../api/time.ts'
import { serverUser } from '../../api/user.ts'
import type { APIService, APIServiceCondition } from '../../catalog/types/apiregistration-v1.ts'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import type { Logger } from '../../lib/logger.ts'
import { WorkQueue } from '../../lib/work-queue.ts'
import { type Answer, type Call, call } from '../../outbound/call.ts'
import { type Dial, hostPort } from '../../outbound/dial.ts'
import { Transport } from '../../outbound/transport.ts'
import type { ResolveService, ServiceAddress } from '../../outbound/webhook-address.ts'
import { findObject, watchObjects } from '../../registry/object-watch.ts'
import { type Actor, createAs, deleteAs, updateAs } from '../../registry/own-writes.ts'
import type { Registry } from '../../registry/registry.ts'
import { type Fetch, fetchOpenApi, type KnownOpenApi } from './remote-openapi.ts'

type Service = KubeObject & APIService

export interface ApiServicesOptions {
  readonly services: Registry
  readonly clock: Clock
  readonly logger: Logger
  /** What this server shows of itself. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string }
  /** Another way to aggregated servers. */
  readonly dial?: Dial | undefined
  readonly resolveService: ResolveService
  /** Objects that tell where a service is. */
  find(resource: 'services' | 'endpoints', namespace: string, name: string): Promise<KubeObject | undefined>
  /** The slices of a service, since a release that looks at them instead of endpoints. */
  readonly slices?: (namespace: string, name: string) => Promise<readonly KubeObject[]>
  /** Tells of every change of such objects. The result ends it. */
  watchPlaces(changed: (namespace: string, name: string) => void): Promise<() => void>
  /** What other servers serve has changed. */
  onChange(): void
}

/** A group version that another server serves. */
export interface RemoteVersion {
  readonly group: string
  readonly version: string
  readonly versionPriority: number
  readonly isAvailable: boolean
  /** The `APIResourceList` that it last answered. */
  readonly resources: readonly JsonObject[]
  /** What it last said of the types; undefined when it says nothing. */
  readonly openApi: KnownOpenApi | undefined
  /** Where the service is. */
  readonly place: { readonly namespace: string; readonly name: string; readonly port: number }
  /** Kept while nothing changes that it is made from. */
  readonly transport: Transport
  readonly trust: string
}

const actor: Actor = {
  user: serverUser,
  fieldManager: 'kube-apiserver',
}

const recheckMs = 30_000
/** A server that did not answer is asked again sooner, and then less and less often. */
const firstRetryMs = 5_000
const discoveryTimeoutMs = 5_000
const openApiTimeoutMs = 20_000
const discoveryAttempts = 5
const maxAnswerBytes = 64 * 1024 * 1024
const failedCheck = 'FailedDiscoveryCheck'
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged'

type Asked = { readonly resources: readonly JsonObject[] } | { readonly problem: string }
type NewCondition = Omit<APIServiceCondition, 'lastTransitionTime'>

export class ApiServices {
  readonly #options: ApiServicesOptions
  readonly #queue: WorkQueue<string>
  readonly #remote = new Map<string, RemoteVersion>()
  /** The local APIServices that custom resources want, by name, and how many resources want each. */
  readonly #wanted = new Map<string, { readonly of: GroupVersion; readonly count: number }>()
  /** Where the servers of APIServices are, as `namespace/name` of a service, and how often each failed in a row. */
  readonly #places = new Map<string, string>()
  readonly #failures = new Map<string, number>()
  #unwatch: (() => void) | undefined
  #watchingPlaces: Promise<() => void> | undefined

  constructor(options: ApiServicesOptions) {
    this.#options = options
    this.#queue = new WorkQueue<string>({
      name: 'AvailableConditionController',
      clock: options.clock,
      concurrency: 4,
      process: (name) => this.#reconcile(name),
      onError: (name, err) => options.logger.error({ err, name }, 'an APIService could not be looked after'),
    })
  }

  async start(): Promise<void> {
    this.#unwatch = await watchObjects(this.#options.services, {
      changed: (_, object) => this.#queue.add(object.name),
    })
  }

  async stop(): Promise<void> {
    this.#unwatch?.()
    const unwatchPlaces = await this.#watchingPlaces?.catch(() => undefined)
    unwatchPlaces?.()
    await this.#queue.stop()
    for (const { transport } of this.#remote.values()) transport.close()
  }

  /** Whether other servers serve anything at all. */
  get hasRemotes(): boolean {
    return this.#remote.size > 0
  }

  /** Undefined for what this server serves itself. */
  remote(group: string, version: string): RemoteVersion | undefined {
    return this.#remote.get(`${version}.${group}`)
  }

  remotes(): Iterable<RemoteVersion> {
    return this.#remote.values()
  }

  /** A custom resource is served in these versions from now on (1), or no longer (-1). */
  countCustom(versions: Iterable<GroupVersion>, by: 1 | -1): void {
    for (const version of versions) {
      const name = `${version.version}.${version.group}`
      const before = this.#wanted.get(name)?.count ?? 0
      const count = before + by
      if (count > 0) this.#wanted.set(name, { of: version, count })
      else this.#wanted.delete(name)
      if (before === 0 || count === 0) this.#queue.add(name)
    }
  }

  async #reconcile(name: string): Promise<void> {
    const found = await findObject(this.#options.services, '', name)
    const object = found?.object() as Service | undefined
    if (await this.#keepLocal(name, object)) return
    if (object?.spec.service === undefined) {
      this.#places.delete(name)
      this.#failures.delete(name)
      this.#remote.get(name)?.transport.close()
      if (this.#remote.delete(name)) this.#options.onChange()
      return
    }
    await this.#watchPlace(name, object.spec.service)
    const checked = await this.#check(object)
    this.#remember(name, checked.remote)
    await this.#tell(object, checked.condition)
    this.#queue.addAfter(name, this.#nextCheckMs(name, checked.condition), { background: true })
  }

  /** Watches start with the first APIService that names a server: without any, nothing is watched. */
  async #watchPlace(name: string, { namespace, name: service }: { namespace?: string; name?: string }): Promise<void> {
    this.#places.set(name, `${namespace}/${service}`)
    this.#watchingPlaces ??= this.#options.watchPlaces((...place) => {
      for (const [each, where] of this.#places) if (where === place.join('/')) this.#queue.add(each)
    })
    try {
      await this.#watchingPlaces
    } catch (error) {
      // The next attempt begins anew.
      this.#watchingPlaces = undefined
      throw error
    }
  }

  #nextCheckMs(name: string, { reason }: NewCondition): number {
    if (reason !== failedCheck) {
      this.#failures.delete(name)
      return recheckMs
    }
    const failures = this.#failures.get(name) ?? 0
    this.#failures.set(name, failures + 1)
    return Math.min(firstRetryMs * 2 ** failures, recheckMs)
  }

  /** True when it made or removed the object: its change comes by. */
  async #keepLocal(name: string, object: Service | undefined): Promise<boolean> {
    const wanted = this.#wanted.get(name)
    if (wanted !== undefined && object === undefined) {
      await this.#ignoring(409, () =>
        createAs(actor, this.#options.services, localService(name, wanted.of, this.#now())),
      )
      return true
    }
    const isOurs = object?.metadata.labels?.[managedLabel] === 'true'
    if (wanted !== undefined || object === undefined || !isOurs) return false
    await this.#ignoring(404, () => deleteAs(actor, this.#options.services, { namespace: '', name }, {}))
    return true
  }

  #now(): string {
    return formatTime(instantOfMillis(this.#options.clock.now()))
  }

  #remember(name: string, remote: RemoteVersion): void {
    const known = this.#remote.get(name)
    this.#remote.set(name, remote)
    const isNews =
      known === undefined ||
      known.isAvailable !== remote.isAvailable ||
      known.versionPriority !== remote.versionPriority ||
      known.openApi?.hash !== remote.openApi?.hash ||
      known.openApi?.ofGroup?.hash !== remote.openApi?.ofGroup?.hash ||
      known.openApi?.versionTwo !== remote.openApi?.versionTwo ||
      !equalJson([...known.resources], [...remote.resources])
    if (isNews) this.#options.onChange()
  }

  async #check(service: Service): Promise<{ readonly remote: RemoteVersion; readonly condition: NewCondition }> {
    const { group = '', version = '', versionPriority } = service.spec
    const { name = '', namespace = '', port = 443 } = service.spec.service ?? {}
    const known = this.#remote.get(service.metadata.name ?? '')
    const base = {
      group,
      version,
      versionPriority,
      resources: known?.resources ?? [],
      openApi: known?.openApi,
      place: { name, namespace, port },
      isAvailable: false,
      ...this.#transport(service, known),
    }
    const missing = await this.#missing(service)
    if (missing !== undefined) return { remote: base, condition: missing }
    const answer = await this.#askResources(base)
    if ('problem' in answer) return { remote: base, condition: unavailable(failedCheck, answer.problem) }
    const passed = { type: 'Available', status: 'True', reason: 'Passed', message: 'all checks passed' }
    const openApi = await this.#askOpenApi(base)
    return { remote: { ...base, isAvailable: true, resources: answer.resources, openApi }, condition: passed }
  }

  /** The transport of before, unless it was made from something else. */
  #transport({ spec }: Service, known: RemoteVersion | undefined): Pick<RemoteVersion, 'transport' | 'trust'> {
    const { caBundle = '', insecureSkipTLSVerify = false, service } = spec
    const serverName = `${service?.name ?? ''}.${service?.namespace ?? ''}.svc`
    const trust = JSON.stringify([caBundle, insecureSkipTLSVerify, serverName])
    if (known?.trust === trust) return known
    known?.transport.close()
    const { clientCertificate, dial } = this.#options
    const ca = Buffer.from(caBundle, 'base64').toString('utf8')
    return {
      trust,
      transport: new Transport({
        tls: { ca, insecure: insecureSkipTLSVerify, serverName, ...clientCertificate },
        dial,
      }),
    }
  }

  /** What is wrong with the service before anything is asked; undefined when nothing is. */
  async #missing(service: Service): Promise<NewCondition | undefined> {
    const { name = '', namespace = '', port = 443 } = service.spec.service ?? {}
    const what = `service/${name} in ${quote(namespace)}`
    const found = await this.#options.find('services', namespace, name)
    if (found === undefined) return unavailable('ServiceNotFound', `${what} is not present`)
    const spec = (found['spec'] ?? {}) as JsonObject
    // Other types may lead elsewhere: with these, asking the server is the whole check.
    if (spec['type'] !== undefined && spec['type'] !== 'ClusterIP') return undefined
    const ports = Array.isArray(spec['ports']) ? spec['ports'].filter(isJsonObject) : []
    const own = ports.find((each) => each['port'] === port)
    if (own === undefined) return unavailable('ServicePortError', `${what} is not listening on port ${port}`)
    return this.#missingEndpoints(namespace, name, String(own['name'] ?? ''))
  }

  async #missingEndpoints(namespace: string, name: string, portName: string): Promise<NewCondition | undefined> {
    const what = `service/${name} in ${quote(namespace)}`
    const { slices } = this.#options
    if (slices !== undefined) return missingSlices(await slices(namespace, name), what, portName)
    const endpoints = await this.#options.find('endpoints', namespace, name)
    if (endpoints === undefined) return unavailable('EndpointsNotFound', `cannot find endpoints for ${what}`)
    const subsets = Array.isArray(endpoints['subsets']) ? endpoints['subsets'].filter(isJsonObject) : []
    const isReady = subsets.some(({ addresses, ports }) => {
      const hasPort =
        Array.isArray(ports) && ports.some((each) => isJsonObject(each) && (each['name'] ?? '') === portName)
      return hasPort && Array.isArray(addresses) && addresses.length > 0
    })
    if (isReady) return undefined
    const text = `endpoints for ${what} have no addresses with port name ${quote(portName)}`
    return unavailable('MissingEndpoints', text)
  }

  /** Where there is more than one server behind the service, one of them must answer. */
  async #askResources(remote: RemoteVersion): Promise<Asked> {
    const first = await this.#askOnce(remote)
    if (!('problem' in first)) return first
    const others = await Promise.all(Array.from({ length: discoveryAttempts - 1 }, () => this.#askOnce(remote)))
    return others.find((each) => !('problem' in each)) ?? first
  }

  async #askOnce(remote: RemoteVersion): Promise<Asked> {
    const { group, version } = remote
    const path = `/apis/${group}/${version}`
    const resolved = await this.#options.resolveService(remote.place).catch((error: Error) => error)
    if (resolved instanceof Error) return { problem: reasonOf(resolved) }
    const url = `https://${hostPort(resolved.host, resolved.port)}${path}`
    const failed = (why: string): Asked => ({ problem: `failing or missing response from ${url}: ${why}` })
    try {
      const facts = { headers: identity('system:kube-aggregator'), timeoutMs: discoveryTimeoutMs }
      const { status, body } = await this.#get(remote.transport, { ...resolved, path }, facts)
      if (status < 200 || status > 299) return failed(`bad status from ${url}: ${status}`)
      return { resources: resourcesIn(body) }
    } catch (error) {
      return failed(reasonOf(error))
    }
  }

  #get(
    transport: Transport,
    target: ServiceAddress & { readonly path: string },
    facts: Pick<Call, 'headers' | 'timeoutMs'>,
  ): Promise<Answer> {
    return call(
      transport,
      { scheme: 'https', ...target },
      {
        ...facts,
        method: 'GET',
        timeoutOf: 'client',
        maxBytes: maxAnswerBytes,
        redirects: false,
        clock: this.#options.clock,
      },
    )
  }

  /** A server that serves its resources but no word about them is available all the same. */
  async #askOpenApi(remote: RemoteVersion): Promise<KnownOpenApi | undefined> {
    const fetch: Fetch = async (path, etag) => {
      const headers = { ...identity('system:aggregator'), ...(etag === undefined ? {} : { 'if-none-match': etag }) }
      const address = await this.#options.resolveService(remote.place)
      const facts = { headers, timeoutMs: openApiTimeoutMs }
      const answer = await this.#get(remote.transport, { ...address, path }, facts)
      if (answer.status === 304) return 'unchanged'
      if (answer.status !== 200) return undefined
      const document: unknown = JSON.parse(answer.body.toString('utf8'))
      return isJsonObject(document) ? { document, etag: answer.headers.etag } : undefined
    }
    try {
      return await fetchOpenApi(remote, fetch, remote.openApi)
    } catch (err) {
      this.#options.logger.warn({ err, group: remote.group }, 'an aggregated server has no OpenAPI that can be read')
      return remote.openApi
    }
  }

  async #tell(service: Service, condition: NewCondition): Promise<void> {
    const name = service.metadata.name ?? ''
    const change = (current: KubeObject): KubeObject | undefined => {
      const conditions = (current as Service).status?.conditions ?? []
      const old = conditions.find(({ type }) => type === condition.type)
      if (old !== undefined && isSame(old, condition)) return undefined
      const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : this.#now()
      const next = { ...condition, lastTransitionTime }
      const rest = conditions.filter((each) => each !== old)
      return { ...current, status: { conditions: [...rest, next] } as unknown as JsonValue }
    }
    if (change(service) === undefined) return
    await this.#ignoring(404, () =>
      updateAs(actor, this.#options.services, { namespace: '', name, subresource: 'status' }, change),
    )
  }

  async #ignoring(code: number, write: () => Promise<unknown>): Promise<void> {
    try {
      await write()
    } catch (error) {
      if (!(error instanceof ApiError && error.code === code)) throw error
    }
  }
}

const identity = (user: string) => ({
  accept: 'application/json',
  'x-remote-user': user,
  'x-remote-group': 'system:masters',
})

const isSame = (a: NewCondition, b: NewCondition): boolean =>
  a.status === b.status && a.reason === b.reason && a.message === b.message

const unavailable = (reason: string, message: string): NewCondition => ({
  type: 'Available',
  status: 'False',
  reason,
  message,
})

/** What it says of its resources; nothing where the answer is not what was asked for. */
function resourcesIn(body: Buffer): JsonObject[] {
  try {
    const list: unknown = JSON.parse(body.toString('utf8'))
    const resources = isJsonObject(list) ? list['resources'] : undefined
    return Array.isArray(resources) ? resources.filter(isJsonObject) : []
  } catch {
    return []
  }
}

function localService(name: string, { group, version }: GroupVersion, now: string): KubeObject {
  const condition = {
    type: 'Available',
    status: 'True',
    lastTransitionTime: now,
    reason: 'Local',
    message: 'Local APIServices are always available',
  }
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, labels: { [managedLabel]: 'true' } },
    spec: { group, version, groupPriorityMinimum: 1000, versionPriority: 100 },
    status: { conditions: [condition] },
  }
}

function missingSlices(slices: readonly KubeObject[], what: string, portName: string): NewCondition | undefined {
  if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${what}`)
  const listOf = (value: JsonValue | undefined): JsonObject[] =>
    Array.isArray(value) ? value.filter(isJsonObject) : []
  const isReady = slices.some(({ endpoints, ports }) => {
    const hasReady = listOf(endpoints).some(
      ({ conditions }) => !isJsonObject(conditions) || conditions['ready'] !== false,
    )
    return hasReady && listOf(ports).some(({ name = '', port }) => name === portName && port !== undefined)
  })
  if (isReady) return undefined
  return unavailable(
    'MissingEndpoints',
    `endpointslices for ${what} have no addresses with port name ${quote(portName)}`,
  )
}
