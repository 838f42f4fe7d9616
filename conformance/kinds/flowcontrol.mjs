// FlowSchema and PriorityLevelConfiguration: defaults, tables, mandatory objects, status, refusals, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}
// managedFields come in the order of the second they were written in; sorted here by writer, so that the clock does not matter
const byWriter = (t) => {
  const key = (m) => [m.operation, m.manager, m.subresource, m.apiVersion].join()
  const sort = (o) => {
    o?.metadata?.managedFields?.sort?.((a, b) => (key(a) < key(b) ? -1 : 1))
    for (const r of o?.rows ?? []) sort(r.object)
    return o
  }
  const request = t.request.bind(t)
  t.request = (method, url, opts = {}) =>
    request(method, url, { ...opts, pick: (b) => sort(opts.pick ? opts.pick(b) : b) })
}

export default async (t) => {
  byWriter(t)
  const schemas = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'
  const levels = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations'
  await t.clear(`${schemas}/kinds-fs`)
  await t.clear(`${levels}/kinds-plc`)
  const fs = (name, spec) => ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name },
    spec,
  })
  const plc = (name, spec) => ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name },
    spec,
  })
  await t.post(
    levels,
    plc('kinds-plc', {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Queue', queuing: {} } },
    }),
  )
  await t.get(`${levels}/kinds-plc`, asTable)
  await t.mergePatch(`${levels}/kinds-plc`, {
    spec: { limited: { nominalConcurrencyShares: 2, lendablePercent: 10, borrowingLimitPercent: 50 } },
    status: { conditions: [] },
  })
  await t.mergePatch(`${levels}/kinds-plc/status`, {
    spec: { limited: { nominalConcurrencyShares: 99 } },
    status: {
      conditions: [
        { type: 'Odd', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2024-01-01T00:00:00Z' },
      ],
    },
  })
  await t.put(`${levels}/kinds-plc`, plc('kinds-plc', { type: 'Limited', limited: {} }))
  await t.mergePatch(`${levels}/kinds-plc`, { spec: { type: 'Exempt' } })
  await t.post(levels, plc('kinds-plc-bad', { type: 'Limited', limited: { limitResponse: { type: 'Queue' } } }))
  await t.post(levels, plc('kinds-plc-bad', {}))
  await t.post(levels, plc('kinds-plc-bad', { type: 'Limited' }))
  await t.post(
    levels,
    plc('kinds-plc-bad', {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: -1,
        lendablePercent: 200,
        limitResponse: { type: 'Reject', queuing: { queues: 1 } },
      },
    }),
  )
  await t.post(
    levels,
    plc('kinds-plc-bad', {
      type: 'Limited',
      limited: { limitResponse: { type: 'Queue', queuing: { queues: 0, handSize: 9, queueLengthLimit: -1 } } },
    }),
  )
  await t.mergePatch(
    `${levels}/exempt?dryRun=All`,
    { spec: { type: 'Limited', exempt: null, limited: {} } },
    { pick: (b) => JSON.parse(JSON.stringify(b).replace(/0x[0-9a-f]+/g, '0x0')) },
  )

  // a schema that matches no traffic at all; the server adds a condition of its own to the status a moment later
  const made = await t.post(
    schemas,
    fs('kinds-fs', {
      priorityLevelConfiguration: { name: 'kinds-plc' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'kinds-nobody' } }],
          resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['*'] }],
        },
      ],
    }),
  )
  t.note('default precedence', made.body.spec?.matchingPrecedence)
  await t.until(
    async () => (await t.get(`${schemas}/kinds-fs`, { quiet: true })).body.status?.conditions?.[0]?.status === 'False',
  )
  await t.get(`${schemas}/kinds-fs`, {
    accept: asTable.accept,
    pick: (b) => ({
      columnDefinitions: b.columnDefinitions,
      cells: b.rows?.[0]?.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c)),
    }),
  })
  await t.mergePatch(
    `${schemas}/kinds-fs`,
    { spec: { matchingPrecedence: 9000, distinguisherMethod: { type: 'ByUser' } } },
    { pick: (b) => ({ generation: b.metadata?.generation, spec: b.spec }) },
  )
  await t.post(schemas, fs('kinds-fs-bad', {}))
  await t.post(
    schemas,
    fs('kinds-fs-bad', {
      priorityLevelConfiguration: { name: 'Bad Name' },
      matchingPrecedence: 20000,
      distinguisherMethod: { type: 'ByMoon' },
      rules: [
        { subjects: [] },
        {
          subjects: [{ kind: 'Robot' }, { kind: 'User' }],
          resourceRules: [{}],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['x', '/a*'] }],
        },
      ],
    }),
  )
  await t.post(
    schemas,
    fs('kinds-fs-bad', { priorityLevelConfiguration: { name: 'kinds-plc' }, matchingPrecedence: '5' }),
  )
  await t.get(`${schemas}/catch-all`, { pick: (b) => ({ spec: b.spec }) })
  await t.delete(`${schemas}/kinds-fs`)
  await t.delete(`${levels}/kinds-plc`)
}
