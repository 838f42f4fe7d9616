/** `pilothouse-apiserver/testing`: a real server in the process of the test. */
import { withSourceLines } from '../lib/stack-map.ts'
import type { StartOptions, TestServer } from './api.ts'
import { placeOfCaller } from './caller.ts'
import { startTestServer } from './running-test-server.ts'

export type * from './api.ts'
export { tidy } from './tidy.ts'
export type * from './webhooks/api.ts'

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
    return await startTestServer(options, undefined, placeOfCaller(new Error().stack))
  } catch (error) {
    throw withSourceLines(error)
  }
}
