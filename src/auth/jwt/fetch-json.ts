/** Fetches a small text or JSON object over HTTPS, with a time limit and a size limit. Redirects are not followed. */
import { get } from 'node:https'
import { isJsonObject, type JsonObject } from '../../api/json.ts'

export interface FetchOptions {
  /** PEM; the authorities of the system when absent. */
  readonly certificateAuthority?: string
  /** The value of the Authorization header. */
  readonly authorization?: string
  readonly timeoutMs: number
}

const maxBytes = 1024 * 1024

export async function fetchJson(url: string, options: FetchOptions): Promise<JsonObject> {
  const value = parse(await fetchText(url, options))
  if (value === undefined) throw new Error(`${url}: the answer is not a JSON object`)
  return value
}

export function fetchText(
  url: string,
  { certificateAuthority, authorization, timeoutMs }: FetchOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    if (!url.startsWith('https://')) {
      reject(new Error(`${url} is not an https address`))
      return
    }
    const options = {
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
      ...(authorization === undefined ? {} : { headers: { authorization } }),
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
        else resolve(Buffer.concat(chunks).toString('utf8'))
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
