// Kubeconfigs by the rules of client-go: what is taken, and what is refused in which words.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readKubeconfig, readKubeconfigUsers } from './kubeconfig.ts'

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'))
afterAll(() => rmSync(folder, { recursive: true }))

let count = 0
const file = (content: unknown): string => {
  const path = join(folder, `config-${count++}`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
writeFileSync(join(folder, 'token'), 'from-file\n')
writeFileSync(join(folder, 'ca.crt'), 'authority')
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const server = 'https://hook.example.com/review'
const cluster = { server }
const config = (more: object = {}): object => ({
  clusters: [{ name: 'c', cluster }],
  users: [{ name: 'u', user: {} }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'x',
  ...more,
})
const ofUser = (user: object): object => config({ users: [{ name: 'u', user }] })
const ofCluster = (part: object): object => config({ clusters: [{ name: 'c', cluster: part }] })

describe('a kubeconfig is taken', () => {
  test.each<[string, object | string, object]>([
    ['with kind and version', config({ kind: 'Config', apiVersion: 'v1' }), { url: server }],
    ['without them', config(), { url: server }],
    ['with a user that is only a name', config({ users: [{ name: 'u' }] }), { url: server, sent: {} }],
    ['with a user that is null', config({ users: [{ name: 'u', user: null }] }), { sent: {} }],
    ['with a user that is not there', config({ users: [] }), { sent: {} }],
    ['without users', config({ users: null }), { sent: {} }],
    ['without a user in the context', config({ contexts: [{ name: 'x', context: { cluster: 'c' } }] }), { sent: {} }],
    ['with a token', ofUser({ token: 't' }), { sent: { authorization: 'Bearer t' } }],
    ['with a token file', ofUser({ tokenFile: 'token' }), { sent: { authorization: 'Bearer from-file' } }],
    ['with both', ofUser({ token: 't', tokenFile: 'token' }), { sent: { authorization: 'Bearer from-file' } }],
    ['with a file that is gone', ofUser({ token: 't', tokenFile: 'none' }), { sent: { authorization: 'Bearer t' } }],
    [
      'with a password',
      ofUser({ username: 'a', password: 'b' }),
      { sent: { authorization: `Basic ${base64('a:b')}` } },
    ],
    [
      'with impersonation',
      ofUser({ as: 'ann', 'as-uid': '1', 'as-groups': ['g', 'h'], 'as-user-extra': { K: ['v'] } }),
      {
        sent: {
          'impersonate-user': 'ann',
          'impersonate-uid': '1',
          'impersonate-group': ['g', 'h'],
          'impersonate-extra-k': ['v'],
        },
      },
    ],
    ['with data', ofCluster({ server, 'certificate-authority-data': base64('pem') }), { certificateAuthority: 'pem' }],
    ['with a file', ofCluster({ server, 'certificate-authority': 'ca.crt' }), { certificateAuthority: 'authority' }],
    ['with a server name', ofCluster({ server, 'tls-server-name': 'n' }), { serverName: 'n' }],
    ['without verification', ofCluster({ server, 'insecure-skip-tls-verify': true }), { insecureSkipTlsVerify: true }],
    ['with a host alone', ofCluster({ server: 'a:1/b' }), { url: 'http://a:1/b' }],
    [
      'with a host alone and an authority',
      ofCluster({ server: 'a:1', 'certificate-authority-data': base64('pem') }),
      { url: 'https://a:1' },
    ],
    [
      'with credentials that nobody else may read',
      config({
        clusters: [{ name: 'c', cluster: { server: 'http://a' } }],
        users: [{ name: 'u', user: { token: 't' } }],
      }),
      { url: 'http://a', sent: {} },
    ],
    [
      'as YAML',
      `clusters: [{name: c, cluster: {server: "${server}"}}]\ncontexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n`,
      { url: server },
    ],
  ])('%s', (_, content, expected) => {
    const connection = readKubeconfig(file(content))
    expect({ ...connection, sent: connection.headers() }).toMatchObject(expected)
  })
})

describe('a kubeconfig is refused', () => {
  const none =
    'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable'
  test.each<[string, object | string, string]>([
    ['that is empty', '', none],
    ['without a current context', config({ 'current-context': '' }), none],
    ['whose cluster is only a name', config({ clusters: [{ name: 'c' }] }), none],
    ['whose cluster is not there', config({ clusters: [] }), none],
    [
      'whose context is not there',
      config({ contexts: [] }),
      'invalid configuration: [context was not found for specified context: x, cluster has no server defined]',
    ],
    [
      'whose cluster has no server',
      ofCluster({ 'tls-server-name': 'n' }),
      'invalid configuration: no server found for cluster "c"',
    ],
    ['of another kind', config({ kind: 'Pod', apiVersion: 'v1' }), 'no kind "Pod" is registered for version "v1"'],
    ['with a name twice', config({ users: [{ name: 'u' }, { name: 'u' }] }), 'duplicate name "u" in list of users'],
    [
      'with two ways to log in',
      ofUser({ token: 't', username: 'a' }),
      'invalid configuration: more than one authentication method found for u; found [token basicAuth], only one is allowed',
    ],
    [
      'with half a pair',
      ofUser({ 'client-certificate-data': base64('x') }),
      'invalid configuration: client-key-data or client-key must be specified for u to use the clientCert authentication method.',
    ],
    [
      'with groups of nobody',
      ofUser({ 'as-groups': ['g'] }),
      'invalid configuration: requesting uid, groups or user-extra for u without impersonating a user',
    ],
    ['with a token file that is gone', ofUser({ tokenFile: 'none' }), 'no such file'],
    ['with a program', ofUser({ exec: { command: 'x' } }), 'users with exec are not supported for webhooks'],
    [
      'that trusts everything and something',
      ofCluster({ server, 'insecure-skip-tls-verify': true, 'certificate-authority-data': base64('pem') }),
      'specifying a root certificates file with the insecure flag is not allowed',
    ],
    ['with a bad proxy', ofCluster({ server, 'proxy-url': 'x' }), `invalid 'proxy-url' "x" for cluster "c"`],
    ['with data that is none', ofCluster({ server, 'certificate-authority-data': '%' }), 'illegal base64 data'],
    ['with a token that is no text', ofUser({ token: 1 }), 'token is not a string'],
    ['that is a list', '[]', 'is not a YAML object'],
    ['that is no YAML', '{', 'error parsing YAML'],
  ])('%s', (_, content, message) => {
    const path = file(content)
    expect(() => readKubeconfig(path)).toThrow(`kubeconfig ${path}: `)
    expect(() => readKubeconfig(path)).toThrow(message)
  })
})

describe('the user for a server', () => {
  const users = ['a.b.svc:8443', 'a.b.svc', '*.b.svc', '*.c.svc:1', '*'].map((name) => ({
    name,
    user: { token: name },
  }))
  const own = { name: 'own', user: { token: 'own' } }
  const context = { contexts: [{ name: 'x', context: { user: 'own' } }], 'current-context': 'x' }
  const tokenFor = (hostPort: string, content: object): unknown =>
    readKubeconfigUsers(file(content))(hostPort).headers()['authorization']

  test.each([
    ['a.b.svc:8443', 'Bearer a.b.svc:8443'],
    ['a.b.svc:443', 'Bearer a.b.svc'],
    ['a.b.svc:1', 'Bearer *'],
    ['z.b.svc:443', 'Bearer *.b.svc'],
    ['z.c.svc:1', 'Bearer *.c.svc:1'],
    ['z.c.svc:443', 'Bearer *'],
  ])('%s is %s', (hostPort, expected) => {
    expect(tokenFor(hostPort, { users })).toBe(expected)
  })

  test('is that of the current context where no other is named, and else nobody', () => {
    expect(tokenFor('z:1', { users: [own], ...context })).toBe('Bearer own')
    expect(tokenFor('z:1', { users: [own] })).toBeUndefined()
    expect(tokenFor('z:1', { users: [{ name: '*' }] })).toBeUndefined()
  })
})
