import { expect, it } from 'vitest'
import type { Secret } from '../../objects.ts'
import { detachedSignature, remainingMs, signedData, signingToken } from './bootstrap-tokens.ts'

const secret = (name: string, data: Record<string, string>): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  type: 'bootstrap.kubernetes.io/token',
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
})
const good = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true' }

it.each([
  ['good', 'bootstrap-token-abcdef', good, true],
  ['of another name', 'bootstrap-token-ghijkl', good, false],
  ['of no such name', 'token', good, false],
  ['not to sign with', 'bootstrap-token-abcdef', { ...good, 'usage-bootstrap-signing': 'false' }, false],
  ['over', 'bootstrap-token-abcdef', { ...good, expiration: '1970-01-01T00:00:00Z' }, false],
  ['over, as far as can be read', 'bootstrap-token-abcdef', { ...good, expiration: 'tomorrow' }, false],
  ['without a secret', 'bootstrap-token-abcdef', { ...good, 'token-secret': '' }, false],
])('a token that is %s', (_, name, data, expected) => {
  expect(signingToken(secret(name, data), 1000) !== undefined).toBe(expected)
})

it('lasts until it expires', () => {
  expect(remainingMs(secret('x', good), 0)).toBeUndefined()
  expect(remainingMs(secret('x', { expiration: '1970-01-01T00:01:00Z' }), 1000)).toBe(59_000)
})

it('signs cluster-info, and takes signatures of others away', () => {
  const token = { id: 'abcdef', secret: '0123456789abcdef' }
  const data = signedData({ kubeconfig: 'a: b', 'jws-kubeconfig-ghijkl': 'old' }, [token])
  expect(data).toEqual({ kubeconfig: 'a: b', 'jws-kubeconfig-abcdef': detachedSignature('a: b', token) })
  const [header = '', payload, signature] = detachedSignature('a: b', token).split('.')
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', kid: 'abcdef' })
  expect([payload, signature?.length]).toEqual(['', 43])
  expect(signedData({}, [token])).toBeUndefined()
})
