/** Requests to the server under test, as the administrator of a kubeconfig, as the owner of another token, or as anonymous. */
import http from 'node:http'
import https from 'node:https'
import type { WebhookConnection } from '../outbound/kubeconfig.ts'

export interface Outgoing {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly body?: string | Buffer
  /** Whether the credentials of the kubeconfig go along. */
  readonly isAdministrator: boolean
  readonly signal?: AbortSignal
}

export interface Incoming {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

/** The longest silence of a server that is still waited for. */
const patienceMs = 60_000

export class Connection {
  readonly #target: WebhookConnection
  readonly #agents: { readonly administrator: http.Agent; readonly anonymous: http.Agent }

  constructor(target: WebhookConnection) {
    this.#target = target
    this.#agents = { administrator: agentOf(target, true), anonymous: agentOf(target, false) }
  }

  get url(): string {
    return this.#target.url
  }

  async send(outgoing: Outgoing): Promise<Incoming> {
    const response = await this.open(outgoing)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }
  }

  /** Resolves when the headers of the answer are there. */
  open({ method, path, headers, body, isAdministrator, signal }: Outgoing): Promise<http.IncomingMessage> {
    const { request } = this.#target.url.startsWith('https:') ? https : http
    const options = {
      method,
      headers: { ...(isAdministrator ? this.#target.headers() : {}), ...headers },
      agent: isAdministrator ? this.#agents.administrator : this.#agents.anonymous,
      ...(signal === undefined ? {} : { signal }),
    }
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, this.#target.url), options, resolve)
      sent.setTimeout(patienceMs, () => sent.destroy(new Error(`no answer within ${patienceMs / 1000} s`)))
      sent.on('error', reject)
      sent.end(body)
    })
  }

  close(): void {
    this.#agents.administrator.destroy()
    this.#agents.anonymous.destroy()
  }
}

function agentOf(target: WebhookConnection, isAdministrator: boolean): http.Agent {
  if (!target.url.startsWith('https:')) return new http.Agent({ keepAlive: true })
  return new https.Agent({
    keepAlive: true,
    ca: target.certificateAuthority,
    servername: target.serverName,
    rejectUnauthorized: target.insecureSkipTlsVerify !== true,
    ...(isAdministrator ? { cert: target.clientCertificate, key: target.clientKey } : {}),
  })
}
