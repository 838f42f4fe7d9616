/** Servers of the default and of later releases, side by side in one process: each answers as its own release. */
import { get } from 'node:https'
import { text } from 'node:stream/consumers'
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

test('watches of shards see every object once between them, and are counted', async () => {
  await using server = await startServer({
    release: '1.36',
    flags: ['--feature-gates=ShardedListAndWatch=true'],
    tls: false,
  })
  const read = async (of: string): Promise<string> =>
    (await fetch(server.url + of, { headers: { authorization: `Bearer ${server.token}` } })).text()
  const path = '/api/v1/namespaces/default/configmaps'
  const bounds = ['0x0000000000000000', '0x5555555555555555', '0xaaaaaaaaaaaaaaaa', '0x10000000000000000']
  const selectors = [0, 1, 2].map((i) => `shardRange(object.metadata.uid, '${bounds[i]}', '${bounds[i + 1]}')`)
  const names = Array.from({ length: 30 }, (_, i) => `object-${i}`)
  for (const name of names) await server.send('POST', path, { metadata: { name } })
  for (const name of names) await server.send('PUT', `${path}/${name}`, { metadata: { name }, data: { a: 'b' } })
  for (const name of names) await server.send('DELETE', `${path}/${name}`)
  const { body: empty } = await server.send<{ metadata: { resourceVersion: string } }>('GET', path)
  const until = Number(empty.metadata.resourceVersion)
  const seen: { type: string; name: string; uid: string; shard: number }[] = []
  for (const [shard, selector] of selectors.entries()) {
    const query = `watch=true&resourceVersion=2&allowWatchBookmarks=true&timeoutSeconds=1&shardSelector=${encodeURIComponent(selector)}`
    const text = await read(`${path}?${query}`)
    for (const line of text.trim().split('\n')) {
      const { type, object } = JSON.parse(line) as {
        type: string
        object: { metadata: { name: string; uid: string; resourceVersion: string } }
      }
      expect(Number(object.metadata.resourceVersion)).toBeLessThanOrEqual(until)
      if (type !== 'BOOKMARK') seen.push({ type, shard, ...object.metadata })
    }
  }
  for (const name of names) {
    const events = seen.filter((event) => event.name === name)
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
    expect(new Set(events.map(({ shard }) => shard)).size).toBe(1)
  }
  expect(new Set(seen.map(({ shard }) => shard)).size).toBe(3)
  const page = await read('/metrics')
  expect(page).toContain('apiserver_watch_shards_total{group="",resource="configmaps"} 0')
  expect(page).toMatch(/apiserver_watch_filtered_events_total\{group="",resource="configmaps"\} [1-9]/)
})

test.each([
  ['1.34', undefined],
  ['1.36', { 'f:size': {} }],
])('%s: a status leaves the spec to whoever owns it in another version', async (release, expected) => {
  const server = at(release)
  const version = (name: string) => ({
    name,
    served: true,
    storage: name === 'v2',
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
      },
    },
  })
  await server.apply({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'owned.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'owned', kind: 'Owned' },
      versions: [version('v1'), version('v2')],
    },
  })
  const path = (name: string) => `/apis/example.com/${name}/namespaces/default/owned/a`
  const object = { apiVersion: 'example.com/v1', kind: 'Owned', metadata: { name: 'a' }, spec: { size: 6 } }
  const apply = { headers: { 'content-type': 'application/apply-patch+yaml' } }
  await expect
    .poll(async () => (await server.send('PATCH', `${path('v1')}?fieldManager=one`, object, apply)).status)
    .toBe(201)
  const merge = { headers: { 'content-type': 'application/merge-patch+json' } }
  const { body } = await server.send<{ metadata: { managedFields?: { fieldsV1: Record<string, unknown> }[] } }>(
    'PATCH',
    `${path('v2')}/status`,
    { spec: { size: 4 } },
    merge,
  )
  expect(body.metadata.managedFields?.[0]?.fieldsV1['f:spec']).toEqual(expected)
})

test.each([
  ['1.33', false],
  ['1.34', true],
  ['1.36', true],
])('%s counts objects by group, and tells its versions: %s', async (release, isShown) => {
  const server = at(release)
  const page = await new Promise<string>((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.token}` }
    const asked = get(`${server.url}/metrics`, { ca: server.ca, headers }, (answer) =>
      text(answer).then(resolve, reject),
    )
    asked.on('error', reject)
  })
  const minor = Number(release.slice(2))
  expect(/apiserver_resource_objects\{group="",resource="namespaces"\} [1-9]/.test(page)).toBe(isShown)
  expect(/apiserver_resource_size_estimate_bytes\{group="",resource="namespaces"\} \d+/.test(page)).toBe(isShown)
  // Labels that name a resource name its group apart since 1.34.
  const [before, since] = ['{resource="namespaces"}', '{group="",resource="namespaces"}']
  expect(page).toContain(`apiserver_watch_cache_resource_version${isShown ? since : before}`)
  expect(page).toContain(
    isShown
      ? 'etcd_requests_total{operation="create",group="",resource="'
      : 'etcd_requests_total{operation="create",type="',
  )
  const versions = `,emulation="${release}",min_compat="1.${minor - 1}"} 1`
  expect(page.includes(versions)).toBe(isShown)
})

test('a server for older ones stores what they know, and takes no expression that they cannot read', async () => {
  const flags = ['--min-compatibility-version=1.33']
  await using server = await startServer({ release: '1.36', flags })
  const hashes = async (from: Server) => {
    const { body } = await from.send<{ resources: { name: string; storageVersionHash?: string }[] }>(
      'GET',
      '/apis/resource.k8s.io/v1',
    )
    return body.resources.find(({ name }) => name === 'resourceclaims')?.storageVersionHash
  }
  expect(await hashes(server)).not.toBe(await hashes(at('1.36')))
  const path = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims'
  expect((await server.send('POST', path, { ...claim, metadata: { name: 'older' } })).status).toBe(201)
  const { body } = await server.send<typeof claim>('GET', `${path}/older`)
  expect(body.spec.devices.requests).toMatchObject([{ name: 'r', exactly: { deviceClassName: 'k', count: 2 } }])

  const policy = (expression: string) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      validations: [{ expression }],
    },
  })
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All'
  const statuses = async (from: Server, expression: string) =>
    (await from.send('POST', policies, policy(expression))).status
  const asked = ['[2, 1].sort() == [1, 2]', "isSemver('1.2.3')"]
  expect(await Promise.all(asked.map((each) => statuses(server, each)))).toEqual([422, 201])
  expect(await Promise.all(asked.map((each) => statuses(at('1.36'), each)))).toEqual([201, 201])
})
