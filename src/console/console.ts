/** Everything under `/console`: the page and the API beside it. Made when it is first asked for. */
import type { RequestContext } from '../api/request-context.ts'
import { accessEndpoints } from './access/access-endpoints.ts'
import { Grants } from './access/grants.ts'
import { notServed, wrongMethod } from './answers.ts'
import { capabilitiesEndpoint, type Feature } from './capabilities.ts'
import { flowsEndpoint } from './flows.ts'
import { inventoryEndpoints } from './inventory.ts'
import { Page } from './page.ts'
import { RequestRing } from './requests/request-ring.ts'
import { requestsEndpoints } from './requests/requests-endpoint.ts'
import type { ConsoleServices, Endpoint, EndpointHandler } from './services.ts'
import { linkEndpoint, sessionEndpoints } from './session-endpoints.ts'
import { watchesEndpoint } from './watches.ts'

export interface Console {
  handle(context: RequestContext): void | Promise<void>
  close(): void
}

export function makeConsole(services: ConsoleServices): Console {
  const page = new Page()
  const { clock, registries, setTap } = services
  const ring = new RequestRing({ clock, setTap })
  const grants = new Grants(registries)
  const endpoints = new EndpointTable([
    ...requestsEndpoints(services, ring, grants),
    ...accessEndpoints(services, grants),
    ...inventoryEndpoints(services),
    watchesEndpoint(services),
    flowsEndpoint(services),
    ...sessionEndpoints(services),
    linkEndpoint(services),
    capabilitiesEndpoint(services, featuresOf(services)),
  ])
  return {
    handle(context) {
      const { path } = context.info
      if (path !== '/console/v1' && !path.startsWith('/console/v1/')) return page.answer(context)
      return endpoints.find(context)(context)
    },
    close() {
      ring.stop()
      for (const stream of [...services.streams]) stream.end('closed')
    },
  }
}

const features: readonly Pick<Feature, 'name' | 'verb'>[] = [
  { name: 'counts', verb: 'get' },
  { name: 'search', verb: 'get' },
  { name: 'requests', verb: 'get' },
  { name: 'watches', verb: 'get' },
  { name: 'flows', verb: 'get' },
  { name: 'access', verb: 'get' },
  { name: 'links', verb: 'post' },
]

function featuresOf(_: ConsoleServices): readonly Feature[] {
  return features.map((feature) => ({ ...feature, missing: undefined }))
}

export class EndpointTable {
  readonly #exact = new Map<string, Endpoint>()
  readonly #prefixes: readonly Endpoint[]

  constructor(endpoints: readonly Endpoint[]) {
    for (const endpoint of endpoints) if (!endpoint.path.endsWith('/')) this.#exact.set(endpoint.path, endpoint)
    this.#prefixes = endpoints.filter(({ path }) => path.endsWith('/'))
  }

  find({ info, exchange }: RequestContext): EndpointHandler {
    const endpoint =
      this.#exact.get(info.path) ??
      this.#prefixes.find(({ path }) => info.path.startsWith(path) && info.path.length > path.length)
    if (endpoint === undefined) throw notServed(info.path)
    const handler = endpoint.methods[exchange.method]
    if (handler === undefined || !Object.hasOwn(endpoint.methods, exchange.method)) {
      throw wrongMethod(exchange.method, info.path)
    }
    return handler
  }
}
