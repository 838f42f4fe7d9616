import path from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import { type ApiObject, startServer, type TestServer, tidy } from 'pilothouse-apiserver/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { WebsiteOperator } from './operator.ts'

let server: TestServer
let operator: WebsiteOperator

beforeAll(async () => {
  server = await startServer()
  await server.apply(path.join(import.meta.dirname, 'website-crd.yaml'))
  server.snapshot('with the definition')
})
afterAll(() => server.close())

beforeEach(async () => {
  await server.reset('with the definition')
  const config = new KubeConfig()
  config.loadFromString(server.kubeconfig().yaml())
  operator = new WebsiteOperator(config)
  await operator.start()
})
afterEach(() => operator.stop())

const website = (name: string, image: string): ApiObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Website',
  metadata: { name },
  spec: { image },
})

const hasImage =
  (image: string) =>
  ({ spec }: ApiObject): boolean =>
    spec?.template.spec.containers[0].image === image

it('makes a deployment for a website', async () => {
  await server.apply(website('shop', 'shop:1'))
  const deployment = await server.waitFor('deployments', hasImage('shop:1'))
  expect(tidy(deployment)).toMatchObject({
    metadata: { name: 'shop', ownerReferences: [{ kind: 'Website', name: 'shop' }] },
    spec: { replicas: 1, selector: { matchLabels: { website: 'shop' } } },
  })
  const { status } = await server.waitFor('websites', (object) => object['status'] !== undefined)
  expect(status).toEqual({ observedGeneration: 1, deployment: 'shop' })
})

it('follows changes', async () => {
  await server.apply(website('shop', 'shop:1'))
  await server.waitFor('deployments', hasImage('shop:1'))
  await server.apply(website('shop', 'shop:2'))
  await server.waitFor('deployments', hasImage('shop:2'))
})

it('tries again when the server fails', async () => {
  const fault = server.faults.add({ verb: 'patch', resource: 'deployments.apps', error: 500, times: 2 })
  await server.apply(website('shop', 'shop:1'))
  await server.waitFor('deployments', hasImage('shop:1'))
  expect(fault.hits).toBe(2)
})

it('does not mind that an answer got lost', async () => {
  server.faults.add({ verb: 'patch', resource: 'deployments.apps', cut: 'after', times: 1 })
  await server.apply(website('shop', 'shop:1'))
  await server.waitFor('websites', ({ status }) => status?.observedGeneration === 1)
  expect(await server.list('deployments')).toHaveLength(1)
})

it('goes on when its watch breaks', async () => {
  await server.requests.waitFor({ verb: 'list', resource: 'websites.example.com' })
  while (server.watches.break('cut', { resource: 'websites.example.com' }) === 0) {
    await new Promise((later) => setTimeout(later, 5))
  }
  await server.apply(website('shop', 'shop:1'))
  await server.waitFor('deployments', hasImage('shop:1'))
})

it('leaves nothing behind when the website goes', async () => {
  await server.apply(website('shop', 'shop:1'))
  await server.waitFor('deployments', hasImage('shop:1'))
  await server.call('DELETE', '/apis/example.com/v1/namespaces/default/websites/shop')
  await server.waitForNone('deployments')
})

it('writes nothing when there is nothing to do', async () => {
  await server.apply(website('shop', 'shop:1'))
  await server.waitFor('websites', ({ status }) => status?.observedGeneration === 1)
  server.requests.clear()
  await server.call(
    'PATCH',
    '/apis/example.com/v1/namespaces/default/websites/shop',
    { metadata: { labels: { seen: 'yes' } } },
    { headers: { 'content-type': 'application/merge-patch+json' } },
  )
  await server.settled()
  expect(server.requests.filter({ verb: ['create', 'update', 'patch'] })).toEqual([])
})
