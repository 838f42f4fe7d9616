/** The watches that are open on a test server, to be ended and broken. */
import type { WatchStream } from '../handlers/watch.ts'
import type { OpenWatches, RequestMatch, WatchFaultKind } from './api.ts'
import { requestMatcher } from './request-match.ts'
import type { Seams } from './seams.ts'

export class WatchControl implements OpenWatches {
  readonly #seams: Seams

  constructor(seams: Seams) {
    this.#seams = seams
  }

  get count(): number {
    return this.#seams.layers.requests.openWatches.size
  }

  end(match: RequestMatch = {}): number {
    return this.#forEach(match, (stream) => stream.end())
  }

  break(kind: WatchFaultKind, match: RequestMatch = {}): number {
    return this.#forEach(match, (stream) => stream.break(kind))
  }

  #forEach(match: RequestMatch, act: (stream: WatchStream) => void): number {
    const matches = requestMatcher(match)
    const streams = [...this.#seams.layers.requests.openWatches].filter(({ context }) => {
      const record = this.#seams.recordOf(context)
      return record !== undefined && matches(record)
    })
    for (const stream of streams) act(stream)
    return streams.length
  }
}
