/** Reads a cluster by its API, and writes nothing to it. */
import { type GoUrl, parseGoUrl } from '../../api/golang/url.ts'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { callOutbound } from '../../outbound/call.ts'
import type { WebhookConnection } from '../../outbound/kubeconfig.ts'
import { kubeconfigTransport } from '../../outbound/kubeconfig-transport.ts'
import type { Transport } from '../../outbound/transport.ts'

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

export class ImportReader {
  readonly #headers: WebhookConnection['headers']
  readonly #transport: Transport
  readonly #server: GoUrl

  constructor(connection: WebhookConnection) {
    const server = parseGoUrl(connection.url.replace(/\/$/, ''))
    if (server === undefined) throw new Error(`${connection.url} is not the address of a server`)
    this.#server = server
    this.#headers = connection.headers
    this.#transport = kubeconfigTransport(connection)
  }

  close(): void {
    this.#transport.close()
  }

  /** Rejects with a `ReadFailure`, or with why the cluster cannot be reached. */
  async get(path: string): Promise<JsonObject> {
    const { scheme, host, port, authority, path: prefix } = this.#server
    const destination = { scheme, host, port, authority, path: `${prefix}${path}` }
    const headers = { ...this.#headers(), accept: 'application/json', 'user-agent': 'pilothouse-import' }
    const answer = await callOutbound(this.#transport, destination, {
      method: 'GET',
      headers,
      timeoutMs,
      maxBytes: maxAnswerBytes,
    })
    const body = readJson(answer.body)
    if (answer.status !== 200) throw new ReadFailure(path, answer.status, String(body['message'] ?? ''))
    return body
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

function readJson(bytes: Buffer): JsonObject {
  const text = bytes.toString('utf8')
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value as JsonObject) ? (value as JsonObject) : {}
  } catch {
    return { message: text.slice(0, 200) }
  }
}
