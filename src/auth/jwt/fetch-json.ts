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
        const value = parse(Buffer.concat(chunks).toString('utf8'))
        if (response.statusCode !== 200) reject(new Error(`${url}: status ${response.statusCode}`))
        else if (value === undefined) reject(new Error(`${url}: the answer is not a JSON object`))
        else resolve(value)
      })
    })
    request.setTimeout(timeoutMs, () => request.destroy(new Error(`${url}: no answer within ${timeoutMs} ms`)))
    request.on('error', reject)
  })
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
