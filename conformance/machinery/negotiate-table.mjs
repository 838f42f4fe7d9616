// Tables: columns and rows for lists and single objects, includeObject, and where a Table cannot be had.
export default async (t) => {
  const ns = await t.namespace()
  const base = `/api/v1/namespaces/${ns}`
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  await t.post(
    `${base}/configmaps`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { x: '1' } }, data: { k: 'v', l: 'w' } },
    { quiet: true },
  )
  await t.post(`${base}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }, { quiet: true })
  await t.post(
    `${base}/secrets`,
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { k: 'v' } },
    { quiet: true },
  )
  await t.post(
    `${base}/pods`,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: {
        containers: [
          { name: 'c', image: 'i' },
          { name: 'd', image: 'i' },
        ],
      },
    },
    { quiet: true },
  )
  // Ages depend on the clock; a list's own version depends on the rest of the server.
  const tidy = (b) => {
    const age = b.columnDefinitions?.findIndex((c) => c.name === 'Age')
    for (const row of b.rows ?? []) if (age >= 0) row.cells[age] = '<age>'
    if (b.metadata?.resourceVersion) b.metadata.resourceVersion = 'some version'
    return b
  }
  // The long column descriptions are held against the reference once per kind; elsewhere the columns' names will do.
  const brief = (b) => {
    tidy(b)
    if (b.columnDefinitions) b.columnDefinitions = b.columnDefinitions.map((c) => c.name)
    return b
  }
  const table = (path, more) => t.get(path, { accept, pick: brief, ...more })

  await table(`${base}/configmaps`, { pick: tidy })
  await table(`${base}/configmaps?includeObject=None`)
  await table(`${base}/configmaps?includeObject=Object&limit=1`)
  await table(`${base}/configmaps?includeObject=Metadata&labelSelector=x%3D1`)
  await table(`${base}/configmaps?includeObject=Bogus`)
  await table(`${base}/configmaps/a`)
  await table(`${base}/configmaps/missing`)
  await table(`${base}/secrets?includeObject=None`, { pick: tidy })
  await table(`${base}/pods?includeObject=None`, { pick: tidy })
  await table(`/api/v1/namespaces/${ns}?includeObject=None`, { pick: tidy })
  await table(`${base}/serviceaccounts`)
  await table(`${base}/configmaps?includeObject=None`, { accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io' })
  await table(`${base}/configmaps?includeObject=None`, {
    accept:
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
  })
  await table(`${base}/configmaps`, { accept: 'application/json;as=Table;v=v7;g=meta.k8s.io' })
  await table(`${base}/configmaps`, {
    accept: 'application/json;as=Table;v=v7;g=meta.k8s.io,application/json',
    pick: (b) => b.kind,
  })
  await table(`${base}/configmaps`, { accept: 'application/json;as=Chart;v=v1;g=meta.k8s.io' })
  await t.post(
    `${base}/configmaps`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } },
    { accept, pick: brief },
  )
  await t.delete(`${base}/configmaps/c`, undefined, { accept })
}
