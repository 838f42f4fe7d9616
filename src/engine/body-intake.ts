/**
 * The body of a request over HTTP/2, taken where Node hands it to the stream, so that for the stream the request does not end before its
 * answer does. Read in the usual way, a stream is over on both sides as soon as the answer is on its way; it is destroyed before it hears
 * that the answer was written, and makes an error of that, with a stack, which is never seen.
 */
import type { ServerHttp2Stream } from 'node:http2'
import type { Readable } from 'node:stream'

export interface BodySink {
  /** All of it, as it came. */
  ended(chunks: readonly Buffer[]): void
  /** It is longer than the limit: the rest is dropped as it comes. */
  tooLong(): void
  aborted(): void
}

/** To be called before anything of the body was read. */
export function interceptBody(stream: ServerHttp2Stream, limit: number, intake: BodySink): void {
  const { push } = stream
  let chunks: Buffer[] = []
  let length = 0
  const take: Readable['push'] = (chunk: Buffer | null) => {
    if (chunk === null) {
      stream.push = push
      // The end of the stream itself, by either side: it waits for that before it is gone.
      if (stream.closed) return stream.push(null)
      intake.ended(chunks)
      return false
    }
    length += chunk.length
    if (length <= limit) chunks.push(chunk)
    else {
      chunks = []
      intake.tooLong()
    }
    return true
  }
  stream.on('aborted', () => intake.aborted())
  stream.push = take
  stream.read(0)
}
