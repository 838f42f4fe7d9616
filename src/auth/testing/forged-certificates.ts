/**
 * Certificates that no honest authority makes, for chains that are wrong in one place. They are put together by hand, because tools that
 * make certificates refuse to make these.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import {
  bits,
  derBoolean,
  derInteger,
  derSet,
  derTime,
  explicit,
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
  /** An extension that must be understood, and that nobody knows. */
  readonly strange?: boolean
}

export interface ForgedLink {
  readonly pem: string
  readonly name: Buffer
  readonly key: KeyObject
}

const extension = (id: string, value: Buffer, isCritical = true): Buffer =>
  sequence(objectId(id), ...(isCritical ? [derBoolean(true)] : []), octets(value))

function extensionsOf({ authority, purpose, strange }: ForgedCertificate, publicKey: Buffer): Buffer[] {
  const pathLength = authority === undefined || !Number.isFinite(authority) ? [] : [derInteger(authority)]
  const constraints = authority === undefined ? sequence() : sequence(derBoolean(true), ...pathLength)
  return [
    extension('2.5.29.19', constraints),
    extension('2.5.29.15', authority === undefined ? bits(Buffer.of(0x80), 7) : bits(Buffer.of(0x84), 2)),
    ...(purpose === undefined ? [] : [extension('2.5.29.37', sequence(objectId(purposes[purpose])), false)]),
    extension('2.5.29.14', octets(createHash('sha1').update(publicKey).digest()), false),
    ...(strange === true ? [extension('1.2.3.4.5', utf8('?'))] : []),
  ]
}

const day = 86_400_000

/** A certificate by another's key, or by its own. */
export function forgeCertificate(forged: ForgedCertificate, signer?: ForgedLink): ForgedLink {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { begins = -day, ends = 30 * day, hash = 'sha256' } = forged
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const algorithm = sequence(objectId(hash === 'sha1' ? '1.2.840.10045.4.1' : '1.2.840.10045.4.3.2'))
  const name = sequence(derSet(sequence(objectId('2.5.4.3'), utf8(forged.commonName))))
  const serial = randomBytes(16)
  serial[0] = 0x40
  const content = sequence(
    explicit(0, derInteger(2)),
    derInteger(serial),
    algorithm,
    signer?.name ?? name,
    sequence(derTime(Date.now() + begins), derTime(Date.now() + ends)),
    name,
    spki,
    explicit(3, sequence(...extensionsOf(forged, spki))),
  )
  const der = sequence(content, algorithm, bits(sign(hash, content, signer?.key ?? privateKey)))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
  return { pem, name, key: privateKey }
}
