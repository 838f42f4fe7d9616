// ImagePolicyWebhook against a real HTTPS backend, set up by an AdmissionConfiguration and a kubeconfig.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { kubeconfigFor } from '../support/kubeconfig.ts'
import { type Answer, type Json, startTestServer, type TestServer } from './support/test-server.ts'

const now = Date.now()
const authority = createCertificateAuthority('image authority', now)
const certificate = issueCertificate(authority, { commonName: 'images', names: ['127.0.0.1'], usage: 'server', now })

let backend: Server
let server: TestServer
let lenient: TestServer
let folder = ''
const asked: Json[] = []
/** What the backend answers: a status, or text that is none. */
let answer: Json = { allowed: true }
let httpStatus = 200

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'images-'))
  backend = createServer({ key: certificate.keyPem, cert: certificate.certPem }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const review = JSON.parse(Buffer.concat(chunks).toString())
    asked.push(review)
    response.writeHead(httpStatus, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...review, status: answer }))
  })
  await new Promise<void>((done) => backend.listen(0, '127.0.0.1', done))
  server = await serverThat(false)
  lenient = await serverThat(true)
})
afterAll(async () => {
  await server?.close()
  await lenient?.close()
  backend.closeAllConnections()
  backend.close()
  rmSync(folder, { recursive: true, force: true })
})

function serverThat(defaultAllow: boolean): Promise<TestServer> {
  const kubeConfigFile = join(folder, 'backend.kubeconfig')
  const url = `https://127.0.0.1:${(backend.address() as AddressInfo).port}/review`
  const data = Buffer.from(authority.certPem).toString('base64')
  const cluster = { server: url, 'certificate-authority-data': data }
  writeFileSync(kubeConfigFile, kubeconfigFor(cluster, { token: 'let-me-in' }))
  const file = join(folder, `admission-${defaultAllow}.yaml`)
  const imagePolicy = { kubeConfigFile, allowTTL: 50, denyTTL: 50, retryBackoff: 1, defaultAllow }
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: [{ name: 'ImagePolicyWebhook', configuration: { imagePolicy } }],
  }
  writeFileSync(file, JSON.stringify(configuration))
  return startTestServer([
    '--store=memory',
    '--enable-admission-plugins=ImagePolicyWebhook',
    '--disable-admission-plugins=ServiceAccount',
    `--admission-control-config-file=${file}`,
  ])
}

const pods = '/api/v1/namespaces/default/pods'
function create(name: string, image: string, to = server): Promise<Answer> {
  return to.call('POST', pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations: { 'team.image-policy.k8s.io/ticket': '1', other: '2' } },
    spec: { containers: [{ name: 'c', image }], initContainers: [{ name: 'i', image: 'init' }] },
  })
}

it('asks about all images, with the annotations that are meant for it', async () => {
  answer = { allowed: true, auditAnnotations: { ticket: 'seen' } }
  expect((await create('good', 'one')).status).toBe(201)
  expect(asked.at(-1)).toMatchObject({
    apiVersion: 'imagepolicy.k8s.io/v1alpha1',
    kind: 'ImageReview',
    spec: {
      containers: [{ image: 'one' }, { image: 'init' }],
      annotations: { 'team.image-policy.k8s.io/ticket': '1' },
      namespace: 'default',
    },
  })
  expect(asked.at(-1).spec.annotations).not.toHaveProperty('other')
})

it('remembers an answer for a while', async () => {
  const before = asked.length
  expect((await create('good-too', 'one')).status).toBe(201)
  expect(asked).toHaveLength(before)
})

it.each([
  [{ allowed: false, reason: 'too old' }, 'image policy webhook backend denied one or more images: too old'],
  [{ allowed: false }, 'one or more images rejected by webhook backend'],
])('refuses what the backend refuses: %j', async (status, message) => {
  answer = status
  const refused = await create('bad', `image-of-${message.length}`)
  expect(refused.json()).toMatchObject({ code: 403, message: `pods "bad" is forbidden: ${message}` })
})

it('asks about ephemeral containers alone when they are added', async () => {
  answer = { allowed: true }
  const patch = { spec: { ephemeralContainers: [{ name: 'e', image: 'debugger' }] } }
  const added = await server.call('PATCH', `${pods}/good/ephemeralcontainers`, patch, {
    'content-type': 'application/strategic-merge-patch+json',
  })
  expect(added.status).toBe(200)
  expect(asked.at(-1).spec.containers).toEqual([{ image: 'debugger' }])
})

it('lets pods pass without an answer only where it is told to', async () => {
  httpStatus = 400
  expect((await create('unknown', 'two')).status).toBe(403)
  expect((await create('unknown', 'two', lenient)).status).toBe(201)
  httpStatus = 200
})
