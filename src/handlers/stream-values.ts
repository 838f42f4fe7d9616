/**
 * Sends a long list whose items have to be encoded for the answer, in slices (stream-in-turns.ts). The first of them waits
 * for its turn, too: many such lists may be asked for at once.
 */
import type { AnswerStream } from '../api/exchange.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { ListPieces } from '../codec/list-pieces.ts'
import type { AnswerSettings } from './answer.ts'
import { beginAnswer, type PieceSource, streamInTurns } from './stream-in-turns.ts'

/** A slice ends when it has taken so long, or holds so much. */
const sliceMs = 3
const sliceBytes = 128 * 1024

export function sendPieces(
  context: RequestContext,
  settings: AnswerSettings,
  list: { readonly contentType: string; readonly pieces: ListPieces },
): Promise<void> {
  const { contentType, pieces } = list
  return streamInTurns(beginAnswer(context, settings, contentType), new SlicedPieces(pieces), context)
}

class SlicedPieces implements PieceSource {
  readonly #pieces: ListPieces
  done = false

  constructor(pieces: ListPieces) {
    this.#pieces = pieces
  }

  #slice(): Buffer {
    const made: Buffer[] = []
    const begun = performance.now()
    for (let bytes = 0; bytes < sliceBytes && performance.now() - begun < sliceMs; ) {
      const { done = false, value } = this.#pieces.next()
      if (done) {
        this.done = true
        break
      }
      if (value === undefined) continue
      made.push(value)
      bytes += value.length
    }
    return Buffer.concat(made)
  }

  close(): void {
    this.#pieces.return()
  }

  send(answer: AnswerStream, taken: () => void): void {
    const slice = this.#slice()
    if (this.done) answer.end(slice)
    else if (slice.length > 0) {
      answer.write(slice, () => taken())
      return
    }
    taken()
  }
}
