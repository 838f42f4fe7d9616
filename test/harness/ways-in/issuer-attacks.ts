/** Tokens of OIDC issuers, good and crooked ones: wrong in one place each, and sources of claims that lead elsewhere. */
import { createHmac, generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { JsonObject } from '../../../src/api/json.ts'
import { type Attack, bearer, secretPath, unauthorized } from './attack.ts'
import { audience, byEc, byRsa, compactToken, generateEncryptionKey, type Issuers, sharedSecret } from './issuers.ts'
import { hookHost } from './outgoing.ts'

/** Every issuer may make administrators, as far as its rules let it. */
export function authenticationConfiguration(issuers: Issuers, caPem: string): JsonObject {
  const ofName = (name: string): JsonObject => ({
    issuer: { url: issuers.urlOf(name), certificateAuthority: caPem, audiences: [audience] },
    claimMappings: { username: { claim: 'sub', prefix: '' }, groups: { claim: 'groups', prefix: '' } },
    ...special[name],
  })
  const names = issuers.names.filter((name) => name !== 'flags')
  return {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'AuthenticationConfiguration',
    jwt: names.map(ofName),
  }
}

const special: Readonly<Record<string, JsonObject>> = {
  ruled: {
    claimValidationRules: [
      { claim: 'hd', requiredValue: 'example.com' },
      { expression: 'claims.exp - claims.iat <= 3600', message: 'lives too long' },
      { expression: `claims.azp == '${audience}'`, message: 'of another party' },
    ],
    userValidationRules: [
      { expression: "!user.username.startsWith('system:')", message: 'a reserved name' },
      { expression: "user.groups.all(g, !g.startsWith('system:'))", message: 'a reserved group' },
    ],
  },
  prefixed: {
    claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' } },
  },
  mailed: {
    claimMappings: { username: { claim: 'email', prefix: '' }, groups: { claim: 'groups', prefix: '' } },
  },
  mapped: {
    claimMappings: {
      username: { expression: 'claims.name' },
      groups: { expression: 'claims.roles' },
      uid: { claim: 'oid' },
      extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
    },
  },
}

export function issuerAttacks(issuers: Issuers): Attack[] {
  return Object.entries({
    ...headerTokens(issuers),
    ...claimTokens(issuers),
    ...ruleTokens(issuers),
    ...distributedTokens(issuers),
    ...Object.fromEntries(issuers.crooked.map((name) => [`a token of the issuer ${name}`, issuers.token(name)])),
    'a token with a shared secret of a key set': hmac(
      { alg: 'HS256', kid: 'ec' },
      issuers.claims('shared-secret'),
      sharedSecret,
    ),
  }).map(([name, token]) => ({
    name: `OIDC: ${name}`,
    path: secretPath,
    headers: bearer(token),
    // A prefix makes somebody else of the administrator: known, but allowed nothing.
    refusals: name.startsWith('a prefixed') ? [403] : unauthorized,
  }))
}

/** Tokens that are good, with what they are answered: where these are refused, the refusals of the others prove nothing. */
export const goodTokens = (issuers: Issuers): (readonly [string, number])[] => [
  [issuers.token('good'), 200],
  [
    issuers.token('good', { groups: undefined, _claim_names: { groups: 's' }, _claim_sources: goodSource(issuers) }),
    200,
  ],
  [issuers.token('ruled', { hd: 'example.com', azp: audience, sub: 'jane', groups: ['people'] }), 403],
  [issuers.token('mailed', { email: 'admin@example.com', email_verified: true }), 200],
  [issuers.token('mapped', { name: 'admin', roles: ['system:masters'], oid: 'u', tenant: 'blue' }), 200],
]

function goodSource(issuers: Issuers): JsonObject {
  issuers.sources.set('/good-claims', (response) => response.end(issuers.token('good', { sub: undefined })))
  return { s: { endpoint: `${issuers.places.base}/good-claims` } }
}

const hmac = (header: JsonObject, claims: JsonObject, secret: string | Buffer): string =>
  compactToken(header, claims, (text) => createHmac('sha256', secret).update(text).digest())

function headerTokens(issuers: Issuers): Record<string, string> {
  const { ec, rsa } = issuers
  const claims = issuers.claims('good')
  const withEc = (header: JsonObject) => compactToken(header, claims, byEc(ec.privateKey))
  const stranger = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const brought = stranger.publicKey.export({ format: 'jwk' }) as JsonObject
  const withStranger = (header: JsonObject) => compactToken(header, claims, byEc(stranger.privateKey))
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
  const der = rsa.publicKey.export({ type: 'spki', format: 'der' })
  const [head = '', body = '', signature = ''] = issuers.token('good').split('.')
  return {
    'no algorithm': compactToken({ alg: 'none' }, claims, () => Buffer.alloc(0)),
    'no algorithm, with a signature': withEc({ alg: 'none', kid: 'ec' }),
    'no algorithm at all': withEc({ kid: 'ec' }),
    'an algorithm in other letters': withEc({ alg: 'es256', kid: 'ec' }),
    'an algorithm that is a list': withEc({ alg: ['ES256'], kid: 'ec' }),
    'the public key as a secret (PEM)': hmac({ alg: 'HS256', kid: 'rsa' }, claims, pem),
    'the public key as a secret (DER)': hmac({ alg: 'HS256', kid: 'rsa' }, claims, der),
    'the secret of nobody': hmac({ alg: 'HS256', kid: 'ec' }, claims, ''),
    'the key of another name': withEc({ alg: 'ES256', kid: 'rsa' }),
    'the key of a name that there is not': withEc({ alg: 'ES256', kid: 'EC' }),
    'the key of a path': withEc({ alg: 'ES256', kid: '../../keys' }),
    'a key name that is a number': withEc({ alg: 'ES256', kid: 5 }),
    'another algorithm for the key': compactToken({ alg: 'PS256', kid: 'rsa' }, claims, byRsa(rsa.privateKey)),
    'an EC signature for an RSA algorithm': withEc({ alg: 'RS256', kid: 'ec' }),
    'a key that is for encryption': compactToken(
      { alg: 'RS256', kid: 'encryption' },
      claims,
      byRsa(generateEncryptionKey().privateKey),
    ),
    'a key that the token brings': withStranger({ alg: 'ES256', jwk: brought }),
    'a key that the token brings, by a known name': withStranger({ alg: 'ES256', kid: 'ec', jwk: brought }),
    'a key at an address': withStranger({ alg: 'ES256', jku: `https://127.0.0.1:${issuers.places.trapPort}/keys` }),
    'a certificate that the token brings': withStranger({ alg: 'ES256', x5c: ['MIIB'], x5u: 'https://127.0.0.1/' }),
    'an extension that must be understood': withEc({ alg: 'ES256', kid: 'ec', crit: ['exp'], exp: 1 }),
    'a payload that is not encoded': withEc({ alg: 'ES256', kid: 'ec', b64: false, crit: ['b64'] }),
    'a signature that is not there': `${head}.${body}.`,
    'a signature of zeros': `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
    'a signature in another encoding': `${head}.${body}.${derSignature(Buffer.from(signature, 'base64url'))}`,
    'a signature with a tail': `${head}.${body}.${signature}AAAA`,
    'another part': `${head}.${body}.${signature}.${signature}`,
    'an encrypted one': `${head}.${body}.${signature}.${body}.${signature}`,
    'all of it as JSON': JSON.stringify({ payload: body, protected: head, signature }),
  }
}

function derSignature(raw: Buffer): string {
  const half = (from: number) => Buffer.concat([Buffer.of(2, 33, 0), raw.subarray(from, from + 32)])
  return Buffer.concat([Buffer.of(0x30, 70), half(0), half(32)]).toString('base64url')
}

function claimTokens(issuers: Issuers): Record<string, string> {
  const now = Math.floor(Date.now() / 1000)
  const url = issuers.urlOf('good')
  const changes: Record<string, JsonObject> = {
    'another issuer': { iss: 'https://accounts.example.com' },
    'the issuer with a slash': { iss: `${url}/` },
    'the issuer in other letters': { iss: url.toUpperCase() },
    'the issuer in a list': { iss: [url] },
    'no issuer': { iss: undefined },
    'the issuer, then another': { iss: `${url} https://accounts.example.com` },
    'another issuer of the same keys, not known': { iss: `${issuers.places.base}/unknown` },
    'another audience': { aud: 'other' },
    'the audience in other letters': { aud: audience.toUpperCase() },
    'the audience among letters': { aud: `${audience} other` },
    'no audience': { aud: undefined },
    'an empty audience': { aud: '' },
    'no audiences': { aud: [] },
    'an audience that is a number': { aud: 5 },
    'an audience among numbers': { aud: [audience, 5] },
    'an audience in a map': { aud: { [audience]: audience } },
    'an end that has passed': { exp: now - 1 },
    'an end that has passed, as text': { exp: String(now - 1) },
    'an end beyond all time': { exp: 1e300 },
    'no end': { exp: undefined },
    'an end that is null': { exp: null },
    'an end that is true': { exp: true },
    'an end that is a word': { exp: 'never' },
    'a beginning to come': { nbf: now + 3600 },
    'a beginning two minutes away': { nbf: now + 120 },
    'a beginning to come, as text': { nbf: String(now + 3600) },
    'a beginning in a list': { nbf: [now + 3600] },
    'a beginning that is a word': { nbf: 'later' },
    'a time of issue that is a word': { iat: 'today' },
    'a time of issue that is null': { iat: null },
    'no name': { sub: undefined },
    'a name that is a number': { sub: 5 },
    'a name in a list': { sub: ['admin'] },
    'a name in a map': { sub: { name: 'admin' } },
    'groups that are numbers': { groups: [1] },
    'groups in lists': { groups: [['system:masters']] },
    'groups in a map': { groups: { 'system:masters': true } },
    'one group and a number': { groups: ['system:masters', 1] },
    'a nonce that is a number': { nonce: 1 },
  }
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [`a claim: ${name}`, issuers.token('good', change)]),
  )
}

