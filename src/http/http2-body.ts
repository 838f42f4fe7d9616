/**
 * The body of a request over HTTP/2, with a bound. Where that takes less time than the events of the usual way, it is taken from the stream
 * where Node hands it in (`engine/body-intake.ts`).
 */
import type { ServerHttp2Stream } from 'node:http2'
import { interceptBody } from '../engine/body-intake.ts'
import { engineFeatures, usesFeature } from '../engine/features.ts'
import { bodyTooLong, clientDisconnected, readBody } from './body.ts'

const noBody = Buffer.alloc(0)

type Http2BodyReader = (stream: ServerHttp2Stream, limit: number, declaredLength: string | undefined) => Promise<Buffer>

export const http2BodyReader =
  (read: Http2BodyReader): Http2BodyReader =>
  (stream, limit, declaredLength) => {
    if (declaredLength !== undefined && Number(declaredLength) > limit) return Promise.reject(bodyTooLong(limit))
    if (stream.aborted || stream.destroyed) return Promise.reject(clientDisconnected())
    const there = stream.readableLength
    if (stream.endAfterHeaders || stream.readableEnded) return Promise.resolve(noBody)
    if (stream.state.remoteClose === 1) {
      if (there > limit) return Promise.reject(bodyTooLong(limit))
      // All that is there and no more: another read would end the reading side.
      return Promise.resolve(there === 0 ? noBody : (stream.read(there) as Buffer))
    }
    return there > 0 ? readBody(stream, limit, declaredLength) : read(stream, limit, declaredLength)
  }

export const interceptedBody: Http2BodyReader = (stream, limit) =>
  new Promise((resolve, reject) => {
    interceptBody(stream, limit, {
      ended: (chunks) => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
      tooLong: () => reject(bodyTooLong(limit)),
      aborted: () => reject(clientDisconnected()),
    })
  })

export const readHttp2Body = http2BodyReader(usesFeature(engineFeatures.bodyIntake) ? interceptedBody : readBody)

/** What is left of a request's body is not wanted: the answer came before the request was whole. */
export function refuseRest(stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders || stream.readableEnded || stream.state.remoteClose === 1) return
  // Not at once: a reset can overtake the headers of an answer without a body, and from Node 22.23.3 on does.
  stream.once('finish', () => setImmediate(() => stream.close(0 /* NO_ERROR */)))
}
