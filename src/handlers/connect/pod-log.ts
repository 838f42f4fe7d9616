/**
 * Reads the log of a container from a kubelet and sends it on as it comes. The refusal of a kubelet becomes a Status
 * of this server: clients of an API server get no answers in other forms.
 */
import type { IncomingMessage } from 'node:http'
import { textOfBytes } from '../../api/byte-text.ts'
import type { Exchange } from '../../api/exchange.ts'
import { serverFailure } from '../../api/server-response.ts'
import { ApiError, badRequest, internalError, unknownError } from '../../api/status-error.ts'
import { hostPort } from '../../outbound/dial.ts'
import { goDialError } from '../../outbound/dial-error.ts'
import { isStaleConnectionReset } from '../../outbound/transport.ts'
import type { Forwarding } from './forward.ts'
import { relayChunks } from './relay-chunks.ts'

const maxToldBytes = 50_000

export async function sendLog(exchange: Exchange, kubelet: Forwarding, pod: string): Promise<void> {
  const response = await open(exchange, kubelet)
  const status = response.statusCode ?? 502
  if (status < 200 || status > 206) throw refused(status, await errorText(response), pod)
  const answer = exchange.stream(200, { 'content-type': 'text/plain' })
  await new Promise<void>((done) => relayChunks(response, answer, done))
}

function open(exchange: Exchange, kubelet: Forwarding): Promise<IncomingMessage> {
  const { transport, destination } = kubelet
  const request = transport.request(destination, { method: 'GET', headers: {}, signal: exchange.signal })
  return new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', (error) => {
      if (isStaleConnectionReset(request, error)) resolve(open(exchange, kubelet))
      else
        reject(
          unknownError(
            `Get "https://${hostPort(destination.host, destination.port)}${destination.path}": ${goDialError(error, destination)}`,
          ),
        )
    })
    request.end()
  })
}

async function errorText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxToldBytes) break
  }
  return textOfBytes(Buffer.concat(chunks).subarray(0, maxToldBytes))
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
