/**
 * Whom a TLS connection trusts, as Go does it: every certificate of the bundle is an anchor, be it a root, an
 * intermediate or the server's own; names are taken from the subject alternative names only. Without a bundle the
 * authorities of the system count, found where Go looks for them.
 */

import { X509Certificate } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, type PeerCertificate, type SecureContext, type SecureContextOptions } from 'node:tls'
import { formatIp, parseIp } from '../api/ip.ts'
import { readGivenFile } from '../lib/given-file.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { pushAll } from '../lib/push-all.ts'

export interface TlsTrust {
  /** PEM; absent: the authorities of the system. */
  readonly ca?: string | undefined
  /** PEM: what this server shows of itself. */
  readonly cert?: string | undefined
  readonly key?: string | undefined
  /** The name that the certificate must be for, if that is not the host. */
  readonly serverName?: string | undefined
  /** Whatever certificate the server shows is taken. */
  readonly insecure?: boolean | undefined
}

/** Throws when the bundle holds no certificate, or the pair does not fit together. */
export function secureContext(trust: TlsTrust): SecureContext {
  return runToEnd(secureContextInSteps(trust))
}

/** The same in steps: OpenSSL takes up to a millisecond for a certificate, and a bundle may hold thousands. */
export function* secureContextInSteps({ ca, cert, key, insecure }: TlsTrust): Steps<SecureContext> {
  const isOfSystem = (ca === undefined || ca === '') && !insecure
  const roots = isOfSystem ? systemRoots() : undefined
  const isShared = roots !== undefined && !(cert && key)
  if (isShared && roots.context !== undefined) return roots.context
  const [first, ...others] = insecure ? [] : (roots?.certificates ?? anchors(ca))
  const options: SecureContextOptions & { allowPartialTrustChain: boolean } = {
    minVersion: 'TLSv1.2',
    allowPartialTrustChain: true,
    ...(first === undefined ? {} : { ca: first }),
    ...(cert && key ? { cert, key } : {}),
  }
  const made = createSecureContext(options)
  for (const each of others) {
    yield
    made.context.addCACert(each)
  }
  if (isShared) roots.context = made
  return made
}

/** What is no certificate is passed over by the context, as by Go's pools; one of them must be. */
function anchors(ca: string | undefined): string[] {
  if (ca === undefined || ca === '') return []
  const blocks = pemBlocks(ca)
  const first = blocks.findIndex(isCertificate)
  if (first < 0) throw new Error('unable to load root certificates: unable to parse bytes as PEM block')
  return blocks.slice(first)
}

const pemBlocks = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** Mirrors crypto/x509: root_linux.go. The first file that is there counts, and all of the folders. */
const rootFiles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
]
const rootFolders = ['/etc/ssl/certs', '/etc/pki/tls/certs']

interface SystemRoots {
  /** The variables of the environment that they were found by. */
  readonly from: string
  readonly certificates: readonly string[]
  /** Of all who trust the system and show nothing of themselves. */
  context?: SecureContext
}

let knownRoots: SystemRoots | undefined

/** None where the system has none: Node's own count. */
function systemRoots(): SystemRoots {
  const { SSL_CERT_FILE: file = '', SSL_CERT_DIR: folders = '' } = process.env
  const from = `${file}\n${folders}`
  if (knownRoots?.from !== from) knownRoots = { from, certificates: readRoots(file, folders) }
  return knownRoots
}

/** Begins with one that can be read. */
function readRoots(file: string, folders: string): string[] {
  const roots: string[] = []
  for (const each of file === '' ? rootFiles : [file]) {
    const text = attempt(() => readGivenFile(each))
    if (text === undefined) continue
    pushAll(roots, pemBlocks(text))
    break
  }
  if (!roots.some(isCertificate) || folders !== '') {
    for (const folder of folders === '' ? rootFolders : folders.split(':')) pushAll(roots, rootsIn(folder))
  }
  const first = roots.findIndex(isCertificate)
  return first < 0 ? [] : roots.slice(first)
}

