/**
 * One HTTP/2 connection: its peer and its load. Idle connections are closed, and so are those of clients that keep opening and resetting
 * streams (rapid reset). A request only increments a counter; the counters are checked now and then.
 */
import http2, { type ServerHttp2Session } from 'node:http2'
import type { Peer } from '../api/exchange.ts'

/** The reference's time for a connection without requests. */
export const idleMs = 90_000
/** How often a connection is looked at in that time. */
const looks = 6
/** Streams that a client opened and reset again: past this many in a second its session is closed. */
const maxResetsPerSecond = 1000

export class Http2Connection {
  readonly peer: Peer
  readonly #session: ServerHttp2Session
  /** Requests whose answers are not complete. */
  #running = 0
  #begun = 0
  #asked = 0
  #resets = 0
  #second = 0

  constructor(session: ServerHttp2Session, peer: Peer) {
    this.peer = peer
    this.#session = session
    const timer = setInterval(this.#idleLook(), idleMs / looks).unref()
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

  #idleLook(): () => void {
    let seen = 0
    let idle = 0
    return () => {
      idle = this.#running === 0 && this.#begun === seen ? idle + 1 : 0
      seen = this.#begun
      if (idle >= looks) this.#session.close()
    }
  }

  #countReset(): void {
    const now = Math.floor(Date.now() / 1000)
    if (now !== this.#second) {
      this.#second = now
      this.#resets = 0
    }
    if (++this.#resets > maxResetsPerSecond) {
      this.#session.destroy(undefined, http2.constants.NGHTTP2_ENHANCE_YOUR_CALM)
    }
  }
}
