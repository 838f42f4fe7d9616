// What is done rather than stored passes admission as well: with the operation, resource and kind of the reference.

import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

const authority = createCertificateAuthority('webhooks', Date.now())
const certificate = issueCertificate(authority, {
  commonName: 'hook',
  names: ['127.0.0.1'],
  usage: 'server',
  now: Date.now(),
})
const caBundle = Buffer.from(authority.certPem).toString('base64')

let server: TestServer
let hook: Server
/** What the webhooks were asked, by phase. */
let asked: { mutate: Json[]; validate: Json[] } = { mutate: [], validate: [] }
/** What the mutating webhook answers with. */
let patch: Json[] | undefined
let refusal: string | undefined

const pods = '/api/v1/namespaces/default/pods'
const pod = (name: string): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], tolerations: [] },
})

async function startHook(): Promise<string> {
  hook = createServer({ key: certificate.keyPem, cert: certificate.certPem }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { request: review } = JSON.parse(Buffer.concat(chunks).toString())
    const phase = request.url?.startsWith('/mutate') ? 'mutate' : 'validate'
    asked[phase].push(review)
    const denies = phase === 'validate' && refusal !== undefined
    const patches = phase === 'mutate' && patch !== undefined
    const answer = {
      uid: review.uid,
      allowed: !denies,
      ...(denies ? { status: { message: refusal } } : {}),
      ...(patches ? { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') } : {}),
    }
    response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }))
  })
  await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done))
  return `https://127.0.0.1:${(hook.address() as AddressInfo).port}`
}

async function made(path: string, body: Json): Promise<Json> {
  const answer = await server.call('POST', path, body)
  if (answer.status !== 201) throw new Error(`${path}: ${answer.body}`)
  return answer.json()
}

