// Authentication and authorization webhooks over real HTTPS, found by kubeconfig files.
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/api/json.ts'
import { TokenCache } from '../../../src/auth/authentication/token-cache.ts'
import { webhookAuthorizerOf } from '../../../src/auth/authorization/webhook-authorizer-of.ts'
import { MatchConditionCompiler } from '../../../src/auth/expressions/match-conditions.ts'
import { pathRequest, resourceRequest, user } from '../../../src/auth/testing/attributes.ts'
import { ReviewClient } from '../../../src/auth/webhook/webhook-client.ts'
import { WebhookTokens } from '../../../src/auth/webhook/webhook-tokens.ts'
import { readReview } from '../../../src/codec/review-answers.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { readKubeconfig } from '../../../src/outbound/kubeconfig.ts'
import { kubeconfigFor } from '../../support/kubeconfig.ts'
import { CertificateFolder } from './certificates.ts'

const folder = new CertificateFolder()
const authority = folder.authority('webhooks')
const serving = folder.issue(authority, '/CN=webhook', { extensions: ['subjectAltName=IP:127.0.0.1'] })
const client = folder.issue(authority, '/CN=api-server', { extensions: ['extendedKeyUsage=clientAuth'] })
const received: { review: JsonObject; query: string; client: string; authorization: string | undefined }[] = []
let failures = 0

const server = createServer(
  {
    key: serving.key,
    cert: serving.certificate,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: false,
  },
  async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const review = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject
    const [path = '', query = ''] = (request.url ?? '').split('?')
    received.push({
      review,
      query,
      client: (request.socket as TLSSocket).getPeerCertificate().subject?.CN as string,
      authorization: request.headers.authorization,
    })
    if (path === '/broken' || (path === '/shaky' && failures++ < 2)) return response.writeHead(500).end()
    if (path === '/malformed') return response.end('{"kind":')
    if (path === '/slow') return undefined
    if (path === '/both') return response.end(JSON.stringify({ status: { allowed: true, denied: true } }))
    const spec = review['spec'] as JsonObject
    const status = review['kind'] === 'TokenReview' ? tokenStatus(spec) : accessStatus(spec)
    return response.end(JSON.stringify({ ...review, status }))
  },
)

function tokenStatus({ token, audiences }: JsonObject): JsonObject {
  if (token === 'angry') return { authenticated: false, error: 'go away' }
  if (token !== 'good') return { authenticated: false }
  return {
    authenticated: true,
    user: { username: 'ann', uid: 'u', groups: ['devs'], extra: { k: ['v'] } },
    audiences: audiences ?? [],
  }
}

function accessStatus({ user: name }: JsonObject): JsonObject {
  if (name === 'denied') return { allowed: false, denied: true, reason: 'not you' }
  return name === 'unknown' ? { allowed: false, reason: 'no idea' } : { allowed: true }
}

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
  folder.close()
})
beforeEach(() => {
  received.length = 0
})

