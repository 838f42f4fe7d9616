/**
 * Sends a long answer piece by piece: the next piece is made when the client has taken the one before, in the turn of the
 * request's user, and while the request has its seats. So an answer costs the memory of one piece, whatever its length,
 * and however many there are, other requests are served in between.
 */
import type { AnswerStream } from '../api/exchange.ts'
import type { RequestContext } from '../api/request-context.ts'
import { FairTurns } from '../lib/fair-turns.ts'
import { type AnswerSettings, wantsGzip } from './answer.ts'
import { GzipAnswer } from './gzip-answer.ts'

export interface PieceSource {
  readonly done: boolean
  /** Makes the next piece and sends it, the last one with the end of the answer; `taken` is called once the next may be made. */
  send(answer: AnswerStream, taken: () => void): void
  /** Nothing more is wanted of it. */
  close?(): void
}

/** Of the thread, which all answers share. */
const turns = new FairTurns()

/** The beginning of a long answer, compressed where the client wants that. */
export function beginAnswer(context: RequestContext, settings: AnswerSettings, contentType: string): AnswerStream {
  const headers = { 'content-type': contentType }
  if (!wantsGzip(context, settings)) return context.exchange.stream(200, headers)
  return new GzipAnswer(
    context.exchange.stream(200, { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }),
  )
}

/** Breaks the answer off when a piece cannot be made, and throws what is wrong. */
export async function streamInTurns(
  answer: AnswerStream,
  source: PieceSource,
  { user, seats }: Pick<RequestContext, 'user' | 'seats'>,
): Promise<void> {
  let wake: () => void = () => {}
  answer.onClose(() => wake())
  const inTurn = turns.begin(user.name)
  const nextPiece = (): Promise<void> =>
    new Promise((resolve, reject) => {
      wake = resolve
      inTurn(() => {
        try {
          if (answer.closed) resolve()
          else source.send(answer, resolve)
        } catch (error) {
          answer.destroy()
          reject(error as Error)
        }
      })
    })
  seats?.lend()
  try {
    while (!answer.closed && !source.done) await (seats?.regain() ?? nextPiece())
  } finally {
    source.close?.()
  }
}
