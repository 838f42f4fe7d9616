/**
 * HTTP/1.1 pipelining: the requests of one connection are handled one at a time, as Go's net/http does; Node would hand in all that one
 * packet holds in one turn of the loop. The queue is bounded by what Node reads of a connection before back-pressure stops it: it does when
 * answers are not taken.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { yieldToEventLoop } from '../lib/in-turns.ts'
import { SideTable } from '../lib/memo.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

export interface ConnectionQueue {
  /** Calls the handler for the next request of a connection when the one before has been answered. */
  readonly request: Handle
  /**
   * Begins with an upgrade, unless a request of the connection is still under way: then the connection ends. Node hands upgrades in
   * at once, takes its listeners away and no longer reads, so that neither could hear of its end. No client sends one unasked.
   */
  upgrade(socket: Socket, begin: () => void): void
}

export function serializePipelined(handle: Handle): ConnectionQueue {
  /** Of connections that have a request under way. */
  const waiting = new SideTable<Socket, (() => void)[]>()
  const begin: Handle = (request, response) => {
    response.once('close', () => next(request.socket))
    handle(request, response)
  }
  const next = (socket: Socket): void => {
    const following = socket.destroyed ? undefined : waiting.get(socket)?.shift()
    if (following === undefined) {
      waiting.delete(socket)
      return
    }
    const way = yieldToEventLoop()
    if (way === undefined) following()
    else void way.then(following)
  }
  return {
    request(request, response) {
      const queue = waiting.get(request.socket)
      if (queue !== undefined) queue.push(() => begin(request, response))
      else {
        waiting.set(request.socket, [])
        begin(request, response)
      }
    },
    upgrade(socket, start) {
      if (waiting.has(socket)) socket.destroy()
      else start()
    },
  }
}
