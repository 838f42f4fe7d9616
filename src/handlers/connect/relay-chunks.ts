/** Relays a response body chunk by chunk, with back-pressure. */
import type { IncomingMessage } from 'node:http'
import type { AnswerStream } from '../../api/exchange.ts'

/** Sends on what comes, no faster than it is taken. An answer that is cut off is cut off here, too. */
export function relayChunks(response: IncomingMessage, answer: AnswerStream, done: () => void): void {
  response.on('data', (chunk: Buffer) => {
    if (!answer.write(chunk)) response.pause()
  })
  answer.onDrain(() => response.resume())
  answer.onClose(() => response.destroy())
  response.on('end', () => answer.end())
  response.on('close', () => {
    if (!response.complete) answer.destroy()
    done()
  })
}
