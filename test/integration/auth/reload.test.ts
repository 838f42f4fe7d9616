// Configuration files that change while the server runs: a good one takes over, a bad one changes nothing.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import { kubeconfigFor } from '../../support/kubeconfig.ts'
import { type Json, startTestServer, type TestServer } from '../support/test-server.ts'
import { CertificateFolder } from './certificates.ts'
import { OidcIssuer } from './oidc-issuer.ts'

/** Looks at files twenty times a second instead of once a minute. */
const hasty: Clock = { ...systemClock, setTimeout: (fn, ms) => systemClock.setTimeout(fn, ms === 60_000 ? 50 : ms) }
const folder = new CertificateFolder()
const authority = folder.authority('issuers')
const issuer = new OidcIssuer(folder.issue(authority, '/CN=issuer', { extensions: ['subjectAltName=IP:127.0.0.1'] }))
const reviews: Json[] = []
const webhook = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  const review = JSON.parse(text)
  reviews.push(review)
  if (review.spec.user === 'oidc:lost') return response.writeHead(400).end()
  return response.end(
    JSON.stringify({ ...review, status: { allowed: review.spec.user === 'oidc:jane', reason: 'I said so' } }),
  )
})
let server: TestServer

const authentication = (prefix: string, more: object = {}): string =>
  folder.file(
    'authn.yaml',
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1beta1',
      kind: 'AuthenticationConfiguration',
      jwt: [
        {
          issuer: { url: issuer.url, certificateAuthority: authority.certificate, audiences: ['app'] },
          claimMappings: { username: { claim: 'sub', prefix } },
        },
      ],
      anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
      ...more,
    }),
  )

function authorization(names: readonly string[], more: object = {}): string {
  const cluster = { server: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/` }
  const kubeConfigFile = folder.file('kubeconfig', kubeconfigFor(cluster))
  const hook = {
    type: 'Webhook',
    name: 'far-away',
    webhook: {
      timeout: '30s',
      subjectAccessReviewVersion: 'v1',
      matchConditionSubjectAccessReviewVersion: 'v1',
      failurePolicy: 'NoOpinion',
      authorizedTTL: '1s',
      unauthorizedTTL: '1s',
      connectionInfo: { type: 'KubeConfigFile', kubeConfigFile },
      matchConditions: [
        { expression: "has(request.resourceAttributes) && request.resourceAttributes.resource == 'nodes'" },
      ],
    },
  }
  const all: Record<string, object> = { hook, rbac: { type: 'RBAC', name: 'rbac' } }
  return folder.file(
    'authz.yaml',
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthorizationConfiguration',
      authorizers: names.map((name) => all[name]),
      ...more,
    }),
  )
}

beforeAll(async () => {
  await issuer.start()
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve))
  const files = [
    `--authentication-config=${authentication('oidc:')}`,
    `--authorization-config=${authorization(['hook', 'rbac'])}`,
  ]
  server = await startTestServer(['--store=memory', ...files], hasty)
})
afterAll(async () => {
  await server?.close()
  issuer.close()
  webhook.closeAllConnections()
  webhook.close()
  folder.close()
})

async function get(path: string, subject?: string): Promise<number> {
  const https = await import('node:https')
  const headers = subject === undefined ? {} : { authorization: `Bearer ${issuer.token({ aud: 'app', sub: subject })}` }
  return new Promise((resolve, reject) => {
    https
      .get(`${server.url}${path}`, { headers, rejectUnauthorized: false, agent: false }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      .on('error', reject)
  })
}
const metric = async (line: RegExp): Promise<boolean> =>
  line.test((await server.call('GET', '/metrics', undefined, { accept: '*/*' })).body.toString())
const reloads = (sort: string, status: string): RegExp =>
  new RegExp(
    `apiserver_${sort}_config_controller_automatic_reloads_total\\{apiserver_id_hash="sha256:[0-9a-f]{64}",status="${status}"\\} [1-9]`,
  )

describe('configuration files', () => {
  it('decide who may do what', async () => {
    expect(await get('/api/v1/nodes', 'jane')).toBe(200)
    expect(await get('/api/v1/nodes', 'john')).toBe(403)
    expect(await get('/api/v1/nodes', 'lost')).toBe(500)
    expect(reviews).toHaveLength(3)
    expect(await get('/api/v1/secrets', 'jane')).toBe(403)
    expect(reviews).toHaveLength(3)
    expect([await get('/livez'), await get('/readyz')]).toEqual([200, 401])
    expect((await server.call('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/view')).status).toBe(200)
    expect(await metric(/webhook_evaluations_total\{name="far-away",result="success"\} 2/)).toBe(true)
    expect(await metric(/webhook_evaluations_fail_open_total\{name="far-away",result="error"\} 1/)).toBe(true)
    expect(await metric(/match_condition_exclusions_total\{name="far-away",type="Webhook"\} [1-9]/)).toBe(true)
    expect(await metric(/decisions_total\{decision="allowed",name="far-away",type="Webhook"\} 1/)).toBe(true)
  })
  it('are followed when they change', async () => {
    authorization(['rbac'])
    authentication('new:')
    await expect.poll(() => metric(reloads('authorization', 'success'))).toBe(true)
    await expect.poll(() => metric(reloads('authentication', 'success'))).toBe(true)
    expect(await get('/api/v1/nodes', 'jane')).toBe(403)
    expect(reviews).toHaveLength(3)
  })
  it('are left as they were when the new ones are bad', async () => {
    authorization(['hook'], { nonsense: true })
    authentication('bad:', { anonymous: { enabled: true, conditions: [{ path: 'livez' }], more: 1 } })
    await expect.poll(() => metric(reloads('authorization', 'failure'))).toBe(true)
    await expect.poll(() => metric(reloads('authentication', 'failure'))).toBe(true)
    expect(await get('/api/v1/nodes', 'jane')).toBe(403)
    expect(reviews).toHaveLength(3)
    expect([await get('/livez'), await get('/readyz')]).toEqual([200, 401])
  })
})
