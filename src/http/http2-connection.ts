/**
 * One HTTP/2 connection: its peer and its load. Idle connections are closed, and so are those of clients that keep opening and resetting
 * streams (rapid reset), and those that the HTTP/2 library has stopped reading. A request only increments a counter; the counters are
 * checked now and then.
 */
import http2, { type ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Peer } from '../api/exchange.ts'

/** The reference's time for a connection without requests. */
export const idleMs = 90_000
/** How often a connection is looked at in that time. */
const looks = 6
/**
 * Streams that a client opened and reset again: a token bucket, as the HTTP/2 library has one of 1000. It must run out first: the
 * library would say GOAWAY and not read on, and Node would keep the connection.
 */
const resetBurst = 900
const resetsPerSecond = 33

export class Http2Connection {
  readonly peer: Peer
  readonly #session: ServerHttp2Session
  /** Requests whose answers are not complete. */
  #running = 0
  #begun = 0
  #asked = 0
  #resetTokens = resetBurst
  #lastReset = 0

  constructor(session: ServerHttp2Session, socket: Pick<Socket, 'destroy'>, peer: Peer) {
    this.peer = peer
    this.#session = session
    const timer = setInterval(this.#idleLook(socket), idleMs / looks).unref()
    session.once('close', () => clearInterval(timer))
  }

  /** The requests since this was last asked. */
  begunSince(): number {
    const since = this.#begun - this.#asked
    this.#asked = this.#begun
    return since
  }

  requestBegan(): void {
    this.#running++
    this.#begun++
  }

  requestEnded(wasReset: boolean): void {
    this.#running--
    if (wasReset) this.#countReset()
  }

  #idleLook(socket: Pick<Socket, 'destroy'>): () => void {
    let seen = 0
    let idle = 0
    let isAnswered = true
    let isEnding = false
    return () => {
      if (this.#session.destroyed) {
        // A client that does not close its side would keep the socket.
        if (isEnding) socket.destroy()
        isEnding = true
        return
      }
      idle = this.#running === 0 && this.#begun === seen ? idle + 1 : 0
      seen = this.#begun
      if (idle >= looks) this.#session.close()
      else if (idle > 0 && !isAnswered) this.#session.destroy()
      else if (this.#running === 0) {
        // After some floods the library reads no more, and tells nobody: then no answer is seen.
        isAnswered = false
        this.#session.ping(() => {
          isAnswered = true
        })
      }
    }
  }

  #countReset(): void {
    const now = performance.now()
    const refilled = this.#resetTokens + ((now - this.#lastReset) / 1000) * resetsPerSecond
    this.#lastReset = now
    this.#resetTokens = Math.min(refilled, resetBurst) - 1
    if (this.#resetTokens >= 0) return
    this.#session.destroy(new Error('too many streams were reset'), http2.constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }
}
