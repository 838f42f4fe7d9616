// Webhooks and policies from files: a real webhook over TLS, reload, and what keeps a server from starting.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { type Answer, type Json, startTestServer, type TestServer } from './support/test-server.ts'

const authority = createCertificateAuthority('webhooks', Date.now())
const certificate = issueCertificate(authority, {
  commonName: 'hook',
  names: ['127.0.0.1'],
  usage: 'server',
  now: Date.now(),
})
const caBundle = Buffer.from(authority.certPem).toString('base64')
const root = mkdtempSync(join(tmpdir(), 'static-'))
const asked: string[] = []
let hook: Server
let server: TestServer
let url = ''

const patch = Buffer.from(
  JSON.stringify([{ op: 'add', path: '/metadata/annotations', value: { by: 'a file' } }]),
).toString('base64')

/** Refuses what is called `refused`, and notes what it is asked about. */
function answer(path: string, { uid, name, resource, object }: Json): Json {
  // The server writes objects of its own.
  const called = String(name || object?.metadata?.name)
  if (!called.startsWith('kube-')) asked.push(`${path} ${resource.resource} ${called}`)
  const response = path === '/mutating' ? { patch, patchType: 'JSONPatch' } : {}
  const allowed = name !== 'refused'
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed, ...(allowed ? response : {}) },
  }
}

const webhooks = (kind: 'Mutating' | 'Validating', resources: readonly string[]): string =>
  JSON.stringify({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: 'w.static.k8s.io' },
    webhooks: [
      {
        name: `${kind.toLowerCase()}.example.com`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: `${url}/${kind.toLowerCase()}`, caBundle },
        rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources }],
      },
    ],
  })

const policy = (name: string, expression: string): string => `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${name}.static.k8s.io}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: [CREATE], resources: ['*']}]
  validations: [{expression: "${expression}"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${name}.static.k8s.io}
spec: {policyName: ${name}.static.k8s.io, validationActions: [Deny]}
`

const folderOf = (plugin: string): string => join(root, plugin)
const write = (plugin: string, name: string, text: string): void => writeFileSync(join(folderOf(plugin), name), text)

function configuration(plugins: readonly string[]): string {
  const file = join(root, 'admission.json')
  const apiVersion = 'apiserver.config.k8s.io/v1'
  const kind = (plugin: string) =>
    plugin.endsWith('Policy') ? `${plugin}Configuration` : 'WebhookAdmissionConfiguration'
  const entries = plugins.map((name) => ({
    name,
    configuration: { apiVersion, kind: kind(name), staticManifestsDir: folderOf(name) },
  }))
  writeFileSync(file, JSON.stringify({ apiVersion, kind: 'AdmissionConfiguration', plugins: entries }))
  return `--admission-control-config-file=${file}`
}

const plugins = ['ValidatingAdmissionPolicy', 'MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook']
const flags = ['--store=memory', '--emulated-version=1.36', '--feature-gates=ManifestBasedAdmissionControlConfig=true']

beforeAll(async () => {
  hook = createServer({ key: certificate.keyPem, cert: certificate.certPem }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { request: review } = JSON.parse(Buffer.concat(chunks).toString()) as { request: Json }
      response.end(JSON.stringify(answer(new URL(request.url ?? '/', url).pathname, review)))
    })
  })
  await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done))
  url = `https://127.0.0.1:${(hook.address() as AddressInfo).port}`
  for (const plugin of plugins) mkdirSync(folderOf(plugin))
  write('ValidatingAdmissionPolicy', 'a.yaml', policy('p', "request.name != 'denied'"))
  write('MutatingAdmissionWebhook', 'a.json', webhooks('Mutating', ['configmaps']))
  write(
    'ValidatingAdmissionWebhook',
    'a.json',
    webhooks('Validating', ['configmaps', 'validatingwebhookconfigurations']),
  )
  server = await startTestServer([...flags, configuration(plugins)])
})
afterAll(async () => {
  await server.close()
  hook.closeAllConnections()
  hook.close()
  rmSync(root, { recursive: true })
})