function ruleTokens(issuers: Issuers): Record<string, string> {
  const now = Math.floor(Date.now() / 1000)
  const fine = { hd: 'example.com', azp: audience, sub: 'jane', groups: ['people'] }
  const ruled = (change: JsonObject) => issuers.token('ruled', { ...fine, ...change })
  const mapped = { name: 'admin', roles: ['system:masters'], oid: 'u', tenant: 'blue' }
  const ofMap = (change: JsonObject) => issuers.token('mapped', { ...mapped, ...change })
  const mail = { email: 'admin@example.com' }
  return {
    'a rule: a claim of another value': ruled({ hd: 'example.com.evil.org' }),
    'a rule: a claim in other letters': ruled({ hd: 'Example.com' }),
    'a rule: a claim in a list': ruled({ hd: ['example.com'] }),
    'a rule: a claim that is null': ruled({ hd: null }),
    'a rule: a claim that is missing': ruled({ hd: undefined }),
    'a rule: a life too long': ruled({ exp: now + 7200 }),
    'a rule: a time of issue as text': ruled({ iat: String(now) }),
    'a rule: no time of issue': ruled({ iat: undefined }),
    'a rule: another party': ruled({ azp: 'other' }),
    'a rule: no party': ruled({ azp: undefined }),
    'a rule: parties in a list': ruled({ azp: [audience] }),
    'a rule: a reserved name': ruled({ sub: 'system:admin' }),
    'a rule: a reserved group': ruled({ groups: ['people', 'system:masters'] }),
    'a rule: a reserved group alone': ruled({ groups: 'system:masters' }),
    'a prefixed name and group': issuers.token('prefixed', { sub: 'system:admin' }),
    'a prefixed group alone': issuers.token('prefixed', { sub: '', groups: 'system:masters' }),
    'an address that is not verified': issuers.token('mailed', { ...mail, email_verified: false }),
    'an address verified in words': issuers.token('mailed', { ...mail, email_verified: 'true' }),
    'an address verified by a number': issuers.token('mailed', { ...mail, email_verified: 1 }),
    'an address verified by null': issuers.token('mailed', { ...mail, email_verified: null }),
    'no address': issuers.token('mailed'),
    'an expression: an empty name': ofMap({ name: '' }),
    'an expression: no name': ofMap({ name: undefined }),
    'an expression: a name of numbers': ofMap({ name: 1 }),
    'an expression: roles of numbers': ofMap({ roles: [1] }),
    'an expression: roles in lists': ofMap({ roles: [['system:masters']] }),
    'an expression: roles in a map': ofMap({ roles: { a: 'system:masters' } }),
    'an expression: no roles': ofMap({ roles: undefined }),
    'an expression: no uid': ofMap({ oid: undefined }),
    'an expression: a uid of numbers': ofMap({ oid: 1 }),
    'an expression: no tenant': ofMap({ tenant: undefined }),
    'an expression: tenants of numbers': ofMap({ tenant: [1] }),
  }
}

