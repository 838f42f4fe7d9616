/** Which part of the console's API a request is for. */
import type { RequestContext } from '../api/request-context.ts'
import { notServed, wrongMethod } from './answers.ts'
import type { Endpoint, EndpointHandler } from './services.ts'

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