const create = (name: string): Promise<Answer> =>
  server.call('POST', '/api/v1/namespaces/default/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
  })

const messageOf = (answered: Answer): string => answered.json().message

it('webhooks of files are asked, though nobody made them', async () => {
  const { status, ...made } = await create('a')
  expect([status, made.json().metadata.annotations]).toEqual([201, { by: 'a file' }])
  expect(asked.splice(0)).toEqual(['/mutating configmaps a', '/validating configmaps a'])
  expect(messageOf(await create('refused'))).toContain('admission webhook "mutating.example.com" denied the request')
  const listed = await server.call('GET', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations')
  expect(listed.json().items).toEqual([])
  asked.length = 0
})

it('policies of files decide, and both are about what configures admission, too', async () => {
  const of = "ValidatingAdmissionPolicy 'p.static.k8s.io' with binding 'p.static.k8s.io' denied request"
  expect(messageOf(await create('denied'))).toContain(of)
  asked.length = 0
  const make = (name: string): Promise<Answer> =>
    server.call('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name },
    })
  expect(messageOf(await make('denied'))).toContain(of)
  expect((await make('b')).status).toBe(201)
  expect(asked.splice(0)).toEqual(['/validating validatingwebhookconfigurations b'])
  expect(messageOf(await make('x.static.k8s.io'))).toContain('names ending with ".static.k8s.io" are reserved')
})

it('files are followed; what cannot be loaded leaves what was there, and is counted', async () => {
  write('ValidatingAdmissionPolicy', 'a.yaml', policy('q', "request.name != 'later'"))
  await expect.poll(async () => (await create('later')).status).toBe(422)
  expect((await create('denied')).status).toBe(201)
  write('ValidatingAdmissionPolicy', 'b.yaml', 'kind: Nothing')
  const prefix = 'apiserver_manifest_admission_config_controller'
  const count = async (status: string): Promise<string | undefined> => {
    const page = (await server.call('GET', '/metrics')).body.toString()
    const line = `${prefix}_automatic_reloads_total{status="${status}",plugin="ValidatingAdmissionPolicy"`
    return page
      .split('\n')
      .find((each) => each.startsWith(line))
      ?.split(' ')[1]
  }
  await expect.poll(() => count('failure')).toBe('1')
  expect(await count('success')).toBe('2')
  expect((await create('later')).status).toBe(422)
  const page = (await server.call('GET', '/metrics')).body.toString()
  expect(page.match(new RegExp(`${prefix}_last_config_info{.*hash="sha256:`, 'g'))).toHaveLength(3)
})

it.each<[string, readonly string[], string]>([
  [
    'a folder whose policies are not valid',
    flags,
    `failed to apply admission: failed to initialize admission plugin "ValidatingAdmissionPolicy": failed to load static policy manifests from "${folderOf('ValidatingAdmissionPolicy')}": error loading ${folderOf('ValidatingAdmissionPolicy')}/a.yaml: ValidatingAdmissionPolicy "p.static.k8s.io": spec.validations[0].expression: Invalid value: "no": compilation failed: ERROR: <input>:1:1: undeclared reference to 'no' (in container '')\n | no\n | ^`,
  ],
  [
    'a folder while the gate is off',
    flags.slice(0, 2),
    `failed to apply admission: couldn't init admission plugin "ValidatingAdmissionPolicy": staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled`,
  ],
])('a server does not start with %s', async (_, given, why) => {
  rmSync(join(folderOf('ValidatingAdmissionPolicy'), 'b.yaml'), { force: true })
  write('ValidatingAdmissionPolicy', 'a.yaml', policy('p', 'no'))
  await expect(startTestServer([...given, configuration(['ValidatingAdmissionPolicy'])])).rejects.toThrow(why)
})
