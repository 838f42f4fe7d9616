// What a WebSocket to a pod needs since v1.35 is the permission to create: `get` alone opens none.
export default async (t) => {
  const ns = await t.namespace()
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}`
  const accounts = `/api/v1/namespaces/${ns}/serviceaccounts`
  const pods = `/api/v1/namespaces/${ns}/pods`
  await t.post(
    pods,
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    { quiet: true },
  )
  const tokens = {}
  for (const [name, verbs] of Object.entries({ reader: ['get'], maker: ['get', 'create'] })) {
    await t.post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } }, { quiet: true })
    const made = await t.post(
      `${accounts}/${name}/token`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      { quiet: true },
    )
    tokens[name] = made.body.status.token
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name } }
    const resources = ['pods', 'pods/exec', 'pods/attach', 'pods/portforward', 'pods/log', 'pods/proxy']
    await t.post(`${rbac}/roles`, { ...role, rules: [{ apiGroups: [''], resources, verbs }] }, { quiet: true })
    await t.post(
      `${rbac}/rolebindings`,
      {
        ...role,
        kind: 'RoleBinding',
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: [{ kind: 'ServiceAccount', name, namespace: ns }],
      },
      { quiet: true },
    )
    await t.until(async () => (await t.get(`${pods}/p`, { quiet: true, token: tokens[name] })).status === 200)
  }
  for (const token of [tokens.reader, tokens.maker]) {
    for (const subresource of ['exec?command=ls', 'attach', 'portforward?ports=80', 'log', 'proxy/']) {
      await t.get(`${pods}/p/${subresource}`, { token })
    }
    await t.post(`${pods}/p/exec?command=ls`, undefined, { token })
    await t.get(`${pods}/none/exec?command=ls`, { token })
  }
}
