/** Fetches a small JSON object over HTTPS, with a time limit and a size limit. Redirects are not followed. */
import { get } from 'node:https'
import { isJsonObject, type JsonObject } from '../../api/json.ts'

export interface FetchOptions {
  /** PEM; the authorities of the system when absent. */
  readonly certificateAuthority?: string
  readonly timeoutMs: number
}

const maxBytes = 1024 * 1024

export function fetchJson(url: string, { certificateAuthority, timeoutMs }: FetchOptions): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    if (!url.startsWith('https://')) {
      reject(new Error(`${url} is not an https address`))
      return
    }
    const options = {
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
      agent: false as const,
    }
    const request = get(url, options, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) request.destroy(new Error(`${url}: the answer is larger than 1 MiB`))
        else chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode !== 200) reject(new Error(`${url}: status ${response.statusCode}`))
        else parse(Buffer.concat(chunks).toString('utf8'), url, resolve, reject)
      })
    })
    request.setTimeout(timeoutMs, () => request.destroy(new Error(`${url}: no answer within ${timeoutMs} ms`)))
    request.on('error', reject)
  })
}

function parse(text: string, url: string, resolve: (value: JsonObject) => void, reject: (error: Error) => void): void {
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return resolve(value)
  } catch {
    // Told below.
  }
  reject(new Error(`${url}: the answer is not a JSON object`))
}
