/**
 * An authenticating proxy in front of the server: it shows a client certificate of its own and names the user in headers.
 * Without a certificate that the proxy authority signed for one of the allowed names, the headers count for nothing and
 * the request is judged by its own credentials.
 * Mirrors k8s.io/apiserver/pkg/authentication/request/headerrequest: requestHeaderAuthRequestHandler.
 */
import { textOfHeader, unescapePercent } from '../../api/byte-text.ts'
import type { UserInfo } from '../../api/user.ts'
import { type AuthenticationResult, type Authenticator, type Credentials, failed, noOpinion } from '../authenticator.ts'
import type { CertificateVerifier } from './client-certificate.ts'

export interface RequestHeaderSettings {
  readonly verifier: CertificateVerifier
  /** Common names that a proxy's certificate may have; any when empty. */
  readonly allowedNames: readonly string[]
  readonly usernameHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraHeaderPrefixes: readonly string[]
}

export function requestHeaderAuthenticator(options: RequestHeaderSettings): Authenticator {
  const lower = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase())
  const usernames = lower(options.usernameHeaders)
  const uids = lower(options.uidHeaders)
  const groups = lower(options.groupHeaders)
  const prefixes = lower(options.extraHeaderPrefixes)
  return {
    authenticate(credentials: Credentials): AuthenticationResult {
      const [leaf] = credentials.peerCertificates
      if (leaf === undefined) return noOpinion
      const verified = options.verifier.verify(credentials.peerCertificates)
      if (!verified.ok) return failed(`verifying certificate failed: ${verified.error}`)
      if (options.allowedNames.length > 0 && !options.allowedNames.includes(verified.subject.commonName)) {
        return failed(`x509: subject with cn=${verified.subject.commonName} is not in the allowed list`)
      }
      const values = headerValues(credentials)
      const name = firstOf(values, usernames)
      if (name === '') return noOpinion
      const uid = firstOf(values, uids)
      const user: UserInfo = {
        name,
        ...(uid === '' ? {} : { uid }),
        groups: groups.flatMap((header) => values.get(header) ?? []),
        extra: extraOf(values, prefixes),
      }
      const consumed = [...values.keys()].filter(
        (header) =>
          usernames.includes(header) ||
          uids.includes(header) ||
          groups.includes(header) ||
          prefixes.some((prefix) => header.startsWith(prefix)),
      )
      return { outcome: 'authenticated', user, consumedHeaders: consumed }
    },
  }
}

/** Every value of every header; repeated headers stay apart, which is lost in Node's joined form. */
export function headerValues({
  headers,
  rawHeaders,
}: Pick<Credentials, 'headers' | 'rawHeaders'>): Map<string, string[]> {
  const values = new Map<string, string[]>()
  const add = (name: string, octets: string): void => {
    const value = textOfHeader(octets)
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  if (rawHeaders) {
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) add((rawHeaders[i] ?? '').toLowerCase(), rawHeaders[i + 1] ?? '')
    return values
  }
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    for (const single of typeof value === 'string' ? [value] : value) add(name.toLowerCase(), single)
  }
  return values
}

function firstOf(values: ReadonlyMap<string, readonly string[]>, names: readonly string[]): string {
  for (const name of names) {
    const value = values.get(name)?.[0]
    if (value !== undefined && value !== '') return value
  }
  return ''
}

function extraOf(values: ReadonlyMap<string, readonly string[]>, prefixes: readonly string[]): Map<string, string[]> {
  const extra = new Map<string, string[]>()
  for (const prefix of prefixes) {
    for (const [header, items] of values) {
      if (!header.startsWith(prefix)) continue
      const key = unescapeKey(header.slice(prefix.length))
      extra.set(key, [...(extra.get(key) ?? []), ...items])
    }
  }
  return extra
}

/** Header names cannot hold every character of a key: `acme.com%2fproject`. What does not decode stays as it is. */
export const unescapeKey = (encoded: string): string => unescapePercent(encoded) ?? encoded
