/** A front proxy that is none: its headers without its certificate, with others' certificates, and in other spellings. */
import { forgeCertificate } from '../../../src/auth/testing/forged-certificates.ts'
import { type Attack, type Attempt, adminToken, bearer, forbidden, secretPath, unauthorized } from './attack.ts'
import { type ClientAuthorities, forgedChain } from './chain-attacks.ts'

const any = Number.POSITIVE_INFINITY

export class ProxyAuthority {
  readonly authority = forgeCertificate({ commonName: 'proxies', authority: any })
}

export const proxyFlags = (caFile: string): string[] => [
  `--requestheader-client-ca-file=${caFile}`,
  '--requestheader-allowed-names=front-proxy',
  '--requestheader-username-headers=X-Remote-User',
  '--requestheader-uid-headers=X-Remote-Uid',
  '--requestheader-group-headers=X-Remote-Group',
  '--requestheader-extra-headers-prefix=X-Remote-Extra-',
]

const asAdmin = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }

export function proxyAttacks({ authority }: ProxyAuthority, { plain }: ClientAuthorities, port: number): Attack[] {
  const proxy = forgedChain([{ commonName: 'front-proxy', purpose: 'client' }], authority)
  const user = forgedChain([{ commonName: 'jane', purpose: 'client' }], plain)
  const at = { path: secretPath, port }
  const attack = (name: string, attempt: Omit<Attempt, 'path' | 'port'>, refusals: readonly number[]): Attack => ({
    ...at,
    ...attempt,
    name: `a front proxy: ${name}`,
    refusals,
  })
  const through = (headers: Attempt['headers']) => ({
    certificate: proxy,
    ...(headers === undefined ? {} : { headers }),
  })
  const others = {
    'of the authority of clients': forgedChain([{ commonName: 'front-proxy', purpose: 'client' }], plain),
    'of another name': forgedChain([{ commonName: 'back-proxy', purpose: 'client' }], authority),
    'of the name in other letters': forgedChain([{ commonName: 'Front-Proxy', purpose: 'client' }], authority),
    'of the name and NUL': forgedChain([{ commonName: 'front-proxy\0', purpose: 'client' }], authority),
    'of no name': forgedChain([{ commonName: '', purpose: 'client' }], authority),
    'of the name as an alternative': forgedChain(
      [{ commonName: 'x', purpose: 'client', names: [['dns', 'front-proxy']] }],
      authority,
    ),
    'for servers': forgedChain([{ commonName: 'front-proxy', purpose: 'server' }], authority),
    'that has ended': forgedChain([{ commonName: 'front-proxy', begins: -2e9, ends: -1e9 }], authority),
    'of a stranger': forgedChain([{ commonName: 'front-proxy' }, { commonName: 'proxies', authority: any }]),
    'of a user of its authority': forgedChain(
      [{ commonName: 'front-proxy' }, { commonName: 'b', purpose: 'client' }],
      authority,
    ),
  }
  const spellings: Record<string, Attempt['headers']> = {
    underscores: { x_remote_user: 'admin', x_remote_group: 'system:masters' },
    'percent signs': { 'x-remote%2duser': 'admin', 'x-remote%2dgroup': 'system:masters' },
    'an empty name': { ...asAdmin, 'x-remote-user': '' },
    'an empty name, then another': { ...asAdmin, 'x-remote-user': ['', 'admin'] },
    'no name': { 'x-remote-group': 'system:masters' },
    'extras alone': { 'x-remote-extra-scopes': 'all', 'x-remote-group': 'system:masters' },
    'a uid alone': { 'x-remote-uid': '1', 'x-remote-group': 'system:masters' },
    'the headers of others': { 'x-forwarded-user': 'admin', 'x-forwarded-groups': 'system:masters' },
  }
  const limited: Record<string, Attempt['headers']> = {
    'a name among names': { 'x-remote-user': ['jane', 'admin'] },
    'groups in one': { 'x-remote-user': 'jane', 'x-remote-group': 'people, system:masters' },
    'a group in another header': { 'x-remote-user': 'jane', 'x-remote-groups': 'system:masters' },
    'a group with underscores': { 'x-remote-user': 'jane', x_remote_group: 'system:masters' },
    'a group as an extra': { 'x-remote-user': 'jane', 'x-remote-extra-group': 'system:masters' },
    'a key in percent signs': { 'x-remote-user': 'jane', 'x-remote-extra-%2e%2e%2fgroup%00': 'system:masters' },
    'a key that does not decode': { 'x-remote-user': 'jane', 'x-remote-extra-%zz%': 'system:masters' },
    'an empty key': { 'x-remote-user': 'jane', 'x-remote-extra-': 'system:masters' },
    'a key of prototypes': { 'x-remote-user': 'jane', 'x-remote-extra-__proto__': 'system:masters' },
    'a user who impersonates': { 'x-remote-user': 'jane', 'impersonate-user': 'admin' },
    'a user who impersonates a group': {
      'x-remote-user': 'jane',
      'impersonate-user': 'jane',
      'impersonate-group': 'system:masters',
    },
    'a user with the token of another': { 'x-remote-user': 'jane', ...bearer(adminToken) },
    'the anonymous user': { 'x-remote-user': 'system:anonymous' },
  }
  return [
    attack('its headers alone', { headers: asAdmin }, forbidden),
    attack('its headers and a token that is none', { headers: { ...asAdmin, ...bearer('nothing') } }, unauthorized),
    attack("its headers under a user's certificate", { headers: asAdmin, certificate: user }, [403]),
    ...Object.entries(others).map(([name, certificate]) =>
      // One that the authority of clients signed is a user's, who is called like a proxy.
      attack(
        `a certificate ${name}`,
        { headers: asAdmin, certificate },
        name === 'of the authority of clients' ? [403] : unauthorized,
      ),
    ),
    ...Object.entries(spellings).map(([name, headers]) => attack(name, through(headers), forbidden)),
    ...Object.entries(limited).map(([name, headers]) => attack(name, through(headers), [403])),
    // The headers of impersonation need a user who may: a proxy itself is nobody.
    attack('itself, who impersonates', through({ 'impersonate-user': 'admin' }), forbidden),
  ]
}

export const goodProxy = ({ authority }: ProxyAuthority): Omit<Attempt, 'path'> => ({
  certificate: forgedChain([{ commonName: 'front-proxy', purpose: 'client' }], authority),
  headers: asAdmin,
})
