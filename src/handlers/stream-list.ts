/** Sends the texts of many entries as one JSON list: in one piece when it is small, in large chunks when it is not. */
import type { AnswerStream, Exchange } from '../api/exchange.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'

export interface EntryList {
  readonly head: string
  readonly entries: readonly CacheEntry[]
  /** Each item begins with `{` and then this offset of its text. */
  readonly skip: number
  readonly tail: string
}

const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' }
const chunkBytes = 256 * 1024

export function sendEntries(exchange: Exchange, list: EntryList): void | Promise<void> {
  const { head, entries, skip, tail } = list
  const overhead = Buffer.byteLength(head) + tail.length + entries.length
  let length = overhead
  for (const entry of entries) length += entry.jsonLength - Math.max(skip - 1, 0)
  if (length <= chunkBytes) {
    // Room for the last item is judged by its whole text.
    const body = Buffer.allocUnsafe(length + skip + 2)
    const writer = new ListWriter(list, body)
    exchange.respond(200, headers, body.subarray(0, writer.fill()))
    return
  }
  return streamEntries(exchange.stream(200, headers), list)
}

/** Copies items into a buffer, going on where it stopped. */
class ListWriter {
  readonly #list: EntryList
  #buffer: Buffer
  #next = -1

  constructor(list: EntryList, buffer: Buffer) {
    this.#list = list
    this.#buffer = buffer
  }

  get done(): boolean {
    return this.#next > this.#list.entries.length
  }

  use(buffer: Buffer): void {
    this.#buffer = buffer
  }

  /** Fills the buffer as far as whole items fit, and returns the number of bytes. */
  fill(): number {
    const { head, entries, skip, tail } = this.#list
    let at = 0
    if (this.#next < 0) {
      at = this.#buffer.write(head, 'utf8')
      this.#next = 0
    }
    while (this.#next < entries.length) {
      const entry = entries[this.#next] as CacheEntry
      if (at + entry.jsonLength + 2 > this.#buffer.length && at > 0) return at
      if (this.#next > 0) this.#buffer[at++] = comma
      at = writeItem(entry, skip, this.#buffer, at)
      this.#next++
    }
    if (at + tail.length > this.#buffer.length) return at
    this.#next = entries.length + 1
    return at + this.#buffer.write(tail, at, 'latin1')
  }

  /** The room that the next item needs. */
  get need(): number {
    return (this.#list.entries[Math.max(this.#next, 0)]?.jsonLength ?? 0) + this.#list.head.length + 16
  }
}

const comma = 0x2c
const brace = 0x7b

function writeItem(entry: CacheEntry, skip: number, target: Buffer, at: number): number {
  if (skip === 0) return entry.writeJson(target, at)
  // The text is written over its own beginning, so that the brace takes the place of the last skipped byte.
  target[at] = brace
  return entry.writeJsonFrom(skip, target, at + 1)
}

async function streamEntries(answer: AnswerStream, list: EntryList): Promise<void> {
  let wake = () => {}
  answer.onDrain(() => wake())
  answer.onClose(() => wake())
  const writer = new ListWriter(list, Buffer.alloc(0))
  while (!writer.done && !answer.closed) {
    const buffer = Buffer.allocUnsafeSlow(Math.max(chunkBytes, writer.need))
    writer.use(buffer)
    const chunk = buffer.subarray(0, writer.fill())
    if (writer.done) {
      answer.end(chunk)
    } else if (!answer.write(chunk)) {
      await new Promise<void>((resolve) => {
        wake = resolve
        if (answer.closed) resolve()
      })
    }
  }
}
