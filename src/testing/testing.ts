/** `pilothouse-apiserver/testing`: a real server in the process of the test. */
import { type NamesOf, refuseUnknownOptions } from '../config/known-options.ts'
import { withSourceLines } from '../lib/stack-map.ts'
import type { TestServer } from './api/server.ts'
import type { StartOptions } from './api/start-options.ts'
import { placeOfCaller } from './caller.ts'
import { startTestServer } from './open-test-server.ts'

export type * from './api/calls.ts'
export type * from './api/faults.ts'
export type * from './api/objects.ts'
export type * from './api/requests.ts'
export type * from './api/server.ts'
export type * from './api/simulation.ts'
export type * from './api/start-options.ts'
export type * from './api/users.ts'
export type * from './api/watches.ts'
export { tidy } from './tidy.ts'
export type * from './webhooks/api.ts'

const startOptions: NamesOf<StartOptions> = {
  flags: true,
  release: true,
  tls: true,
  port: true,
  simulate: true,
  seed: true,
  maxRequests: true,
  log: true,
}

/**
 * Starts a server of one's own: in this process, in memory, on a free port of the loopback address. Resolves when it is
 * ready. Close it in the end, or let `await using` do so.
 *
 * @example
 * await using server = await startServer()
 * await server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'blue' } })
 * const found = await server.get('configmaps', 'settings', 'default')
 * assert.equal(found?.data.colour, 'blue')
 * await server.reset()
 * assert.equal(await server.get('configmaps', 'settings', 'default'), undefined)
 */
export async function startServer(options: StartOptions = {}): Promise<TestServer> {
  try {
    refuseUnknownOptions('startServer', options, startOptions)
    return await startTestServer(options, undefined, placeOfCaller(new Error().stack))
  } catch (error) {
    throw withSourceLines(error)
  }
}
