import { createSign, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseToken, type SignatureAlgorithm, signatureAlgorithms, signToken, verifyToken } from './jws.ts'

describe('a signature of another form', () => {
  const curves = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' } as const
  it.each(Object.entries(curves))('is no good and no error: %s', (algorithm, namedCurve) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve })
    const token = signToken({ sub: 'a' }, privateKey, 'k')
    const verifies = (signature: Buffer): boolean => {
      const parsed = parseToken(`${token.slice(0, token.lastIndexOf('.'))}.${signature.toString('base64url')}`)
      return parsed !== undefined && verifyToken(parsed, publicKey, [algorithm as SignatureAlgorithm])
    }
    const good = Buffer.from(token.split('.')[2] ?? '', 'base64url')
    expect(verifies(good)).toBe(true)
    const der = createSign('sha256')
      .update(token.slice(0, token.lastIndexOf('.')))
      .sign(privateKey)
    for (const bad of [der, Buffer.of(0), Buffer.alloc(good.length), Buffer.alloc(good.length, 0xff)]) {
      expect(verifies(bad)).toBe(false)
    }
    for (let length = 1; length < 2 * good.length; length++) {
      if (length === good.length) continue
      expect(verifies(Buffer.concat([good, good]).subarray(0, length)), String(length)).toBe(false)
    }
  })

  it('of RSA is no good and no error', () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const token = signToken({ sub: 'a' }, privateKey, 'k')
    for (const length of [1, 64, 255, 257, 4096]) {
      for (const algorithm of signatureAlgorithms) {
        const [, body = ''] = token.split('.')
        const header = Buffer.from(JSON.stringify({ alg: algorithm })).toString('base64url')
        const parsed = parseToken(`${header}.${body}.${Buffer.alloc(length, 1).toString('base64url')}`)
        expect(parsed && verifyToken(parsed, publicKey, signatureAlgorithms), `${algorithm} ${length}`).toBe(false)
      }
    }
  })
})
