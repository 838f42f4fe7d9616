import path from 'node:path'
import { type ApiObject, startServer, type TestServer } from 'pilothouse-apiserver/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'

const chart = (file: string): string => path.join(import.meta.dirname, 'chart', file)
const second = 1000
const hour = 3600 * second

let server: TestServer

beforeAll(async () => {
  server = await startServer({ simulate: { nodes: 3, seed: 1 } })
  // As Helm does it: the hook first, and the rest when it has succeeded.
  await server.apply(chart('migrate.yaml'))
  await server.waitFor('jobs', ({ metadata, status }) => metadata?.name === 'migrate' && status?.succeeded === 1)
  await server.apply(chart('database.yaml'))
  await server.apply(chart('web.yaml'))
  await server.settled()
})
afterAll(() => server.close())

const status = async (resource: string, name: string): Promise<ApiObject> => (await server.get(resource, name))?.status

it('comes up: pods that run, claims that are bound, endpoints', async () => {
  expect(await status('deployments', 'web')).toMatchObject({ readyReplicas: 2, availableReplicas: 2 })
  expect(await status('statefulsets', 'database')).toMatchObject({ readyReplicas: 2 })
  const claims = await server.list('persistentvolumeclaims', 'default')
  expect(claims.map(({ metadata, status }) => `${metadata?.name} ${status.phase}`)).toEqual([
    'data-database-0 Bound',
    'data-database-1 Bound',
  ])
  const [slice] = (await server.list('endpointslices', 'default')).filter(
    ({ metadata }) => metadata?.labels?.['kubernetes.io/service-name'] === 'web',
  )
  expect(slice?.endpoints.map(({ conditions }: ApiObject) => conditions.ready)).toEqual([true, true])
})

it('obeys its disruption budget', async () => {
  expect(await status('poddisruptionbudgets', 'web')).toMatchObject({ disruptionsAllowed: 1, expectedPods: 2 })
  const pods = (await server.list('pods', 'default')).filter(({ metadata }) => metadata?.labels?.['app'] === 'web')
  const evict = (pod: ApiObject | undefined): Promise<ApiObject> => {
    const { name, namespace } = pod?.metadata ?? {}
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } }
    return server.call('POST', `/api/v1/namespaces/default/pods/${name}/eviction`, eviction)
  }
  await evict(pods[0])
  await expect(evict(pods[1])).rejects.toMatchObject({ status: 429 })
  await server.clock.advance(60 * second)
  expect(await status('poddisruptionbudgets', 'web')).toMatchObject({ disruptionsAllowed: 1 })
})

it('grows under load', async () => {
  const headers = { 'content-type': 'application/merge-patch+json' }
  const busy = { metadata: { annotations: { 'metrics.simulate.pilothouse.dev/cpu': '150m' } } }
  await server.call('PATCH', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web', busy, { headers })
  await server.clock.advance(120 * second)
  expect((await server.get('deployments', 'web'))?.spec.replicas).toBe(6)
})

// More than a day of the cluster's life.
it('reports every night', async () => {
  await server.clock.advance(25 * hour)
  await server.settled()
  const reports = await server.events({ kind: 'CronJob', name: 'report', reason: 'SuccessfulCreate' })
  expect((await status('cronjobs', 'report')).lastSuccessfulTime).toMatch(/T03:00:/)
  expect(
    (await server.list('jobs', 'default')).filter(({ metadata }) => metadata?.name?.startsWith('report-')),
  ).toHaveLength(1)
  // Events are kept for an hour.
  expect(reports.length).toBeLessThanOrEqual(1)
}, 30_000)
