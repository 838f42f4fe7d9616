/** A simulated cluster lives on every store: rollouts, claims, jobs, budgets, a restart, a node that is drained. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

const cleanUps: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
})

const stores: Record<string, () => Promise<string[]>> = {
  LMDB: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pilothouse-simulated-'))
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
    return ['--data-dir', folder]
  },
  etcd: async () => {
    const etcd = await EtcdCluster.start(1)
    cleanUps.push(() => etcd.stop())
    return ['--store', 'etcd', '--etcd-servers', etcd.urls.join()]
  },
}

const core = '/api/v1/namespaces/default'
const apps = '/apis/apps/v1/namespaces/default'
const pod = (more: Json = {}): Json => ({
  terminationGracePeriodSeconds: 0,
  containers: [{ name: 'c', image: 'i' }],
  ...more,
})
const template = (app: string, spec: Json = pod()): Json => ({ metadata: { labels: { app } }, spec })
const workload = (app: string, spec: Json): Json => ({
  metadata: { name: app },
  spec: { selector: { matchLabels: { app } }, template: template(app), ...spec },
})

const isReady = ({ metadata, status }: Json): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status.conditions ?? []).some((each: Json) => each.type === 'Ready' && each.status === 'True')

class Cluster {
  readonly #server: TestServer

  constructor(server: TestServer) {
    this.#server = server
  }

  static async start(flags: readonly string[]): Promise<Cluster> {
    return new Cluster(await startTestServer([...flags, '--simulate=nodes=2,seed=7', '--controllers=*']))
  }

  async create(path: string, body: Json): Promise<void> {
    const { status, body: said } = await this.#server.call('POST', path, body)
    expect(status, said.toString()).toBe(201)
  }

  async merge(path: string, patch: Json): Promise<void> {
    const answer = await this.#server.call('PATCH', path, patch, { 'content-type': 'application/merge-patch+json' })
    expect(answer.status, answer.body.toString()).toBe(200)
  }

  evict = (name: string): Promise<number> =>
    this.#server.call('POST', `${core}/pods/${name}/eviction`, { metadata: { name } }).then(({ status }) => status)

  /** Once a budget allows it. */
  async evicted(name: string): Promise<void> {
    let answer = 0
    await until(
      () => `the eviction of ${name}, last answered ${answer}`,
      async () => {
        answer = await this.evict(name)
        return answer === 201
      },
    )
  }

  /** Deleted at once, so that the name is free again. */
  async generatedName(path: string, generateName: string): Promise<string> {
    const { metadata } = (await this.#server.call('POST', path, { metadata: { generateName } })).json()
    await this.remove(`${path}/${metadata.name}`)
    return metadata.name
  }

  /** The least number of ready pods that were there at a time during the work, after all of them were. */
  async leastAvailable(app: string, work: () => Promise<void>): Promise<number> {
    const { metadata, items } = await this.get(`${core}/pods?labelSelector=app=${app}`)
    const query = `labelSelector=app=${app}&watch=1&resourceVersion=${metadata.resourceVersion}`
    const watch = await this.#server.watch(`${core}/pods?${query}`)
    await work()
    watch.close()
    const available = new Set<string>(items.filter(isReady).map((each: Json) => each.metadata.uid))
    const counts = [available.size]
    for (const { type, object } of watch.events) {
      if (type === 'DELETED' || !isReady(object)) available.delete(object.metadata.uid)
      else available.add(object.metadata.uid)
      counts.push(available.size)
    }
    return Math.min(...counts)
  }

  remove = (path: string): Promise<unknown> => this.#server.call('DELETE', path)
  get = async (path: string): Promise<Json> => (await this.#server.call('GET', path)).json()
  pods = async (app: string): Promise<Json[]> => (await this.get(`${core}/pods?labelSelector=app=${app}`)).items
  close = (): Promise<void> => this.#server.close()

  ready(path: string, replicas: number): Promise<unknown> {
    return until(`${replicas} ready pods of ${path}`, async () => {
      const { metadata, status = {} } = await this.get(path)
      const isSeen = status.observedGeneration === metadata.generation
      return (
        isSeen && [status.replicas, status.readyReplicas, status.updatedReplicas].every((each) => each === replicas)
      )
    })
  }
}

describe.each(Object.entries(stores))('on %s', (_, storeFlags) => {
  it('workloads come up, roll out, end, are evicted, and find another node after a restart', async () => {
    const flags = await storeFlags()
    const cluster = await Cluster.start(flags)
    await cluster.create(`${apps}/deployments`, workload('web', { replicas: 3 }))
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }
    const sets = { replicas: 2, serviceName: 'db', volumeClaimTemplates: [claim] }
    await cluster.create(`${apps}/statefulsets`, workload('db', sets))
    const job = {
      template: template(
        'work',
        pod({ restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command: ['true'] }] }),
      ),
    }
    await cluster.create('/apis/batch/v1/namespaces/default/jobs', { metadata: { name: 'work' }, spec: job })
    await cluster.ready(`${apps}/deployments/web`, 3)
    await cluster.ready(`${apps}/statefulsets/db`, 2)
    const jobAt = '/apis/batch/v1/namespaces/default/jobs/work'
    await until('the job to end', async () => (await cluster.get(jobAt)).status.succeeded === 1)
    const claims = (await cluster.get(`${core}/persistentvolumeclaims`)).items
    expect(claims.map(({ metadata, status }: Json) => [metadata.name, status.phase])).toEqual([
      ['data-db-0', 'Bound'],
      ['data-db-1', 'Bound'],
    ])

    await cluster.merge(`${apps}/deployments/web`, { spec: { template: { metadata: { annotations: { turn: '2' } } } } })
    await cluster.ready(`${apps}/deployments/web`, 3)
    await until('the old pods to go', async () => (await cluster.pods('web')).length === 3)

    const budget = { metadata: { name: 'web' }, spec: { minAvailable: 3, selector: { matchLabels: { app: 'web' } } } }
    await cluster.create('/apis/policy/v1/namespaces/default/poddisruptionbudgets', budget)
    const budgetAt = '/apis/policy/v1/namespaces/default/poddisruptionbudgets/web'
    await until('the budget to be counted', async () => (await cluster.get(budgetAt)).status?.currentHealthy === 3)
    const [victim] = await cluster.pods('web')
    expect(await cluster.evict(victim.metadata.name)).toBe(429)
    await cluster.merge(budgetAt, { spec: { minAvailable: 2 } })
    await cluster.evicted(victim.metadata.name)
    await until(
      'the pod to go',
      async () => !(await cluster.pods('web')).some((each) => each.metadata.uid === victim.metadata.uid),
    )
    await cluster.ready(`${apps}/deployments/web`, 3)
    await cluster.close()

    const again = await Cluster.start(flags)
    const [drained] = (await again.pods('web')).map(({ spec }) => spec.nodeName)
    await again.merge(`/api/v1/nodes/${drained}`, { spec: { unschedulable: true } })
    for (const { metadata } of (await again.pods('web')).filter(({ spec }) => spec.nodeName === drained)) {
      await again.evicted(metadata.name)
    }
    await until('all pods on the other node', async () => {
      const pods = await again.pods('web')
      return (
        pods.length === 3 && pods.every(({ spec, status }) => spec.nodeName !== drained && status.phase === 'Running')
      )
    })
    await again.merge(`${apps}/deployments/web/scale`, { spec: { replicas: 5 } })
    await again.ready(`${apps}/deployments/web`, 5)
    await again.close()
  })

  it('the same seed gives the same names on a new store, and others after a restart', async () => {
    const firstNames = async (flags: readonly string[]): Promise<string[]> => {
      const cluster = await Cluster.start(flags)
      const names: string[] = []
      for (let i = 0; i < 3; i++) names.push(await cluster.generatedName(`${core}/configmaps`, 'a-'))
      await cluster.close()
      return names
    }
    const flags = await storeFlags()
    const before = await firstNames(flags)
    expect(await firstNames(await storeFlags())).toEqual(before)
    const after = await firstNames(flags)
    expect(after.filter((name) => before.includes(name))).toEqual([])
  })

  it('a budget is not overspent by evictions that race with its controller', async () => {
    const cluster = await Cluster.start(await storeFlags())
    const budget = { metadata: { name: 'web' }, spec: { minAvailable: 6, selector: { matchLabels: { app: 'web' } } } }
    await cluster.create('/apis/policy/v1/namespaces/default/poddisruptionbudgets', budget)
    await cluster.create(`${apps}/deployments`, workload('web', { replicas: 8 }))
    await cluster.ready(`${apps}/deployments/web`, 8)
    const available = await cluster.leastAvailable('web', async () => {
      for (let gone = 0; gone < 60; ) {
        const pods = await cluster.pods('web')
        const answers = await Promise.all(pods.map(({ metadata }) => cluster.evict(metadata.name)))
        gone += answers.filter((answer) => answer === 201).length
      }
    })
    await cluster.close()
    expect(available).toBe(6)
  })
})
