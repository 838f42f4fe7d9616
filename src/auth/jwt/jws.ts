/**
 * Signed tokens (JWS, compact form): taken apart without trust, then verified with one key and the one algorithm that the
 * key is for. The algorithm is never chosen by the token alone: `none` and shared-secret algorithms do not exist here,
 * and an RSA key never verifies anything but RSA.
 */
import { constants, createPublicKey, createSign, createVerify, type KeyObject } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../api/json.ts'

export type SignatureAlgorithm = 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512'

export interface ParsedToken {
  readonly algorithm: string
  readonly keyId: string | undefined
  readonly claims: JsonObject
  readonly signed: string
  readonly signature: Buffer
}

/** Tokens beyond this are not even looked at. */
const maxTokenLength = 64 * 1024

const base64url = /^[A-Za-z0-9_-]+$/

/** Undefined when the text is no signed token with a JSON payload. */
export function parseToken(token: string): ParsedToken | undefined {
  if (token.length > maxTokenLength) return undefined
  const parts = token.split('.')
  if (parts.length !== 3) return undefined
  const [head = '', payload = '', signature = ''] = parts
  if (!base64url.test(head) || !base64url.test(payload) || !base64url.test(signature)) return undefined
  const header = parseObject(head)
  const claims = parseObject(payload)
  // Extensions that must be understood are not.
  if (header === undefined || claims === undefined || header['crit'] !== undefined) return undefined
  const algorithm = header['alg']
  const keyId = header['kid']
  if (typeof algorithm !== 'string' || (keyId !== undefined && typeof keyId !== 'string')) return undefined
  return { algorithm, keyId, claims, signed: `${head}.${payload}`, signature: Buffer.from(signature, 'base64url') }
}

function parseObject(encoded: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

interface AlgorithmFacts {
  readonly hash: string
  readonly keyType: 'rsa' | 'ec'
  readonly curve?: string
  /** Of a signature by the curve. */
  readonly bytes?: number
  readonly pss?: boolean
}

const algorithms: Readonly<Record<SignatureAlgorithm, AlgorithmFacts>> = {
  RS256: { hash: 'sha256', keyType: 'rsa' },
  RS384: { hash: 'sha384', keyType: 'rsa' },
  RS512: { hash: 'sha512', keyType: 'rsa' },
  PS256: { hash: 'sha256', keyType: 'rsa', pss: true },
  PS384: { hash: 'sha384', keyType: 'rsa', pss: true },
  PS512: { hash: 'sha512', keyType: 'rsa', pss: true },
  ES256: { hash: 'sha256', keyType: 'ec', curve: 'prime256v1', bytes: 64 },
  ES384: { hash: 'sha384', keyType: 'ec', curve: 'secp384r1', bytes: 96 },
  ES512: { hash: 'sha512', keyType: 'ec', curve: 'secp521r1', bytes: 132 },
}

export const signatureAlgorithms = Object.keys(algorithms) as readonly SignatureAlgorithm[]

const isAlgorithm = (name: string): name is SignatureAlgorithm => Object.hasOwn(algorithms, name)

/** Whether the key signed the token, with an algorithm that fits the key and is among the allowed ones. */
export function verifyToken(token: ParsedToken, key: KeyObject, allowed: readonly SignatureAlgorithm[]): boolean {
  const { algorithm, signed, signature } = token
  if (!isAlgorithm(algorithm) || !allowed.includes(algorithm) || key.type === 'secret') return false
  const facts = algorithms[algorithm]
  if (key.asymmetricKeyType !== facts.keyType) return false
  if (facts.curve !== undefined && key.asymmetricKeyDetails?.namedCurve !== facts.curve) return false
  // OpenSSL throws for others.
  if (facts.bytes !== undefined && signature.length !== facts.bytes) return false
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return createVerify(facts.hash).update(signed).verify(keyInput(publicKey, facts), signature)
}

function keyInput(key: KeyObject, facts: AlgorithmFacts) {
  if (facts.keyType === 'ec') return { key, dsaEncoding: 'ieee-p1363' as const }
  if (!facts.pss) return { key }
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
}

/** The algorithm that a key signs with here; undefined for keys of another kind. */
export function algorithmOf(key: KeyObject): SignatureAlgorithm | undefined {
  if (key.asymmetricKeyType === 'rsa') return 'RS256'
  if (key.asymmetricKeyType !== 'ec') return undefined
  const curve = key.asymmetricKeyDetails?.namedCurve
  return (['ES256', 'ES384', 'ES512'] as const).find((name) => algorithms[name].curve === curve)
}

/** A signed token. */
export function signToken(claims: JsonObject, key: KeyObject, keyId: string): string {
  const algorithm = algorithmOf(key)
  if (algorithm === undefined) throw new Error(`a key of type ${key.asymmetricKeyType} cannot sign tokens`)
  const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ alg: algorithm, kid: keyId })}.${encode(claims)}`
  const facts = algorithms[algorithm]
  return `${signed}.${createSign(facts.hash).update(signed).sign(keyInput(key, facts)).toString('base64url')}`
}

/** The `aud` claim: one text or a list. */
export function audiencesOf(claims: JsonObject): string[] {
  const audience = claims['aud']
  if (typeof audience === 'string') return [audience]
  return Array.isArray(audience) ? audience.filter((item): item is string => typeof item === 'string') : []
}
