/** The gate CoordinatedLeaderElection: candidates that answer their pings, and the Lease that the server gives them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

const group = '/apis/coordination.k8s.io'
const candidates = `${group}/v1beta1/namespaces/default/leasecandidates`
const leases = `${group}/v1/namespaces`
const merge = { 'content-type': 'application/merge-patch+json' }
const now = (): string => new Date().toISOString().replace('Z', '000Z')

const gates = ['--feature-gates=CoordinatedLeaderElection=true', '--runtime-config=coordination.k8s.io/v1beta1=true']

let server: TestServer
let answering: Promise<void> = Promise.resolve()
let isOver = false

beforeAll(async () => {
  server = await startTestServer(['--store', 'memory', ...gates])
  answering = answerPings()
})
afterAll(async () => {
  isOver = true
  await answering
  await server.close()
})

const stand = (name: string, emulationVersion: string): Promise<unknown> =>
  server.call('POST', candidates, {
    metadata: { name },
    spec: {
      leaseName: 'work',
      renewTime: now(),
      binaryVersion: '1.33.0',
      emulationVersion,
      strategy: 'OldestEmulationVersion',
    },
  })

/** As clients do: whoever is pinged renews. */
async function answerPings(): Promise<void> {
  while (!isOver) {
    const { items } = (await server.call('GET', candidates)).json()
    for (const { metadata, spec } of items) {
      if (spec.pingTime === undefined || spec.renewTime >= spec.pingTime) continue
      await server.call('PATCH', `${candidates}/${metadata.name}`, { spec: { renewTime: now() } }, merge)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const leaseSpec = async (namespace: string, name: string): Promise<Json> =>
  (await server.call('GET', `${leases}/${namespace}/leases/${name}`)).json().spec

it('elects the candidate of the oldest emulated version, and asks its holder to make way', async () => {
  await until('this server to elect', () => leaseSpec('kube-system', 'leader-election-controller'))
  await stand('new', '1.33.0')
  const first = await until('a holder', () => leaseSpec('default', 'work'))
  expect(first).toMatchObject({ holderIdentity: 'new', strategy: 'OldestEmulationVersion', leaseDurationSeconds: 5 })
  // The holder keeps it for as long as this test may take.
  const held = { renewTime: now(), leaseDurationSeconds: 3600 }
  await server.call('PATCH', `${leases}/default/leases/work`, { spec: held }, merge)
  await stand('old', '1.32.0')
  const next = await until('the older one to be preferred', async () => {
    const spec = await leaseSpec('default', 'work')
    return spec.preferredHolder === undefined ? undefined : spec
  })
  expect([next.holderIdentity, next.preferredHolder]).toEqual(['new', 'old'])
  await server.call('PATCH', `${leases}/default/leases/work`, { spec: { holderIdentity: null } }, merge)
  await until('the older one to hold it', async () => (await leaseSpec('default', 'work')).holderIdentity === 'old')
})

describe('two servers', () => {
  let etcd: EtcdCluster
  let servers: TestServer[] = []
  beforeAll(async () => {
    etcd = await EtcdCluster.start()
    const flags = ['--store', 'etcd', '--etcd-servers', etcd.urls.join(','), ...gates]
    servers = [await startTestServer(flags), await startTestServer(flags)]
  })
  afterAll(async () => {
    await Promise.all(servers.map((each) => each.close()))
    await etcd.stop()
  })

  const read = async (at: TestServer, namespace: string, name: string): Promise<Json> =>
    (await at.call('GET', `${leases}/${namespace}/leases/${name}`)).json().spec
  const put = (at: TestServer, name: string, leaseName: string): Promise<unknown> =>
    at.call('POST', candidates, {
      metadata: { name },
      spec: {
        leaseName,
        renewTime: now(),
        binaryVersion: '1.33.0',
        emulationVersion: '1.33.0',
        strategy: 'OldestEmulationVersion',
      },
    })

  it('elect one leader, whichever is asked, and go on when the one that elects stops', async () => {
    const [first, second] = servers as [TestServer, TestServer]
    const elector = 'leader-election-controller'
    const before = await until('one to elect', () => read(first, 'kube-system', elector))
    await put(first, 'a', 'shared')
    await put(second, 'b', 'shared')
    const { holderIdentity } = await until('a holder', () => read(first, 'default', 'shared'))
    expect(['a', 'b']).toContain(holderIdentity)
    expect(await read(second, 'default', 'shared')).toMatchObject({ holderIdentity })
    // The elector is one of them, and stays so while it lives.
    expect((await read(second, 'kube-system', elector)).holderIdentity).toBe(before.holderIdentity)
    await first.stop()
    await put(second, 'c', 'later')
    await until('the other to elect', async () => (await read(second, 'default', 'later'))?.holderIdentity === 'c')
    expect((await read(second, 'kube-system', elector)).holderIdentity).not.toBe('')
  })
})
