/**
 * Issuers of tokens that strangers run, over HTTPS on another address than loopback: one that is good, and others whose documents lie,
 * lead elsewhere or never end. What they lead to has the keys that would make their tokens good, so that whoever follows is let in.
 */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer as createPlainServer, type Server, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '../../../src/api/json.ts'
import { type CertificatePair, issueCertificate } from '../../../src/pki/certificates.ts'
import { hookHost } from './outgoing.ts'

export const audience = 'app'

/** A token of any header and claims. */
export function compactToken(header: JsonObject, claims: JsonObject, sign: (text: string) => Buffer): string {
  const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${sign(signed).toString('base64url')}`
}

export const byEc = (key: KeyObject) => (text: string) =>
  createSign('sha256').update(text).sign({ key, dsaEncoding: 'ieee-p1363' })

export const byRsa = (key: KeyObject) => (text: string) => createSign('sha256').update(text).sign(key)

interface Places {
  /** Of the issuers. */
  readonly base: string
  /** On the loopback interface. */
  readonly trapPort: number
  /** Without TLS. */
  readonly plainPort: number
}

interface Issuer {
  /** The discovery document beside the issuer's name and its keys. */
  readonly document?: (places: Places) => JsonObject
  /** How the discovery is answered instead. */
  readonly discovery?: (response: ServerResponse, places: Places) => void
  readonly keys?: (response: ServerResponse, places: Places) => void
}

const redirect =
  (to: (places: Places) => string) =>
  (response: ServerResponse, places: Places): void =>
    void response.writeHead(307, { location: to(places) }).end()

function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = (): void => {
    while (!response.destroyed && response.write('['.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}

const trapNames = [
  '127.0.0.1',
  '127.1',
  '0177.0.0.1',
  '0x7f000001',
  '2130706433',
  'localhost',
  'LOCALHOST.',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '0.0.0.0',
  '[::]',
]

/** Issuers that are no good, by name. */
const crooked: Readonly<Record<string, Issuer>> = {
  liar: { document: () => ({ issuer: 'https://accounts.example.com' }) },
  'liar-by-slash': { document: ({ base }) => ({ issuer: `${base}/liar-by-slash/` }) },
  'liar-by-case': { document: ({ base }) => ({ issuer: `${base}/LIAR-by-case` }) },
  'no-name': { document: () => ({ issuer: null }) },
  'no-keys': { document: () => ({ jwks_uri: null }) },
  ...Object.fromEntries(
    trapNames.map((host, i): [string, Issuer] => [
      `keys-at-${i}`,
      { document: ({ trapPort }) => ({ jwks_uri: `https://${host}:${trapPort}/keys` }) },
    ]),
  ),
  'keys-at-link-local': { document: () => ({ jwks_uri: 'https://169.254.169.254/keys' }) },
  'keys-at-link-local-6': { document: () => ({ jwks_uri: 'https://[fe80::1%25lo]/keys' }) },
  'keys-in-plain': { document: ({ plainPort }) => ({ jwks_uri: `http://${hookHost}:${plainPort}/keys` }) },
  'keys-in-a-file': { document: () => ({ jwks_uri: 'file:///etc/passwd' }) },
  'keys-in-data': { document: () => ({ jwks_uri: 'data:application/json,{}' }) },
  'keys-of-another-type': { document: () => ({ jwks_uri: ['https://example.com'] }) },
  'redirects-discovery': { discovery: redirect(({ trapPort }) => `https://127.0.0.1:${trapPort}/discovery`) },
  'redirects-keys': { keys: redirect(({ trapPort }) => `https://localhost:${trapPort}/keys`) },
  'redirects-keys-plainly': { keys: redirect(({ plainPort }) => `http://${hookHost}:${plainPort}/keys`) },
  'redirects-keys-for-ever': { keys: redirect(({ base }) => `${base}/redirects-keys-for-ever/keys`) },
  'endless-discovery': { discovery: endless },
  'endless-keys': { keys: endless },
  'huge-keys': {
    keys: (response) => void response.end(`{"keys":[${`{"kty":"oct","fill":"${'x'.repeat(1000)}"},`.repeat(2000)}{}]}`),
  },
  'shared-secret': {
    keys: (response) =>
      void response.end(JSON.stringify({ keys: [{ kty: 'oct', kid: 'ec', k: sharedSecret.toString('base64url') }] })),
  },
  'wrong-keys': { keys: (response) => void response.end('{"keys":{"0":{"kty":"EC"}}}') },
}

export const sharedSecret = Buffer.from('a secret that a key set tells to everybody')

/** Issuers that are good, each with rules of its own. */
const honest = ['good', 'ruled', 'prefixed', 'mailed', 'mapped', 'flags'] as const

