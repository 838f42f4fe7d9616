/** Client certificates by way of chains that are wrong in one place, and subjects that look like an administrator's. */
import {
  type ForgedCertificate,
  type ForgedLink,
  forgeCertificate,
  namePart,
} from '../../../src/auth/testing/forged-certificates.ts'
import { type PolicyChain, policyChains } from '../../../src/auth/testing/policy-chains.ts'
import { utf8 } from '../../../src/lib/der.ts'
import { type Attack, forbidden, secretPath, unauthorized } from './attack.ts'

const day = 86_400_000
const any = Number.POSITIVE_INFINITY
const organization = (text: Buffer): Buffer => namePart('2.5.4.10', text)
const text = (tag: number, bytes: Buffer): Buffer => Buffer.concat([Buffer.of(tag, bytes.length), bytes])
const wide = (latin: string): Buffer => Buffer.concat([...latin].map((char) => Buffer.of(0, 0, 0, char.charCodeAt(0))))
const masters = organization(utf8('system:masters'))
const admin: ForgedCertificate = { commonName: 'admin', purpose: 'client', subject: [masters] }
const below: ForgedCertificate = { commonName: 'below', authority: any }
const deeper: ForgedCertificate = { commonName: 'deeper', authority: any }

/** The authorities that clients are believed by, some with limits. */
export class ClientAuthorities {
  readonly plain = forgeCertificate({ commonName: 'clients', authority: any })
  readonly short = forgeCertificate({ commonName: 'short', authority: 0 })
  readonly servers = forgeCertificate({ commonName: 'servers', authority: any, purpose: 'server' })
  readonly ended = forgeCertificate({ commonName: 'ended', authority: any, begins: -9 * day, ends: -day })
  readonly silent = forgeCertificate({ commonName: 'silent', authority: any, usages: 0x80 })
  readonly limited = forgeCertificate({ commonName: 'limited', authority: any, permits: [['dns', 'example.com']] })
  readonly named = forgeCertificate({ commonName: 'named', authority: any, permits: [['name', 'somebody']] })
  readonly strange = forgeCertificate({ commonName: 'strange', authority: any, strange: true })
  readonly old = forgeCertificate({ commonName: 'old', authority: any, version: 1 })
  readonly leaf = forgeCertificate({ commonName: 'no-authority', purpose: 'client' })

  get pem(): string {
    return Object.values(this)
      .map(({ pem }: ForgedLink) => pem)
      .join('')
  }
}

interface Pair {
  readonly certPem: string
  readonly keyPem: string
}

const keyOf = ({ key }: ForgedLink): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** From the leaf upwards, below the authority; what is sent is everything but the authority itself. */
export function forgedChain(given: readonly ForgedCertificate[], authority?: ForgedLink): Pair {
  const links: ForgedLink[] = []
  for (const each of given.toReversed()) links.unshift(forgeCertificate(each, links[0] ?? authority))
  return { certPem: links.map(({ pem }) => pem).join(''), keyPem: keyOf(links[0] as ForgedLink) }
}

/** Chains with policies, of an administrator. */
const withPolicies = (isGood: boolean, authority: ForgedLink): [string, Pair][] =>
  Object.entries(policyChains)
    .filter(([, each]) => each.isGood === isGood)
    .map(
      ([
        name,
        {
          chain: [leaf, ...above],
        },
      ]: [string, PolicyChain]) => [`a policy: ${name}`, forgedChain([{ ...leaf, ...admin }, ...above], authority)],
    )

