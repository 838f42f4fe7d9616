/** Asks a server to speak SPDY on a connection. Mirrors apimachinery/pkg/util/httpstream/spdy: SpdyRoundTripper. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { hostPort } from '../dial.ts'
import { goDialError } from '../dial-error.ts'
import type { Destination, Transport } from '../transport.ts'

export interface SpdyUpgrade {
  readonly socket: Duplex
  /** What the server sent after its answer. */
  readonly head: Buffer
  /** What is spoken in the streams; empty when the server did not say. */
  readonly protocol: string
}

/** The server does not want to: with a Status of its own, where it answered one. */
export class SpdyRefusal extends Error {
  readonly status: JsonObject | undefined

  constructor(message: string, status?: JsonObject) {
    super(message)
    this.name = 'SpdyRefusal'
    this.status = status
  }
}

export const spdyProtocol = 'SPDY/3.1'
const maxToldBytes = 64 * 1024

/** `protocols`: what can be spoken in the streams, best first. Rejects with a `SpdyRefusal`. */
export function upgradeToSpdy(
  transport: Transport,
  destination: Destination,
  protocols: readonly string[],
): Promise<SpdyUpgrade> {
  const url = `${destination.scheme}://${hostPort(destination.host, destination.port)}${destination.path}`
  const failed = (error: unknown): SpdyRefusal =>
    new SpdyRefusal(`error sending request: Post ${JSON.stringify(url)}: ${goDialError(error, destination)}`)
  return new Promise((resolve, reject) => {
    let request: ClientRequest
    try {
      request = transport.request(destination, { method: 'POST', headers: upgradeHeaders(protocols), fresh: true })
    } catch (error) {
      reject(failed(error))
      return
    }
    request.on('error', (error) => reject(failed(error)))
    request.on('response', (response) => {
      errorText(response).then(
        (text) => reject(refusalOf(text)),
        () => reject(new SpdyRefusal('unable to upgrade connection: unable to read error from server response')),
      )
    })
    request.on('upgrade', (response, socket, head) => {
      if (String(response.headers.upgrade).toLowerCase().includes(spdyProtocol.toLowerCase())) {
        resolve({ socket, head, protocol: String(response.headers['x-stream-protocol-version'] ?? '').trim() })
        return
      }
      socket.destroy()
      reject(new SpdyRefusal('unable to upgrade connection: '))
    })
    request.end()
  })
}

export const upgradeHeaders = (protocols: readonly string[]): Record<string, string | string[]> => ({
  connection: 'Upgrade',
  upgrade: spdyProtocol,
  'x-stream-protocol-version': [...protocols],
  'content-length': '0',
})

async function errorText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxToldBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxToldBytes).toString('utf8')
}

function refusalOf(text: string): SpdyRefusal {
  const status = parsed(text)
  if (isJsonObject(status) && status['kind'] === 'Status')
    return new SpdyRefusal(String(status['message'] ?? ''), status)
  return new SpdyRefusal(`unable to upgrade connection: ${text.trim()}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
