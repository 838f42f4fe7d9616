/**
 * Remembers what came of a token for a short time, so that slow authenticators (signatures, webhooks) are asked once per
 * token and not once per request. Holds digests with a secret key, never tokens; the oldest entry goes when it is full.
 * Mirrors k8s.io/apiserver/pkg/authentication/token/cache: cachedTokenAuthenticator.
 */

import { createHmac, randomBytes } from 'node:crypto'
import type { Awaitable } from '../../lib/awaitable.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { AuthenticationResult, TokenAuthenticator, TokenOptions } from '../authenticator.ts'

export interface TokenCacheOptions {
  readonly successMs: number
  readonly failureMs: number
  /** Most entries held. */
  readonly capacity?: number
  readonly clock?: Clock
  readonly meter?: TokenCacheMeter
}

/** Observer of hits and misses, for metrics. */
export interface TokenCacheMeter {
  asked(status: 'hit' | 'miss', ms: number): void
  fetched(status: 'ok' | 'error'): void
  /** A call begins (1) or ends (-1) to fetch from behind the cache, or to wait for a fetch under way. */
  fetching(status: 'in_flight' | 'blocked', by: 1 | -1): void
}

interface Entry {
  readonly result: AuthenticationResult
  readonly expires: number
}

export class TokenCache implements TokenAuthenticator {
  readonly #inner: TokenAuthenticator
  readonly #options: TokenCacheOptions
  readonly #clock: Clock
  readonly #key = randomBytes(32)
  readonly #entries = new Map<string, Entry>()
  readonly #pending = new Map<string, Promise<AuthenticationResult>>()

  constructor(inner: TokenAuthenticator, options: TokenCacheOptions) {
    this.#inner = inner
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  get size(): number {
    return this.#entries.size
  }

  authenticateToken(token: string, options: TokenOptions): Awaitable<AuthenticationResult> {
    const { meter } = this.#options
    const begin = meter === undefined ? 0 : performance.now()
    const key = this.#keyOf(token, options.audiences)
    const entry = this.#entries.get(key)
    if (entry && entry.expires > this.#clock.now()) {
      meter?.asked('hit', performance.now() - begin)
      return entry.result
    }
    const result = this.#fetch(key, token, options)
    if (meter === undefined) return result
    if (result instanceof Promise) return result.finally(() => meter.asked('miss', performance.now() - begin))
    meter.asked('miss', performance.now() - begin)
    return result
  }

  #fetch(key: string, token: string, options: TokenOptions): Awaitable<AuthenticationResult> {
    const { meter } = this.#options
    const pending = this.#pending.get(key)
    if (pending !== undefined) {
      meter?.fetching('blocked', 1)
      return meter === undefined ? pending : pending.finally(() => meter.fetching('blocked', -1))
    }
    const result = this.#inner.authenticateToken(token, options)
    return result instanceof Promise ? this.#wait(key, result) : this.#remember(key, result)
  }

  /** Requests with the same token wait for the same answer. */
  #wait(key: string, result: Promise<AuthenticationResult>): Promise<AuthenticationResult> {
    const { meter } = this.#options
    meter?.fetching('in_flight', 1)
    const remembered = result
      .then((resolved) => this.#remember(key, resolved))
      .finally(() => {
        this.#pending.delete(key)
        meter?.fetching('in_flight', -1)
      })
    this.#pending.set(key, remembered)
    return remembered
  }

  #remember(key: string, result: AuthenticationResult): AuthenticationResult {
    const { successMs, failureMs, capacity = 4096 } = this.#options
    const ttl = result.outcome === 'authenticated' ? successMs : failureMs
    this.#options.meter?.fetched(result.outcome === 'failed' ? 'error' : 'ok')
    this.#entries.delete(key)
    if (ttl <= 0) return result
    while (this.#entries.size >= capacity) {
      const oldest = this.#entries.keys().next()
      if (oldest.done) break
      this.#entries.delete(oldest.value)
    }
    this.#entries.set(key, { result, expires: this.#clock.now() + ttl })
    return result
  }

  #keyOf(token: string, audiences: readonly string[] | undefined): string {
    const asked = audiences === undefined ? '' : JSON.stringify(audiences)
    return createHmac('sha256', this.#key).update(`${asked.length}:${asked}`).update(token).digest('base64')
  }
}
