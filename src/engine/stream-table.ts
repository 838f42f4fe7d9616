/**
 * The streams of an HTTP/2 session by number, in place of the Map in which Node keeps them.
 *
 * When a Map is tidied, which with streams that come and go it is every few requests, its old table stays behind with
 * all that was in it. Once the tables of a session are old, the collector takes the streams in those that were left
 * behind for alive, copies them twice, and finds out only when it next looks at everything: on a busy connection that
 * was most of its work. A table whose places are emptied leaves nothing behind.
 *
 * There is no public way to the streams of a session. Where another version of Node keeps them in another way, they
 * stay there. docs/engine.md has what to ask of Node.
 */
import type { ServerHttp2Session } from 'node:http2'
import { types } from 'node:util'
import { engineFeatures, usesFeature } from './features.ts'

const isUsed = usesFeature(engineFeatures.streamTable)

/** To be called before the session has streams. False when its streams were not found. */
export function useStreamTable(session: ServerHttp2Session): boolean {
  if (!isUsed) return false
  const key = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'state')
  if (key === undefined) return false
  const state = (session as unknown as Record<symbol, unknown>)[key] as { streams?: unknown } | undefined
  // Not `instanceof`: Node's own Maps have another prototype.
  if (!types.isMap(state?.streams) || state.streams.size > 0) return false
  state.streams = new StreamTable<unknown>()
  return true
}

const smallest = 16

/** Open addressing: a stream is in the first place from its own on that was free; the places up to it are taken. */
export class StreamTable<V> extends Map<number, V> {
  /** 0: free. Streams are numbered from 1. */
  #ids: number[] = new Array<number>(smallest).fill(0)
  #streams: (V | undefined)[] = new Array<V | undefined>(smallest).fill(undefined)
  #count = 0

  override get size(): number {
    return this.#count
  }

  override get(id: number): V | undefined {
    return this.#streams[this.#placeOf(id)]
  }

  override has(id: number): boolean {
    return this.#ids[this.#placeOf(id)] === id
  }

  override set(id: number, stream: V): this {
    let place = this.#placeOf(id)
    if (this.#ids[place] !== id) {
      if (this.#count * 2 >= this.#ids.length) {
        this.#grow()
        place = this.#placeOf(id)
      }
      this.#ids[place] = id
      this.#count++
    }
    this.#streams[place] = stream
    return this
  }

  override delete(id: number): boolean {
    const place = this.#placeOf(id)
    if (this.#ids[place] !== id) return false
    this.#free(place)
    this.#count--
    this.#closeUp(place)
    return true
  }

  override clear(): void {
    this.#ids.fill(0)
    this.#streams.fill(undefined)
    this.#count = 0
  }

  override forEach(each: (stream: V, id: number, table: Map<number, V>) => void): void {
    for (const [id, stream] of this) each(stream, id, this)
  }

  /** What is there at the first step. */
  override *entries(): MapIterator<[number, V]> {
    const ids = this.#ids.filter((id) => id !== 0)
    for (const id of ids) if (this.has(id)) yield [id, this.get(id) as V]
  }

  override *keys(): MapIterator<number> {
    for (const [id] of this.entries()) yield id
  }

  override *values(): MapIterator<V> {
    for (const [, stream] of this.entries()) yield stream
  }

  override [Symbol.iterator](): MapIterator<[number, V]> {
    return this.entries()
  }

  /** Where the stream is, or would be. Clients number their streams 1, 3, 5. */
  #placeOf(id: number): number {
    const last = this.#ids.length - 1
    let place = (id >>> 1) & last
    while (this.#ids[place] !== 0 && this.#ids[place] !== id) place = (place + 1) & last
    return place
  }

  #free(place: number): void {
    this.#ids[place] = 0
    this.#streams[place] = undefined
  }

  /** Those behind a place that became free may belong there. */
  #closeUp(free: number): void {
    const last = this.#ids.length - 1
    for (let place = (free + 1) & last; this.#ids[place] !== 0; place = (place + 1) & last) {
      const id = this.#ids[place] as number
      const stream = this.#streams[place]
      this.#free(place)
      const better = this.#placeOf(id)
      this.#ids[better] = id
      this.#streams[better] = stream
    }
  }

  #grow(): void {
    const ids = this.#ids
    const streams = this.#streams
    this.#ids = new Array<number>(ids.length * 2).fill(0)
    this.#streams = new Array<V | undefined>(ids.length * 2).fill(undefined)
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number
      if (id === 0) continue
      const place = this.#placeOf(id)
      this.#ids[place] = id
      this.#streams[place] = streams[i]
    }
  }
}
