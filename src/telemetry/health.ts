/**
 * Health: named checks on three pages. `/livez` asks whether the process should go on, `/readyz` whether it should get
 * requests, `/healthz` is the older form of both. Each long-running component registers a check; what must happen
 * once at the start is a hook, which fails until it is done.
 */

import { quote } from '../api/golang/quote.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Clock } from '../lib/clock.ts'
import { reasonOf } from '../lib/fault.ts'

export type HealthPage = 'healthz' | 'livez' | 'readyz'

const healthPages: readonly HealthPage[] = ['healthz', 'livez', 'readyz']

export interface HealthCheck {
  /** As clients name it in `exclude` and in the path: `etcd`, `poststarthook/rbac/bootstrap-roles`. */
  readonly name: string
  /** What clients may name in `exclude` instead, for all of a kind. */
  readonly group?: string
  /** Throws or rejects with the reason when something is wrong. */
  check(signal: AbortSignal): Awaitable<void>
}

export interface HealthCheckOptions {
  readonly clock: Clock
  /** For this long after the start, hooks that are not done do not fail `/livez`. Milliseconds. */
  readonly livezGracePeriod: number
  /** A check that takes longer has failed. Milliseconds. */
  readonly timeout: number
  /** The times of checks that have their own, by name or group. */
  readonly timeouts?: ReadonlyMap<string, number>
  /** Called for every check that was made. */
  readonly onResult?: (page: HealthPage, name: string, ok: boolean) => void
  readonly onFailure?: (page: HealthPage, failures: ReadonlyMap<string, string>) => void
}

/** What excludes a check: its name, or its group. */
function exclusion({ name, group }: HealthCheck, excluded: ReadonlySet<string>): string | undefined {
  if (excluded.has(name)) return name
  return group !== undefined && excluded.has(group) ? group : undefined
}

const text = { 'content-type': 'text/plain; charset=utf-8' }
const plain = { ...text, 'x-content-type-options': 'nosniff' }

export class HealthChecks {
  readonly #options: HealthCheckOptions
  readonly #started: number
  readonly #pages = new Map<HealthPage, Map<string, HealthCheck>>(healthPages.map((page) => [page, new Map()]))

  constructor(options: HealthCheckOptions) {
    this.#options = options
    this.#started = options.clock.now()
    this.add({ name: 'ping', check: () => undefined })
    this.add({ name: 'log', check: () => undefined })
  }

  /** Adds a check to some pages, all by default. The result takes it away again. */
  add(check: HealthCheck, pages: readonly HealthPage[] = healthPages): () => void {
    for (const page of pages) this.#page(page).set(check.name, check)
    return () => {
      for (const page of pages) this.#page(page).delete(check.name)
    }
  }

  /** Adds something that must have happened: it fails until the promise is fulfilled. */
  addHook(name: string, done: Promise<unknown>): void {
    let reason: string | undefined = 'not finished'
    done.then(
      () => (reason = undefined),
      (error: unknown) => (reason = reasonOf(error)),
    )
    const check = (): void => {
      if (reason !== undefined) throw new Error(reason)
    }
    this.add({ name, check }, ['healthz', 'readyz'])
    this.add({ name, check: () => (this.#isYoung() ? undefined : check()) }, ['livez'])
  }

  #isYoung(): boolean {
    const { clock, livezGracePeriod } = this.#options
    return clock.now() - this.#started < livezGracePeriod
  }

  #page(page: HealthPage): Map<string, HealthCheck> {
    return this.#pages.get(page) as Map<string, HealthCheck>
  }

  /** The paths of all pages and checks. */
  *paths(): Generator<string> {
    for (const [page, checks] of this.#pages) {
      yield `/${page}`
      for (const name of checks.keys()) yield `/${page}/${name}`
    }
  }

  /** Resolves with what is wrong, by check; nothing when all is well. */
  async failures(page: HealthPage, excluded: ReadonlySet<string> = new Set()): Promise<Map<string, string>> {
    const failed = new Map<string, string>()
    const asked = [...this.#page(page).values()].filter((check) => exclusion(check, excluded) === undefined)
    await Promise.all(
      asked.map(async (check) => {
        const reason = await this.#run(page, check)
        if (reason !== undefined) failed.set(check.name, reason)
      }),
    )
    return failed
  }

  async #run(page: HealthPage, { name, group, check }: HealthCheck): Promise<string | undefined> {
    const { clock, onResult } = this.#options
    const timeout = this.#options.timeouts?.get(group ?? name) ?? this.#options.timeout
    const abort = new AbortController()
    const late = new Promise<never>((_, reject) => {
      abort.signal.addEventListener('abort', () => reject(new Error(`no answer in ${timeout / 1000} seconds`)))
    })
    const cancel = clock.setTimeout(() => abort.abort(), timeout)
    late.catch(() => undefined)
    try {
      await Promise.race([check(abort.signal), late])
      onResult?.(page, name, true)
      return undefined
    } catch (error) {
      onResult?.(page, name, false)
      return reasonOf(error)
    } finally {
      cancel()
    }
  }

  /** Answers a request for a page or a single check; false when the path is none of them. */
  handle(context: RequestContext): Awaitable<boolean> {
    const [, page, rest] = /^\/(healthz|livez|readyz)(?:\/(.*))?$/s.exec(context.info.path) ?? []
    if (page === undefined) return false
    if (rest === undefined) return this.#answerPage(context, page as HealthPage)
    const check = this.#page(page as HealthPage).get(rest)
    return check === undefined ? false : this.#answerCheck(context, page as HealthPage, check)
  }

  async #answerCheck({ exchange }: RequestContext, page: HealthPage, check: HealthCheck): Promise<true> {
    const reason = await this.#run(page, check)
    if (reason === undefined) exchange.respond(200, text, 'ok')
    else exchange.respond(500, plain, `internal server error: ${reason}\n`)
    return true
  }

  async #answerPage({ exchange, info }: RequestContext, page: HealthPage): Promise<true> {
    const excluded = new Set(info.query.all('exclude'))
    const checks = this.#page(page)
    const failed = await this.failures(page, excluded)
    const matched = new Set<string>()
    const lines = [...checks.values()].map((check) => {
      const { name } = check
      const by = exclusion(check, excluded)
      if (by !== undefined) {
        matched.add(by)
        return by === name ? `[+]${name} excluded: ok` : `[+]${name} excluded with ${by}: ok`
      }
      // The reason may disclose too much to unauthorized clients: who may read a single check sees it there.
      return failed.has(name) ? `[-]${name} failed: reason withheld` : `[+]${name} ok`
    })
    const unknown = [...excluded].filter((name) => !matched.has(name)).sort()
    if (unknown.length > 0) {
      const names = unknown.map((name) => quote(name)).join(',')
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`)
    }
    if (failed.size > 0) {
      this.#options.onFailure?.(page, failed)
      exchange.respond(500, plain, `${lines.join('\n')}\n${page} check failed\n`)
    } else {
      exchange.respond(200, plain, info.query.has('verbose') ? `${lines.join('\n')}\nhealthz check passed\n` : 'ok')
    }
    return true
  }
}
