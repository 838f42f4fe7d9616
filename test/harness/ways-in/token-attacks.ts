/** Tokens that are forged, changed, spent, of others, or for others; those that only the server's own key can sign, too. */
import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import type { JsonObject } from '../../../src/api/json.ts'
import { signToken } from '../../../src/auth/jwt/jws.ts'
import type { Random } from '../random.ts'
import { type Attack, adminToken, bearer, forbidden, secretPath, unauthorized } from './attack.ts'

export interface KnownTokens {
  /** A good token of the account `default/robot`. */
  readonly account: string
  /** Good when they were made: for another audience, of a pod that is gone, of an account that was made anew. */
  readonly spent: Readonly<Record<string, string>>
  readonly signingKey: KeyObject
  readonly caPem: string
  /** Of an administrator, only ever sent where it does not belong. */
  readonly inQuery: string
}

const claimsOf = (token: string): JsonObject =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const keyIdOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid

export function tokenAttacks(known: KnownTokens, random: Random): Attack[] {
  const flipped = Buffer.from(known.account)
  flipped[random.below(flipped.length)] = 65 + random.below(26)
  const isChanged = flipped.toString() !== known.account
  const tokens = { ...plainTokens(random), ...forgedTokens(known), ...signedTokens(known), ...known.spent }
  return [
    ...Object.entries(tokens).map(([name, token]) => ({
      name,
      path: secretPath,
      headers: bearer(token),
      refusals: token === '' ? forbidden : unauthorized,
    })),
    {
      name: 'a token with a letter changed',
      path: secretPath,
      headers: bearer(flipped.toString()),
      refusals: isChanged ? forbidden : [403],
    },
    {
      name: "an account's own token, for what it may not",
      path: secretPath,
      headers: bearer(known.account),
      refusals: [403],
    },
    // Whom they are of is the account in the claims of Kubernetes; legacy ones have no audience.
    ...Object.entries({ sub, aud: [] }).map(([name, value]) => ({
      name: `a signed token with another ${name}`,
      path: secretPath,
      headers: bearer(signed(known, { [name]: value })),
      refusals: [403],
    })),
    {
      name: 'a token by basic authentication',
      path: secretPath,
      headers: { authorization: `Basic ${Buffer.from(`admin:${adminToken}`).toString('base64')}` },
      refusals: forbidden,
    },
    { name: 'a token in the query', path: `${secretPath}?access_token=${known.inQuery}`, refusals: forbidden },
    { name: 'a token in a cookie', path: secretPath, headers: { cookie: `token=${adminToken}` }, refusals: forbidden },
  ]
}

const plainTokens = (random: Random): Record<string, string> => ({
  'no token at all': '',
  'an unknown token': randomBytes(16).toString('hex'),
  'half of a token': adminToken.slice(0, 5 + random.below(adminToken.length - 5)),
  'a token with a tail': `${adminToken}x`,
  'a token in other letters': adminToken.toUpperCase(),
  'a bootstrap token that there is not': 'abcdef.0123456789abcdef',
  'a token of dots': '..',
  'a token without end': `${'a'.repeat(6_000)}.${'b'.repeat(6_000)}.${'c'.repeat(100)}`,
})

const sub = 'system:serviceaccount:kube-system:admin'

function forgedTokens({ account, caPem }: KnownTokens): Record<string, string> {
  const [head = '', claims = '', signature = ''] = account.split('.')
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forge = (change: object, header: object = { alg: 'none' }): string =>
    `${encode(header)}.${encode({ ...claimsOf(account), ...change })}`
  const confused = forge({ sub }, { alg: 'HS256', kid: keyIdOf(account) })
  const hmac = createHmac('sha256', caPem).update(confused).digest('base64url')
  return {
    'a token without a signature': `${head}.${claims}.`,
    'a token of no algorithm': `${forge({ sub })}.`,
    'a token of no algorithm in other letters': `${forge({ sub }, { alg: 'NoNe' })}.`,
    'a token of no algorithm, signed': `${forge({ sub })}.${signature}`,
    'a token that brings its key': `${forge({ sub }, { alg: 'RS256', jwk: {}, jku: 'http://127.0.0.1/' })}.${signature}`,
    'a key by a path': `${forge({ sub }, { alg: 'HS256', kid: '../../../dev/null' })}.${signature}`,
    'a critical extension': `${forge({ sub }, { alg: 'RS256', crit: ['b64'], b64: false })}.${signature}`,
    'other claims under a good signature': `${head}.${forge({ sub }).split('.')[1]}.${signature}`,
    'a public key as a shared secret': `${confused}.${hmac}`,
    'a token of the legacy issuer, unsigned': `${forge({ iss: 'kubernetes/serviceaccount' })}.${signature}`,
    'a token with another part': `${account}.${signature}`,
  }
}

const signed = ({ account, signingKey }: KnownTokens, change: JsonObject): string =>
  signToken({ ...claimsOf(account), ...change }, signingKey, keyIdOf(account))

/** As if the key had signed them: what each of the claims is there for. */
function signedTokens(known: KnownTokens): Record<string, string> {
  const now = Math.floor(Date.now() / 1000)
  const sign = (change: JsonObject): string => signed(known, change)
  const claim = claimsOf(known.account)['kubernetes.io'] as JsonObject
  return {
    'a token that has ended': sign({ exp: now - 60, iat: now - 4_000, nbf: now - 4_000 }),
    'a token that has not begun': sign({ nbf: now + 3_600 }),
    'a token of another issuer': sign({ iss: 'https://elsewhere.example.com' }),
    'a token without an issuer': sign({ iss: '' }),
    'a token for others': sign({ aud: ['vault'] }),
    'a token of an account that there is not': sign({
      sub: 'system:serviceaccount:default:ghost',
      'kubernetes.io': { ...claim, serviceaccount: { name: 'ghost', uid: 'x' } },
    }),
    'a token of an account with another uid': sign({
      'kubernetes.io': { ...claim, serviceaccount: { name: 'robot', uid: 'another' } },
    }),
    'a token of a pod that there is not': sign({ 'kubernetes.io': { ...claim, pod: { name: 'ghost', uid: 'x' } } }),
    'a token of a node that there is not': sign({ 'kubernetes.io': { ...claim, node: { name: 'ghost', uid: 'x' } } }),
  }
}