/** The token itself is good: what it points to is not. */
function distributedTokens(issuers: Issuers): Record<string, string> {
  const now = Math.floor(Date.now() / 1000)
  const { base, trapPort, plainPort } = issuers.places
  const masters = { sub: undefined, groups: ['system:masters'] }
  const stranger = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const pointing = (endpoint: unknown, more: JsonObject = {}) =>
    issuers.token('good', {
      groups: undefined,
      _claim_names: { groups: 'source' },
      _claim_sources: { source: { endpoint, access_token: 'ticket' } as JsonObject },
      ...more,
    })
  const answers: Record<string, string | ((response: ServerResponse) => void)> = {
    'of nobody': 'nothing',
    'signed by a stranger': compactToken(
      { alg: 'ES256', kid: 'ec' },
      issuers.claims('good', masters),
      byEc(stranger.privateKey),
    ),
    unsigned: compactToken({ alg: 'none' }, issuers.claims('good', masters), () => Buffer.alloc(0)),
    'that have ended': issuers.token('good', { ...masters, exp: now - 1 }),
    'that have not begun': issuers.token('good', { ...masters, nbf: now + 3600 }),
    'for others': issuers.token('good', { ...masters, aud: 'other' }),
    'of another kind': issuers.token('good', { groups: { a: 'system:masters' } }),
    'without groups': issuers.token('good', { groups: undefined }),
    'without an issuer': issuers.token('good', { ...masters, iss: undefined }),
    'of an issuer on this machine': issuers.token('good', { ...masters, iss: `https://127.0.0.1:${trapPort}` }),
    'of an issuer on localhost': issuers.token('good', { ...masters, iss: `https://localhost:${trapPort}` }),
    'of an issuer without TLS': issuers.token('good', { ...masters, iss: `http://${hookHost}:${plainPort}` }),
    'of a liar': issuers.token('liar', masters),
    'of an issuer with keys on this machine': issuers.token('keys-at-0', masters),
    'that redirect to this machine': (response) =>
      void response.writeHead(307, { location: `https://127.0.0.1:${trapPort}/claims` }).end(),
    'that redirect to a plain address': (response) =>
      void response.writeHead(307, { location: `http://${hookHost}:${plainPort}/claims` }).end(),
    'without end': (response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('e30.'.repeat(16_384)));
      }
      response.on('drain', more)
      more()
    },
  }
  Object.values(answers).forEach((answer, i) => {
    issuers.sources.set(`/claims/${i}`, typeof answer === 'string' ? (response) => response.end(answer) : answer)
  })
  const places: Record<string, unknown> = {
    'on this machine': `https://127.0.0.1:${trapPort}/claims`,
    'on localhost': `https://localhost:${trapPort}/claims`,
    'on a mapped address': `https://[::ffff:127.0.0.1]:${trapPort}/claims`,
    'on the unspecified address': `https://0.0.0.0:${trapPort}/claims`,
    'in plain': `http://${hookHost}:${plainPort}/claims`,
    'on a link': 'https://169.254.169.254/claims',
    'in a file': 'file:///etc/passwd',
    'that is a number': 5,
  }
  return {
    ...Object.fromEntries(
      Object.keys(answers).map((name, i) => [`distributed claims ${name}`, pointing(`${base}/claims/${i}`)]),
    ),
    ...Object.fromEntries(
      Object.entries(places).map(([name, url]) => [`distributed claims from a source ${name}`, pointing(url)]),
    ),
    'distributed claims without sources': pointing('', { _claim_sources: undefined }),
    'distributed claims of another source': pointing('', { _claim_names: { groups: 'other' } }),
    'distributed claims without names': pointing('', { _claim_names: { groups: '' } }),
    'distributed claims with names in a list': pointing('', { _claim_names: ['groups'] }),
  }
}

