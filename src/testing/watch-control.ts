/** The watches that are open on a test server, to be looked at, waited for, ended and broken. */
import type { WatchStream } from '../handlers/watch-stream.ts'
import { mapErrorsOf } from '../lib/stack-map.ts'
import type { WatchFaultKind } from './api/faults.ts'
import type { RequestMatch } from './api/requests.ts'
import type { WaitOptions } from './api/server.ts'
import type { OpenWatch, OpenWatches } from './api/watches.ts'
import type { CheckMatch } from './known-matches.ts'
import { requestMatcher, shown } from './request-match.ts'
import type { Seams } from './seams.ts'
import { defaultTimeoutMs, nextOf } from './waiting.ts'

export class WatchControl implements OpenWatches {
  readonly #seams: Seams
  readonly #check: CheckMatch

  constructor(seams: Seams, check: CheckMatch) {
    this.#seams = seams
    this.#check = check
  }

  get count(): number {
    return this.#seams.layers.requests.openWatches.size
  }

  [Symbol.iterator](): Iterator<OpenWatch> {
    return this.filter({})[Symbol.iterator]()
  }

  filter(match: RequestMatch): OpenWatch[] {
    this.#check(match)
    const matches = requestMatcher(match)
    return [...this.#seams.layers.requests.openWatches].flatMap((stream) => {
      const watch = this.#shown(stream)
      return watch !== undefined && matches(watch.request) ? [watch] : []
    })
  }

  /** Watches of the test itself came over no network, and are none of these. */
  #shown(stream: WatchStream): OpenWatch | undefined {
    const request = this.#seams.recordOf(stream.context)
    if (request === undefined) return undefined
    return {
      request,
      get events() {
        return stream.events
      },
      end: () => stream.end(),
      break: (kind) => this.#seams.watches.break(stream, kind),
    }
  }

  async waitFor(
    match: RequestMatch,
    { timeout = defaultTimeoutMs }: Pick<WaitOptions, 'timeout'> = {},
  ): Promise<OpenWatch> {
    const [known] = this.filter(match)
    if (known !== undefined) return known
    const matches = requestMatcher(match)
    const stream = await nextOf(this.#seams.watchListeners, {
      matches: ({ context }: WatchStream) => {
        const request = this.#seams.recordOf(context)
        return request !== undefined && matches(request)
      },
      timeout,
      wanted: `watch matched within ${timeout} ms: ${shown(match)}; ${this.#open()}`,
    })
    return this.#shown(stream) as OpenWatch
  }

  #open(): string {
    const open = [...this].map(({ request }) => `${request.path}?${request.query}`)
    return open.length === 0 ? 'none was open' : `open were ${open.slice(0, 20).join(', ')}`
  }

  end(match: RequestMatch = {}): number {
    return this.#forEach(match, (watch) => watch.end())
  }

  break(kind: WatchFaultKind, match: RequestMatch = {}): number {
    return this.#forEach(match, (watch) => watch.break(kind))
  }

  #forEach(match: RequestMatch, act: (watch: OpenWatch) => void): number {
    const watches = this.filter(match)
    for (const watch of watches) act(watch)
    return watches.length
  }
}

mapErrorsOf(WatchControl.prototype)
