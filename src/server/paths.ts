/** The paths outside of the API's resources: health, version, metrics. */
import type { RequestContext } from '../api/request-context.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Store } from '../store/store.ts'

export interface PathOptions {
  readonly options: ServerOptions
  readonly store: Store
  readonly isReady: () => boolean
}

const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }

export function nonResourcePaths({ isReady }: PathOptions): (context: RequestContext) => void {
  return (context) => {
    const { exchange, info } = context
    switch (info.path) {
      case '/healthz':
      case '/livez':
      case '/readyz':
        exchange.respond(isReady() ? 200 : 500, plain, 'ok')
        return
      case '/version':
        exchange.respond(
          200,
          { 'content-type': 'application/json' },
          JSON.stringify({ major: '1', minor: '33', gitVersion: 'v1.33.13' }),
        )
        return
      default:
        exchange.respond(404, plain, '404 page not found\n')
    }
  }
}
