/**
 * Client certificates: the common name is the user, the organizations are the groups. The chain is verified here, against
 * authorities that may be replaced while the server runs: the TLS layer only asks for a certificate.
 * Mirrors k8s.io/apiserver/pkg/authentication/request/x509: Authenticator, Verifier.
 */

import { createHash, type X509Certificate } from 'node:crypto'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { memoize } from '../../lib/memo.ts'
import {
  type AuthenticationResult,
  type Authenticator,
  authenticated,
  type Credentials,
  failed,
  noOpinion,
} from '../authenticator.ts'
import { certificateSubjectName, parseCertificates, type SubjectName } from './certificate.ts'
import { findChain } from './certificate-chain.ts'

export type Verification =
  | { readonly ok: true; readonly subject: SubjectName; readonly leaf: X509Certificate }
  | { readonly ok: false; readonly error: string }

const maxVerified = 1024

/** Throws when there is none, or one that cannot be read. Mirrors k8s.io/client-go/util/cert: ParseCertsPEM. */
export function parseAuthorities(pem: string): X509Certificate[] {
  let authorities: X509Certificate[]
  try {
    authorities = parseCertificates(pem)
  } catch {
    throw new Error('x509: malformed certificate')
  }
  if (authorities.length === 0) throw new Error('data does not contain any valid RSA or ECDSA certificates')
  return authorities
}

export class CertificateVerifier {
  readonly #clock: Clock
  #authorities: readonly X509Certificate[] = []
  /** Leaf certificates that were verified, with the time up to which their chain is good. Emptied with the authorities. */
  readonly #verified = new Map<string, { verification: Verification; notBefore: number; notAfter: number }>()

  constructor(authoritiesPem: string, clock: Clock = systemClock) {
    this.#clock = clock
    this.replace(authoritiesPem)
  }

  /** Takes other authorities from now on. Throws, and keeps the old ones, when the text holds no certificate. */
  replace(authoritiesPem: string): void {
    this.#authorities = parseAuthorities(authoritiesPem)
    this.#verified.clear()
  }

  verify(chain: readonly X509Certificate[]): Verification {
    const [leaf] = chain
    if (leaf === undefined) return { ok: false, error: 'no certificate' }
    const key = digestOf(leaf)
    const now = this.#clock.now()
    const known = this.#verified.get(key)
    if (known && known.notBefore <= now && now <= known.notAfter) return known.verification
    const found = findChain(leaf, { authorities: this.#authorities, intermediates: chain.slice(1), now })
    if (typeof found === 'string') return { ok: false, error: found }
    const subject = certificateSubjectName(leaf)
    if (subject === undefined) return { ok: false, error: 'x509: malformed certificate' }
    const verification: Verification = { ok: true, subject, leaf }
    if (this.#verified.size >= maxVerified) this.#verified.clear()
    this.#verified.set(key, { verification, ...found })
    return verification
  }
}

/** The certificate is one object for all requests of a connection. */
const digestOf = memoize('certificate-digest', (leaf: X509Certificate): string =>
  createHash('sha256').update(leaf.raw).digest('base64'),
)

/** Called with how long the certificate of a request is still good, in milliseconds. */
export type OnCertificate = (remainingMs: number) => void

export class ClientCertificateAuthenticator implements Authenticator {
  readonly #verifier: CertificateVerifier
  readonly #onCertificate: OnCertificate | undefined

  constructor(verifier: CertificateVerifier, onCertificate?: OnCertificate) {
    this.#verifier = verifier
    this.#onCertificate = onCertificate
  }

  authenticate({ peerCertificates }: Credentials): AuthenticationResult {
    const [leaf] = peerCertificates
    if (leaf === undefined) return noOpinion
    this.#onCertificate?.(Date.parse(leaf.validTo) - Date.now())
    const verified = this.#verifier.verify(peerCertificates)
    if (!verified.ok) return failed(`verifying certificate ${identifier(leaf)} failed: ${verified.error}`)
    const { commonName, organizations, uids } = verified.subject
    if (commonName === '') return noOpinion
    if (uids.length > 1) return failed('unable to use multiple UIDs')
    const [uid] = uids
    return authenticated({
      name: commonName,
      ...(uid === undefined ? {} : { uid }),
      groups: organizations,
      extra: new Map([['authentication.kubernetes.io/credential-id', [credentialId(leaf)]]]),
    })
  }
}

const credentialId = (leaf: X509Certificate): string =>
  `X509SHA256=${createHash('sha256').update(leaf.raw).digest('hex')}`

const identifier = (leaf: X509Certificate): string => `SN=${BigInt(`0x${leaf.serialNumber}`)}`
