/** Certificates by host name, certificates whose files change, and a server without HTTP/2. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { until } from '../support/until.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'serving-'))
const file = (name: string): string => path.join(folder, name)
const authority = createCertificateAuthority('test', Date.now())
let server: TestServer

function writePair(name: string, commonName: string, names: readonly string[]): void {
  const { certPem, keyPem } = issueCertificate(authority, { commonName, names, usage: 'server', now: Date.now() })
  writeFileSync(file(`${name}.key`), keyPem)
  writeFileSync(file(`${name}.crt`), certPem)
}

/** What the test server shows until its files change. */
const own = 'kube-apiserver'

/** The common name that the server shows to a client that asks for a host, and the protocol that they agree on. */
function shown(servername: string): Promise<{ name: string; protocol: string | false | null }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const options = { host: hostname, port: Number(port), servername, rejectUnauthorized: false }
    const socket = tls.connect({ ...options, ALPNProtocols: ['h2', 'http/1.1'] }, () => {
      resolve({ name: String(socket.getPeerCertificate().subject.CN), protocol: socket.alpnProtocol })
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

/** The authorities of client certificates that the handshake names. */
async function named(servername: string): Promise<string[]> {
  const { host } = new URL(server.url)
  const printed = await new Promise<string>((resolve) => {
    const arguments_ = ['s_client', '-connect', host, '-servername', servername]
    execFile('openssl', arguments_, (_, stdout) => resolve(stdout)).stdin?.end()
  })
  const [, list = ''] = /CA names\n([\s\S]*?)\n(?:Requested|Client Certificate Types|Shared)/.exec(printed) ?? []
  return list.split('\n').map((line) => line.replace(/^.*CN ?= ?/, ''))
}

const writeClientAuthority = (name: string): void =>
  writeFileSync(file('clients.crt'), createCertificateAuthority(name, Date.now()).certPem)

beforeAll(async () => {
  writeClientAuthority('clients')
  writePair('default', 'default-one', ['localhost'])
  writePair('named', 'named', ['named.example.com', '*.wild.example.com'])
  writePair('given', 'given', ['other.example.com'])
  server = await startTestServer([
    ...['--store', 'memory', '--disable-http2-serving'],
    ...['--tls-cert-file', file('default.crt'), '--tls-private-key-file', file('default.key')],
    ...['--client-ca-file', file('clients.crt')],
    ...['--tls-sni-cert-key', `${file('named.crt')},${file('named.key')}`],
    ...['--tls-sni-cert-key', `${file('given.crt')},${file('given.key')}:given.example.com`],
  ])
})
afterAll(() => server.close())

it.each([
  ['localhost', own],
  ['named.example.com', 'named'],
  ['a.wild.example.com', 'named'],
  ['a.b.wild.example.com', own],
  ['given.example.com', 'given'],
  ['other.example.com', own],
])('shows %s the certificate of %s', async (host, name) => {
  expect(await shown(host)).toEqual({ name, protocol: 'http/1.1' })
})

it('shows the new certificate when its files have changed', async () => {
  writePair('next', 'default-two', ['localhost'])
  copyFileSync(file('next.key'), file('default.key'))
  copyFileSync(file('next.crt'), file('default.crt'))
  await expect.poll(async () => (await shown('localhost')).name).toBe('default-two')
})

it.each(['localhost', 'named.example.com'])(
  'names the authorities of clients to %s, as their files are',
  async (host) => {
    writeClientAuthority('clients')
    await until('the handshake to name the authority', async () => (await named(host)).includes('clients'))
    expect(await named(host)).toHaveLength(2)
    writeClientAuthority('others')
    await until('the handshake to name the new one', async () => (await named(host)).includes('others'))
    expect(await named(host)).not.toContain('clients')
  },
)
