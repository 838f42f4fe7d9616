/**
 * The body of a request over HTTP/2, with a bound. It is taken from the stream where Node hands it in, so that for the
 * stream the request does not end before its answer does. Read in the usual way, a stream is over on both sides as soon
 * as the answer is on its way; it is destroyed before it hears that the answer was written, and makes an error of that,
 * with a stack, which is never seen. That, and the events of the usual way, took longer than all else about a small body.
 */
import type { ServerHttp2Stream } from 'node:http2'
import type { Readable } from 'node:stream'
import { goneAway, readBody, tooLong } from './body.ts'

const noBody = Buffer.alloc(0)

export function readHttp2Body(
  stream: ServerHttp2Stream,
  limit: number,
  declaredLength: string | undefined,
): Promise<Buffer> {
  if (declaredLength !== undefined && Number(declaredLength) > limit) return Promise.reject(tooLong(limit))
  if (stream.aborted || stream.destroyed) return Promise.reject(goneAway())
  const there = stream.readableLength
  if (stream.endAfterHeaders || stream.readableEnded) return Promise.resolve(noBody)
  if (stream.state.remoteClose === 1) {
    if (there > limit) return Promise.reject(tooLong(limit))
    // All that is there and no more: another read would end the reading side.
    return Promise.resolve(there === 0 ? noBody : (stream.read(there) as Buffer))
  }
  return there > 0 ? readBody(stream, limit, declaredLength) : takeBody(stream, limit)
}

function takeBody(stream: ServerHttp2Stream, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { push } = stream
    let chunks: Buffer[] = []
    let length = 0
    const take: Readable['push'] = (chunk: Buffer | null) => {
      if (chunk === null) {
        stream.push = push
        // The end of the stream itself, by either side: it waits for that before it is gone.
        if (stream.closed) return stream.push(null)
        resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
        return false
      }
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else {
        chunks = []
        reject(tooLong(limit))
      }
      return true
    }
    stream.on('aborted', () => reject(goneAway()))
    stream.push = take
    stream.read(0)
  })
}
