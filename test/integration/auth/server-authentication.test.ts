// A server with every way in open, and those who try to come in by others.
import http2 from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { connect as tlsConnect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/api/json.ts'
import { type Json, startTestServer, type TestServer } from '../support/test-server.ts'
import { CertificateFolder, type KeyAndCertificate } from './certificates.ts'
import { OidcIssuer } from './oidc-issuer.ts'

const folder = new CertificateFolder()
const proxyAuthority = folder.authority('front proxies')
const clientAuth = { extensions: ['extendedKeyUsage=clientAuth'] }
const proxy = folder.issue(proxyAuthority, '/CN=front-proxy', clientAuth)
const otherProxy = folder.issue(proxyAuthority, '/CN=somebody-else', clientAuth)
const clientAuthority = folder.authority('clients')
const ann = folder.issue(clientAuthority, '/CN=ann/O=devs', clientAuth)
const issuerAuthority = folder.authority('issuers')
const serving = folder.issue(issuerAuthority, '/CN=issuer', { extensions: ['subjectAltName=IP:127.0.0.1'] })
const issuer = new OidcIssuer(serving)
const groupsIssuer = new OidcIssuer(serving)
let server: TestServer

beforeAll(async () => {
  await issuer.start()
  await groupsIssuer.start()
  server = await startTestServer([
    '--store=memory',
    `--client-ca-file=${folder.file('clients.pem', clientAuthority.certificate)}`,
    `--requestheader-client-ca-file=${folder.file('proxies.pem', proxyAuthority.certificate)}`,
    '--requestheader-allowed-names=front-proxy',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-uid-headers=X-Remote-Uid',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--oidc-issuer-url=${issuer.url}`,
    '--oidc-client-id=app',
    `--oidc-ca-file=${folder.file('issuers.pem', issuerAuthority.certificate)}`,
    '--oidc-username-claim=email',
    '--oidc-username-prefix=oidc:',
    '--oidc-groups-claim=groups',
    '--oidc-groups-prefix=oidc:',
    '--oidc-required-claim=tenant=blue',
    '--oidc-required-claim=kind=person',
    '--oidc-signing-algs=ES256',
    '--enable-bootstrap-token-auth',
  ])
})
afterAll(async () => {
  await server.close()
  issuer.close()
  groupsIssuer.close()
  folder.close()
})

interface Attempt {
  readonly as?: KeyAndCertificate
  readonly headers?: Record<string, string | string[]>
  readonly path?: string
  readonly method?: string
  readonly body?: unknown
}

function attempt({ as, headers = {}, path, method = 'GET', body }: Attempt): Promise<{ status: number; body: Json }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const identity = as === undefined ? {} : { key: as.key, cert: as.certificate }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const request = httpsRequest(
      {
        hostname,
        port,
        path,
        method,
        headers: { ...type, ...headers },
        ...identity,
        rejectUnauthorized: false,
        agent: false,
      },
      async (response) => {
        let text = ''
        for await (const chunk of response) text += String(chunk)
        resolve({ status: response.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : text })
      },
    )
    request.on('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Who the server takes somebody for: a name, or the status of its refusal. */
async function who(given: Attempt): Promise<Json> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const { status, body } = await attempt({ ...given, path, method: 'POST', body: { kind: 'SelfSubjectReview' } })
  return status === 201 ? body.status.userInfo : status
}
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('a front proxy', () => {
  const identity = {
    'X-Remote-User': 'carl',
    'X-Remote-Uid': 'u-1',
    'X-Remote-Group': ['devs', 'ops'],
    'X-Remote-Extra-Example.com%2Fscope': 'all',
  }
  it('says whom it speaks for', async () => {
    expect(await who({ as: proxy, headers: identity })).toEqual({
      username: 'carl',
      uid: 'u-1',
      groups: ['devs', 'ops', 'system:authenticated'],
      extra: { 'example.com/scope': ['all'] },
    })
  })
  it.each<[string, KeyAndCertificate | undefined, Json]>([
    ['without a certificate', undefined, 403],
    ['with the certificate of a user', ann, 'ann'],
    ['with a certificate of another name', otherProxy, 401],
  ])('%s is nobody', async (_, as, expected) => {
    const smuggled = { ...identity, 'x-remote-group': 'system:masters' }
    const seen = await who({ ...(as === undefined ? {} : { as }), headers: smuggled })
    expect(typeof seen === 'number' ? seen : seen.username).toBe(expected)
    expect(JSON.stringify(seen)).not.toMatch(/carl|system:masters/)
  })
  it('is heard whatever the case of its headers, and only once for the name', async () => {
    const seen = await who({ as: proxy, headers: { 'x-REMOTE-user': 'carl', 'X-rEMOTE-gROUP': 'devs' } })
    expect(seen).toMatchObject({ username: 'carl', groups: ['devs', 'system:authenticated'] })
    const twice = await rawRequest(proxy, ['X-Remote-User: carl', 'x-remote-user: admin'])
    expect(twice).toContain('"username":"carl"')
  })
  it('is told to extension servers', async () => {
    const { data } = (
      await server.call('GET', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication')
    ).json()
    expect(data).toMatchObject({
      'requestheader-allowed-names': '["front-proxy"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-client-ca-file': proxyAuthority.certificate,
    })
  })
})

/** A review over a connection whose headers are exactly as given. */
function rawRequest(as: KeyAndCertificate, headers: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const socket = tlsConnect({
      host: hostname,
      port: Number(port),
      key: as.key,
      cert: as.certificate,
      rejectUnauthorized: false,
    })
    const body = '{"kind":"SelfSubjectReview"}'
    let answer = ''
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
    socket.write(
      [
        'POST /apis/authentication.k8s.io/v1/selfsubjectreviews HTTP/1.1',
        'Host: server',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
        ...headers,
        '',
        body,
      ].join('\r\n'),
    )
  })
}

