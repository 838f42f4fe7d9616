/**
 * Who is signed in, by the cookie of the browser. A session lives as long as it is used, within a bound, and no longer than this process; when
 * it ends, what it has under way is cut.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Exchange } from '../api/exchange.ts'
import type { UserInfo } from '../api/user.ts'
import type { Clock } from '../lib/clock.ts'

const idleMs = 30 * 60_000
const longestMs = 12 * 3600_000
const sweepMs = 30_000
/** The one that was idle longest goes when there are more. */
const maxSessions = 1000

export type SessionEnd = 'signed-out' | 'expired'

export class Session {
  readonly user: UserInfo
  readonly createdAt: number
  usedAt: number
  /** Requests under way. */
  readonly #running = new Set<Exchange>()
  readonly #listeners = new Set<(why: SessionEnd) => void>()
  isOver = false

  constructor(user: UserInfo, now: number) {
    this.user = user
    this.createdAt = now
    this.usedAt = now
  }

  get expiresAt(): number {
    return this.createdAt + longestMs
  }

  get idleExpiresAt(): number {
    return Math.min(this.usedAt + idleMs, this.expiresAt)
  }

  /** A request of this session is cut when the session ends. */
  follow(exchange: Exchange): void {
    this.#running.add(exchange)
    exchange.onEnd(() => this.#running.delete(exchange))
  }

  get hasRunning(): boolean {
    return this.#running.size > 0
  }

  /** Called before what is under way is cut, to end it in good order. The result ends it. */
  onEnd(listener: (why: SessionEnd) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** `spared` is the request that ends it: it is still to be answered. */
  end(why: SessionEnd, spared?: Exchange): void {
    this.isOver = true
    for (const listener of [...this.#listeners]) listener(why)
    for (const exchange of [...this.#running]) if (exchange !== spared && !exchange.complete) exchange.cut()
    this.#running.clear()
  }
}

export class Sessions {
  readonly #clock: Clock
  /** By the hash of the cookie's value: what is in memory cannot sign in. */
  readonly #sessions = new Map<string, Session>()
  #cancelSweep: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The value of the cookie. */
  begin(user: UserInfo): { readonly token: string; readonly session: Session } {
    const token = randomBytes(32).toString('base64url')
    const session = new Session(user, this.#clock.now())
    if (this.#sessions.size >= maxSessions) this.#endIdlest()
    this.#sessions.set(hashOf(token), session)
    this.#cancelSweep ??= this.#clock.setTimeout(() => this.#sweep(), sweepMs, { background: true })
    return { token, session }
  }

  /** The session of a cookie, which counts as used; undefined when it is over. */
  find(token: string): Session | undefined {
    const session = this.#sessions.get(hashOf(token))
    if (session === undefined) return undefined
    if (this.#isOver(session)) {
      this.#end(session, 'expired')
      return undefined
    }
    session.usedAt = this.#clock.now()
    return session
  }

  signOut(session: Session, spared: Exchange): void {
    this.#end(session, 'signed-out', spared)
  }

  close(): void {
    this.#cancelSweep?.()
    for (const session of [...this.#sessions.values()]) this.#end(session, 'expired')
  }

  #isOver(session: Session): boolean {
    const now = this.#clock.now()
    // What is under way is use.
    if (session.hasRunning) session.usedAt = Math.max(session.usedAt, Math.min(now, session.expiresAt))
    return now >= session.idleExpiresAt
  }

  #sweep(): void {
    this.#cancelSweep = undefined
    for (const session of [...this.#sessions.values()]) if (this.#isOver(session)) this.#end(session, 'expired')
    if (this.#sessions.size > 0) {
      this.#cancelSweep = this.#clock.setTimeout(() => this.#sweep(), sweepMs, { background: true })
    }
  }

  #endIdlest(): void {
    let idlest: Session | undefined
    for (const session of this.#sessions.values()) {
      if (idlest === undefined || session.usedAt < idlest.usedAt) idlest = session
    }
    if (idlest !== undefined) this.#end(idlest, 'expired')
  }

  #end(session: Session, why: SessionEnd, spared?: Exchange): void {
    for (const [key, known] of this.#sessions) if (known === session) this.#sessions.delete(key)
    session.end(why, spared)
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64')
