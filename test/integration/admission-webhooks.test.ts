// Webhooks over real TLS: what they may answer, and what becomes of those that misbehave.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { until } from '../support/until.ts'
import { type Answer, type Json, startTestServer, type TestServer } from './support/test-server.ts'

const authority = createCertificateAuthority('webhooks', Date.now())
const now = Date.now()
const good = issueCertificate(authority, { commonName: 'hook', names: ['127.0.0.1'], usage: 'server', now })
const misnamed = issueCertificate(authority, {
  commonName: 'hook',
  names: ['elsewhere.example.com'],
  usage: 'server',
  now,
})
const caBundle = Buffer.from(authority.certPem).toString('base64')

type Handler = (request: Json, response: ServerResponse, raw: IncomingMessage) => void

let server: TestServer
let connections = 0
const hooks: Server[] = []
const handlers = new Map<string, Handler>()

async function hookServer(certificate: { certPem: string; keyPem: string }): Promise<string> {
  const hook = createServer({ key: certificate.keyPem, cert: certificate.certPem }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { pathname } = new URL(request.url ?? '/', 'https://hook')
      const body = Buffer.concat(chunks).toString()
      handlers.get(pathname)?.(body === '' ? {} : JSON.parse(body).request, response, request)
    })
  })
  hook.on('secureConnection', () => connections++)
  hook.on('tlsClientError', () => {})
  hooks.push(hook)
  await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done))
  return `https://127.0.0.1:${(hook.address() as AddressInfo).port}`
}

const review = (request: Json, more: Json = {}): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: request.uid, allowed: true, ...more },
  })

const patchOf = (operations: Json): Json => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})

let url = ''
let misnamedUrl = ''
beforeAll(async () => {
  server = await startTestServer()
  url = await hookServer(good)
  misnamedUrl = await hookServer(misnamed)
})
afterAll(async () => {
  await server.close()
  for (const hook of hooks) {
    hook.closeAllConnections()
    hook.close()
  }
})

let count = 0

interface Hook {
  readonly kind?: 'Mutating' | 'Validating'
  readonly base?: string
  readonly webhook?: Json
  /** Another namespace than one of its own. */
  readonly namespace?: string
  /** Of the ConfigMap; generated unless given. */
  readonly name?: string
  readonly labels?: Record<string, string>
}

