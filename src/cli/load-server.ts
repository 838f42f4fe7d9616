/** The server that the options ask for: loaded on demand, and what is only for tests not at all unless it is asked for. */
import type { ServerOptions } from '../config/server-options.ts'
import type { StartServer } from '../server/running-server.ts'

export async function loadServer({ flags }: ServerOptions): Promise<StartServer> {
  return flags.isSet('test-endpoint')
    ? (await import('../testing/test-endpoint.ts')).startWithTestEndpoint
    : (await import('../server/server.ts')).startServer
}
