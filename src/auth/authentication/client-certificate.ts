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
import {
  certificateSubjectName,
  chainFactsOf,
  isVersionOne,
  parseCertificates,
  type SubjectName,
} from './certificate.ts'

export type Verification =
  | { readonly ok: true; readonly subject: SubjectName; readonly leaf: X509Certificate }
  | { readonly ok: false; readonly error: string }

const maxChain = 10
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
    const found = this.#chainOf(leaf, chain.slice(1), now)
    if (typeof found === 'string') return { ok: false, error: found }
    const verification: Verification = { ok: true, subject: certificateSubjectName(leaf), leaf }
    if (this.#verified.size >= maxVerified) this.#verified.clear()
    this.#verified.set(key, {
      verification,
      notBefore: Math.max(...found.map((certificate) => Date.parse(certificate.validFrom))),
      notAfter: Math.min(...found.map((certificate) => Date.parse(certificate.validTo))),
    })
    return verification
  }

  /** The certificates from the leaf to an authority, or why there is no such chain. */
  #chainOf(leaf: X509Certificate, intermediates: readonly X509Certificate[], now: number): X509Certificate[] | string {
    const path = [leaf]
    for (let current = leaf; path.length <= maxChain; ) {
      const wrong = outsideValidity(current, now)
      if (wrong !== undefined) return wrong
      if (!servesClients(current)) return 'x509: certificate specifies an incompatible key usage'
      const authority = this.#authorities.find((candidate) => signedBy(current, candidate))
      if (authority !== undefined) {
        const expired = outsideValidity(authority, now)
        const whole = authority.raw.equals(current.raw) ? path : [...path, authority]
        return expired ?? misplacedIn(whole) ?? whole
      }
      const next = intermediates.find(
        (candidate) => candidate.ca && !path.includes(candidate) && signedBy(current, candidate),
      )
      if (next === undefined) return 'x509: certificate signed by unknown authority'
      path.push(next)
      current = next
    }
    return tooManyIntermediates
  }
}

/** Why one of the certificates may not stand where it stands. Mirrors crypto/x509: Certificate.isValid. */
function misplacedIn(chain: readonly X509Certificate[]): string | undefined {
  for (const [i, certificate] of chain.entries()) {
    const { hasUnknownCritical, pathLength } = chainFactsOf(certificate)
    if (hasUnknownCritical) return 'x509: unhandled critical extension'
    if (i > 0 && pathLength !== undefined && i - 1 > pathLength) return tooManyIntermediates
  }
  return undefined
}

const tooManyIntermediates = 'x509: too many intermediates for path length constraint'

const clientAuth = '1.3.6.1.5.5.7.3.2'
const anyUsage = '2.5.29.37.0'

/** A certificate that names no usage may be used for everything. */
function servesClients({ keyUsage }: X509Certificate): boolean {
  return keyUsage === undefined || keyUsage.includes(clientAuth) || keyUsage.includes(anyUsage)
}

/**
 * Also a certificate that is itself one of the authorities counts as signed by it. Mirrors crypto/x509:
 * Certificate.CheckSignatureFrom, which lets authorities of version 1 sign.
 */
function signedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  if (certificate.raw.equals(issuer.raw)) return true
  if (chainFactsOf(certificate).isWeaklySigned) return false
  return (issuer.ca || isVersionOne(issuer)) && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function outsideValidity(certificate: X509Certificate, now: number): string | undefined {
  const shown = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z')
  if (now < Date.parse(certificate.validFrom)) {
    return `x509: certificate has expired or is not yet valid: current time ${shown} is before ${shortTime(certificate.validFrom)}`
  }
  if (now > Date.parse(certificate.validTo)) {
    return `x509: certificate has expired or is not yet valid: current time ${shown} is after ${shortTime(certificate.validTo)}`
  }
  return undefined
}

const shortTime = (text: string): string => new Date(text).toISOString().replace(/\.\d+Z$/, 'Z')

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
