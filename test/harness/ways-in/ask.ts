/** One request over a connection of its own, and all that is answered. */
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Attempt } from './attack.ts'

export interface Seen {
  readonly status: number
  readonly text: string
  readonly cookies?: readonly string[]
}

/** Status 0 when the connection breaks. */
export function ask(port: number, { method = 'GET', path, headers = {}, body, certificate }: Attempt): Promise<Seen> {
  return new Promise((resolve) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const type = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text ?? '') }
    const request = httpsRequest(
      {
        hostname: '127.0.0.1',
        port,
        path,
        method,
        headers: { ...(text === undefined ? {} : type), ...headers },
        rejectUnauthorized: false,
        agent: false,
        // The level is the client's: it would not send weak certificates.
        ...(certificate === undefined
          ? {}
          : { cert: certificate.certPem, key: certificate.keyPem, ciphers: 'DEFAULT@SECLEVEL=0' }),
      },
      async (response: IncomingMessage) => {
        let seen = ''
        for await (const chunk of response) seen += String(chunk)
        resolve({ status: response.statusCode ?? 0, text: seen, cookies: response.headers['set-cookie'] ?? [] })
      },
    )
    // An upgrade that is taken is no refusal.
    request.on('upgrade', (_, socket) => {
      socket.destroy()
      resolve({ status: 101, text: '' })
    })
    request.on('error', () => resolve({ status: 0, text: '' }))
    request.end(text)
  })
}