describe('OpenID Connect by flags', () => {
  const claims = (more: JsonObject = {}): JsonObject => ({
    aud: 'app',
    email: 'jane@example.com',
    email_verified: true,
    tenant: 'blue',
    kind: 'person',
    ...more,
  })
  it('knows people by their claims', async () => {
    expect(await who(bearer(issuer.token(claims({ groups: ['a', 'b'] }))))).toMatchObject({
      username: 'oidc:jane@example.com',
      groups: ['oidc:a', 'oidc:b', 'system:authenticated'],
    })
  })
  it.each<[string, JsonObject]>([
    ['another tenant', { tenant: 'red' }],
    ['no required claim', { kind: null }],
    ['another audience', { aud: 'other' }],
    ['an address that is not verified', { email_verified: false }],
    ['a time that has passed', { exp: 1 }],
    ['a time that is yet to come', { nbf: 4e9 }],
  ])('refuses %s', async (_, more) => {
    expect(await who(bearer(issuer.token(claims(more))))).toBe(401)
  })
  it('takes only the algorithms of the flag', async () => {
    await expect(
      startTestServer([
        '--store=memory',
        `--oidc-issuer-url=${issuer.url}`,
        '--oidc-client-id=a',
        '--oidc-signing-algs=HS256',
      ]),
    ).rejects.toThrow('oidc: unsupported signing alg: "HS256"')
    await expect(
      startTestServer(['--store=memory', '--oidc-issuer-url=http://127.0.0.1', '--oidc-client-id=a']),
    ).rejects.toThrow('URL scheme must be https')
  })
  it('asks elsewhere for groups that the token only points to', async () => {
    const pointing = (path: string) =>
      issuer.token(
        claims({
          _claim_names: { groups: 'src' },
          _claim_sources: { src: { endpoint: `${groupsIssuer.url}${path}`, access_token: 'ticket' } },
        }),
      )
    groupsIssuer.texts.set('/groups', () => groupsIssuer.token({ aud: 'app', groups: ['far'] }))
    groupsIssuer.texts.set('/forged', () => issuer.token({ iss: groupsIssuer.url, aud: 'app', groups: ['far'] }))
    groupsIssuer.texts.set('/others', () => groupsIssuer.token({ aud: 'else', groups: ['far'] }))
    groupsIssuer.texts.set('/empty', () => groupsIssuer.token({ aud: 'app' }))
    expect(await who(bearer(pointing('/groups')))).toMatchObject({ groups: ['oidc:far', 'system:authenticated'] })
    expect(groupsIssuer.authorizations).toContain('Bearer ticket')
    for (const path of ['/forged', '/others', '/empty', '/missing']) {
      expect(await who(bearer(pointing(path))), path).toBe(401)
    }
  })
  it('is measured', async () => {
    const page = (await server.call('GET', '/metrics', undefined, { accept: '*/*' })).body.toString()
    expect(page).toMatch(
      /jwt_authenticator_latency_seconds_count\{jwt_issuer_hash="sha256:[0-9a-f]{64}",result="success"\} [1-9]/,
    )
    expect(page).toMatch(/apiserver_authorization_decisions_total\{decision="allowed",name="rbac",type="RBAC"\} [1-9]/)
  })
})

describe('bootstrap tokens', () => {
  const secret = (id: string, data: Record<string, string>) => ({
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: { 'token-id': id, 'token-secret': '0123456789abcdef', ...data },
  })
  it('let those in that join the cluster', async () => {
    const add = (object: object) => server.call('POST', '/api/v1/namespaces/kube-system/secrets', object)
    await add(
      secret('aaaaaa', {
        'usage-bootstrap-authentication': 'true',
        'auth-extra-groups': 'system:bootstrappers:workers',
      }),
    )
    await add(secret('bbbbbb', { 'usage-bootstrap-signing': 'true' }))
    await add(secret('cccccc', { 'usage-bootstrap-authentication': 'true', expiration: '2020-01-01T00:00:00Z' }))
    expect(await who(bearer('aaaaaa.0123456789abcdef'))).toMatchObject({
      username: 'system:bootstrap:aaaaaa',
      groups: expect.arrayContaining(['system:bootstrappers', 'system:bootstrappers:workers']),
    })
    for (const token of ['aaaaaa.0123456789abcdee', 'bbbbbb.0123456789abcdef', 'cccccc.0123456789abcdef']) {
      expect(await who(bearer(token)), token).toBe(401)
    }
  })
})

