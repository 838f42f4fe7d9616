// Quotas are never overrun, however many creates run at once, on every store and on two servers that share one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function serverWith(flags: string[]): Promise<TestServer> {
  const server = await startTestServer([...flags, '--disable-admission-plugins', 'ServiceAccount'])
  closing.push(() => server.close())
  return server
}

const quotas = '/api/v1/namespaces/race/resourcequotas'
const cms = '/api/v1/namespaces/race/configmaps'

/** A namespace with a quota of ten, once the server has counted what is there. */
async function prepare(server: TestServer, hard: Json): Promise<void> {
  await server.call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'race' } })
  await server.call('POST', quotas, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'ten' },
    spec: { hard },
  })
  const names = Object.keys(hard)
  await until('the quota to be counted', async () => {
    const { status } = (await server.call('GET', `${quotas}/ten`)).json()
    return names.every((name) => status?.hard?.[name] !== undefined && status?.used?.[name] !== undefined)
  })
}

const configMap = (name: string): Json => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })

async function race(servers: readonly TestServer[]): Promise<number[]> {
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => servers[i % servers.length]!.call('POST', cms, configMap(`c-${i}`))),
  )
  return answers.map(({ status }) => status)
}

function expectTen(statuses: readonly number[]): void {
  expect(statuses.filter((status) => status === 201)).toHaveLength(10)
  expect(statuses.filter((status) => status === 403)).toHaveLength(90)
}

/** Objects of the quota's kind that the server itself puts into a namespace count as well. */
async function room(server: TestServer): Promise<number> {
  return ((await server.call('GET', cms)).json().items as Json[]).length
}

describe('a race of 100 creates for a quota of 10', () => {
  const stores: [string, () => string[]][] = [
    ['memory', () => ['--store', 'memory']],
    [
      'lmdb',
      () => {
        const folder = mkdtempSync(join(tmpdir(), 'quota-'))
        closing.push(() => rmSync(folder, { recursive: true, force: true }))
        return ['--store', 'lmdb', '--data-dir', folder]
      },
    ],
  ]

  it.each(stores)('%s', async (_, flags) => {
    const server = await serverWith(flags())
    await prepare(server, { 'count/configmaps': '10' })
    expect(await room(server)).toBe(0)
    expectTen(await race([server]))
    expect(await room(server)).toBe(10)
    expect((await server.call('GET', `${quotas}/ten`)).json().status.used).toEqual({ 'count/configmaps': '10' })
  })

  it('etcd, and two servers with one etcd', async () => {
    const etcd = await EtcdCluster.start()
    closing.push(() => etcd.stop())
    const flags = ['--etcd-servers', etcd.urls.join(',')]
    const alone = await serverWith([...flags, '--etcd-prefix', '/alone'])
    await prepare(alone, { 'count/configmaps': '10' })
    expectTen(await race([alone]))
    expect(await room(alone)).toBe(10)
    const [one, two] = [await serverWith(flags), await serverWith(flags)]
    await prepare(one, { 'count/configmaps': '10' })
    const quotaOfTwo = async () => (await two.call('GET', `${quotas}/ten`)).json().status?.hard !== undefined
    await until('the quota on the other server', quotaOfTwo)
    expectTen(await race([one, two]))
    expect(await room(one)).toBe(10)
  })
})

describe('what goes gives back', () => {
  it('counts again after deletions', async () => {
    const server = await serverWith(['--store', 'memory'])
    await prepare(server, { 'count/configmaps': '1' })
    expect((await server.call('POST', cms, configMap('a'))).status).toBe(201)
    expect((await server.call('POST', cms, configMap('b'))).status).toBe(403)
    await server.call('DELETE', `${cms}/a`)
    await until('room', async () => (await server.call('POST', cms, configMap('b'))).status === 201)
  })

  it('charges every resource of a pod, and asks for what it counts', async () => {
    const server = await serverWith(['--store', 'memory'])
    await prepare(server, { pods: '5', 'requests.cpu': '1', 'limits.memory': '1Gi' })
    const pod = (name: string, resources: Json): Json => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'c', image: 'x', resources }] },
    })
    const pods = '/api/v1/namespaces/race/pods'
    const without = await server.call('POST', pods, pod('none', {}))
    expect(without.json().message).toContain(
      'failed quota: ten: must specify limits.memory for: c; requests.cpu for: c',
    )
    const fits = { requests: { cpu: '600m' }, limits: { memory: '100Mi' } }
    expect((await server.call('POST', pods, pod('a', fits))).status).toBe(201)
    const over = await server.call('POST', pods, pod('b', fits))
    expect(over.json().message).toContain(
      'exceeded quota: ten, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    )
  })
})
