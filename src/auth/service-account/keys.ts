/** The keys of the service account issuer: read from PEM files, named by their digest, shown as a JSON Web Key Set. */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { JsonObject } from '../../api/json.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { algorithmOf } from '../jwt/jws.ts'

export interface VerificationKey {
  readonly keyId: string
  readonly key: KeyObject
  /** Good for tokens of old, but not shown to others. */
  readonly hidden?: boolean
}

/** The keys that tokens are verified with: those of files, or of an external signer. */
export interface VerificationKeys {
  /** Changes when keys do: what was verified before is verified anew. */
  readonly version: number
  /** How long others may keep the key set. */
  readonly maxAgeSeconds: number
  /** Those with the id, or all. Waits only where an unknown id must be asked for. */
  find(keyId: string | undefined): Awaitable<readonly VerificationKey[]>
}

export const staticKeys = (keys: readonly VerificationKey[]): VerificationKeys => ({
  version: 0,
  maxAgeSeconds: 3600,
  find: (keyId) => (keyId === undefined || keyId === '' ? keys : keys.filter((each) => each.keyId === keyId)),
})

export interface SigningKey {
  readonly keyId: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g

/** All public keys of a PEM text; private keys and certificates give their public part. Throws when there is none. */
export function parseVerificationKeys(pem: string, file: string): VerificationKey[] {
  const keys = [...pem.matchAll(pemBlock)].flatMap(([block, type = '']) => publicKeyOf(block, type))
  const usable = keys.filter((key) => algorithmOf(key) !== undefined)
  if (usable.length === 0) throw new Error(`${file}: data does not contain any valid RSA or ECDSA public keys`)
  return usable.map((key) => ({ keyId: keyIdOf(key), key }))
}

function publicKeyOf(block: string, type: string): KeyObject[] {
  try {
    if (type === 'CERTIFICATE') return [new X509Certificate(block).publicKey]
    return type === 'EC PARAMETERS' ? [] : [createPublicKey(block)]
  } catch {
    return []
  }
}

export function parseSigningKey(pem: string, file: string): SigningKey {
  const block = [...pem.matchAll(pemBlock)].find(([, type = '']) => type.endsWith('PRIVATE KEY'))?.[0]
  if (block === undefined) throw new Error(`${file}: data does not contain a valid RSA or ECDSA private key`)
  return signingKey(createPrivateKey(block))
}

export function signingKey(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey)
  return { keyId: keyIdOf(publicKey), privateKey, publicKey }
}

/** The digest of the encoded public key: the same key has the same name on every server. */
function keyIdOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
}

/** None for a key that cannot verify tokens. */
export const verificationKeyOf = (key: KeyObject): VerificationKey[] =>
  algorithmOf(key) === undefined ? [] : [{ keyId: keyIdOf(key), key }]

/** The keys as `/openid/v1/jwks` shows them. */
export function jsonWebKeySet(keys: readonly VerificationKey[]): JsonObject {
  return { keys: keys.map(jsonWebKey) }
}

function jsonWebKey({ keyId, key }: VerificationKey): JsonObject {
  const { kty, crv, x, y, n, e } = key.export({ format: 'jwk' })
  const alg = algorithmOf(key) ?? ''
  if (kty === 'EC') return { use: 'sig', kty: 'EC', kid: keyId, crv: crv ?? '', alg, x: x ?? '', y: y ?? '' }
  return { use: 'sig', kty: 'RSA', kid: keyId, alg, n: n ?? '', e: e ?? '' }
}