beforeAll(async () => {
  server = await startTestServer()
  const url = await startHook()
  await made('/api/v1/namespaces/default/serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
  })
  for (const name of ['bound', 'bound-late', 'evicted', 'kept', 'reached', 'refused']) await made(pods, pod(name))
  await made('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
  await made('/apis/apps/v1/namespaces/default/deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: pod('x').spec },
    },
  })
  await made('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ending' } })
  for (const kind of ['Mutating', 'Validating']) {
    await made(`/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: 'all' },
      webhooks: [
        {
          name: 'all.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { url: `${url}/${kind === 'Mutating' ? 'mutate' : 'validate'}`, caBundle },
          rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
          matchConditions: [
            { name: 'by-hand', expression: '!request.userInfo.username.startsWith("system:apiserver")' },
          ],
        },
      ],
    })
  }
  await until('both webhooks to be asked', async () => {
    await act('POST', `${pods}?dryRun=All`, pod('probe'))
    return asked.mutate.length > 0 && asked.validate.length > 0
  })
})
afterAll(async () => {
  await server.close()
  hook.closeAllConnections()
  hook.close()
})

async function act(method: string, path: string, body?: Json, headers?: Record<string, string>): Promise<number> {
  asked = { mutate: [], validate: [] }
  return (await server.call(method, path, body, headers)).status
}

const facts = ({ operation, resource, subResource = '', kind, name = '', namespace = '', dryRun }: Json): string =>
  `${operation} ${resource.group}/${resource.version}/${resource.resource}/${subResource} ${kind.group}/${kind.version}/${kind.kind} ${namespace}/${name}${dryRun ? ' dry' : ''}`

const binding = (name: string): Json => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name },
  target: { kind: 'Node', name: 'n1' },
})
const eviction = (name: string): Json => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } })
const review = (group: string, kind: string, spec: Json): Json => ({ apiVersion: `${group}.k8s.io/v1`, kind, spec })
const may = { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } }
const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 2 } }

describe('both phases see', () => {
  it.each<[string, string, Json | undefined, number, string]>([
    [
      'POST',
      `${pods}/bound/binding?dryRun=All`,
      binding('bound'),
      201,
      'CREATE /v1/pods/binding /v1/Binding default/bound dry',
    ],
    ['POST', `${pods}/bound/binding`, binding('bound'), 201, 'CREATE /v1/pods/binding /v1/Binding default/bound'],
    [
      'POST',
      '/api/v1/namespaces/default/bindings',
      binding('bound-late'),
      201,
      'CREATE /v1/bindings/ /v1/Binding default/bound-late',
    ],
    [
      'POST',
      `${pods}/kept/eviction?dryRun=All`,
      eviction('kept'),
      201,
      'CREATE /v1/pods/eviction policy/v1/Eviction default/kept dry',
    ],
    [
      'POST',
      `${pods}/evicted/eviction`,
      eviction('evicted'),
      201,
      'CREATE /v1/pods/eviction policy/v1/Eviction default/evicted',
    ],
    [
      'POST',
      '/api/v1/namespaces/default/serviceaccounts/default/token',
      review('authentication', 'TokenRequest', { expirationSeconds: 600 }),
      201,
      'CREATE /v1/serviceaccounts/token authentication.k8s.io/v1/TokenRequest default/default',
    ],
    [
      'POST',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      review('authentication', 'TokenReview', { token: 't' }),
      201,
      'CREATE authentication.k8s.io/v1/tokenreviews/ authentication.k8s.io/v1/TokenReview /',
    ],
    [
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      review('authentication', 'SelfSubjectReview', undefined),
      201,
      'CREATE authentication.k8s.io/v1/selfsubjectreviews/ authentication.k8s.io/v1/SelfSubjectReview /',
    ],
    [
      'POST',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      review('authorization', 'SubjectAccessReview', may),
      201,
      'CREATE authorization.k8s.io/v1/subjectaccessreviews/ authorization.k8s.io/v1/SubjectAccessReview /',
    ],
    [
      'POST',
      '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews',
      review('authorization', 'LocalSubjectAccessReview', may),
      201,
      'CREATE authorization.k8s.io/v1/localsubjectaccessreviews/ authorization.k8s.io/v1/LocalSubjectAccessReview default/',
    ],
    [
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      review('authorization', 'SelfSubjectRulesReview', { namespace: 'default' }),
      201,
      'CREATE authorization.k8s.io/v1/selfsubjectrulesreviews/ authorization.k8s.io/v1/SelfSubjectRulesReview /',
    ],
    [
      'PUT',
      '/apis/apps/v1/namespaces/default/deployments/web/scale?dryRun=All',
      scale,
      200,
      'UPDATE apps/v1/deployments/scale autoscaling/v1/Scale default/web dry',
    ],
    [
      'PUT',
      '/apis/apps/v1/namespaces/default/deployments/web/scale',
      scale,
      200,
      'UPDATE apps/v1/deployments/scale autoscaling/v1/Scale default/web',
    ],
    [
      'PUT',
      '/api/v1/namespaces/ending/finalize',
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ending' }, spec: { finalizers: ['kubernetes'] } },
      200,
      'UPDATE /v1/namespaces/finalize /v1/Namespace ending/ending',
    ],
    // Nothing answers at the other end: what counts is that it was asked about.
    [
      'GET',
      `${pods}/reached/exec?command=ls&command=-l&stdin=true&container=c`,
      undefined,
      400,
      'CONNECT /v1/pods/exec /v1/PodExecOptions default/reached',
    ],
    [
      'POST',
      `${pods}/reached/attach?stdout=true`,
      undefined,
      400,
      'CONNECT /v1/pods/attach /v1/PodAttachOptions default/reached',
    ],
    [
      'GET',
      `${pods}/reached/portforward?ports=80,81`,
      undefined,
      400,
      'CONNECT /v1/pods/portforward /v1/PodPortForwardOptions default/reached',
    ],
    [
      'GET',
      '/api/v1/namespaces/default/services/none/proxy/a/b/?x=1',
      undefined,
      404,
      'CONNECT /v1/services/proxy /v1/ServiceProxyOptions default/none',
    ],
  ])('%s %s', async (method, path, body, status, expected) => {
    expect(await act(method, path, body)).toBe(status)
    expect(asked.mutate.map(facts)).toEqual([expected])
    expect(asked.validate.map(facts)).toEqual([expected])
  })

  it('the options of a connection as an object, and no other options', async () => {
    await act('GET', `${pods}/reached/exec?command=ls&command=-l&stdin=true&tty=0&container=c`)
    const expected = { kind: 'PodExecOptions', apiVersion: 'v1', stdin: true, container: 'c', command: ['ls', '-l'] }
    expect(asked.validate[0]).toMatchObject({ object: expected, oldObject: null, options: null, dryRun: false })
    await act('GET', `${pods}/reached/portforward?ports=80,81&ports=9`)
    expect(asked.validate[0].object).toEqual({ kind: 'PodPortForwardOptions', apiVersion: 'v1', ports: [80, 81, 9] })
    await act('GET', '/api/v1/namespaces/default/services/none/proxy/a/b/?x=1')
    expect(asked.validate[0].object).toEqual({ kind: 'ServiceProxyOptions', apiVersion: 'v1', path: '/a/b/' })
  })

  it('a token request with what the server fills in only when it is validated', async () => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token'
    await act('POST', path, review('authentication', 'TokenRequest', {}))
    expect(asked.mutate[0].object.spec).toMatchObject({ audiences: null, expirationSeconds: 3600 })
    expect(asked.validate[0].object).toMatchObject({
      metadata: { name: 'default', namespace: 'default' },
      spec: { audiences: [expect.any(String)], expirationSeconds: 3600 },
    })
  })
})

it('does what the mutated object says', async () => {
  patch = [{ op: 'replace', path: '/spec/expirationSeconds', value: 1200 }]
  const path = '/api/v1/namespaces/default/serviceaccounts/default/token'
  const answer = await server.call('POST', path, review('authentication', 'TokenRequest', {}))
  patch = undefined
  expect(answer.json().spec.expirationSeconds).toBe(1200)
})

it('does nothing that is refused, and asks only about what is good', async () => {
  refusal = 'not today'
  const bad = await server.call('POST', `${pods}/refused/binding`, { ...binding('refused'), target: { kind: 'Pod' } })
  expect(bad.json().message).not.toContain('not today')
  for (const [path, body] of [
    [`${pods}/refused/binding`, binding('refused')],
    [`${pods}/refused/eviction`, eviction('refused')],
  ] as const) {
    const answer = await server.call('POST', path, body)
    expect(answer.json()).toMatchObject({
      code: 400,
      message: 'admission webhook "all.example.com" denied the request: not today',
    })
  }
  refusal = undefined
  const left = await server.call('GET', `${pods}/refused`)
  expect(left.json().spec.nodeName).toBeUndefined()
})
