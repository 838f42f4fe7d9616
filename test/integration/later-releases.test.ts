/** Servers of the default and of later releases, side by side in one process: each answers as its own release. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer } from '../../src/testing/testing.ts'

const releases = ['1.33', '1.34', '1.36'] as const
type Server = Awaited<ReturnType<typeof startServer>>
const servers = new Map<string, Server>()
const at = (release: string): Server => servers.get(release) as Server

beforeAll(async () => {
  for (const release of releases) servers.set(release, await startServer({ release }))
})

afterAll(async () => {
  for (const server of servers.values()) await server.close()
})

test.each(releases)('/version says %s', async (release) => {
  const { body } = await at(release).send<{ major: string; minor: string; gitVersion: string }>('GET', '/version')
  expect(`${body.major}.${body.minor}`).toBe(release)
  expect(body.gitVersion).toContain(`v${release}.`)
})

const claim = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'c' },
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'k', count: 2 } }] } },
}

test.each(['1.34', '1.36'])('%s keeps what it is given in a version that is new', async (release) => {
  const path = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims'
  expect((await at(release).send('POST', path, claim)).status).toBe(201)
  const { body } = await at(release).send<typeof claim>('GET', `${path}/c`)
  expect(body.apiVersion).toBe('resource.k8s.io/v1')
  expect(body.spec.devices.requests).toEqual([
    { name: 'r', exactly: { deviceClassName: 'k', allocationMode: 'ExactCount', count: 2 } },
  ])
})

test('the default release does not know it', async () => {
  const { status } = await at('1.33').send('GET', '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims')
  expect(status).toBe(404)
})

test.each([
  ['1.33', 'map[string]string{"a":"b"}'],
  ['1.34', '{"a":"b"}'],
  ['1.36', '{"a":"b"}'],
])('%s quotes %s', async (release, shown) => {
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'x' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  }
  const path = '/apis/apps/v1/namespaces/default/deployments'
  const { status, body } = await at(release).send<{ message: string }>('POST', path, deployment)
  expect(status).toBe(422)
  expect(body.message).toContain(`spec.template.metadata.labels: Invalid value: ${shown}: `)
})

test.each([
  ['1.33', true],
  ['1.34', false],
])('the template of a workload has a creationTimestamp of null in %s: %s', async (release, hasTime) => {
  const path = '/apis/apps/v1/namespaces/default/replicasets'
  const { body } = await at(release).send<{ spec: { template: { metadata: object } } }>('POST', path, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'r' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  })
  expect('creationTimestamp' in body.spec.template.metadata).toBe(hasTime)
})
