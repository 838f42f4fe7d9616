// Which serving certificates are trusted by which bundle: as Go's crypto/x509 decides, over real TLS.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { callOutbound } from '../../../src/outbound/call.ts'
import { Transport } from '../../../src/outbound/transport.ts'
import { secureContextInSteps } from '../../../src/outbound/trust.ts'
import { CertificateFolder, type KeyAndCertificate } from '../auth/certificates.ts'

const folder = new CertificateFolder()
const names = (text: string): string[] => [`subjectAltName=${text}`]
const isAuthority = ['basicConstraints=critical,CA:true']
const root = folder.authority('root')
const other = folder.authority('other')
const middle = folder.issue(root, '/CN=middle', { extensions: isAuthority })
const leaf = folder.issue(middle, '/CN=leaf', { extensions: names('IP:127.0.0.1,DNS:hook.ns.svc,DNS:*.wild.example') })
const withoutNames = folder.issue(root, '/CN=hook.ns.svc')
const sibling = folder.issue(root, '/CN=sibling', { extensions: names('IP:127.0.0.1') })
const clientOnly = folder.issue(root, '/CN=leaf', {
  extensions: [...names('IP:127.0.0.1'), 'extendedKeyUsage=clientAuth'],
})
const expired = folder.issue(root, '/CN=old', { extensions: names('IP:127.0.0.1'), days: -1 })
const selfSigned = folder.selfSigned('/CN=self', names('IP:127.0.0.1'))
const chain = (...certificates: KeyAndCertificate[]): string => certificates.map((each) => each.certificate).join('\n')
const broken = '-----BEGIN CERTIFICATE-----\nTm8gY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----'
const unknown = 'tls: failed to verify certificate: x509: certificate signed by unknown authority'

interface Case {
  readonly served: KeyAndCertificate
  /** What the server sends besides its own certificate. */
  readonly sent?: readonly KeyAndCertificate[]
  readonly bundle: string
  readonly serverName?: string
  readonly error?: string | RegExp
}

const cases: Record<string, Case> = {
  'the root': { served: leaf, sent: [middle], bundle: chain(root) },
  'the intermediate alone': { served: leaf, bundle: chain(middle) },
  'the intermediate, though the server sends it, too': { served: leaf, sent: [middle], bundle: chain(middle) },
  'the serving certificate itself': { served: leaf, bundle: chain(leaf) },
  'a self-signed serving certificate': { served: selfSigned, bundle: chain(selfSigned) },
  'several, with words between them': { served: leaf, bundle: `# a\n${chain(other)}\n# b\n${chain(middle)}\n` },
  'several, of which some are no certificates': {
    served: leaf,
    bundle: [broken, chain(other), broken, chain(middle), broken].join('\n'),
  },
  'the root, where the server leaves the intermediate out': { served: leaf, bundle: chain(root), error: unknown },
  'another root': { served: leaf, sent: [middle, root], bundle: chain(other), error: unknown },
  'another certificate of the same authority': { served: sibling, bundle: chain(withoutNames), error: unknown },
  'no certificate at all': { served: leaf, bundle: 'x', error: /unable to load root certificates/ },
  'nothing but broken certificates': { served: leaf, bundle: broken, error: /unable to load root certificates/ },
  'a name of the certificate': { served: leaf, bundle: chain(middle), serverName: 'hook.ns.svc' },
  'a name in other letters, with a dot at its end': { served: leaf, bundle: chain(middle), serverName: 'HOOK.ns.svc.' },
  'a name below a wildcard': { served: leaf, bundle: chain(middle), serverName: 'a.wild.example' },
  'a name two below a wildcard': {
    served: leaf,
    bundle: chain(middle),
    serverName: 'a.b.wild.example',
    error:
      'tls: failed to verify certificate: x509: certificate is valid for hook.ns.svc, *.wild.example, not a.b.wild.example',
  },
  'another address': {
    served: leaf,
    bundle: chain(middle),
    serverName: '10.0.0.1',
    error: 'tls: failed to verify certificate: x509: certificate is valid for 127.0.0.1, not 10.0.0.1',
  },
  'only a common name': {
    served: withoutNames,
    bundle: chain(root),
    serverName: 'hook.ns.svc',
    error: 'tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead',
  },
  'no address': {
    served: withoutNames,
    bundle: chain(root),
    error:
      "tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
  },
  'a certificate for clients': {
    served: clientOnly,
    bundle: chain(root),
    error: 'tls: failed to verify certificate: x509: certificate specifies an incompatible key usage',
  },
  'an expired certificate': {
    served: expired,
    bundle: chain(root),
    error: /x509: certificate has expired or is not yet valid: current time \S+Z is after \S+Z$/,
  },
  'an expired certificate that is trusted itself': {
    served: expired,
    bundle: chain(expired),
    error: /x509: certificate has expired or is not yet valid/,
  },
}

