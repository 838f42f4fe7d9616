/** Fetches a small text or JSON object over HTTPS, with a time limit and a size limit. */

import { parseGoUrl, requestTarget } from '../../api/golang/url.ts'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { callOutbound } from '../../outbound/call.ts'
import type { Dial } from '../../outbound/dial.ts'
import { type AddressPolicy, reachFrom } from '../../outbound/host-lookup.ts'
import { Transport } from '../../outbound/transport.ts'

export interface FetchOptions {
  /** PEM; the authorities of the system when absent. */
  readonly certificateAuthority?: string
  /** The value of the Authorization header. */
  readonly authorization?: string
  readonly timeoutMs: number
  /** Another way there. */
  readonly dial?: Dial | undefined
  /** Stricter where the address comes from an earlier answer. */
  readonly addresses?: AddressPolicy
}

const maxBytes = 1024 * 1024

export async function fetchJson(url: string, options: FetchOptions): Promise<JsonObject> {
  return jsonObjectOf(url, await fetchText(url, options))
}

/** Throws where the answer of an address is no JSON object. */
export function jsonObjectOf(url: string, text: string): JsonObject {
  const value = parse(text)
  if (value === undefined) throw new Error(`${url}: the answer is not a JSON object`)
  return value
}

/** How far an address may lead that comes from the answer of another address: its own host is always allowed. */
export function discoveredUrlPolicy(url: string, namedBy: string): AddressPolicy {
  const [to, from] = [parseGoUrl(url)?.host, parseGoUrl(namedBy)?.host ?? '']
  return to === from ? 'any' : reachFrom(from)
}

export async function fetchText(
  url: string,
  { certificateAuthority, authorization, timeoutMs, addresses, dial }: FetchOptions,
): Promise<string> {
  const parsed = parseGoUrl(url)
  if (parsed?.scheme !== 'https') throw new Error(`${url} is not an https address`)
  const { scheme, host, port, authority, path, query } = parsed
  const transport = new Transport({ tls: { ca: certificateAuthority }, keepAlive: false, dial })
  try {
    const destination = { scheme, host, port, authority, path: requestTarget(path || '/', query), addresses }
    const headers = authorization === undefined ? {} : { authorization }
    const { status, body } = await callOutbound(transport, destination, {
      method: 'GET',
      headers,
      timeoutMs,
      maxBytes,
      redirects: 'secure',
    })
    if (status !== 200) throw new Error(`${url}: status ${status}`)
    return body.toString('utf8')
  } finally {
    transport.close()
  }
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
