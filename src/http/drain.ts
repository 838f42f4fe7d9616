/**
 * Drains the rest of a request's body after it was answered, within bounds. A connection that is closed while its client still sends is
 * reset, and the client may never see the answer. Mirrors net/http, which reads on and then waits before it closes.
 */
import type { IncomingMessage } from 'node:http'

/** What is not over by then is cut off. */
const maxBytes = 32 * 1024 * 1024
const maxMs = 10_000
/** Up to this length a body is read for the sake of the connection, which is used again. */
const keptBytes = 256 * 1024

/** Whether the request has a body of which something may still come. */
export function hasUnreadBody({ headers, complete }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

export const isWorthDraining = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= keptBytes

/** Calls back once, when the body has ended or the wait for it was abandoned. */
export function drain(request: IncomingMessage, done: () => void): void {
  let left = maxBytes
  const finish = (): void => {
    clearTimeout(timer)
    request.off('data', take).off('end', finish).off('close', finish)
    done()
  }
  const take = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) finish()
  }
  const timer = setTimeout(finish, maxMs)
  timer.unref()
  request.on('data', take).on('end', finish).on('close', finish)
  request.resume()
}
