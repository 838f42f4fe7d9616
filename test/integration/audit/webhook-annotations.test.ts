// What the audit log says of mutating webhooks: that they were asked at every level, their patches from Request on.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../../src/pki/certificates.ts'
import { until } from '../../support/until.ts'
import { type Json, startTestServer, type TestServer } from '../support/test-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'annotations-'))
const log = join(folder, 'audit.log')
const patch = [{ op: 'add', path: '/metadata/labels', value: { patched: 'yes' } }]
const now = Date.now()
const authority = createCertificateAuthority('webhooks', now)
const certificate = issueCertificate(authority, { commonName: 'hook', names: ['127.0.0.1'], usage: 'server', now })
const hook = createServer({ key: certificate.keyPem, cert: certificate.certPem }, async (request, response) => {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  const { uid } = JSON.parse(text).request
  const answer = {
    uid,
    allowed: true,
    auditAnnotations: { said: 'so', 'a/b': 'twice', 'bad key': 'x' },
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
  }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }))
})
let server: TestServer

beforeAll(async () => {
  await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done))
  const rules = [
    { level: 'Metadata', resources: [{ group: '', resources: ['secrets'] }] },
    { level: 'Request', resources: [{ group: '', resources: ['configmaps'] }] },
    { level: 'RequestResponse', resources: [{ group: '', resources: ['services'] }] },
    { level: 'None' },
  ]
  const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules }
  writeFileSync(join(folder, 'policy'), JSON.stringify(policy))
  server = await startTestServer([
    '--store=memory',
    `--audit-policy-file=${join(folder, 'policy')}`,
    `--audit-log-path=${log}`,
  ])
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    metadata: { name: 'patching' },
    webhooks: [
      {
        name: 'patch.example.com',
        clientConfig: {
          url: `https://127.0.0.1:${(hook.address() as AddressInfo).port}/`,
          caBundle: Buffer.from(authority.certPem).toString('base64'),
        },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            resources: ['secrets', 'configmaps', 'services'],
            operations: ['CREATE'],
          },
        ],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  }
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
  expect((await server.call('POST', path, configuration)).status).toBe(201)
})
afterAll(async () => {
  await server.close()
  hook.close()
  rmSync(folder, { recursive: true, force: true })
})

it.each([
  ['secrets', 'Secret', {}, false],
  ['configmaps', 'ConfigMap', {}, true],
  ['services', 'Service', { spec: { ports: [{ port: 80 }] } }, true],
])('%s', async (resource, kind, more, shows) => {
  const path = `/api/v1/namespaces/default/${resource}`
  const object = await until('the webhook', async () => {
    const made = await server.call('POST', path, { apiVersion: 'v1', kind, metadata: { generateName: 'a-' }, ...more })
    return made.json().metadata.labels === undefined ? undefined : made.json()
  })
  const name: string = object.metadata.name
  const { annotations }: Json = await until('the event', () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .findLast(
        (event) => event.objectRef.resource === resource && event.objectRef.namespace === 'default' && name !== '',
      ),
  )
  const asked = { configuration: 'patching', webhook: 'patch.example.com' }
  expect(JSON.parse(annotations['mutation.webhook.admission.k8s.io/round_0_index_0'])).toEqual({
    ...asked,
    mutated: true,
  })
  // Keys that are no qualified names are left out.
  const own = Object.entries(annotations).filter(([key]) => key.startsWith('patch.example.com/'))
  expect(own).toEqual([['patch.example.com/said', 'so']])
  const shown = annotations['patch.webhook.admission.k8s.io/round_0_index_0']
  expect(shown && JSON.parse(shown)).toEqual(shows ? { ...asked, patch, patchType: 'JSONPatch' } : undefined)
})

it('a validating webhook that fails open is counted among those that were asked', async () => {
  const webhook = (name: string, matchLabels: Json): Json => ({
    name,
    clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
    objectSelector: { matchLabels },
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  })
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    metadata: { name: 'failing' },
    webhooks: [webhook('other.example.com', { patched: 'no' }), webhook('open.example.com', { patched: 'yes' })],
  }
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
  expect((await server.call('POST', path, configuration)).status).toBe(201)
  const failedOpen = await until('the webhook to be asked', async () => {
    await server.call('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', {
      metadata: { generateName: 'b-' },
    })
    const keys = readFileSync(log, 'utf8').match(/failed-open\.validating[^"]*":"[^"]*"/g) ?? []
    return keys.length === 0 ? undefined : keys
  })
  expect(new Set(failedOpen)).toEqual(
    new Set(['failed-open.validating.webhook.admission.k8s.io/round_0_index_0":"open.example.com"']),
  )
})