/** On a server that was told of its issuer by flags: RS256 alone, names after the issuer, groups behind a prefix. */
export const oidcFlags = (issuers: Issuers, caFile: string): string[] => [
  `--oidc-issuer-url=${issuers.urlOf('flags')}`,
  `--oidc-client-id=${audience}`,
  `--oidc-ca-file=${caFile}`,
  '--oidc-groups-claim=groups',
  '--oidc-groups-prefix=oidc:',
  '--oidc-required-claim=tenant=blue',
]

export function flagIssuerAttacks(issuers: Issuers, port: number): Attack[] {
  const tenant = 'blue'
  const signed = (change: JsonObject) =>
    compactToken({ alg: 'RS256', kid: 'rsa' }, issuers.claims('flags', change), byRsa(issuers.rsa.privateKey))
  const at = { path: secretPath, port }
  const tokens: Record<string, string> = {
    'an algorithm that was not named': issuers.token('flags', { tenant }),
    'a required claim of another value': signed({ tenant: 'red' }),
    'a required claim in a list': signed({ tenant: [tenant] }),
    'no required claim': signed({}),
    'another audience': signed({ tenant, aud: 'other' }),
    'an end that has passed': signed({ tenant, exp: 1 }),
    'another issuer': signed({ tenant, iss: issuers.urlOf('good') }),
  }
  return [
    ...Object.entries(tokens).map(([name, token]) => ({
      ...at,
      name: `OIDC flags: ${name}`,
      headers: bearer(token),
      refusals: unauthorized,
    })),
    ...['admin', 'system:admin', 'system:kube-controller-manager', ''].map((sub) => ({
      ...at,
      name: `OIDC flags: the name ${JSON.stringify(sub)} of the issuer's`,
      headers: bearer(signed({ tenant, sub })),
      refusals: [403],
    })),
  ]
}
