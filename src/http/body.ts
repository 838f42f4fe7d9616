/** Reading a request body with a bound. */
import type { Readable } from 'node:stream'
import { type ApiError, badRequest, requestEntityTooLarge } from '../api/status-error.ts'

export function readBody(source: Readable, limit: number, declaredLength: string | undefined): Promise<Buffer> {
  if (declaredLength !== undefined && Number(declaredLength) > limit) return Promise.reject(bodyTooLong(limit))
  // Its end was emitted before and is not emitted again.
  if (source.destroyed && !source.readableEnded) return Promise.reject(clientDisconnected())
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let length = 0
    source.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limit) {
        chunks = []
        source.removeAllListeners('data')
        source.resume()
        reject(bodyTooLong(limit))
      } else chunks.push(chunk)
    })
    source.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    source.on('error', (error) => reject(badRequest(error.message)))
    source.on('aborted', () => reject(clientDisconnected()))
  })
}

export const clientDisconnected = (): ApiError => badRequest('the client went away')

export const bodyTooLong = (limit: number): ApiError => requestEntityTooLarge(`limit is ${limit}`)
