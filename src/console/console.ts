/** Everything under `/console`: the page and the API beside it. Made when it is first asked for. */
import type { RequestContext } from '../api/request-context.ts'
import { notServed, wrongMethod } from './answers.ts'
import { capabilitiesEndpoint, type Feature } from './capabilities.ts'
import { Page } from './page.ts'
import type { ConsoleServices, Endpoint, EndpointHandler } from './services.ts'
import { linkEndpoint, sessionEndpoints } from './session-endpoints.ts'

export interface Console {
  handle(context: RequestContext): void | Promise<void>
  close(): void
}

export function makeConsole(services: ConsoleServices): Console {
  const page = new Page()
  const endpoints = new EndpointTable([
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
      for (const stream of [...services.streams]) stream.end('closed')
    },
  }
}

const features: readonly Pick<Feature, 'name' | 'verb'>[] = [{ name: 'links', verb: 'post' }]

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
