// Server-side apply needs patch to edit and create to make; a dry run needs what the real request needs.
export default async (t) => {
  const ns = await t.namespace()
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}`
  const grant = async (user, verbs) => {
    await t.post(
      `${rbac}/roles`,
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: user },
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs }],
      },
      { quiet: true },
    )
    await t.post(
      `${rbac}/rolebindings`,
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: user },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      },
      { quiet: true },
    )
  }
  const as = (user, more) => ({
    headers: { 'impersonate-user': user },
    pick: (b) => (b.kind === 'Status' ? b : { kind: b.kind, data: b.data }),
    ...more,
  })
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, v) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { v } })
  await grant('spec-patcher', ['patch'])
  await grant('spec-maker', ['patch', 'create'])
  await grant('spec-creator', ['create'])
  await t.post(url, cm('there', '1'), { quiet: true })
  const takesEffect = (user, send) =>
    t
      .until(async () => (await send({ headers: { 'impersonate-user': user }, quiet: true })).status < 300, 8000)
      .catch(() => {})
  await takesEffect('spec-patcher', (o) => t.mergePatch(`${url}/there?dryRun=All`, {}, o))
  await takesEffect('spec-maker', (o) => t.apply(`${url}/probe?dryRun=All`, cm('probe', '1'), 'spec', o))
  await takesEffect('spec-creator', (o) => t.post(`${url}?dryRun=All`, cm('probe', '1'), o))

  // Only patch: existing objects can be applied, new ones cannot.
  await t.apply(`${url}/there`, cm('there', '2'), 'spec-patcher', as('spec-patcher', { force: true }))
  await t.apply(`${url}/new`, cm('new', '1'), 'spec-patcher', as('spec-patcher'))
  await t.apply(`${url}/new?dryRun=All`, cm('new', '1'), 'spec-patcher', as('spec-patcher'))
  // With both, both.
  await t.apply(`${url}/new`, cm('new', '1'), 'spec-maker', as('spec-maker'))
  await t.apply(`${url}/new`, cm('new', '2'), 'spec-maker', as('spec-maker'))
  // Only create is not enough for apply.
  await t.apply(`${url}/other`, cm('other', '1'), 'spec-creator', as('spec-creator'))
  await t.post(url, cm('other', '1'), as('spec-creator'))
  // A dry run is authorized like the request itself.
  await t.post(`${url}?dryRun=All`, cm('third', '1'), as('spec-creator'))
  await t.post(`${url}?dryRun=All`, cm('third', '1'), as('spec-patcher'))
  await t.mergePatch(`${url}/there?dryRun=All`, { data: { v: '3' } }, as('spec-creator'))
  await t.put(`${url}/there?dryRun=All`, cm('there', '3'), as('spec-maker'))
  await t.delete(`${url}/there?dryRun=All`, undefined, as('spec-maker'))
  await t.delete(`${url}?dryRun=All`, undefined, as('spec-maker'))
}
