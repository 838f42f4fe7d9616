/**
 * Which names the certificates below an authority may have. Constraints of DNS names, addresses, mail addresses and URIs count for the
 * subject alternative names of everything below; those of other names do not count, and are refused where they are critical. Mirrors
 * crypto/x509: parseNameConstraintsExtension, parseSANExtension, checkChainConstraints.
 */
import { isIP } from 'node:net'
import { type DerValue, readDer } from '../../lib/der-reader.ts'

type Kind = 'dns' | 'ip' | 'email' | 'uri'

/** By kind, as they are encoded: texts of ASCII, and bytes of addresses as Latin-1. */
export type CertificateNames = Readonly<Record<Kind, readonly string[]>> & { readonly isEmpty: boolean }

type Subtrees = Readonly<Record<Kind, readonly string[]>>

export interface NameConstraints {
  readonly permitted: Subtrees
  readonly excluded: Subtrees
  /** There are some of other names. */
  readonly hasUnknown: boolean
}

const kinds: ReadonlyMap<number, Kind> = new Map([
  [0x81, 'email'],
  [0x82, 'dns'],
  [0x86, 'uri'],
  [0x87, 'ip'],
])
const sequenceTag = 0x30
const permittedTag = 0xa0
const excludedTag = 0xa1

class NameError extends Error {}

function collect(names: Iterable<DerValue>): { found: Record<Kind, string[]>; hasUnknown: boolean } {
  const found: Record<Kind, string[]> = { dns: [], ip: [], email: [], uri: [] }
  let hasUnknown = false
  for (const { tag, contents } of names) {
    const kind = kinds.get(tag)
    const text = contents.toString('latin1')
    if (kind === undefined) hasUnknown = true
    else if (kind !== 'ip' && contents.some((byte) => byte > 0x7f)) throw new NameError(`a ${kind} name is not ASCII`)
    else found[kind].push(text)
  }
  return { found, hasUnknown }
}

/** Throws an Error for names that cannot be read. */
export function readAlternativeNames(value: DerValue | undefined): CertificateNames {
  if (value?.tag !== sequenceTag) throw new NameError('alternative names are no sequence')
  const { found } = collect(readDer(value.contents))
  if (found.ip.some(({ length }) => length !== 4 && length !== 16)) throw new NameError('an address of another length')
  return { ...found, isEmpty: Object.values(found).every((names) => names.length === 0) }
}

/** Throws an Error for constraints that cannot be read. */
export function readConstraints(value: DerValue | undefined): NameConstraints {
  if (value?.tag !== sequenceTag) throw new NameError('name constraints are no sequence')
  const parts = readDer(value.contents)
  const order = parts.map(({ tag }) => tag)
  const isOrdered = order.every((tag, i) => [permittedTag, excludedTag].includes(tag) && order.indexOf(tag) === i)
  if (!isOrdered || (order[0] === excludedTag && order.length > 1)) throw new NameError('strange name constraints')
  if (parts.every(({ contents }) => contents.length === 0)) throw new NameError('empty name constraints')
  const subtreesOf = (wanted: number) =>
    collect(readDer(parts.find(({ tag }) => tag === wanted)?.contents ?? Buffer.alloc(0)).map(baseOf))
  const [permitted, excluded] = [subtreesOf(permittedTag), subtreesOf(excludedTag)]
  for (const { found } of [permitted, excluded]) checkSubtrees(found)
  return {
    permitted: permitted.found,
    excluded: excluded.found,
    hasUnknown: permitted.hasUnknown || excluded.hasUnknown,
  }
}

/** Distances behind the base are not looked at. */
function baseOf({ tag, contents }: DerValue): DerValue {
  const [base] = tag === sequenceTag ? readDer(contents) : []
  if (base === undefined) throw new NameError('a subtree without a base')
  return base
}

function checkSubtrees({ dns, ip, email, uri }: Subtrees): void {
  const isDomains = [...dns, ...uri, ...email.filter((text) => !text.includes('@'))].every((text) =>
    isDomain(text, true),
  )
  const isMails = email.every((text) => !text.includes('@') || readMailbox(text) !== undefined)
  if (!isDomains || !isMails || uri.some((text) => isIP(text) !== 0)) throw new NameError('a subtree of no names')
  if (!ip.every(isRange)) throw new NameError('a subtree of no addresses')
}

function isRange(text: string): boolean {
  if (text.length !== 8 && text.length !== 32) return false
  const mask = Buffer.from(text.slice(text.length / 2), 'latin1')
  return /^1*0*$/.test([...mask].map((byte) => byte.toString(2).padStart(8, '0')).join(''))
}

/** Mirrors crypto/x509: domainNameValid. */
function isDomain(text: string, isConstraint: boolean): boolean {
  if (text === '') return true
  const rest = isConstraint && text.startsWith('.') ? text.slice(1) : text
  return /^[!-~]+$/.test(rest) && rest.split('.').every((label) => label !== '')
}

interface Mailbox {
  readonly local: string
  readonly domain: string
}