/** How long an answer is waited for: not at all for the one that never comes. */
const timeoutOf = (path: string): number => (path === '/slow' ? 300 : 60_000)
const url = (path = '/'): string => `https://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
const kubeconfig = (path: string, account: JsonObject = {}, cluster: JsonObject = {}): string =>
  folder.file(
    `kubeconfig-${path.replaceAll('/', '')}-${JSON.stringify(account).length}-${JSON.stringify(cluster).length}`,
    kubeconfigFor(
      {
        server: url(path),
        'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
        ...cluster,
      },
      account,
    ),
  )

describe('WebhookTokens', () => {
  const tokens = (path: string, account: JsonObject = {}) => {
    const connection = readKubeconfig(kubeconfig(path, account))
    const webhook = new WebhookTokens({
      client: new ReviewClient({
        connection,
        read: readReview,
        timeoutMs: timeoutOf(path),
        firstPauseMs: 1,
        attempts: 3,
      }),
      version: 'v1',
      apiAudiences: ['api'],
    })
    return new TokenCache(webhook, { successMs: 600_000, failureMs: 0 })
  }
  const any = { audiences: undefined }

  it('asks with our own credentials, once', async () => {
    folder.file('client.crt', client.certificate)
    folder.file('client.key', client.key)
    folder.file('token', 'secret-token\n')
    const cache = tokens('/', { 'client-certificate': 'client.crt', 'client-key': 'client.key', tokenFile: 'token' })
    const expected = { name: 'ann', uid: 'u', groups: ['devs'], extra: new Map([['k', ['v']]]) }
    for (let i = 0; i < 3; i++)
      expect(await cache.authenticateToken('good', any)).toMatchObject({ user: expected, audiences: ['api'] })
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({
      client: 'api-server',
      query: 'timeout=1m0s',
      authorization: 'Bearer secret-token',
      review: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: 'good', audiences: ['api'] },
      },
    })
  })

  it.each([
    ['/', 'bad', { outcome: 'no opinion' }],
    ['/', 'angry', { outcome: 'failed', error: 'go away' }],
    [
      '/broken',
      'good',
      { outcome: 'failed', error: 'an error on the server ("") has prevented the request from succeeding' },
    ],
    ['/malformed', 'good', { outcome: 'failed', error: expect.stringContaining('json parse error') }],
    ['/slow', 'good', { outcome: 'failed', error: expect.stringContaining('context deadline exceeded') }],
  ])('%s %s', async (path, token, expected) => {
    expect(await tokens(path).authenticateToken(token, any)).toEqual(expected)
  })

  it('tries again when the webhook stumbles', async () => {
    failures = 0
    expect(await tokens('/shaky').authenticateToken('good', any)).toMatchObject({ outcome: 'authenticated' })
    expect(received).toHaveLength(3)
  })

  it('does not trust another authority', async () => {
    const ca = Buffer.from(folder.authority('other').certificate).toString('base64')
    const connection = readKubeconfig(kubeconfig('/', {}, { 'certificate-authority-data': ca }))
    const webhook = new WebhookTokens({
      client: new ReviewClient({ connection, read: readReview, timeoutMs: 60_000, attempts: 1 }),
      version: 'v1',
      apiAudiences: [],
    })
    expect(await webhook.authenticateToken('good', any)).toMatchObject({ outcome: 'failed' })
    expect(received).toHaveLength(0)
  })
})

describe('WebhookAuthorizer', () => {
  const conditions = new MatchConditionCompiler()
  const authorizer = (path: string, more: Partial<Parameters<typeof webhookAuthorizerOf>[0]> = {}) =>
    webhookAuthorizerOf(
      {
        authorizedTTL: 300_000_000_000n,
        unauthorizedTTL: 30_000_000_000n,
        timeout: BigInt(timeoutOf(path)) * 1_000_000n,
        subjectAccessReviewVersion: 'v1',
        failurePolicy: 'NoOpinion',
        connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: kubeconfig(path) },
        matchConditions: [],
        ...more,
      },
      conditions,
      {
        read: readReview,
        clock: { ...systemClock, setTimeout: (fn, ms) => systemClock.setTimeout(fn, ms === timeoutOf(path) ? ms : 1) },
      },
    )
  const nodes = (name: string) => resourceRequest(user(name, 'people'), { verb: 'list', resource: 'nodes' })

  it('decides, and remembers both ways', async () => {
    const webhook = authorizer('/')
    for (let i = 0; i < 2; i++) {
      expect(await webhook.authorize(nodes('allowed'))).toEqual({ verdict: 'allow', reason: '' })
      expect(await webhook.authorize(nodes('denied'))).toEqual({ verdict: 'deny', reason: 'not you' })
      expect(await webhook.authorize(nodes('unknown'))).toEqual({ verdict: 'no opinion', reason: 'no idea' })
    }
    expect(received).toHaveLength(3)
    expect(received[0]?.review).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        resourceAttributes: { verb: 'list', version: 'v1', resource: 'nodes' },
        user: 'allowed',
        groups: ['people'],
      },
    })
  })

  it('speaks the older version', async () => {
    await authorizer('/', { subjectAccessReviewVersion: 'v1beta1' }).authorize(nodes('allowed'))
    expect(received[0]?.review).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1beta1',
      spec: { group: ['people'] },
    })
  })

  it('asks only when the conditions hold', async () => {
    const matchConditions = [{ expression: "request.resourceAttributes.namespace == 'default'" }]
    const webhook = authorizer('/', { matchConditions, failurePolicy: 'Deny' })
    expect(await webhook.authorize(nodes('allowed'))).toEqual({ verdict: 'no opinion', reason: '' })
    expect(await webhook.authorize({ ...nodes('allowed'), namespace: 'default' })).toMatchObject({ verdict: 'allow' })
    expect(await webhook.authorize(pathRequest(user('allowed'), '/version'))).toEqual({
      verdict: 'deny',
      reason: '',
      error:
        "cel evaluation error: expression 'request.resourceAttributes.namespace == 'default'' resulted in error: no such key: resourceAttributes",
    })
    expect(received).toHaveLength(1)
  })

  it.each([
    ['/broken', 'NoOpinion', 'no opinion'],
    ['/broken', 'Deny', 'deny'],
    ['/malformed', 'Deny', 'deny'],
    ['/slow', 'Deny', 'deny'],
    ['/both', 'Deny', 'deny'],
  ])('%s with %s', async (path, failurePolicy, verdict) => {
    const decision = await authorizer(path, { failurePolicy }).authorize(nodes('allowed'))
    expect(decision).toMatchObject({ verdict, error: expect.any(String) })
  })
})
