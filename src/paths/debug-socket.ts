/**
 * A unix socket that serves profiles and the verbosity of the log without authentication: who may open the file is
 * trusted. It works when nothing else does, since requests on it pass no filter.
 */
import { chmodSync, rmSync } from 'node:fs'
import http from 'node:http'
import { RequestContext } from '../api/request-context.ts'
import { requestInfo } from '../api/request-info.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { Http1Exchange } from '../http/http1-exchange.ts'
import { type DebugOptions, debugPaths } from './inside-paths.ts'

const localUser = { name: 'system:debug-socket', groups: [], extra: new Map<string, string[]>() }
const localPeer = { remoteAddress: '', certificates: () => [] }

/** Undefined when there is to be none. */
export async function openDebugSocket(
  { debugging }: ServerOptions,
  dependencies: DebugOptions,
): Promise<{ close(): void } | undefined> {
  const path = debugging.socketPath
  if (path === undefined) return undefined
  const paths = debugPaths(dependencies)
  const server = http.createServer((request, response) => {
    const exchange = new Http1Exchange(request, response, localPeer)
    const handler = paths.get(exchange.path)
    if (handler === undefined) {
      exchange.respond(404, { 'content-type': 'text/plain; charset=utf-8' }, '404 page not found\n')
      return
    }
    const context = new RequestContext(exchange, requestInfo(exchange), localUser)
    Promise.resolve(handler(context)).catch((error: Error) => {
      exchange.respond(500, { 'content-type': 'text/plain; charset=utf-8' }, `${error.message}\n`)
    })
  })
  // What an earlier process left behind would keep this one from listening.
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new ConfigError(`--debug-socket-path: ${error.message}`)))
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return {
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