export class Issuers {
  readonly ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  readonly rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  readonly #servers: Server[] = []
  #places: Places = { base: '', trapPort: 0, plainPort: 0 }
  /** What an endpoint of distributed claims answers, by path. */
  readonly sources = new Map<string, (response: ServerResponse) => void>()
  #caught = 0

  static async open(ca: CertificatePair): Promise<Issuers> {
    const issuers = new Issuers()
    const certificateFor = (names: string[]) => {
      const { certPem, keyPem } = issueCertificate(ca, { commonName: 'i', usage: 'server', names, now: Date.now() })
      return { cert: certPem, key: keyPem }
    }
    const local = ['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::', '127.1', '2130706433']
    const stage = createServer(certificateFor([hookHost]), (request, response) =>
      issuers.#answer(request.url ?? '', response),
    )
    const trap = createServer(certificateFor(local), (request, response) => issuers.#spring(request.url, response))
    trap.on('connection', () => issuers.#caught++)
    const plain = createPlainServer((request, response) => issuers.#spring(request.url, response))
    plain.on('connection', () => issuers.#caught++)
    for (const [server, host] of [
      [stage, hookHost],
      [trap, '127.0.0.1'],
      [plain, hookHost],
    ] as const) {
      await new Promise<void>((resolve) => server.listen(0, host, resolve))
      issuers.#servers.push(server)
    }
    const [stagePort = 0, trapPort = 0, plainPort = 0] = issuers.#servers.map(
      (server) => (server.address() as AddressInfo).port,
    )
    issuers.#places = { base: `https://${hookHost}:${stagePort}`, trapPort, plainPort }
    return issuers
  }

  get places(): Places {
    return this.#places
  }

  get names(): string[] {
    return [...honest, ...Object.keys(crooked)]
  }

  get crooked(): string[] {
    return Object.keys(crooked)
  }

  /** How often somebody came to where nobody may be led. */
  get caught(): number {
    return this.#caught
  }

  urlOf(name: string): string {
    return `${this.#places.base}/${name}`
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }

  #answer(url: string, response: ServerResponse): void {
    const source = this.sources.get(url)
    if (source !== undefined) {
      source(response)
      return
    }
    const [, name = '', ...rest] = url.split('/')
    const issuer = crooked[name] ?? {}
    if (rest.join('/') === '.well-known/openid-configuration') {
      const document = { issuer: this.urlOf(name), jwks_uri: `${this.urlOf(name)}/keys` }
      if (issuer.discovery !== undefined) issuer.discovery(response, this.#places)
      else response.end(JSON.stringify({ ...document, ...issuer.document?.(this.#places) }))
    } else if (rest.join('/') === 'keys') {
      if (issuer.keys !== undefined) issuer.keys(response, this.#places)
      else response.end(this.#keySet())
    } else response.writeHead(404).end()
  }

  /** All that an attacker could wish for: a discovery document and the keys that fit. */
  #spring(url: string | undefined, response: ServerResponse): void {
    const here = `https://127.0.0.1:${this.#places.trapPort}`
    if (url === '/keys') response.end(this.#keySet())
    else if (url?.startsWith('/claims')) response.end(this.token('good', { groups: ['system:masters'] }))
    else {
      const issuer = url === '/discovery' ? this.urlOf('redirects-discovery') : here
      response.end(JSON.stringify({ issuer, jwks_uri: `${here}/keys` }))
    }
  }

  #keySet(): string {
    const jwk = (key: KeyObject, more: JsonObject): JsonObject => ({
      ...(key.export({ format: 'jwk' }) as JsonObject),
      ...more,
    })
    const encryption = generateEncryptionKey()
    return JSON.stringify({
      keys: [
        jwk(this.ec.publicKey, { kid: 'ec', alg: 'ES256', use: 'sig' }),
        jwk(this.rsa.publicKey, { kid: 'rsa', alg: 'RS256', use: 'sig' }),
        jwk(encryption.publicKey, { kid: 'encryption', use: 'enc' }),
      ],
    })
  }

  /** A good one, of an administrator, but for what is changed; `undefined` leaves a claim out. */
  token(name: string, change: JsonObject = {}): string {
    return compactToken({ alg: 'ES256', kid: 'ec' }, this.claims(name, change), byEc(this.ec.privateKey))
  }

  claims(name: string, change: JsonObject = {}): JsonObject {
    const now = Math.floor(Date.now() / 1000)
    const good = { iss: this.urlOf(name), aud: audience, iat: now, exp: now + 600, ...administrator }
    return { ...good, ...change }
  }
}

const administrator = { sub: 'admin', groups: ['system:masters'] }

let encryptionKey: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } | undefined
export function generateEncryptionKey() {
  encryptionKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
  return encryptionKey
}