describe('those who try other ways', () => {
  it.each<[string, string]>([
    ['nothing at all', ''],
    ['a huge token', 'x'.repeat(12_000)],
    ['many dots', '.'.repeat(5000)],
    ['an unsigned token', `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.AA`],
    ['a strange algorithm', `${Buffer.from('{"alg":"__proto__"}').toString('base64url')}.e30.AA`],
  ])('%s for a token is refused, not taken for nobody', async (_, token) => {
    const seen = await who(bearer(token))
    expect(seen).toBe(token === '' ? 403 : 401)
  })
  it('may not act as a master without being allowed to', async () => {
    const headers = { 'Impersonate-User': 'root', 'Impersonate-Group': 'system:masters' }
    expect(await attempt({ as: ann, path: '/api/v1/secrets', headers })).toMatchObject({
      status: 403,
      body: {
        message: expect.stringContaining('users "root" is forbidden: User "ann" cannot impersonate resource "users"'),
      },
    })
    for (const smuggled of [
      { 'Impersonate-Group': 'system:masters' },
      { 'impersonate-extra-scopes': 'all' },
      { 'Impersonate-Uid': '0' },
    ]) {
      expect(
        (await attempt({ as: ann, path: '/api/v1/secrets', headers: smuggled })).status,
        JSON.stringify(smuggled),
      ).toBe(500)
    }
  })
  it('do not get around rules about paths', async () => {
    await server.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: 'open' },
      rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/open/*'] }],
    })
    await server.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'open' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'open' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
    })
    expect((await attempt({ as: ann, path: '/healthz' })).status).toBe(200)
    const secrets = [
      '/api/v1/secrets',
      '//api/v1/secrets',
      '/api//v1/secrets',
      '/api/v1//secrets',
      '/api/v1/secrets/',
      '/API/v1/secrets',
      '/%61pi/v1/secrets',
      '/api%2fv1%2fsecrets',
      '/api/v1/%73ecrets',
      '/open/../api/v1/secrets',
      '/open/%2e%2e/api/v1/secrets',
      '/open%2f..%2fapi/v1/secrets',
      '/open/..;/api/v1/secrets',
      '/healthz/../metrics',
      '/healthz%2f..%2fmetrics',
      '/api/v1/namespaces/kube-system/secrets/..%2f..',
      '/metrics%00',
      '/metrics?/healthz',
      '/healthz/../api/v1/nodes?x=/healthz',
    ]
    const leaked: string[] = []
    for (const path of secrets) {
      const { status, body } = await attempt({ as: ann, path })
      const isList = typeof body === 'object' && /List$/.test(body.kind ?? '')
      if (isList || /apiserver_request_total/.test(String(body))) leaked.push(`${path}: ${status}`)
      expect(status, path).toBeGreaterThanOrEqual(300)
    }
    expect(leaked).toEqual([])
  })
  it('find nothing else over HTTP/2', async () => {
    const session = http2.connect(server.url, { rejectUnauthorized: false, key: ann.key, cert: ann.certificate })
    const status = await new Promise<number>((resolve, reject) => {
      const stream = session.request({
        ':path': '/api/v1/secrets',
        'x-remote-user': 'root',
        'x-remote-group': 'system:masters',
      })
      stream.on('response', (headers) => resolve(Number(headers[':status'])))
      stream.on('error', reject)
      stream.end()
    })
    session.destroy()
    expect(status).toBe(403)
  })
})

describe('the Node authorizer', () => {
  // Mirrors pkg/kubeapiserver/authorizer: Config.New, which follows slices only under the gate.
  it.each([
    [true, 200],
    [false, 403],
  ])('relates a node to its slices where DynamicResourceAllocation is %s', async (isOn, expected) => {
    const nodes = await startTestServer([
      '--store=memory',
      '--authorization-mode=Node,RBAC',
      '--runtime-config=resource.k8s.io/v1beta1=true',
      `--feature-gates=DynamicResourceAllocation=${isOn}`,
    ])
    try {
      const slices = '/apis/resource.k8s.io/v1beta1/resourceslices'
      const pool = { name: 'p', generation: 1, resourceSliceCount: 1 }
      const spec = { driver: 'd.example.com', nodeName: 'n', pool }
      expect((await nodes.call('POST', slices, { metadata: { name: 's' }, spec })).status).toBe(201)
      const as = (node: string) => ({
        'impersonate-user': `system:node:${node}`,
        'impersonate-group': 'system:nodes',
      })
      const status = async (path: string, node: string): Promise<number> =>
        (await nodes.call('GET', slices + path, undefined, as(node))).status
      expect(await status('/s', 'n')).toBe(expected)
      expect(await status('/s', 'other')).toBe(403)
      expect(await status('?fieldSelector=spec.nodeName%3Dn', 'n')).toBe(200)
      expect(await status('?fieldSelector=spec.nodeName%3Dother', 'n')).toBe(403)
    } finally {
      await nodes.close()
    }
  })
})
