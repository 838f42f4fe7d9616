/** Policies in chains: what crypto/x509 of Go takes and refuses. */
import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readDer } from '../../lib/der-reader.ts'
import { type ForgedLink, forgeCertificate } from '../testing/forged-certificates.ts'
import { type PolicyChain, policyChains } from '../testing/policy-chains.ts'
import { policyExtensions, readPolicies } from './certificate-policies.ts'
import { CertificateVerifier } from './client-certificate.ts'

function isTaken({ chain }: PolicyChain, policies = {}): boolean {
  const root = forgeCertificate({ commonName: 'root', authority: Number.POSITIVE_INFINITY, policies })
  const links: ForgedLink[] = []
  for (const each of chain.toReversed()) links.unshift(forgeCertificate(each, links[0] ?? root))
  return new CertificateVerifier(root.pem).verify(links.map(({ pem }) => new X509Certificate(pem))).ok
}

test.each(Object.entries(policyChains))('%s', (_, given) => {
  expect(isTaken(given)).toBe(given.isGood)
})

test("an authority's own requirements do not count", () => {
  const given = policyChains['no policies at all'] as PolicyChain
  expect(isTaken(given, { named: ['1.2.3'], requireExplicit: 0, inhibitAny: 0, inhibitMapping: 0 })).toBe(true)
})

describe('extensions that cannot be read', () => {
  test.each<[string, keyof typeof policyExtensions, string]>([
    ['policies that are no sequence', 'policies', '0400'],
    ['policies without identifiers', 'policies', '30023000'],
    ['an identifier without end', 'policies', '30053003060181'],
    ['an identifier with padding', 'policies', '3006300406028001'],
    ['an identifier of nothing', 'policies', '300430020600'],
    ['a mapping of one', 'mappings', '3005300306012a'],
    ['constraints that are no sequence', 'constraints', '020100'],
    ['a requirement of no bytes', 'constraints', '30028000'],
    ['a requirement with padding', 'constraints', '300480020001'],
    ['a requirement beyond all numbers', 'constraints', '300b8009010000000000000000'],
    ['an inhibition that is no number', 'inhibitAny', '0500'],
    ['nothing at all', 'inhibitAny', ''],
  ])('%s', (_, name, hex) => {
    const contents = Buffer.from(hex, 'hex')
    const extensionOf = (id: string) => (id === policyExtensions[name] ? { tag: 4, contents } : undefined)
    expect(() => readPolicies(extensionOf)).toThrow()
  })

  test('unlike these', () => {
    const extension = (hex: string) => readDer(Buffer.from(hex, 'hex'))[0]
    const given = new Map([
      [policyExtensions.constraints, extension('040830068001038101ff')],
      [policyExtensions.inhibitAny, extension('0403020107')],
    ])
    expect(readPolicies((id) => given.get(id as never))).toEqual({
      policies: [],
      mappings: [],
      requireExplicit: 3,
      inhibitMapping: undefined,
      inhibitAny: 7,
    })
  })
})