const servers = new Map<KeyAndCertificate, Server>()
let port: (served: KeyAndCertificate, sent: readonly KeyAndCertificate[]) => Promise<number>

beforeAll(() => {
  port = async (served, sent) => {
    const server = createServer({ key: served.key, cert: chain(served, ...sent) }, (_, response) =>
      response.end('fine'),
    )
    servers.get(served)?.close()
    servers.set(served, server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
})
afterAll(() => {
  for (const server of servers.values()) server.close()
  folder.close()
})

describe('a bundle or name of', () => {
  it.each(Object.entries(cases))('%s', async (_, { served, sent = [], bundle, serverName, error }) => {
    const transport = new Transport({ tls: { ca: bundle, serverName }, keepAlive: false })
    const destination = { scheme: 'https', host: '127.0.0.1', port: await port(served, sent), path: '/' } as const
    const facts = { method: 'GET', headers: {}, timeoutMs: 60_000, maxBytes: 100 }
    const answer = callOutbound(transport, destination, facts).then(({ body }) => body.toString())
    if (error === undefined) await expect(answer).resolves.toBe('fine')
    else await expect(answer).rejects.toThrow(error)
  })

  it('nothing, where nothing is to be checked', async () => {
    const transport = new Transport({ tls: { insecure: true }, keepAlive: false })
    const destination = { scheme: 'https', host: '127.0.0.1', port: await port(expired, []), path: '/' } as const
    const facts = { method: 'GET', headers: {}, timeoutMs: 60_000, maxBytes: 100 }
    expect((await callOutbound(transport, destination, facts)).body.toString()).toBe('fine')
  })
})

describe('a large bundle', () => {
  it('is read certificate by certificate', () => {
    const steps = secureContextInSteps({ ca: Array.from({ length: 50 }, () => chain(other)).join('\n') })
    expect([...steps]).toHaveLength(49)
  })

  it('is read once for the requests that come meanwhile, and is good for all', async () => {
    const bundle = `${Array.from({ length: 200 }, () => chain(other)).join('\n')}\n${chain(middle)}`
    const transport = new Transport({ tls: { ca: bundle }, keepAlive: false })
    const destination = { scheme: 'https', host: '127.0.0.1', port: await port(leaf, []), path: '/' } as const
    const facts = { method: 'GET', headers: {}, timeoutMs: 60_000, maxBytes: 100 }
    const answers = await Promise.all(Array.from({ length: 5 }, () => callOutbound(transport, destination, facts)))
    expect(answers.map(({ body }) => body.toString())).toEqual(Array(5).fill('fine'))
  })
})

describe('the authorities of the system', () => {
  afterEach(() => {
    delete process.env['SSL_CERT_FILE']
    delete process.env['SSL_CERT_DIR']
  })

  it.each([
    ['a file', 'SSL_CERT_FILE', 'system.pem'],
    ['a folder', 'SSL_CERT_DIR', 'system'],
  ])('are those of %s', async (_, variable, name) => {
    const pem = [broken, chain(other), chain(middle)].join('\n')
    const at = join(folder.folder, name)
    if (variable === 'SSL_CERT_DIR') mkdirSync(at)
    writeFileSync(variable === 'SSL_CERT_DIR' ? join(at, 'some.crt') : at, pem)
    process.env[variable] = at
    const destination = { scheme: 'https', host: '127.0.0.1', port: await port(leaf, []), path: '/' } as const
    const facts = { method: 'GET', headers: {}, timeoutMs: 60_000, maxBytes: 100 }
    for (const transport of [new Transport({ keepAlive: false }), new Transport({ keepAlive: false })]) {
      expect((await callOutbound(transport, destination, facts)).body.toString()).toBe('fine')
    }
  })
})
