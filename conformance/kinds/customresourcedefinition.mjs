// CustomResourceDefinition as a kind: defaults, names and table, conditions, status, immutable parts, refusals, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const url = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const name = 'gears.kinds.example.org'
  await t.clear(`${url}/${name}`)
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    },
  }
  const version = { name: 'v1', served: true, storage: true, schema }
  const base = {
    group: 'kinds.example.org',
    scope: 'Namespaced',
    names: { plural: 'gears', kind: 'Gear' },
    versions: [version],
  }
  const crd = (n, spec) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: n },
    spec,
  })
  const made = await t.post(url, { ...crd(name, base), status: { storedVersions: ['v9'] } })
  const established = async () =>
    (await t.get(`${url}/${name}`, { quiet: true })).body.status?.conditions?.some(
      (c) => c.type === 'Established' && c.status === 'True',
    )
  await t.until(established)
  // resource versions and managers of the server's own status writes are left out
  const quietMeta = {
    pick: (b) => {
      if (b.metadata) {
        delete b.metadata.resourceVersion
        delete b.metadata.managedFields
      }
      return b
    },
  }
  await t.get(`${url}/${name}`, quietMeta)
  await t.get(`${url}/${name}`, {
    accept: asTable.accept,
    pick: (b) => ({ columnDefinitions: b.columnDefinitions, cells: b.rows?.[0]?.cells }),
  })
  await t.mergePatch(
    `${url}/${name}`,
    { spec: { names: { shortNames: ['gr'], categories: ['all'] } }, status: { storedVersions: ['v9'] } },
    { pick: (b) => ({ generation: b.metadata?.generation, spec: b.spec, stored: b.status?.storedVersions }) },
  )
  await t.until(
    async () => (await t.get(`${url}/${name}`, { quiet: true })).body.status?.acceptedNames?.shortNames?.length,
  )
  await t.mergePatch(`${url}/${name}`, { spec: { scope: 'Cluster' } })
  await t.mergePatch(`${url}/${name}`, { spec: { group: 'other.example.org' } })
  await t.mergePatch(`${url}/${name}`, { spec: { names: { plural: 'cogs' } } })
  await t.mergePatch(`${url}/${name}/status`, { status: { storedVersions: ['v1', 'v0'] } }, quietMeta)
  await t.put(`${url}/${name}`, { ...made.body, metadata: { name } })
  await t.post(url, crd('gears.wrong.example.org', base))
  await t.post(url, crd('x.kinds.example.org', {}))
  await t.post(
    url,
    crd('cogs.kinds.example.org', {
      ...base,
      names: { plural: 'cogs', kind: 'cog kind' },
      scope: 'Universe',
      versions: [{ ...version, storage: false }],
    }),
  )
  await t.post(
    url,
    crd('cogs.kinds.example.org', {
      ...base,
      names: { plural: 'cogs', kind: 'Cog' },
      versions: [version, { ...version, name: 'v1' }],
    }),
  )
  await t.post(
    url,
    crd('cogs.kinds.example.org', {
      ...base,
      names: { plural: 'cogs', kind: 'Cog' },
      versions: [{ name: 'v1', served: true, storage: true }],
    }),
  )
  await t.post(
    url,
    crd('cogs.kinds.example.org', {
      ...base,
      names: { plural: 'cogs', kind: 'Cog' },
      versions: [{ ...version, schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } } }],
    }),
  )
  await t.post(url, crd('cogs.kinds.example.org', { ...base, versions: 'v1' }))
  await t.delete(`${url}/${name}`, undefined, {
    pick: (b) => ({ kind: b.kind, status: b.kind === 'Status' ? b.status : undefined, details: b.details }),
  })
}
