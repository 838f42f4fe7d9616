/**
 * Reads the log of a container from a kubelet and sends it on as it comes. A kubelet that refuses is told of in a Status
 * of this server: clients of an API server get no answers in other forms.
 */
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { goDialError } from '../../api/dial-error.ts'
import type { Exchange } from '../../api/exchange.ts'
import { serverFailure } from '../../api/server-response.ts'
import { ApiError, badRequest, internalError, unknownError } from '../../api/status-error.ts'
import { dialAgent, isLostWhileKept } from '../../lib/dial.ts'
import { addressOf, type Destination, passChunks } from './forward.ts'

const maxToldBytes = 50_000

export async function sendLog(exchange: Exchange, destination: Destination, pod: string): Promise<void> {
  const response = await open(exchange, destination)
  const status = response.statusCode ?? 502
  if (status < 200 || status > 206) throw refused(status, await told(response), pod)
  const answer = exchange.stream(200, { 'content-type': 'text/plain' })
  await new Promise<void>((done) => passChunks(response, answer, done))
}

function open(exchange: Exchange, destination: Destination): Promise<IncomingMessage> {
  const { signal } = exchange
  const { url, tls, dial } = destination
  const request = https.request(url, {
    signal,
    rejectUnauthorized: tls?.ca !== undefined,
    ...tls,
    ...(dial === undefined ? {} : { agent: dialAgent(dial, { ...tls }) }),
  })
  return new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', (error) => {
      if (isLostWhileKept(request, error)) resolve(open(exchange, destination))
      else reject(unknownError(`Get "${url.href}": ${goDialError(error, addressOf(url))}`))
    })
    request.end()
  })
}

async function told(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxToldBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxToldBytes).toString('utf8')
}

function refused(status: number, said: string, pod: string): ApiError {
  if (status === 500) return internalError(said)
  if (status === 400) return badRequest(said)
  const { reason, message } = serverFailure(status, said)
  return new ApiError({
    code: status,
    ...(reason === '' ? {} : { reason }),
    message: `${message} ( pods/log ${pod})`,
    details: { name: pod, kind: 'pods/log' },
  })
}
