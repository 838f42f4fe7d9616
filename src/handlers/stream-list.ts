/**
 * Sends the texts of many entries as one JSON list: in one piece when it is small, in chunks (stream-in-turns.ts) when it
 * is not.
 */

import type { AnswerStream } from '../api/exchange.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { type AnswerSettings, sendBody } from './answer.ts'
import { beginAnswer, type PieceSource, streamInTurns } from './stream-in-turns.ts'

export interface EntryList {
  readonly head: string
  readonly entries: readonly CacheEntry[]
  /** Each item begins with `{` and then this offset of its text. */
  readonly skip: number
  readonly tail: string
}

const smallBytes = 256 * 1024
const chunkBytes = 128 * 1024
const comma = 0x2c
const brace = 0x7b

export function sendEntries(context: RequestContext, settings: AnswerSettings, list: EntryList): Awaitable<void> {
  const length = listLength(list, smallBytes)
  const writer = new ListWriter(list)
  if (length > smallBytes) return streamInTurns(beginAnswer(context, settings, 'application/json'), writer, context)
  const body = Buffer.allocUnsafe(length)
  writer.fill(body)
  sendBody(context, settings, { status: 200, contentType: 'application/json', body })
}

/** The length of the whole text, or something over the bound. */
function listLength({ head, entries, skip, tail }: EntryList, bound: number): number {
  let length = Buffer.byteLength(head) + tail.length + Math.max(entries.length - 1, 0)
  const saved = Math.max(skip - 1, 0)
  for (const entry of entries) {
    length += entry.jsonLength - saved
    if (length > bound) break
  }
  return length
}

/** Writes the text piece by piece into the buffers that it is given. */
class ListWriter implements PieceSource {
  readonly #list: EntryList
  readonly #saved: number
  /** -1: the head is next. As many as there are entries: the tail is next. */
  #next = -1

  constructor(list: EntryList) {
    this.#list = list
    this.#saved = Math.max(list.skip - 1, 0)
  }

  get done(): boolean {
    return this.#next > this.#list.entries.length
  }

  /** The bytes that the next piece takes. */
  get need(): number {
    const { head, entries, tail } = this.#list
    if (this.#next < 0) return Buffer.byteLength(head)
    const entry = entries[this.#next]
    return entry === undefined ? tail.length : entry.jsonLength - this.#saved + 1
  }

  send(answer: AnswerStream, taken: () => void): void {
    sendChunk(answer, this, taken)
  }

  /** Writes as many whole pieces as there is room for, and returns the number of bytes. */
  fill(target: Buffer): number {
    const { head, entries, skip, tail } = this.#list
    let at = 0
    if (this.#next < 0) {
      at = target.write(head, 'utf8')
      this.#next = 0
    }
    for (; this.#next < entries.length; this.#next++) {
      const entry = entries[this.#next] as CacheEntry
      const separated = this.#next > 0 ? 1 : 0
      if (at + entry.jsonLength - this.#saved + separated > target.length) return at
      if (separated === 1) target[at++] = comma
      if (skip > 0) target[at++] = brace
      at = entry.writeJsonFrom(skip, target, at)
    }
    if (at + tail.length > target.length) return at
    this.#next++
    return at + target.write(tail, at, 'latin1')
  }
}

/**
 * Chunks that no stream uses. A fresh buffer for every chunk costs more than filling it: the system hands out its pages
 * one by one. Only a chunk that was sent whole comes back here, so that no write under way can see it change.
 */
const spareChunks: Buffer[] = []
const maxSpareChunks = 16

function sendChunk(answer: AnswerStream, writer: ListWriter, taken: () => void): void {
  const isLarge = writer.need > chunkBytes
  const buffer = isLarge
    ? Buffer.allocUnsafeSlow(writer.need)
    : (spareChunks.pop() ?? Buffer.allocUnsafeSlow(chunkBytes))
  const length = writer.fill(buffer)
  if (!writer.done) {
    answer.write(buffer.subarray(0, length), (error) => {
      if (!error && !isLarge) keepSpare(buffer)
      taken()
    })
    return
  }
  // There is no callback for the last chunk, so its buffer cannot be reused: it is copied.
  answer.end(Buffer.from(buffer.subarray(0, length)))
  if (!isLarge) keepSpare(buffer)
  taken()
}

function keepSpare(chunk: Buffer): void {
  if (spareChunks.length < maxSpareChunks) spareChunks.push(chunk)
}
