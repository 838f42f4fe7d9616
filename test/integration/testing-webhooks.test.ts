/** Webhooks and conversions that are served by the test itself, in its own process. */
import { readFileSync } from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ServedWebhooks, startServer, type TestServer, type WebhookHandlers } from '../../src/testing/testing.ts'

let server: TestServer
let hooks: ServedWebhooks | undefined
beforeAll(async () => {
  server = await startServer()
})
beforeEach(() => server.reset())
afterEach(() => hooks?.close())
afterAll(() => server.close())

const service = (at: string) => ({ service: { namespace: 'shop', name: 'hooks', path: at } })
const rules = [
  { operations: ['CREATE', 'UPDATE', 'DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
]
const configuration = (kind: 'Mutating' | 'Validating', at: string) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  metadata: { name: 'hooks' },
  webhooks: [
    { name: 'a.example.com', rules, clientConfig: service(at), sideEffects: 'None', admissionReviewVersions: ['v1'] },
  ],
})
const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})

describe('served webhooks', () => {
  it.each<[string, NonNullable<WebhookHandlers['validate']>, object | undefined]>([
    ['nothing', () => undefined, undefined],
    ['true', async () => true, undefined],
    ['false', () => false, { status: 400, message: expect.stringContaining('denied the request') }],
    ['words', () => 'no', { status: 400, message: expect.stringContaining('denied the request: no') }],
    ['a code', () => ({ allowed: false, message: 'tea', code: 418 }), { status: 418 }],
    [
      'what fits the path',
      { '/here': () => 'here', '/there': () => true },
      { message: expect.stringContaining(': here') },
    ],
  ])('validate by %s', async (_, validate, refusal) => {
    hooks = await server.webhooks.serve({ validate }, { manifests: configuration('Validating', '/here') })
    const applied = server.apply(configMap('a'))
    if (refusal === undefined) await applied
    else await expect(applied).rejects.toMatchObject(refusal)
    expect(hooks.calls).toMatchObject([{ kind: 'validate', path: '/here', request: { operation: 'CREATE' } }])
  })

  it('mutate by what is returned, by what is changed in place, by a patch', async () => {
    hooks = await server.webhooks.serve(
      {
        mutate: ({ object, operation }) => {
          if (operation === 'DELETE') return undefined
          if (object.metadata.name === 'returned') return { ...object, data: { by: 'return' } }
          if (object.metadata.name === 'patched') {
            return {
              allowed: true,
              patch: [{ op: 'add', path: '/data', value: { by: 'patch' } }],
              warnings: ['patched'],
            }
          }
          object.data = { by: 'change' }
          object.metadata.labels = { 'a/b': 'c' }
          return undefined
        },
      },
      { manifests: [configuration('Mutating', '/mutate')] },
    )
    const names = ['returned', 'changed', 'patched']
    for (const name of names) {
      const { warnings } = await server.send('POST', '/api/v1/namespaces/default/configmaps', configMap(name))
      expect(warnings).toEqual(name === 'patched' ? ['patched'] : [])
    }
    const found = await server.list('configmaps', 'default')
    expect(found.map(({ data }) => data.by)).toEqual(['change', 'patch', 'return'])
    expect(found[0]?.metadata.labels).toEqual({ 'a/b': 'c' })
    await server.call('DELETE', '/api/v1/namespaces/default/configmaps/changed')
  })

  it('are found by configurations that were there before, and by those that are applied later', async () => {
    await server.apply(configuration('Validating', '/old'))
    hooks = await server.webhooks.serve({ validate: ({ name }) => `validated ${name}`, mutate: () => undefined })
    await expect(server.apply(configMap('a'))).rejects.toThrow('validated a')
    await server.apply(configuration('Mutating', '/new'))
    await expect(server.apply(configMap('b'))).rejects.toThrow('validated b')
    expect(hooks.calls.map(({ path: at }) => at)).toEqual(['/old', '/new', '/old'])
  })

  it('tell the test what a handler throws', async () => {
    hooks = await server.webhooks.serve(
      { validate: ({ object }) => object.spec.replicas > 1 },
      { manifests: configuration('Validating', '/') },
    )
    await expect(server.apply(configMap('a'))).rejects.toThrow('failed calling webhook')
    await expect(server.settled()).rejects.toThrow(/^the webhook to validate at \/ threw TypeError/)
    expect(hooks.calls).toMatchObject([{ response: undefined }])
  })

  it('convert custom resources', async () => {
    const version = (name: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    })
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boats.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'boats', kind: 'Boat' },
        versions: [version('v1', true), version('v2', false)],
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: service('/convert'), conversionReviewVersions: ['v1'] },
        },
      },
    }
    hooks = await server.webhooks.serve(
      {
        convert: ({ feet, metres, ...boat }, apiVersion) =>
          apiVersion.endsWith('v2') ? { ...boat, metres: feet / 3 } : { ...boat, feet: metres * 3 },
      },
      { manifests: definition },
    )
    await server.apply({ apiVersion: 'example.com/v1', kind: 'Boat', metadata: { name: 'dinghy' }, feet: 12 })
    const boat = await server.call('GET', '/apis/example.com/v2/namespaces/default/boats/dinghy')
    expect(boat).toMatchObject({ apiVersion: 'example.com/v2', metres: 4 })
    expect(hooks.calls.every(({ kind }) => kind === 'convert')).toBe(true)
  })
})

describe('webhooks of the code under test', () => {
  it('are reached at their own address, with a certificate of the test server', async () => {
    const { key, cert, folder } = server.webhooks.certificate()
    expect(readFileSync(path.join(folder(), 'tls.crt'), 'utf8')).toBe(cert)
    const own = https.createServer({ key, cert }, (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const review = JSON.parse(Buffer.concat(chunks).toString())
        const answer = { uid: review.request.uid, allowed: false, status: { message: `at ${request.url}` } }
        response.end(JSON.stringify({ ...review, request: undefined, response: answer }))
      })
    })
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve))
    const { port } = own.address() as AddressInfo
    await server.webhooks.redirect(`https://localhost:${port}/hooks`, configuration('Validating', '/check'))
    await expect(server.apply(configMap('a'))).rejects.toThrow('at /hooks/check?timeout=10s')
    await expect(server.webhooks.redirect('http://localhost')).rejects.toThrow('over https')
    own.closeAllConnections()
    await new Promise((resolve) => own.close(resolve))
  })
})
