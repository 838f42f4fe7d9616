/**
 * The body of a request over HTTP/2, with a bound. It is taken from the stream where Node hands it in (`engine/body-intake.ts`), which takes
 * less time than the events of the usual way: they took longer than all else about a small body.
 */
import type { ServerHttp2Stream } from 'node:http2'
import { interceptBody } from '../engine/body-intake.ts'
import { bodyTooLong, clientDisconnected, readBody } from './body.ts'

const noBody = Buffer.alloc(0)

export function readHttp2Body(
  stream: ServerHttp2Stream,
  limit: number,
  declaredLength: string | undefined,
): Promise<Buffer> {
  if (declaredLength !== undefined && Number(declaredLength) > limit) return Promise.reject(bodyTooLong(limit))
  if (stream.aborted || stream.destroyed) return Promise.reject(clientDisconnected())
  const there = stream.readableLength
  if (stream.endAfterHeaders || stream.readableEnded) return Promise.resolve(noBody)
  if (stream.state.remoteClose === 1) {
    if (there > limit) return Promise.reject(bodyTooLong(limit))
    // All that is there and no more: another read would end the reading side.
    return Promise.resolve(there === 0 ? noBody : (stream.read(there) as Buffer))
  }
  return there > 0 ? readBody(stream, limit, declaredLength) : takeOrRead(stream, limit, declaredLength)
}

function takeOrRead(stream: ServerHttp2Stream, limit: number, declaredLength: string | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const isTaken = interceptBody(stream, limit, {
      ended: (chunks) => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
      tooLong: () => reject(bodyTooLong(limit)),
      aborted: () => reject(clientDisconnected()),
    })
    if (!isTaken) readBody(stream, limit, declaredLength).then(resolve, reject)
  })
}
