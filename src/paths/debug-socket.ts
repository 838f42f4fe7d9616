/**
 * A unix socket that serves profiles and the verbosity of the log without authentication: who may open the file is
 * trusted. It works when nothing else does, since requests on it pass no filter.
 */
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import http from 'node:http'
import { isMainThread } from 'node:worker_threads'
import { RequestContext } from '../api/request-context.ts'
import { requestInfo } from '../api/request-info.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { Http1Exchange } from '../http/http1-exchange.ts'
import { type DebugOptions, debugPaths } from './inside-paths.ts'

const localUser = { name: 'system:debug-socket', groups: [], extra: new Map<string, string[]>() }
const localPeer = { remoteAddress: '', certificates: () => [] }

/** What an earlier process left behind would keep this one from listening. The reference removes whatever is there. */
function removeOldSocket(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) throw new ConfigError(`--debug-socket-path: ${path} is there, and is no socket`)
  rmSync(path, { force: true })
}

/** A socket gets its rights when it is bound, which happens at once: no client connects before they are taken from others. */
function withoutOthers(listen: () => void): void {
  // A thread cannot change the umask of its process.
  const before = isMainThread ? process.umask(0o077) : undefined
  try {
    listen()
  } finally {
    if (before !== undefined) process.umask(before)
  }
}

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
  removeOldSocket(path)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new ConfigError(`--debug-socket-path: ${error.message}`)))
    withoutOthers(() => server.listen(path, resolve))
  })
  chmodSync(path, 0o600)
  return {
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
