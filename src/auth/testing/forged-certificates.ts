/**
 * Certificates that no honest authority makes, for chains that are wrong in one place. They are put together by hand, because tools that
 * make certificates refuse to make these.
 */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import {
  bits,
  derBoolean,
  derInteger,
  derSet,
  derTime,
  explicit,
  implicit,
  objectId,
  octets,
  sequence,
  utf8,
} from '../../lib/der.ts'

const purposes = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2', code: '1.3.6.1.5.5.7.3.3' } as const

export interface ForgedCertificate {
  readonly commonName: string
  /** Signs others, with at most so many authorities below it (`Infinity`: any). */
  readonly authority?: number
  readonly purpose?: keyof typeof purposes
  /** Milliseconds from now. */
  readonly begins?: number
  readonly ends?: number
  readonly hash?: 'sha1' | 'sha256'
  /** An unknown critical extension. */
  readonly strange?: boolean
  /** The first byte of its key usages. */
  readonly usages?: number
  readonly names?: readonly ForgedName[]
  readonly permits?: readonly ForgedName[]
  readonly excludes?: readonly ForgedName[]
  /** Beside the common name: groups in any encoding, say. */
  readonly subject?: readonly Buffer[]
  /** Without extensions. */
  readonly version?: 1
  /** An extension of its key, a second time. */
  readonly twice?: boolean
  /** The same name and key as another's. */
  readonly like?: ForgedLink
  readonly keys?: 'small'
  readonly policies?: ForgedPolicies
}

/** Numbers are certificates after which it counts. */
export interface ForgedPolicies {
  readonly named?: readonly string[]
  readonly mapped?: readonly (readonly [issuer: string, subject: string])[]
  readonly requireExplicit?: number
  readonly inhibitMapping?: number
  readonly inhibitAny?: number
  readonly isCritical?: boolean
}

/** Every policy. */
export const anyPolicy = '2.5.29.32.0'

/** A text, or the bytes of an address and its mask. `name` is a directory name. */
export type ForgedName = readonly ['dns' | 'email' | 'uri' | 'ip' | 'name', string | readonly number[]]

const nameTags = { email: 1, dns: 2, name: 4, uri: 6, ip: 7 } as const

const generalName = ([kind, value]: ForgedName): Buffer =>
  kind === 'name'
    ? explicit(nameTags.name, namePart('2.5.4.3', utf8(String(value))))
    : implicit(nameTags[kind], Buffer.from(value as string))

/** A part of a subject. */
export const namePart = (id: string, text: Buffer): Buffer => derSet(sequence(objectId(id), text))

const subtrees = (tag: number, names: readonly ForgedName[] | undefined): Buffer[] =>
  names === undefined ? [] : [explicit(tag, Buffer.concat(names.map((name) => sequence(generalName(name)))))]

export interface ForgedLink {
  readonly pem: string
  readonly name: Buffer
  readonly key: KeyObject
}

const extension = (id: string, value: Buffer, isCritical = true): Buffer =>
  sequence(objectId(id), ...(isCritical ? [derBoolean(true)] : []), octets(value))

function extensionsOf(forged: ForgedCertificate, publicKey: Buffer): Buffer[] {
  const { authority, purpose, strange, usages, names, permits, excludes, twice, policies = {} } = forged
  const pathLength = authority === undefined || !Number.isFinite(authority) ? [] : [derInteger(authority)]
  const constraints = authority === undefined ? sequence() : sequence(derBoolean(true), ...pathLength)
  const keyId = extension('2.5.29.14', octets(createHash('sha1').update(publicKey).digest()), false)
  const limits = [...subtrees(0, permits), ...subtrees(1, excludes)]
  return [
    extension('2.5.29.19', constraints),
    extension('2.5.29.15', bits(Buffer.of(usages ?? (authority === undefined ? 0x80 : 0x84)))),
    ...(purpose === undefined ? [] : [extension('2.5.29.37', sequence(objectId(purposes[purpose])), false)]),
    keyId,
    ...(names === undefined ? [] : [extension('2.5.29.17', sequence(...names.map(generalName)), false)]),
    ...(limits.length === 0 ? [] : [extension('2.5.29.30', sequence(...limits))]),
    ...policyExtensions(policies),
    ...(strange === true ? [extension('1.2.3.4.5', utf8('?'))] : []),
    ...(twice === true ? [keyId] : []),
  ]
}

function policyExtensions(policies: ForgedPolicies): Buffer[] {
  const { named, mapped, requireExplicit, inhibitMapping, inhibitAny, isCritical } = policies
  const number = (tag: number, value: number | undefined): Buffer[] =>
    value === undefined ? [] : [implicit(tag, Buffer.of(value))]
  const constraints = [...number(0, requireExplicit), ...number(1, inhibitMapping)]
  const pair = (each: readonly string[]): Buffer => sequence(...each.map(objectId))
  const lists: [string, Buffer | undefined][] = [
    ['2.5.29.32', named && sequence(...named.map((each) => sequence(objectId(each))))],
    ['2.5.29.33', mapped && sequence(...mapped.map(pair))],
    ['2.5.29.36', constraints.length === 0 ? undefined : sequence(...constraints)],
    ['2.5.29.54', inhibitAny === undefined ? undefined : derInteger(inhibitAny)],
  ]
  return lists.flatMap(([id, value]) => (value === undefined ? [] : [extension(id, value, isCritical)]))
}

const day = 86_400_000

function keysOf({ like, keys }: ForgedCertificate): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  if (like !== undefined) return { publicKey: createPublicKey(like.key), privateKey: like.key }
  if (keys === 'small') return generateKeyPairSync('rsa', { modulusLength: 512 })
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

const algorithms = {
  ec: { sha1: '1.2.840.10045.4.1', sha256: '1.2.840.10045.4.3.2' },
  rsa: { sha1: '1.2.840.113549.1.1.5', sha256: '1.2.840.113549.1.1.11' },
} as const

/** A certificate by another's key, or by its own. */
export function forgeCertificate(forged: ForgedCertificate, signer?: ForgedLink): ForgedLink {
  const { publicKey, privateKey } = keysOf(forged)
  const { begins = -day, ends = 30 * day, hash = 'sha256', version } = forged
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const key = signer?.key ?? privateKey
  const algorithm = sequence(objectId(algorithms[key.asymmetricKeyType as 'ec' | 'rsa'][hash]))
  const common = namePart('2.5.4.3', utf8(forged.commonName))
  const name = forged.like?.name ?? sequence(...(forged.subject ?? []), common)
  const serial = randomBytes(16)
  serial[0] = 0x40
  const content = sequence(
    ...(version === 1 ? [] : [explicit(0, derInteger(2))]),
    derInteger(serial),
    algorithm,
    signer?.name ?? name,
    sequence(derTime(Date.now() + begins), derTime(Date.now() + ends)),
    name,
    spki,
    ...(version === 1 ? [] : [explicit(3, sequence(...extensionsOf(forged, spki)))]),
  )
  const der = sequence(content, algorithm, bits(sign(hash, content, key)))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
  return { pem, name, key: privateKey }
}
