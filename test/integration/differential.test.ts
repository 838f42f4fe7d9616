// The differential itself: two servers of this kind are alike, and one whose answers are altered on their way is found out.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { type DifferentialResult, runDifferential } from '../differential/differential.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'differential-'))
const servers: TestServer[] = []

beforeAll(async () => {
  const tokens = path.join(folder, 'tokens.csv')
  writeFileSync(tokens, 'secret,admin,admin,"system:masters"\n')
  const flags = ['--store', 'memory', '--controllers=-*', '--token-auth-file', tokens]
  servers.push(await startTestServer([...flags, '--disable-admission-plugins', 'ServiceAccount']))
  servers.push(await startTestServer([...flags, '--disable-admission-plugins', 'ServiceAccount']))
})
afterAll(async () => {
  for (const server of servers) await server.close()
  rmSync(folder, { recursive: true })
})

const run = (urls: readonly string[], options: object): Promise<DifferentialResult> =>
  runDifferential({
    reference: { url: servers[0]?.url ?? '', token: 'secret' },
    server: { urls, token: 'secret' },
    seconds: 120,
    seed: 7,
    concurrency: 8,
    log: () => {},
    ...options,
  })

it('finds nothing between two servers that are alike', async () => {
  const result = await run([servers[1]?.url ?? ''], { cases: 80 })
  expect(result.clusters.map(({ key }) => key)).toEqual([])
  expect([...result.families.keys()].length).toBeGreaterThan(10)
  expect([result.unshared, result.cases >= 80]).toEqual([[], true])
})

/** Passes requests on, and takes a label off the config maps of the answers. */
async function alteringProxy(target: string): Promise<{ readonly url: string; close(): void }> {
  const now = Date.now()
  const authority = createCertificateAuthority('proxy', now)
  const pair = issueCertificate(authority, { commonName: 'proxy', usage: 'server', names: ['127.0.0.1'], now })
  const onward = http2.connect(target, { rejectUnauthorized: false })
  onward.on('error', () => {})
  const proxy = http2.createSecureServer({ cert: pair.certPem, key: pair.keyPem })
  proxy.on('stream', (stream, { ':authority': _, ...headers }) => {
    stream.on('error', () => {})
    const request = onward.request(headers)
    stream.pipe(request)
    request.on('error', () => stream.close())
    request.on('response', (received) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { 'content-length': __, ...answered } = received
        stream.respond(answered)
        stream.end(Buffer.concat(chunks).toString('latin1').replace('"immutable":true', '"immutable":null'), 'latin1')
      })
    })
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  return {
    url: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close: () => {
      onward.destroy()
      proxy.close()
    },
  }
}

it('finds an altered answer, and the smallest request that shows it', async () => {
  const proxy = await alteringProxy(servers[1]?.url ?? '')
  const result = await run([proxy.url], { cases: 150, kinds: ['ConfigMap', 'Secret'], families: ['create', 'read'] })
  proxy.close()
  const found = result.clusters
    .map(({ example }) => example)
    .filter(({ places }) => places[0]?.path.includes('immutable'))
  expect(found.length).toBeGreaterThan(0)
  const smallest = found.map(({ case: { steps } }) => JSON.stringify(steps.at(-1)?.body ?? steps[0]?.body).length)
  expect(Math.min(...smallest)).toBeLessThan(160)
  // Nothing else is wrong with the answers.
  expect(result.clusters.filter(({ key }) => !key.includes('immutable')).map(({ key }) => key)).toEqual([])
})