/** Posts a ConfigMap in a namespace in which one webhook with this handler is asked. */
async function post(handler: Handler, hook: Hook = {}): Promise<Answer> {
  const { kind = 'Validating', base = url, webhook = {}, labels = {} } = hook
  const name = `hooks-${++count}`
  let isAsked = false
  handlers.set(`/${name}`, (...given) => {
    isAsked = true
    handler(...given)
  })
  await server.call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  const made = await server.call(
    'POST',
    `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name },
      webhooks: [
        {
          name: 'hook.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          timeoutSeconds: 30,
          clientConfig: { url: `${base}/${name}`, caBundle },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
          ...webhook,
        },
      ],
    },
  )
  expect(made.status).toBe(201)
  // Until the webhook is in force, everything passes without it.
  return until('the webhook to be asked', async () => {
    const metadata = { ...(hook.name === undefined ? { generateName: 'x' } : { name: hook.name }), labels }
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: 'v' } }
    const answer = await server.call('POST', `/api/v1/namespaces/${hook.namespace ?? name}/configmaps`, body)
    return (isAsked || answer.status !== 201) && answer
  })
}

const text =
  (body: string, status = 200): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body)
  }

it('that are the API’s own service are called at this server, as itself', async () => {
  const service = {
    namespace: 'default',
    name: 'kubernetes',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  }
  const answer = await post(() => {}, { webhook: { clientConfig: { service } } })
  // It got past authentication and authorization, and is no review of the other kind.
  expect(answer.json().message).toContain('AdmissionReview in version "v1" cannot be handled as a SelfSubjectReview')
})

describe('webhooks that misbehave', () => {
  const huge = (request: Json): string =>
    review(request, patchOf([{ op: 'add', path: '/data/x', value: 'x'.repeat(4 * 1024 * 1024) }]))
  const cases: [string, Handler, Hook, string][] = [
    ['never answers', () => {}, { webhook: { timeoutSeconds: 1 } }, 'context deadline exceeded'],
    [
      'sends its body too slowly',
      (_, response) => {
        response.writeHead(200)
        response.write('{')
      },
      { webhook: { timeoutSeconds: 1 } },
      'context deadline exceeded',
    ],
    [
      'answers nothing',
      text(''),
      {},
      'failed to call webhook: 0-length response with status code: 200 and content type: application/json',
    ],
    [
      'answers half of it',
      text('{"kind":'),
      {},
      "couldn't get version/kind; json parse error: unexpected end of JSON input",
    ],
    [
      'answers with a wrong type',
      text('{"response":{"allowed":"yes"}}'),
      {},
      'failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
    ],
    [
      'does not say what it answers',
      (request, response) => void response.end(JSON.stringify({ response: { uid: request.uid, allowed: true } })),
      {},
      'received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=',
    ],
    [
      'says why in JSON that is no status',
      text('{"why":"so"}', 500),
      {},
      'an error on the server ("unknown") has prevented',
    ],
    [
      'says why in a status',
      text('{"kind":"Status","apiVersion":"v1","status":"Failure","message":"so there"}', 500),
      {},
      'failed to call webhook: so there',
    ],
    ['answers garbage', text('\u0000\u0001'), {}, 'yaml: control characters are not allowed'],
    ['answers a list', text('[]'), {}, 'cannot unmarshal array'],
    ['hangs up', (_, response) => void response.socket?.destroy(), {}, 'EOF'],
    [
      'redirects',
      (_, response) => {
        response.writeHead(302, { location: 'https://127.0.0.1:1/' })
        response.end()
      },
      {},
      'Post "https://127.0.0.1:1/": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    [
      'has a certificate for another name',
      text('{}'),
      { base: 'misnamed' },
      "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    ],
    ['has an unknown authority', text('{}'), { webhook: { clientConfig: {} } }, 'unknown authority'],
    ['answers too much', (request, response) => void response.end(huge(request)), { kind: 'Mutating' }, 'too large'],
    [
      'breaks the object',
      (request, response) => void response.end(review(request, patchOf([{ op: 'add', path: '/data/x', value: [] }]))),
      { kind: 'Mutating' },
      'cannot unmarshal array into Go struct field ConfigMap.data of type string',
    ],
    [
      'has a patch that is none, of a type that is none',
      (request, response) => void response.end(review(request, { allowed: true, patch: 'Ingi', patchType: 'x' })),
      { kind: 'Mutating' },
      'json: cannot unmarshal string into Go value of type jsonpatch.Patch',
    ],
    [
      'has a patch of a type that is none',
      (request, response) => void response.end(review(request, { allowed: true, patch: 'W3t9XQ==', patchType: 'x' })),
      { kind: 'Mutating' },
      'unsupported patch type "x"',
    ],
    [
      'answers with a wrong type in the older version',
      (request, response) =>
        void response.end(
          JSON.stringify({
            apiVersion: 'admission.k8s.io/v1beta1',
            kind: request.kind && 'AdmissionReview',
            response: 1,
          }),
        ),
      { webhook: { admissionReviewVersions: ['v1beta1'] } },
      'cannot unmarshal number into Go struct field AdmissionReview.response of type v1beta1.AdmissionResponse',
    ],
    [
      'leaves no object',
      (request, response) => void response.end(review(request, patchOf([{ op: 'replace', path: '', value: [] }]))),
      { kind: 'Mutating' },
      'no object',
    ],
    [
      'makes it another kind',
      (request, response) =>
        void response.end(review(request, patchOf([{ op: 'replace', path: '/kind', value: 'Service' }]))),
      { kind: 'Mutating' },
      'converting (v1.Service) to (core.ConfigMap): unknown conversion',
    ],
    ...[600, 1000].map((code): [string, Handler, Hook, string] => [
      `denies with the code ${code}, which no answer can have`,
      (request, response) => void response.end(review(request, { allowed: false, status: { code } })),
      {},
      'denied the request without explanation',
    ]),
    [
      'makes it of no known version',
      (request, response) =>
        void response.end(review(request, patchOf([{ op: 'replace', path: '/apiVersion', value: 'v2' }]))),
      { kind: 'Mutating' },
      'no kind "ConfigMap" is registered for version "v2"',
    ],
  ]

  it.each(cases)('%s', async (_, handler, hook, message) => {
    const actual: Hook = {
      ...hook,
      ...(hook.base === 'misnamed' ? { base: misnamedUrl } : {}),
      ...(hook.webhook?.clientConfig ? { webhook: { clientConfig: { url: `${url}/none` } } } : {}),
    }
    const answer = await post(handler, actual)
    expect(answer.status).toBe(500)
    expect(answer.json().message).toContain(message)
  })

  it('is passed over when its failures are to be ignored', async () => {
    expect((await post(text('?'), { webhook: { failurePolicy: 'Ignore' } })).status).toBe(201)
  })
})

describe('webhooks that behave', () => {
  it('patches', async () => {
    const operations = [
      { op: 'add', path: '/metadata/annotations', value: {} },
      { op: 'add', path: '/metadata/annotations/by~1whom', value: 'hook' },
    ]
    const answer = await post((request, response) => void response.end(review(request, patchOf(operations))), {
      kind: 'Mutating',
    })
    expect(answer.json().metadata.annotations).toEqual({ 'by/whom': 'hook' })
  })

  it('sees the namespace of what is created, and may leave out its type', async () => {
    let seen: unknown
    const operations = [
      { op: 'remove', path: '/kind' },
      { op: 'remove', path: '/apiVersion' },
    ]
    const answer = await post(
      (request, response) => {
        seen = request.object.metadata.namespace
        response.end(review(request, patchOf(operations)))
      },
      { kind: 'Mutating' },
    )
    expect(seen).toBe(`hooks-${count}`)
    expect(answer.json()).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })
  })

  it('validates what was asked for, whatever others call it now', async () => {
    const rename = [{ op: 'add', path: '/metadata/name', value: 'renamed' }]
    await post((request, response) => void response.end(review(request, patchOf(rename))), { kind: 'Mutating' })
    const namespace = `hooks-${count}`
    const seen: unknown[] = []
    const validating = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }
    await post(
      (request, response) => {
        seen.push([request.name, request.object.metadata.name])
        response.end(review(request, { allowed: false }))
      },
      { webhook: validating, namespace, name: 'asked' },
    )
    expect(seen.at(-1)).toEqual(['asked', 'renamed'])
  })

  // The reference compares its times, which have fractions of a second, with those of the patched JSON, which have none.
  it('has changed a new object by any patch, so that others are asked again', async () => {
    const calls: string[] = []
    const path = (name: string) => (request: Json, response: ServerResponse) => {
      calls.push(name)
      const nothing = [{ op: 'add', path: '/metadata/unknown', value: 1 }]
      response.end(review(request, name === 'second' ? patchOf(nothing) : {}))
    }
    handlers.set('/second', path('second'))
    const hook = { admissionReviewVersions: ['v1'], sideEffects: 'None', timeoutSeconds: 30 }
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]
    await server.call('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
      metadata: { name: 'zz-second' },
      webhooks: [
        {
          ...hook,
          name: 's.example.com',
          rules,
          clientConfig: { url: `${url}/second`, caBundle },
          objectSelector: { matchLabels: { twice: 'yes' } },
        },
      ],
    })
    await post(path('first'), {
      kind: 'Mutating',
      webhook: { reinvocationPolicy: 'IfNeeded' },
      labels: { twice: 'yes' },
    })
    expect(calls.slice(-3)).toEqual(['first', 'second', 'first'])
  })

  it.each(['Mutating', 'Validating'] as const)(
    '%s sees a selfLink of updates, and of what they create',
    async (kind) => {
      const seen: unknown[] = []
      const groups = ['', 'rbac.authorization.k8s.io']
      const operations = ['CREATE', 'UPDATE']
      const rules = [{ apiGroups: groups, apiVersions: ['v1'], operations, resources: ['configmaps', 'roles'] }]
      await post(
        (request, response) => {
          seen.push([request.operation, request.object.metadata.selfLink])
          response.end(review(request))
        },
        { kind, webhook: { rules } },
      )
      seen.length = 0
      const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/hooks-${count}/roles`
      const apply = { 'content-type': 'application/apply-patch+yaml' }
      const role = (name: string): Json => ({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name, selfLink: '/elsewhere' },
        rules: [],
      })
      const answers = [
        await server.call('POST', roles, role('posted')),
        await server.call('PUT', `${roles}/put`, role('put')),
        await server.call('PUT', `${roles}/put`, role('put')),
        await server.call('PATCH', `${roles}/applied?fieldManager=a`, role('applied'), apply),
      ]
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 201])
      for (const answer of answers) expect(answer.json().metadata).not.toHaveProperty('selfLink')
      expect(seen).toEqual([
        ['CREATE', undefined],
        ['CREATE', '/elsewhere'],
        ['UPDATE', '/elsewhere'],
        ['CREATE', '/elsewhere'],
      ])
    },
  )

  // Mirrors registry: Store.Update, whose key is that of the request.
  it('may rename what an update creates, which stays where it was asked for', async () => {
    const rename = [{ op: 'replace', path: '/metadata/name', value: 'renamed' }]
    const groups = ['', 'rbac.authorization.k8s.io']
    const rules = [
      { apiGroups: groups, apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps', 'roles'] },
    ]
    let calls = 0
    await post(
      (request, response) => {
        calls++
        response.end(review(request, request.resource.resource === 'roles' ? patchOf(rename) : {}))
      },
      { kind: 'Mutating', webhook: { rules } },
    )
    calls = 0
    const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/hooks-${count}/roles`
    for (const name of ['a', 'b']) {
      const made = await server.call('PUT', `${roles}/${name}`, { metadata: { name }, rules: [] })
      expect([made.status, made.json().metadata.name]).toEqual([201, 'renamed'])
      const got = await server.call('GET', `${roles}/${name}`)
      expect([got.status, got.json().metadata.name]).toEqual([200, 'renamed'])
    }
    expect(calls).toBe(2)
    expect((await server.call('GET', `${roles}/renamed`)).status).toBe(404)
    expect((await server.call('DELETE', `${roles}/a`)).status).toBe(200)
    expect((await server.call('GET', `${roles}/a`)).status).toBe(404)
  })

  it('sees the options of a delete as the deletion takes them', async () => {
    const hook = {
      kind: 'Mutating',
      webhook: {
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'DELETE'], resources: ['configmaps'] }],
      },
    } as const
    const seen: unknown[] = []
    const made = await post((request, response) => {
      if (request.operation === 'DELETE') seen.push(request.options.gracePeriodSeconds)
      response.end(review(request))
    }, hook)
    const { name, namespace } = made.json().metadata
    await server.call('DELETE', `/api/v1/namespaces/${namespace}/configmaps/${name}`, { gracePeriodSeconds: -1 })
    expect(seen).toEqual([1])
  })

  it('is asked again when it asks for it', async () => {
    let calls = 0
    const answer = await post((request, response) => {
      calls++
      if (calls === 1) response.writeHead(429, { 'retry-after': '0' }).end('busy')
      else response.end(review(request))
    })
    expect([answer.status, calls]).toEqual([201, 2])
  })

  it('keeps its connections', async () => {
    await post((request, response) => void response.end(review(request)))
    const before = connections
    const name = `hooks-${count}`
    for (let i = 0; i < 20; i++) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `n-${i}` } }
      expect((await server.call('POST', `/api/v1/namespaces/${name}/configmaps`, body)).status).toBe(201)
    }
    expect(connections - before).toBeLessThan(3)
  })

  it('is never asked about webhook configurations', async () => {
    let asked = 0
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }]
    const counting: Handler = (request, response) => {
      if (request.resource.group === 'admissionregistration.k8s.io') asked++
      response.end(review(request))
    }
    await post(counting, { webhook: { rules } })
    const name = `hooks-${count}`
    await server.call('DELETE', `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${name}`)
    expect(asked).toBe(0)
  })
})
