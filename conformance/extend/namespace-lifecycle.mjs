// Namespaces and what may be made in them: missing, terminating, and the ones that cannot be deleted.
import { stable } from '../support/picks.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const cm = (name, metadata = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } })
  const cms = `/api/v1/namespaces/${ns}/configmaps`

  await t.post('/api/v1/namespaces/ext-missing/configmaps', cm('a'))
  await t.post('/api/v1/namespaces/ext-missing/configmaps?dryRun=All', cm('a'))
  await t.apply('/api/v1/namespaces/ext-missing/configmaps/a', cm('a'), 'ext-manager')
  await t.get('/api/v1/namespaces/ext-missing/configmaps', { pick: stable })
  await t.get('/api/v1/namespaces/ext-missing/configmaps/a')
  await t.delete('/api/v1/namespaces/ext-missing/configmaps/a')
  await t.post('/apis/apps/v1/namespaces/ext-missing/deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
  })
  for (const name of ['default', 'kube-system', 'kube-public']) await t.delete(`/api/v1/namespaces/${name}`)
  await t.delete('/api/v1/namespaces/default?dryRun=All')
  await t.delete('/api/v1/namespaces')

  // A finalizer keeps the namespace terminating.
  await t.post(cms, cm('held', { finalizers: ['ext.conformance.example.com/hold'] }), { quiet: true })
  await t.delete(`/api/v1/namespaces/${ns}`, undefined, {
    pick: (b) => stable({ ...b, status: { phase: b.status?.phase } }),
  })
  await t.until(async () =>
    (await t.get(`/api/v1/namespaces/${ns}`, { quiet: true })).body.status?.conditions?.some(
      (c) => c.type === 'NamespaceFinalizersRemaining' && c.status === 'True',
    ),
  )
  await t.post(cms, cm('late'))
  await t.apply(`${cms}/late`, cm('late'), 'ext-manager')
  await t.mergePatch(
    `${cms}/held`,
    { data: { still: 'writable' } },
    {
      pick: (b) => ({
        data: b.data,
        finalizers: b.metadata?.finalizers,
        deleting: Boolean(b.metadata?.deletionTimestamp),
      }),
    },
  )
  await t.get(`/api/v1/namespaces/${ns}`, {
    pick: (b) => ({
      spec: b.spec,
      phase: b.status.phase,
      conditions: b.status.conditions?.filter((c) => /Remaining/.test(c.type)),
    }),
  })
  await t.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } })
  await t.delete(`/api/v1/namespaces/${ns}`, undefined, { pick: (b) => ({ kind: b.kind, phase: b.status?.phase }) })
  await t.mergePatch(`${cms}/held`, { metadata: { finalizers: null } }, { quiet: true })
  await t.until(async () => (await t.get(`/api/v1/namespaces/${ns}`, { quiet: true })).status === 404)
  await t.get(`/api/v1/namespaces/${ns}`)
  await t.post(cms, cm('gone'))
}
