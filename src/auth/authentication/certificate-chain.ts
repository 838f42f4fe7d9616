/**
 * Chains from a certificate to an authority, by way of what the client sends besides. All ways are tried, as an authority may have
 * several certificates. Mirrors crypto/x509: Certificate.Verify, buildChains.
 */
import type { X509Certificate } from 'node:crypto'
import { isVersionOne } from './certificate.ts'
import { hasValidPolicies } from './certificate-policies.ts'
import { type ChainFacts, chainFactsOf } from './chain-facts.ts'
import { violatedInChain } from './name-constraints.ts'

interface Link {
  readonly certificate: X509Certificate
  readonly facts: ChainFacts
}

interface Search {
  readonly authorities: readonly X509Certificate[]
  readonly intermediates: readonly X509Certificate[]
  readonly now: number
  /** Of signatures, over all ways. */
  checks: number
}

const maxChecks = 100

const unknownAuthority = 'x509: certificate signed by unknown authority'
const tooManyChecks = 'x509: signature check attempts limit reached while verifying certificate chain'
const malformed = 'x509: malformed certificate'

export interface VerifiedChain {
  /** Milliseconds between which all of its certificates are good. */
  readonly notBefore: number
  readonly notAfter: number
}

/** A chain that is good for clients, or why there is none. */
export function findChain(
  leaf: X509Certificate,
  { authorities, intermediates, now }: Omit<Search, 'checks'>,
): VerifiedChain | string {
  const facts = chainFactsOf(leaf)
  if (facts === undefined) return malformed
  const start = { certificate: leaf, facts }
  const wrong = misplaced(start, [], now)
  if (wrong !== undefined) return wrong
  const search: Search = { authorities, intermediates, now, checks: 0 }
  const isAuthority = authorities.some(({ raw }) => raw.equals(leaf.raw))
  const found = isAuthority ? judge([start]) : climb([start], search)
  if (typeof found === 'string') return found
  return {
    notBefore: Math.max(...found.map((link) => link.facts.notBefore)),
    notAfter: Math.min(...found.map((link) => link.facts.notAfter)),
  }
}

/** From the last of the chain upwards: the first whole chain that is good, or what was wrong first. */
function climb(chain: readonly Link[], search: Search): readonly Link[] | string {
  let hint: string | undefined
  for (const parents of [search.authorities, search.intermediates]) {
    const isRoot = parents === search.authorities
    for (const certificate of parents) {
      const facts = chainFactsOf(certificate)
      const child = chain.at(-1) as Link
      if (facts === undefined || !facts.subject.equals(child.facts.issuer)) continue
      if (++search.checks > maxChecks) return tooManyChecks
      const parent = { certificate, facts }
      if (isRepeated(parent, chain) || !signedBy(child, parent)) continue
      if (!isRoot && !certificate.ca) continue
      const whole = [...chain, parent]
      const found = misplaced(parent, chain, search.now) ?? (isRoot ? judge(whole) : climb(whole, search))
      if (typeof found !== 'string' || found === tooManyChecks) return found
      if (found !== unknownAuthority) hint ??= found
    }
  }
  return hint ?? unknownAuthority
}

/** The same name and key: loops of authorities that sign each other lead nowhere. */
const isRepeated = ({ facts }: Link, chain: readonly Link[]): boolean =>
  chain.some((link) => link.facts.subject.equals(facts.subject) && link.facts.publicKey.equals(facts.publicKey))

/** Mirrors crypto/x509: Certificate.CheckSignatureFrom, which lets authorities of version 1 sign. */
function signedBy(child: Link, { certificate: issuer, facts }: Link): boolean {
  if (!child.facts.isSoundlySigned || facts.hasWeakKey || !facts.maySign) return false
  return (issuer.ca || isVersionOne(issuer)) && child.certificate.verify(issuer.publicKey)
}

/** Why it may not stand above the chain. Mirrors crypto/x509: Certificate.isValid. */
function misplaced({ facts }: Link, below: readonly Link[], now: number): string | undefined {
  const { hasUnknownCritical, pathLength, notBefore, notAfter } = facts
  if (hasUnknownCritical) return 'x509: unhandled critical extension'
  const expired = 'x509: certificate has expired or is not yet valid: current time'
  if (now < notBefore) return `${expired} ${shortTime(now)} is before ${shortTime(notBefore)}`
  if (now > notAfter) return `${expired} ${shortTime(now)} is after ${shortTime(notAfter)}`
  if (below.length > 0 && pathLength !== undefined && below.length - 1 > pathLength) {
    return 'x509: too many intermediates for path length constraint'
  }
  return undefined
}

const shortTime = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')

/** What counts for the chain as a whole. */
function judge(chain: readonly Link[]): readonly Link[] | string {
  const policies = chain.map(({ facts }) => ({ ...facts.policies, isSelfIssued: facts.issuer.equals(facts.subject) }))
  if (!hasValidPolicies(policies)) {
    return 'x509: no valid chains built: 1 candidate chains with invalid policies'
  }
  if (!chain.every(servesClients)) return 'x509: certificate specifies an incompatible key usage'
  const wrong = violatedInChain(chain.map(({ facts }) => facts))
  return wrong === undefined
    ? chain
    : `x509: a root or intermediate certificate is not authorized to sign for this name: ${wrong}`
}

const clientAuth = '1.3.6.1.5.5.7.3.2'
const anyUsage = '2.5.29.37.0'

/** A certificate that names no usage may be used for everything. */
function servesClients({ certificate: { keyUsage } }: Link): boolean {
  return keyUsage === undefined || keyUsage.includes(clientAuth) || keyUsage.includes(anyUsage)
}
