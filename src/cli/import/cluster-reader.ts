/** Reads a cluster by its API, and writes nothing to it. */
import http from 'node:http'
import https from 'node:https'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { WebhookConnection } from '../../outbound/kubeconfig.ts'

/** An answer that is no success. */
export class ReadFailure extends Error {
  readonly status: number

  constructor(path: string, status: number, message: string) {
    super(`GET ${path}: ${status} ${message}`)
    this.status = status
  }
}

const pageSize = 500
const timeoutMs = 60_000
const maxAnswerBytes = 256 * 1024 * 1024

export class ClusterReader {
  readonly #connection: WebhookConnection
  readonly #agent: http.Agent

  constructor(connection: WebhookConnection) {
    const { url, certificateAuthority, clientCertificate, clientKey, serverName } = connection
    this.#connection = connection
    this.#agent = url.startsWith('https:')
      ? new https.Agent({
          keepAlive: true,
          ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
          ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
          ...(clientKey === undefined ? {} : { key: clientKey }),
          ...(serverName === undefined ? {} : { servername: serverName }),
          rejectUnauthorized: connection.insecureSkipTlsVerify !== true,
        })
      : new http.Agent({ keepAlive: true })
  }

  close(): void {
    this.#agent.destroy()
  }

  /** Rejects with a `ReadFailure`, or with why the cluster cannot be reached. */
  get(path: string): Promise<JsonObject> {
    const { url, headers } = this.#connection
    const send = url.startsWith('https:') ? https.request : http.request
    return new Promise((resolve, reject) => {
      const request = send(`${url.replace(/\/$/, '')}${path}`, {
        agent: this.#agent,
        timeout: timeoutMs,
        headers: { ...headers(), accept: 'application/json', 'user-agent': 'pilothouse-import' },
      })
      request.on('error', reject)
      request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} seconds`)))
      request.on('response', (response) => {
        readJson(response).then((body) => {
          const status = response.statusCode ?? 0
          if (status === 200) resolve(body)
          else reject(new ReadFailure(path, status, String(body['message'] ?? '')))
        }, reject)
      })
      request.end()
    })
  }

  /** All items of a list, page by page. A list that expires meanwhile is begun anew. */
  async list(path: string): Promise<JsonObject[]> {
    try {
      return await this.#pages(path)
    } catch (error) {
      if (!(error instanceof ReadFailure) || error.status !== 410) throw error
      return this.#pages(path)
    }
  }

  async #pages(path: string): Promise<JsonObject[]> {
    const items: JsonObject[] = []
    for (let token: string | undefined = ''; token !== undefined; ) {
      const more: string = token === '' ? '' : `&continue=${encodeURIComponent(token)}`
      const page: JsonObject = await this.get(`${path}?limit=${pageSize}${more}`)
      const { apiVersion, kind, metadata, items: found } = page
      const itemKind = String(kind).replace(/List$/, '')
      for (const item of Array.isArray(found) ? found : []) {
        if (isJsonObject(item)) items.push({ apiVersion: apiVersion ?? '', kind: itemKind, ...item })
      }
      const next = isJsonObject(metadata) ? metadata['continue'] : undefined
      token = typeof next === 'string' && next !== '' ? next : undefined
    }
    return items
  }
}

async function readJson(response: http.IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += (chunk as Buffer).length
    if (size > maxAnswerBytes) throw new Error(`an answer of more than ${maxAnswerBytes} bytes`)
    chunks.push(chunk as Buffer)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value as JsonObject) ? (value as JsonObject) : {}
  } catch {
    return { message: text.slice(0, 200) }
  }
}
