/** Keys that sign and verify tokens: where they are read from, how they are found, and how others see them. */
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { forgeCertificate } from '../testing/forged-certificates.ts'
import { discoveryDocuments } from './discovery-documents.ts'
import {
  jsonWebKeySet,
  parseSigningKey,
  parseVerificationKeys,
  signingKey,
  staticKeys,
  verificationKeyOf,
} from './keys.ts'

const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pemOf = (key: KeyObject, type: 'spki' | 'pkcs8'): string => String(key.export({ type, format: 'pem' }))
const idOf = (key: KeyObject): string => signingKey(key).keyId

describe('a file of keys', () => {
  it('gives the public part of all that it has', () => {
    const certificate = forgeCertificate({ commonName: 'c' })
    const pem = [pemOf(ec.publicKey, 'spki'), pemOf(rsa.privateKey, 'pkcs8'), certificate.pem].join('\n')
    const found = parseVerificationKeys(pem, 'f')
    expect(found.map(({ keyId }) => keyId)).toEqual([idOf(ec.privateKey), idOf(rsa.privateKey), idOf(certificate.key)])
    expect(found.every(({ key }) => key.type === 'public')).toBe(true)
  })

  it('passes over what is no key, as long as there is one', () => {
    const broken = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'
    const ed = generateKeyPairSync('ed25519')
    const pem = [broken, pemOf(ed.publicKey, 'spki'), pemOf(ec.publicKey, 'spki')].join('\n')
    expect(parseVerificationKeys(pem, 'f')).toHaveLength(1)
    for (const none of ['', broken, pemOf(ed.publicKey, 'spki')])
      expect(() => parseVerificationKeys(none, 'f')).toThrow(
        'f: data does not contain any valid RSA or ECDSA public keys',
      )
    expect([verificationKeyOf(ed.publicKey), verificationKeyOf(ec.publicKey).length]).toEqual([[], 1])
  })

  it('has a key to sign with', () => {
    const pem = `${pemOf(rsa.publicKey, 'spki')}\n${pemOf(ec.privateKey, 'pkcs8')}`
    expect(parseSigningKey(pem, 'f').keyId).toBe(idOf(ec.privateKey))
    expect(() => parseSigningKey(pemOf(ec.publicKey, 'spki'), 'f')).toThrow(
      'f: data does not contain a valid RSA or ECDSA private key',
    )
  })
})

it('keys are found by their id, and all of them without one', async () => {
  const keys = [ec, rsa].map(({ privateKey, publicKey }) => ({ keyId: idOf(privateKey), key: publicKey }))
  const { find } = staticKeys(keys)
  expect(await find(keys[1]?.keyId)).toEqual([keys[1]])
  expect(await find('other')).toEqual([])
  expect([await find(undefined), await find('')]).toEqual([keys, keys])
})

it('keys can be read by others', () => {
  const all = [ec, rsa].map(({ privateKey, publicKey }) => ({ keyId: idOf(privateKey), key: publicKey }))
  const { keys } = jsonWebKeySet(all) as { keys: Record<string, string>[] }
  expect(keys.map(({ kid, alg, kty, use }) => [kid, alg, kty, use])).toEqual([
    [all[0]?.keyId, 'ES256', 'EC', 'sig'],
    [all[1]?.keyId, 'RS256', 'RSA', 'sig'],
  ])
  const read = keys.map((key) => createPublicKey({ key, format: 'jwk' }))
  expect(read.map((key, i) => key.equals(all[i]!.key))).toEqual([true, true])
})

it('issuers that are no addresses cannot be discovered', () => {
  const keys = [{ keyId: 'k', key: ec.publicKey }]
  expect(discoveryDocuments('kubernetes/serviceaccount', 'https://j', keys)).toBeUndefined()
  expect(JSON.parse(discoveryDocuments('https://i', 'https://j', keys)?.configuration ?? '')).toMatchObject({
    issuer: 'https://i',
    jwks_uri: 'https://j',
    id_token_signing_alg_values_supported: ['ES256'],
  })
})
