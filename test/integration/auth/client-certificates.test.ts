// Client certificates over real TLS: who they name, and who is not let in.
import { X509Certificate } from 'node:crypto'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anonymousAuthenticator } from '../../../src/auth/authentication/anonymous.ts'
import {
  CertificateVerifier,
  ClientCertificateAuthenticator,
} from '../../../src/auth/authentication/client-certificate.ts'
import { requestHeaderAuthenticator } from '../../../src/auth/authentication/request-header.ts'
import { serverAuthenticator } from '../../../src/auth/authentication/server-authenticator.ts'
import { CertificateFolder, type KeyAndCertificate } from './certificates.ts'

const folder = new CertificateFolder()
const authority = folder.authority('clients')
const proxyAuthority = folder.authority('proxies')
const serverAuthority = folder.authority('servers')
const serving = folder.issue(serverAuthority, '/CN=localhost', {
  extensions: ['subjectAltName=DNS:localhost,IP:127.0.0.1'],
})
const clientUse = ['extendedKeyUsage=clientAuth']

const oldAuthority = folder.versionOneAuthority('old clients')
const verifier = new CertificateVerifier(authority.certificate + oldAuthority.certificate)
const authenticator = serverAuthenticator({
  apiAudiences: ['api'],
  requestHeader: requestHeaderAuthenticator({
    verifier: new CertificateVerifier(proxyAuthority.certificate),
    allowedNames: ['front-proxy'],
    usernameHeaders: ['X-Remote-User'],
    uidHeaders: ['X-Remote-Uid'],
    groupHeaders: ['X-Remote-Group'],
    extraHeaderPrefixes: ['X-Remote-Extra-'],
  }),
  clientCertificate: new ClientCertificateAuthenticator(verifier),
  anonymous: anonymousAuthenticator({ enabled: true, paths: [] }),
})

const server = createServer(
  { key: serving.key, cert: serving.certificate, requestCert: true, rejectUnauthorized: false },
  async (incoming, response) => {
    const socket = incoming.socket as TLSSocket
    const certificates: X509Certificate[] = []
    for (
      let peer: { raw?: Buffer; issuerCertificate?: unknown } | undefined = socket.getPeerCertificate(true);
      peer?.raw;
    ) {
      const next = peer.issuerCertificate as typeof peer | undefined
      certificates.push(new X509Certificate(peer.raw))
      if (next === peer || certificates.length > 5) break
      peer = next
    }
    const result = await authenticator.authenticate({
      headers: incoming.headers,
      rawHeaders: incoming.rawHeaders,
      peerCertificates: certificates,
      remoteAddress: '127.0.0.1',
      path: incoming.url ?? '/',
    })
    response.end(
      JSON.stringify(
        result.outcome === 'authenticated'
          ? { ...result, user: { ...result.user, extra: Object.fromEntries(result.user.extra) } }
          : result,
      ),
    )
  },
)

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.close()
  folder.close()
})

interface Answer {
  readonly outcome: string
  readonly error?: string
  readonly user?: { name: string; uid?: string; groups: string[]; extra: Record<string, string[]> }
  readonly consumedHeaders?: string[]
}

const ask = (client: KeyAndCertificate | undefined, headers: Record<string, string | string[]> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      ca: serverAuthority.certificate,
      headers,
      agent: false,
      ...(client ? { key: client.key, cert: client.certificate } : {}),
    })
    sent.on('error', reject)
    sent.on('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      resolve(JSON.parse(Buffer.concat(chunks).toString()) as Answer)
    })
    sent.end()
  })

