// ResourceQuota at admission: unknown status, counted objects, compute sums, exceeded and missing values, and objects that are refused.
// No controller fills in the status here, so the scenario writes it.
import { settle, stable, unordered } from '../support/picks.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const quotas = `/api/v1/namespaces/${ns}/resourcequotas`
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const pods = `/api/v1/namespaces/${ns}/pods`
  const quota = (name, spec, status) => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name },
    spec,
    ...(status ? { status } : {}),
  })
  const cm = (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
  const pod = (name, resources = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'x', resources }] },
  })
  const pick = (b) => (b.kind === 'Status' ? b : { kind: b.kind, name: b.metadata.name })
  const fill = (name, hard, used) =>
    t.mergePatch(
      `${quotas}/${name}/status`,
      { status: { hard, used } },
      { pick: (b) => ({ spec: b.spec, status: b.status, message: b.message }) },
    )
  const until = (probe, status) => settle(t, async () => (await probe()).status === status)

  await t.post(quotas, quota('objects', { hard: { 'count/configmaps': '2' } }), { pick: stable })
  // While the status says nothing, nothing is limited.
  await t.post(cms, cm('a'), { pick })
  await fill('objects', { 'count/configmaps': '2' }, { 'count/configmaps': '2' })
  await until(() => t.post(`${cms}?dryRun=All`, cm('probe'), { quiet: true }), 403)
  await t.post(cms, cm('b'), { pick })
  await fill('objects', { 'count/configmaps': '2' }, { 'count/configmaps': '1' })
  await until(() => t.post(`${cms}?dryRun=All`, cm('probe'), { quiet: true }), 201)
  await t.post(cms, cm('b'), { pick })
  await settle(
    t,
    async () => (await t.get(`${quotas}/objects`, { quiet: true })).body.status.used?.['count/configmaps'] === '2',
  )
  await t.get(`${quotas}/objects`, { pick: (b) => b.status })
  await t.post(cms, cm('c'), { pick })
  await t.post(`${cms}?dryRun=All`, cm('c'), { pick })
  await t.mergePatch(`${cms}/a`, { data: { k: 'v' } }, { pick })

  // Compute resources: they must be given once a quota asks for them.
  const hard = { pods: '2', 'requests.cpu': '1', 'limits.memory': '1Gi' }
  await t.post(quotas, quota('compute', { hard }), { pick: stable })
  await fill('compute', hard, { pods: '0', 'requests.cpu': '0', 'limits.memory': '0' })
  await settle(t, async () =>
    (await t.post(`${pods}?dryRun=All`, pod('probe'), { quiet: true })).body.message?.includes('must specify'),
  )
  await t.post(pods, pod('none'), { pick })
  await t.post(pods, pod('big', { requests: { cpu: '1500m' }, limits: { memory: '1Gi' } }), { pick })
  await t.post(pods, pod('a', { requests: { cpu: '600m' }, limits: { memory: '100Mi' } }), { pick })
  await t.post(pods, pod('b', { requests: { cpu: '600m' }, limits: { memory: '100Mi' } }), { pick })
  await settle(t, async () => (await t.get(`${quotas}/compute`, { quiet: true })).body.status.used?.pods === '1')
  await t.get(`${quotas}/compute`, { pick: (b) => b.status })

  // Refused objects.
  await t.post(quotas, quota('bad', { hard: { 'not valid!': '1', cpu: '-1', pods: '1.5' } }), { pick: unordered })
  await t.post(
    quotas,
    quota('bad', { hard: { cpu: '1' }, scopes: ['BestEffort', 'Terminating', 'NotTerminating', 'Odd'] }),
    { pick: unordered },
  )
  await t.mergePatch(`${quotas}/compute`, { spec: { scopes: ['Terminating'] } })
}