const quotedLocal = /^"((?:[^"\\]|\\.)*)"@(.*)$/s
const atomLocal = /^((?:[\w!#$%&'*+\-/=?^`{|}~.]|\\.)+)@(.*)$/s

/** NUL and what breaks lines stand in no address. */
const isPlain = (text: string): boolean => !['\0', '\t', '\n', '\r'].some((char) => text.includes(char))

/** Mirrors crypto/x509: parseRFC2821Mailbox. */
function readMailbox(text: string): Mailbox | undefined {
  const [, given, domain] = (text.startsWith('"') ? quotedLocal : atomLocal).exec(text) ?? []
  if (given === undefined || domain === undefined || !isPlain(given)) return undefined
  const local = given.replace(/\\(.)/gs, '$1')
  if (!text.startsWith('"') && (/^\.|\.$/.test(local) || local.includes('..'))) return undefined
  const labels = domain.split('.')
  const isGood = domain === '' || labels.every((label) => /^[!-~]+$/.test(label))
  return isGood ? { local, domain: domain.toLowerCase() } : undefined
}

/** Whether the name is the base, or below it; a base with a leading dot is only for what is below. */
function isWithin(base: string, name: string): boolean {
  if (base === '') return true
  const [wanted, given] = [base.toLowerCase(), name.toLowerCase()]
  if (!given.endsWith(wanted)) return false
  return wanted.startsWith('.') || given.length === wanted.length || given.at(-wanted.length - 1) === '.'
}

/** What a wildcard stands for may be excluded. */
const standsFor = (name: string, base: string): boolean =>
  name.startsWith('*.') &&
  base.includes('.') &&
  base.toLowerCase().slice(base.indexOf('.')) === name.toLowerCase().slice(1)

function isInRange(range: string, address: string): boolean {
  const size = range.length / 2
  if (address.length !== size) return false
  const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
  const [base, mask, given] = [bytes(range.slice(0, size)), bytes(range.slice(size)), bytes(address)]
  return given.every((byte, i) => (byte & (mask[i] ?? 0)) === ((base[i] ?? 0) & (mask[i] ?? 0)))
}

type Match = (subtree: string, isExcluded: boolean) => boolean

function violation(
  kind: Kind,
  name: string,
  { permitted, excluded }: NameConstraints,
  match: Match,
): string | undefined {
  const shown = `${labels[kind]} ${JSON.stringify(kind === 'ip' ? addressText(name) : name)}`
  if (permitted[kind].length > 0 && !permitted[kind].some((subtree) => match(subtree, false))) {
    return `${shown} is not permitted by any constraint`
  }
  const by = excluded[kind].find((subtree) => match(subtree, true))
  if (by === undefined) return undefined
  return `${shown} is excluded by constraint ${JSON.stringify(kind === 'ip' ? addressText(by.slice(0, by.length / 2)) : by)}`
}

const labels: Readonly<Record<Kind, string>> = {
  dns: 'DNS name',
  ip: 'IP address',
  email: 'email address',
  uri: 'URI',
}

const addressText = (bytes: string): string =>
  bytes.length === 4
    ? [...Buffer.from(bytes, 'latin1')].join('.')
    : (Buffer.from(bytes, 'latin1').toString('hex').match(/.{4}/g) ?? []).join(':')

const ofDomain =
  (domain: string): Match =>
  (base, isExcluded) =>
    isWithin(base, domain) || (isExcluded && standsFor(domain, base))

/** Undefined when the URI names no host that could be compared. */
function hostOf(uri: string): string | undefined {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(uri)?.[1] ?? ''
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '')
  return host === '' || host.startsWith('[') || isIP(host) !== 0 || !isDomain(host, false) ? undefined : host
}

function ofMailbox({ local, domain }: Mailbox): Match {
  return (base, isExcluded) => {
    if (!base.includes('@')) return ofDomain(domain)(base, isExcluded)
    const wanted = readMailbox(base)
    return wanted?.local === local && wanted.domain === domain
  }
}

/** Why the names may not stand below the constraints; undefined when they may. */
function violated(names: CertificateNames, constraints: NameConstraints): string | undefined {
  for (const ip of names.ip) {
    const wrong = violation('ip', ip, constraints, (range) => isInRange(range, ip))
    if (wrong !== undefined) return wrong
  }
  for (const name of names.dns) {
    if (!isDomain(name, false)) return `x509: cannot parse dnsName ${JSON.stringify(name)}`
    const wrong = violation('dns', name, constraints, ofDomain(name))
    if (wrong !== undefined) return wrong
  }
  for (const uri of names.uri) {
    const host = hostOf(uri)
    if (host === undefined) return `URI (${JSON.stringify(uri)}) cannot be matched against constraints`
    const wrong = violation('uri', uri, constraints, ofDomain(host))
    if (wrong !== undefined) return wrong
  }
  for (const email of names.email) {
    const mailbox = readMailbox(email)
    if (mailbox === undefined) return `cannot parse rfc822Name ${JSON.stringify(email)}`
    const wrong = violation('email', email, constraints, ofMailbox(mailbox))
    if (wrong !== undefined) return wrong
  }
  return undefined
}

interface Named {
  readonly alternativeNames: CertificateNames | undefined
  readonly constraints: NameConstraints | undefined
}

/** Every certificate is held against the constraints of all that stand above it. From the leaf to the authority. */
export function violatedInChain(chain: readonly Named[]): string | undefined {
  for (const [i, { alternativeNames }] of chain.entries()) {
    if (alternativeNames === undefined) continue
    for (const { constraints } of chain.slice(i + 1)) {
      const wrong = constraints && violated(alternativeNames, constraints)
      if (wrong !== undefined) return wrong
    }
  }
  return undefined
}