describe('client certificates', () => {
  it('name the user and the groups', async () => {
    const client = folder.issue(authority, '/O=devs/O=ops/CN=ann', { extensions: clientUse })
    const { user } = await ask(client)
    expect(user).toMatchObject({ name: 'ann', groups: ['devs', 'ops', 'system:authenticated'] })
    expect(user?.extra['authentication.kubernetes.io/credential-id']?.[0]).toMatch(/^X509SHA256=[0-9a-f]{64}$/)
  })

  it('may have names that look like something else', async () => {
    const client = folder.issue(authority, '/CN=ann\\/O=system:masters, CN=root', { extensions: clientUse })
    const { user } = await ask(client)
    expect(user).toMatchObject({ name: 'ann/O=system:masters, CN=root', groups: ['system:authenticated'] })
  })

  it('may be signed by an authority of X.509 version 1, which no intermediate may be', async () => {
    const client = folder.issue(oldAuthority, '/CN=old', { extensions: clientUse })
    expect((await ask(client)).user?.name).toBe('old')
    const middle = folder.versionOneAuthority('middle')
    const leaf = folder.issue(middle, '/CN=deep', { extensions: clientUse })
    const chain = { key: leaf.key, certificate: leaf.certificate + middle.certificate }
    expect(await ask(chain)).toMatchObject({ outcome: 'failed', error: expect.stringMatching(/unknown authority/) })
  })

  it('work through an intermediate authority', async () => {
    const middle = folder.issue(authority, '/CN=middle', { extensions: ['basicConstraints=critical,CA:true'] })
    const leaf = folder.issue(middle, '/CN=deep', { extensions: clientUse })
    const chain = { key: leaf.key, certificate: leaf.certificate + middle.certificate }
    expect((await ask(chain)).user?.name).toBe('deep')
  })

  it.each<[string, () => KeyAndCertificate, RegExp]>([
    [
      'of another authority',
      () => folder.issue(serverAuthority, '/CN=ann', { extensions: clientUse }),
      /unknown authority/,
    ],
    [
      'for servers only',
      () => folder.issue(authority, '/CN=ann', { extensions: ['extendedKeyUsage=serverAuth'] }),
      /incompatible key usage/,
    ],
    ['that signed themselves', () => folder.authority('ann'), /unknown authority/],
    [
      'signed by a certificate that is no authority',
      () => {
        const plain = folder.issue(authority, '/CN=plain', { extensions: clientUse })
        const forged = folder.issue(plain, '/O=system:masters/CN=root', { extensions: clientUse })
        return { key: forged.key, certificate: forged.certificate + plain.certificate }
      },
      /unknown authority/,
    ],
  ])('%s are refused, never anonymous', async (_, make, error) => {
    const answer = await ask(make())
    expect(answer.outcome).toBe('failed')
    expect(answer.error).toMatch(error)
  })

  it('are not needed', async () => {
    expect((await ask(undefined)).user?.name).toBe('system:anonymous')
  })

  it('expire while the server runs, and follow a new authority', () => {
    const leaf = new X509Certificate(folder.issue(authority, '/CN=ann', { extensions: clientUse, days: 1 }).certificate)
    let now = Date.now()
    const clock = { now: () => now, setTimeout: () => () => {}, random: () => 0, uuid: () => '' }
    const own = new CertificateVerifier(authority.certificate, clock)
    expect(own.verify([leaf]).ok).toBe(true)
    now += 2 * 86_400_000
    expect(own.verify([leaf])).toMatchObject({ ok: false, error: expect.stringContaining('expired') })
    now -= 2 * 86_400_000
    own.replace(proxyAuthority.certificate)
    expect(own.verify([leaf])).toMatchObject({ ok: false })
    expect(() => own.replace('nothing')).toThrow()
    own.replace(authority.certificate)
    expect(own.verify([leaf]).ok).toBe(true)
  })
})

describe('an authenticating proxy', () => {
  const proxy = folder.issue(proxyAuthority, '/CN=front-proxy', { extensions: clientUse })
  const headers = {
    'X-Remote-User': 'ann',
    'X-Remote-Uid': 'u1',
    'x-remote-group': ['devs', 'a, b'],
    'X-REMOTE-EXTRA-acme.com%2Fproject': 'x',
  }

  it('speaks for others', async () => {
    const answer = await ask(proxy, headers)
    expect(answer.user).toEqual({
      name: 'ann',
      uid: 'u1',
      groups: ['devs', 'a, b', 'system:authenticated'],
      extra: { 'acme.com/project': ['x'] },
    })
    expect(answer.consumedHeaders?.sort()).toEqual([
      'x-remote-extra-acme.com%2fproject',
      'x-remote-group',
      'x-remote-uid',
      'x-remote-user',
    ])
  })

  it('must have an allowed name', async () => {
    const answer = await ask(folder.issue(proxyAuthority, '/CN=other', { extensions: clientUse }), headers)
    expect(answer.outcome).toBe('failed')
    expect(answer.error).toContain('x509: subject with cn=other is not in the allowed list')
  })

  it('cannot be played without its certificate', async () => {
    expect((await ask(undefined, headers)).user?.name).toBe('system:anonymous')
    const joe = folder.issue(authority, '/CN=joe', { extensions: clientUse })
    expect((await ask(joe, { ...headers, 'X-Remote-Group': 'system:masters' })).user).toMatchObject({
      name: 'joe',
      groups: ['system:authenticated'],
    })
    const impostor = folder.issue(serverAuthority, '/CN=front-proxy', { extensions: clientUse })
    expect((await ask(impostor, headers)).outcome).toBe('failed')
  })
})
