// Service account tokens over real HTTP: those that Secrets hold, with all that is tracked of them, and those that a
// plugin signs.
import { createSign, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../support/until.ts'
import { type Json, startTestServer, type TestServer } from '../support/test-server.ts'
import { signerKey, TokenSignerProcess } from '../support/token-signer.ts'

const folder = mkdtempSync(join(tmpdir(), 'pilothouse-tokens-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Answered {
  readonly status: number
  readonly warning: string | undefined
  readonly body: Json
}

function ask(server: TestServer, token: string, path: string, body?: object): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${token}`, ...type }
    const method = body === undefined ? 'GET' : 'POST'
    const options = { hostname, port, path, method, headers, rejectUnauthorized: false, agent: false }
    const request = httpsRequest(options, async (response) => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      const { warning } = response.headers
      resolve({ status: response.statusCode ?? 0, warning: warning?.toString(), body: JSON.parse(text) })
    })
    request.on('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const selfReviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const who = (server: TestServer, token: string) =>
  ask(server, token, selfReviews, { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' })
const core = '/api/v1/namespaces/default'

async function account(server: TestServer, name: string): Promise<string> {
  const made = await server.call('POST', `${core}/serviceaccounts`, { apiVersion: 'v1', metadata: { name } })
  expect(made.status).toBe(201)
  return made.json().metadata.uid
}

async function counted(server: TestServer, metric: string): Promise<number> {
  const page = (await server.call('GET', '/metrics', undefined, { accept: '*/*' })).body.toString()
  const line = page.split('\n').find((each) => each.startsWith(`${metric} `) || each.startsWith(`${metric}{`))
  return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1))
}

describe('tokens in Secrets', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const auditLog = join(folder, 'audit.log')
  let server: TestServer

  /** As the reference's token controller makes them. */
  function legacyToken(uid: string, name: string, secret: string): string {
    const prefix = 'kubernetes.io/serviceaccount'
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${encode({ alg: 'RS256' })}.${encode({
      iss: 'kubernetes/serviceaccount',
      [`${prefix}/namespace`]: 'default',
      [`${prefix}/secret.name`]: secret,
      [`${prefix}/service-account.name`]: name,
      [`${prefix}/service-account.uid`]: uid,
      sub: `system:serviceaccount:default:${name}`,
    })}`
    return `${signed}.${createSign('sha256').update(signed).sign(privateKey).toString('base64url')}`
  }

  async function keptToken(name: string): Promise<string> {
    const uid = await account(server, name)
    const token = legacyToken(uid, name, `${name}-token`)
    const secret = {
      apiVersion: 'v1',
      metadata: { name: `${name}-token`, annotations: { 'kubernetes.io/service-account.name': name } },
      type: 'kubernetes.io/service-account-token',
      stringData: { token },
    }
    expect((await server.call('POST', `${core}/secrets`, secret)).status).toBe(201)
    return token
  }
  const labelsOf = async (name: string): Promise<Json> =>
    (await server.call('GET', `${core}/secrets/${name}-token`)).json().metadata.labels
  const today = () => new Date().toISOString().slice(0, 10)

  beforeAll(async () => {
    const key = join(folder, 'sa.key')
    writeFileSync(key, privateKey.export({ type: 'pkcs1', format: 'pem' }))
    const policy = join(folder, 'policy.yaml')
    writeFileSync(
      policy,
      JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] }),
    )
    server = await startTestServer([
      '--store=memory',
      `--service-account-signing-key-file=${key}`,
      `--service-account-key-file=${key}`,
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${auditLog}`,
    ])
  })
  afterAll(() => server.close())

  const annotationsOf = (verb: string, user: string): Promise<Json> =>
    until(
      'the audit event',
      () =>
        readFileSync(auditLog, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
          .find((event) => event.verb === verb && event.user.username === user && event.stage === 'ResponseComplete')
          ?.annotations,
    )

  it('name their account, and the Secret says when', async () => {
    const before = await counted(server, 'serviceaccount_legacy_manual_token_uses_total')
    const token = await keptToken('manual')
    const answer = await who(server, token)
    expect([answer.status, answer.warning]).toEqual([201, undefined])
    expect(answer.body.status.userInfo).toMatchObject({
      username: 'system:serviceaccount:default:manual',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    })
    expect(answer.body.status.userInfo.extra).toBeUndefined()
    expect(await labelsOf('manual')).toEqual({ 'kubernetes.io/legacy-token-last-used': today() })
    expect(await counted(server, 'serviceaccount_legacy_manual_token_uses_total')).toBe(before + 1)
    expect(await counted(server, 'serviceaccount_legacy_tokens_total')).toBeGreaterThan(0)
    expect(await annotationsOf('create', 'system:serviceaccount:default:manual')).toMatchObject({
      'authentication.k8s.io/legacy-token': 'system:serviceaccount:default:manual',
      'authentication.k8s.io/legacy-token-manual-secret': 'manual-token',
    })
  })

  it('are labelled once a day, by one of many requests', async () => {
    const token = await keptToken('busy')
    await Promise.all(Array.from({ length: 10 }, () => who(server, token)))
    const { metadata } = (await server.call('GET', `${core}/secrets/busy-token`)).json()
    expect(metadata.managedFields.map((entry: Json) => entry.manager)).toContain('kube-apiserver')
    await who(server, token)
    const again = (await server.call('GET', `${core}/secrets/busy-token`)).json()
    expect(again.metadata.resourceVersion).toBe(metadata.resourceVersion)
  })

  it('come with a warning where they were generated', async () => {
    const token = await keptToken('auto')
    const patch = { 'content-type': 'application/merge-patch+json' }
    await server.call('PATCH', `${core}/serviceaccounts/auto`, { secrets: [{ name: 'auto-token' }] }, patch)
    const warning =
      '299 - "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens."'
    expect(await who(server, token)).toMatchObject({ status: 201, warning })
    expect(await counted(server, 'serviceaccount_legacy_auto_token_uses_total')).toBe(1)
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }
    const asked = await server.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review)
    expect([asked.json().status.authenticated, asked.headers['warning']]).toEqual([true, warning])
  })

  it('are refused once marked invalid, and still tracked', async () => {
    const token = await keptToken('old')
    const patch = { 'content-type': 'application/merge-patch+json' }
    const labels = { 'kubernetes.io/legacy-token-invalid-since': '2024-01-01' }
    await server.call('PATCH', `${core}/secrets/old-token`, { metadata: { labels } }, patch)
    expect((await who(server, token)).status).toBe(401)
    expect(await labelsOf('old')).toEqual({ ...labels, 'kubernetes.io/legacy-token-last-used': today() })
    expect(await counted(server, 'serviceaccount_invalid_legacy_auto_token_uses_total')).toBe(1)
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }
    const asked = await server.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review)
    expect(asked.json().status.error).toContain('has been marked invalid')
  })

  it('end with their Secret and with their account', async () => {
    for (const kill of ['secrets/gone-token', 'serviceaccounts/gone2']) {
      const name = kill.includes('gone2') ? 'gone2' : 'gone'
      const token = await keptToken(name)
      expect((await who(server, token)).status).toBe(201)
      await server.call('DELETE', `${core}/${kill}`)
      expect((await who(server, token)).status).toBe(401)
    }
  })

  it('have a date since when they are tracked, which is put right when it is none', async () => {
    const path = '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking'
    const patch = { 'content-type': 'application/merge-patch+json' }
    expect((await server.call('GET', path)).json().data).toEqual({ since: today() })
    await server.call('PATCH', path, { data: { since: 'yesterday', more: 'kept' } }, patch)
    await until('the date', async () => (await server.call('GET', path)).json().data.since === today())
    expect((await server.call('GET', path)).json().data.more).toBe('kept')
  })
})

describe('--service-account-signing-endpoint', () => {
  let server: TestServer | undefined
  let signer: TokenSignerProcess | undefined
  afterEach(async () => {
    await server?.close()
    server = undefined
    signer?.close()
  })

  const gate = '--feature-gates=ExternalServiceAccountTokenSigner=true'
  async function start(given: TokenSignerProcess, endpoint: string, ...flags: string[]): Promise<TestServer> {
    signer = given
    await given.listen(endpoint)
    server = await startTestServer(['--store=memory', gate, `--service-account-signing-endpoint=${endpoint}`, ...flags])
    return server
  }
  const tokenFor = async (name: string, spec: object = {}): Promise<Json> =>
    (await server?.call('POST', `${core}/serviceaccounts/${name}/token`, { spec }))?.json()
  const headerOf = (token: string): Json => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())

  it('signs, verifies, and shows the keys of the plugin', async () => {
    const [one, hidden] = [signerKey('one'), { ...signerKey('hidden'), excluded: true }]
    const running = await start(new TokenSignerProcess(one, hidden), join(folder, 'signer.sock'))
    await account(running, 'robot')
    const request = await tokenFor('robot', { expirationSeconds: 600 })
    expect(headerOf(request.status.token)).toEqual({ alg: 'ES256', kid: 'one', typ: 'JWT' })
    const known = await who(running, request.status.token)
    expect(known.body.status.userInfo.username).toBe('system:serviceaccount:default:robot')
    const keys = (await running.call('GET', '/openid/v1/jwks', undefined, { accept: '*/*' })).json()
    expect(keys.keys.map(({ kid }: Json) => kid)).toEqual(['one'])
    expect(await counted(running, 'apiserver_externaljwt_sign_request_total{code="OK"}')).toBe(1)
    expect(await counted(running, 'apiserver_externaljwt_fetch_keys_request_total{code="OK"}')).toBe(1)
    expect(await counted(running, 'apiserver_externaljwt_fetch_keys_data_timestamp')).toBe(1_700_000_000.5)
  })

  it('asks for a key that it does not know, and forgets one that is gone', async () => {
    const [one, two] = [signerKey('one'), signerKey('two')]
    const running = await start(new TokenSignerProcess(one), join(folder, 'rotating.sock'))
    await account(running, 'robot')
    const old = (await tokenFor('robot')).status.token
    expect((await who(running, old)).status).toBe(201)
    if (signer !== undefined) signer.keys = [two]
    const fresh = (await tokenFor('robot')).status.token
    expect(headerOf(fresh).kid).toBe('two')
    expect((await who(running, fresh)).status).toBe(201)
    expect((await who(running, old)).status).toBe(401)
    const keys = (await running.call('GET', '/openid/v1/jwks', undefined, { accept: '*/*' })).json()
    expect(keys.keys.map(({ kid }: Json) => kid)).toEqual(['two'])
  })

  it.each<[string, (signer: TokenSignerProcess) => void, string]>([
    [
      'fails',
      (broken) => {
        broken.failure = 'no more'
      },
      'failed to generate token: while signing jwt: rpc error: code = Internal desc = no more',
    ],
    [
      'signs with a key that is not shown',
      (broken) => {
        broken.signsWith = broken.keys[1]
      },
      'failed to generate token: while validating header: key used for signing JWT (kid: hidden) is excluded from OIDC discovery docs',
    ],
    [
      'uses another algorithm',
      (broken) => {
        broken.header = { alg: 'HS256', kid: 'one', typ: 'JWT' }
      },
      'failed to generate token: while validating header: bad signing algorithm "HS256"',
    ],
    [
      'says no type',
      (broken) => {
        broken.header = { alg: 'ES256', kid: 'one' }
      },
      'failed to generate token: while validating header: bad type',
    ],
    [
      'says more than it may',
      (broken) => {
        broken.header = { alg: 'ES256', kid: 'one', typ: 'JWT', crit: ['x'] }
      },
      'failed to generate token: while validating header: while parsing header JSON: json: unknown field "crit"',
    ],
  ])('refuses a token when the plugin %s', async (_, spoil, message) => {
    const given = new TokenSignerProcess(signerKey('one'), { ...signerKey('hidden'), excluded: true })
    const running = await start(given, join(folder, 'broken.sock'))
    await account(running, 'robot')
    spoil(given)
    const answer = await running.call('POST', `${core}/serviceaccounts/robot/token`, { spec: {} })
    expect([answer.status, answer.json().message]).toEqual([500, `Internal error occurred: ${message}`])
  })

  it('limits lifetimes to those of the plugin, on an abstract socket', async () => {
    const running = await start(new TokenSignerProcess(signerKey('one')), '@pilothouse-test-signer')
    await account(running, 'robot')
    const answer = await running.call('POST', `${core}/serviceaccounts/robot/token`, {
      spec: { expirationSeconds: 9000 },
    })
    expect(answer.json().spec.expirationSeconds).toBe(7200)
    expect(answer.headers['warning']).toBe('299 - "requested expiration of 9000 seconds shortened to 7200 seconds"')
  })

  it.each<[string, Partial<TokenSignerProcess>, string[], string]>([
    [
      'whose tokens live too short',
      { maxTokenExpirationSeconds: 300 },
      [],
      'max token life supported by external-jwt-signer (300s) is less than acceptable (min 600s)',
    ],
    [
      'whose tokens live shorter than asked for',
      {},
      ['--service-account-max-token-expiration=3h'],
      'service-account-max-token-expiration cannot be set longer than the token expiration supported by service-account-signing-endpoint: 3h0m0s > 2h0m0s',
    ],
    [
      'without keys',
      { keys: [] },
      [],
      'while setting up external-jwt-signer: while initially filling key cache: while performing initial cache fill: while fetching token verification keys: found no keys',
    ],
    [
      'without a hint',
      { refreshHintSeconds: 0 },
      [],
      'while setting up external-jwt-signer: while initially filling key cache: while performing initial cache fill: while fetching token verification keys: found invalid refresh hint (0s)',
    ],
  ])('does not start with a plugin %s', async (_, change, flags, message) => {
    const given = Object.assign(new TokenSignerProcess(signerKey('one')), change)
    await expect(start(given, join(folder, 'refused.sock'), ...flags)).rejects.toThrow(message)
  })
})
