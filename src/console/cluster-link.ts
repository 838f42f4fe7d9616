/** Asks a server for a link to its own console. */
import { isJsonObject, type JsonValue } from '../api/json.ts'
import { JsonDocument } from '../codec/json.ts'
import { trimTrailing } from '../lib/trim-trailing.ts'
import { callOutbound } from '../outbound/call.ts'
import type { WebhookConnection } from '../outbound/kubeconfig.ts'
import { Transport } from '../outbound/transport.ts'
import type { ConsoleLink } from './session-authenticator.ts'

const callMs = 10_000
const maxAnswerBytes = 64 * 1024

/** Undefined: it has none, or does not make one for this user. Rejects when it cannot be reached. */
export async function linkOfServer(connection: WebhookConnection): Promise<ConsoleLink | undefined> {
  const { certificateAuthority: ca, clientCertificate: cert, clientKey: key, serverName, headers } = connection
  const transport = new Transport({ tls: { ca, cert, key, serverName, insecure: connection.insecureSkipTlsVerify } })
  const url = new URL(connection.url)
  const scheme = url.protocol === 'http:' ? 'http' : 'https'
  try {
    const { status, body } = await callOutbound(
      transport,
      {
        scheme,
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port === '' ? (scheme === 'https' ? 443 : 80) : Number(url.port),
        path: `${trimTrailing(url.pathname, '/')}/console/v1/links`,
      },
      {
        method: 'POST',
        headers: { ...headers(), accept: 'application/json' },
        timeoutMs: callMs,
        maxBytes: maxAnswerBytes,
        redirects: false,
      },
    )
    return status === 201 ? linkOf(new JsonDocument(body).value(), url.origin) : undefined
  } finally {
    transport.close()
  }
}

/** The link leads to the server as this machine reaches it. */
function linkOf(value: JsonValue, origin: string): ConsoleLink | undefined {
  if (!isJsonObject(value)) return undefined
  const { url, expiresAt } = value
  if (typeof url !== 'string' || typeof expiresAt !== 'string') return undefined
  return { url: origin + url.slice(new URL(url).origin.length), expiresAt: Date.parse(expiresAt) }
}
