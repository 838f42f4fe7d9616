/**
 * Whether the server of an APIService can be reached, and what it says that it has: its service has to be there and to
 * have endpoints, and one of a few attempts to list its resources has to succeed.
 */
import { quote } from '../../api/golang/quote.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { isJsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { APIService, APIServiceCondition } from '../../catalog/types/apiregistration-v1.ts'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import type { Logger } from '../../lib/logger.ts'
import { type Answer, type Call, callOutbound } from '../../outbound/call.ts'
import { type Dial, hostPort } from '../../outbound/dial.ts'
import { Transport } from '../../outbound/transport.ts'
import type { ResolveService, ServiceAddress } from '../../outbound/webhook-address.ts'
import { type Fetch, fetchOpenApi, type KnownOpenApi } from './remote-openapi.ts'

type Service = KubeObject & APIService

export interface AvailabilityOptions {
  readonly clock: Clock
  readonly logger: Logger
  /** What this server shows of itself. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string }
  /** Another way to aggregated servers. */
  readonly dial?: Dial | undefined
  readonly resolveService: ResolveService
  /** Objects from which the address of a service is resolved. */
  find(resource: 'services' | 'endpoints', namespace: string, name: string): Promise<KubeObject | undefined>
  /** The slices of a service, since a release that looks at them instead of endpoints. */
  readonly slices?: (namespace: string, name: string) => Promise<readonly KubeObject[]>
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

const discoveryTimeoutMs = 5_000
const openApiTimeoutMs = 20_000
const discoveryAttempts = 5
const maxAnswerBytes = 64 * 1024 * 1024
export const failedCheck = 'FailedDiscoveryCheck'

type Asked = { readonly resources: readonly JsonObject[] } | { readonly problem: string }
export type AvailabilityCondition = Omit<APIServiceCondition, 'lastTransitionTime'>

export class Availability {
  readonly #options: AvailabilityOptions

  constructor(options: AvailabilityOptions) {
    this.#options = options
  }

  /** Asks the server of an APIService; `known` is what it was when it was last asked. */
  async check(
    service: Service,
    known: RemoteVersion | undefined,
  ): Promise<{ readonly remote: RemoteVersion; readonly condition: AvailabilityCondition }> {
    const { group = '', version = '', versionPriority } = service.spec
    const { name = '', namespace = '', port = 443 } = service.spec.service ?? {}
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
  async #missing(service: Service): Promise<AvailabilityCondition | undefined> {
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

  async #missingEndpoints(
    namespace: string,
    name: string,
    portName: string,
  ): Promise<AvailabilityCondition | undefined> {
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
    return callOutbound(
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
}

const identity = (user: string) => ({
  accept: 'application/json',
  'x-remote-user': user,
  'x-remote-group': 'system:masters',
})

const unavailable = (reason: string, message: string): AvailabilityCondition => ({
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

function missingSlices(
  slices: readonly KubeObject[],
  what: string,
  portName: string,
): AvailabilityCondition | undefined {
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