const rootsIn = (folder: string): string[] =>
  (attempt(() => readdirSync(folder)) ?? []).flatMap((name) =>
    pemBlocks(attempt(() => readGivenFile(join(folder, name))) ?? ''),
  )

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** A certificate that is for other names; the message is Go's. */
export class CertificateNameError extends Error {
  readonly code = 'ERR_TLS_CERT_ALTNAME_INVALID'

  constructor(why: string) {
    super(`tls: failed to verify certificate: x509: ${why}`)
    this.name = 'CertificateNameError'
  }
}

interface AlternativeNames {
  readonly dns: readonly string[]
  readonly ips: readonly string[]
}

/** Undefined when the certificate is for the host. Mirrors crypto/x509: Certificate.VerifyHostname. */
export function verifyHostname(host: string, certificate: PeerCertificate): CertificateNameError | undefined {
  const names = alternativeNames(certificate.subjectaltname ?? '')
  if (isIP(host) !== 0) {
    const wanted = canonical(host)
    return names.ips.includes(wanted) ? undefined : new CertificateNameError(misnamed(host, names, certificate))
  }
  const name = host.toLowerCase()
  const isMatch = names.dns.some((pattern) =>
    isHostname(name, false) && isHostname(pattern, true) ? matches(pattern, name) : exactly(pattern, name),
  )
  return isMatch ? undefined : new CertificateNameError(misnamed(host, names, certificate))
}

const canonical = (address: string): string => {
  const ip = parseIp(address)
  return ip === undefined ? address : formatIp(ip)
}

/** `DNS:a.example.com, IP Address:10.0.0.1`; names with unusual characters are JSON strings. */
function alternativeNames(text: string): AlternativeNames {
  const dns: string[] = []
  const ips: string[] = []
  for (const [, kind, quoted, plain] of text.matchAll(/(?:^|, )([A-Za-z ]+):(?:("(?:[^"\\]|\\.)*")|([^,]*))/g)) {
    const value = quoted === undefined ? (plain ?? '') : (attempt(() => JSON.parse(quoted) as string) ?? '')
    if (kind === 'DNS') dns.push(value)
    else if (kind === 'IP Address') ips.push(canonical(value))
  }
  return { dns, ips }
}

const label = /^[a-z0-9_][a-z0-9_-]*$/i

function isHostname(host: string, isPattern: boolean): boolean {
  const labels = (isPattern ? host : host.replace(/\.$/, '')).split('.')
  if (host === '*') return false
  return labels.every((each, i) => (isPattern && i === 0 && each === '*') || label.test(each))
}

function matches(pattern: string, name: string): boolean {
  const [wanted, given] = [pattern.toLowerCase().split('.'), name.replace(/\.$/, '').split('.')]
  return wanted.length === given.length && wanted.every((each, i) => (i === 0 && each === '*') || each === given[i])
}

const exactly = (pattern: string, name: string): boolean =>
  name !== '' && name !== '.' && pattern.toLowerCase() === name

const maxShownNames = 100

function misnamed(host: string, { dns, ips }: AlternativeNames, { subject, subjectaltname }: PeerCertificate): string {
  const common = subject?.CN
  if (subjectaltname === undefined && typeof common === 'string' && matches(common, host.toLowerCase())) {
    return 'certificate relies on legacy Common Name field, use SANs instead'
  }
  const isAddress = isIP(host) !== 0
  if (isAddress && ips.length === 0) {
    return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
  }
  const valid = isAddress ? ips : dns
  if (valid.length === 0) return `certificate is not valid for any names, but wanted to match ${host}`
  if (valid.length >= maxShownNames) {
    return `certificate is valid for ${valid.length} ${isAddress ? 'IP SANs' : 'names'}, but none matched ${host}`
  }
  return `certificate is valid for ${valid.join(', ')}, not ${host}`
}