export function chainAttacks(authorities: ClientAuthorities, port: number): Attack[] {
  const { plain, short, servers, ended, silent, limited, named, strange, old, leaf } = authorities
  const evil = { ...admin, names: [['dns', 'evil.org']] } as const
  const crossed = (): Pair => {
    const [one, other] = [forgeCertificate(below), forgeCertificate(deeper)]
    const top = forgeCertificate(admin, one)
    const loop = [forgeCertificate({ ...below, like: one }, other), forgeCertificate({ ...deeper, like: other }, one)]
    return { certPem: [top, ...loop].map(({ pem }) => pem).join(''), keyPem: keyOf(top) }
  }
  const chains: Record<string, Pair> = {
    'an intermediate that is no authority': forgedChain([admin, { commonName: 'b', purpose: 'client' }], plain),
    'an intermediate of version 1': forgedChain([admin, { ...below, version: 1 }], plain),
    'an intermediate that may not sign': forgedChain([admin, { ...below, usages: 0x80 }], plain),
    'an intermediate that has ended': forgedChain([admin, { ...below, begins: -9 * day, ends: -day }], plain),
    'an intermediate that has not begun': forgedChain([admin, { ...below, begins: day }], plain),
    'an intermediate for servers': forgedChain([admin, { ...below, purpose: 'server' }], plain),
    'an intermediate to sign code': forgedChain([admin, { ...below, purpose: 'code' }], plain),
    'an intermediate by SHA-1': forgedChain([admin, { ...below, hash: 'sha1' }], plain),
    'an intermediate with a strange extension': forgedChain([admin, { ...below, strange: true }], plain),
    'an intermediate with an extension twice': forgedChain([admin, { ...below, twice: true }], plain),
    'an intermediate with a small key': forgedChain([admin, { ...below, keys: 'small' }], plain),
    'an intermediate too deep': forgedChain([admin, deeper, { ...below, authority: 0 }], plain),
    'an intermediate below a short authority': forgedChain([admin, below], short),
    'a chain without end': forgedChain([admin, ...Array.from({ length: 110 }, () => below)]),
    'authorities that sign each other': crossed(),
    'a certificate by SHA-1': forgedChain([{ ...admin, hash: 'sha1' }], plain),
    'a certificate with a strange extension': forgedChain([{ ...admin, strange: true }], plain),
    'a certificate with an extension twice': forgedChain([{ ...admin, twice: true }], plain),
    'a certificate for servers': forgedChain([{ ...admin, purpose: 'server' }], plain),
    'a certificate that has ended': forgedChain([{ ...admin, begins: -9 * day, ends: -day }], plain),
    'a certificate of an authority for servers': forgedChain([admin], servers),
    'a certificate of an authority that has ended': forgedChain([admin], ended),
    'a certificate of an authority that may not sign': forgedChain([admin], silent),
    'a certificate of an authority with a strange extension': forgedChain([admin], strange),
    'a certificate of what is no authority': forgedChain([admin], leaf),
    'a name that the authority does not permit': forgedChain([evil], limited),
    'a name that the authority does not permit, deeper': forgedChain([evil, below], limited),
    'a name that an intermediate excludes': forgedChain([evil, { ...below, excludes: [['dns', 'org']] }], plain),
    'an authority limited to directory names': forgedChain([admin], named),
    'another key of the name of an authority': forgedChain([admin, { commonName: 'clients', authority: any }]),
    'another key of the name of an old authority': forgedChain([admin, { commonName: 'old', version: 1 }]),
    'a certificate that signed itself': forgedChain([admin]),
    ...Object.fromEntries(withPolicies(false, plain)),
  }
  const group = (name: string, ...parts: Buffer[]): [string, ForgedCertificate] => [
    name,
    { ...admin, commonName: 'jane', subject: parts },
  ]
  const subjects = new Map<string, ForgedCertificate>([
    group('a group with NUL behind it', organization(utf8('system:masters\0'))),
    group('a group with NUL before it', organization(utf8('\0system:masters'))),
    group('a group with a space behind it', organization(utf8('system:masters '))),
    group('a group in other letters', organization(utf8('System:Masters'))),
    group('two groups in one', organization(utf8('people,system:masters'))),
    group('groups in lines', organization(utf8('people\nsystem:masters'))),
    group('a group that looks like a part of a subject', organization(utf8('people/O=system:masters'))),
    group('a group as a unit', namePart('2.5.4.11', utf8('system:masters'))),
    group('a group in wide letters', organization(utf8('ｓystem:masters'))),
    group(
      'a group in UTF-16, the wrong way around',
      organization(text(0x1e, Buffer.from('system:masters', 'utf16le'))),
    ),
    ['a name of NUL', { ...admin, commonName: 'admin\0', subject: [] }],
    ['a name that looks like a subject', { ...admin, commonName: 'admin/O=system:masters', subject: [] }],
  ])
  const unreadable = new Map<string, ForgedCertificate>([
    group('a group in a type that is no text', organization(text(0x1c, wide('system:masters')))),
    group('a printable group that is not', organization(text(0x13, Buffer.from('system_masters')))),
  ])
  const at = { path: secretPath, port }
  const known = [...subjects].map(([name, forged]) => ({ name, certificate: forgedChain([forged], plain) }))
  const nobody = { ...admin, commonName: '' }
  return [
    ...Object.entries(chains).map(([name, certificate]) => ({ ...at, name, certificate, refusals: unauthorized })),
    ...[...unreadable].map(([name, forged]) => ({
      ...at,
      name,
      certificate: forgedChain([forged], plain),
      refusals: unauthorized,
    })),
    // Without a name it is nobody's: whoever shows it is anonymous.
    { ...at, name: 'groups without a name', certificate: forgedChain([nobody], plain), refusals: forbidden },
    ...known.map((each) => ({ ...at, ...each, refusals: [403] })),
    {
      ...at,
      name: 'a user of an authority of version 1',
      certificate: forgedChain([{ commonName: 'jane' }], old),
      refusals: [403],
    },
  ].map((attack) => ({ ...attack, name: `a client certificate: ${attack.name}` }))
}

/** Good ones, the second group of several among them: where these are refused, the refusals prove nothing. */
export const goodChains = ({ plain, limited }: ClientAuthorities): Pair[] => [
  forgedChain([admin], plain),
  forgedChain([{ ...admin, subject: [organization(utf8('people')), masters] }, below], plain),
  forgedChain([{ ...admin, names: [['dns', 'a.example.com']] }], limited),
  ...withPolicies(true, plain).map(([, pair]) => pair),
]
