/** An HTTPS server of a test that answers by path. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { forgeCertificate } from './forged-certificates.ts'

export interface HttpsAnswer {
  readonly status?: number
  readonly body: unknown
}

export interface HttpsAnswers {
  readonly url: string
  /** PEM of the authority to trust. */
  readonly certificateAuthority: string
  /** May be changed while the server runs. Texts are sent as they are, all else as JSON. */
  readonly answers: Map<string, HttpsAnswer | (() => HttpsAnswer)>
  /** The paths that were asked for. */
  readonly asked: string[]
  /** The Authorization header of the last request. */
  readonly authorization: () => string | undefined
  close(): Promise<void>
}

export async function openHttpsAnswers(): Promise<HttpsAnswers> {
  const authority = forgeCertificate({ commonName: 'ca', authority: 0 })
  const own = forgeCertificate({ commonName: 'localhost', purpose: 'server', names: [['dns', 'localhost']] }, authority)
  const answers: HttpsAnswers['answers'] = new Map()
  const asked: string[] = []
  let authorization: string | undefined
  const key = own.key.export({ type: 'pkcs8', format: 'pem' })
  const server = createServer({ cert: own.pem, key }, (request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    authorization = request.headers.authorization
    const found = answers.get(path) ?? { status: 404, body: 'not here' }
    const { status = 200, body } = typeof found === 'function' ? found() : found
    response.writeHead(status)
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => void server.listen(0, 'localhost', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://localhost:${port}`,
    certificateAuthority: authority.pem,
    answers,
    asked,
    authorization: () => authorization,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
