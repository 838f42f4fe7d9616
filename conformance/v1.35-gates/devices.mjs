// Devices behind gates: taints and rules of taints, shared capacity, counters, conditions of binding, extended resources.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const api = '/apis/resource.k8s.io'
  const rules = `${api}/v1alpha3/devicetaintrules`
  for (const name of ['v135-a', 'v135-b']) await t.clear(`${rules}/${name}`)
  const rule = (name, spec, more) => ({
    apiVersion: 'resource.k8s.io/v1alpha3',
    kind: 'DeviceTaintRule',
    metadata: { name },
    spec,
    ...more,
  })
  const taint = (effect, more) => ({ key: 'example.com/k', value: 'v', effect, ...more })
  const timeless = {
    pick: (b) => {
      if (b.spec?.taint?.timeAdded) b.spec.taint.timeAdded = '<time>'
      return b
    },
  }
  await t.post(
    rules,
    rule('v135-a', { deviceSelector: { driver: 'a.example.com' }, taint: taint('NoExecute') }),
    timeless,
  )
  await t.post(rules, rule('v135-b', { taint: taint('None') }), timeless)
  await t.get(`${rules}/v135-a`, asTable)
  await t.post(rules, rule('v135-x', { taint: taint('Odd') }))
  await t.post(rules, rule('v135-x', { taint: { value: 'Bad value' } }))
  await t.post(
    rules,
    rule('v135-x', { deviceSelector: { driver: 'Bad_', pool: '', device: 'Bad_' }, taint: taint('NoSchedule') }),
  )
  await t.post(
    `${rules}?fieldValidation=Strict`,
    rule('v135-x', { deviceSelector: { deviceClassName: 'c' }, taint: taint('None') }),
  )
  await t.mergePatch(`${rules}/v135-b`, { spec: { taint: { effect: 'NoSchedule' } } }, timeless)
  await t.mergePatch(`${rules}/v135-b`, { spec: { taint: { effect: 'Odd' } } })
  await t.mergePatch(
    `${rules}/v135-b`,
    { spec: { deviceSelector: { pool: 'p' } } },
    { pick: (b) => b.metadata?.generation ?? b },
  )
  const condition = (type) => ({
    type,
    status: 'True',
    reason: 'R',
    message: 'm',
    lastTransitionTime: '2024-01-01T00:00:00Z',
  })
  const statuses = { pick: (b) => b.status ?? b }
  await t.mergePatch(`${rules}/v135-a/status`, { status: { conditions: [condition('EvictionInProgress')] } }, statuses)
  await t.mergePatch(`${rules}/v135-a/status`, { status: { conditions: [{ ...condition('x'), reason: '' }] } })
  await t.mergePatch(
    `${rules}/v135-a/status`,
    { status: { conditions: Array.from({ length: 9 }, (_, i) => condition(`T${i}`)) } },
    { pick: (b) => b.details?.causes ?? b.status?.conditions?.length },
  )
  await t.mergePatch(
    `${rules}/v135-a/status`,
    { spec: { taint: { effect: 'None' } } },
    { pick: (b) => b.spec?.taint?.effect },
  )
  for (const name of ['v135-a', 'v135-b']) await t.delete(`${rules}/${name}`)

  const v1 = `${api}/v1`
  const object = (kind, name, spec) => ({ apiVersion: 'resource.k8s.io/v1', kind, metadata: { name }, spec })
  await t.clear(`${v1}/deviceclasses/v135-gated`)
  await t.clear(`${v1}/resourceslices/v135-gated`)
  await t.post(
    `${v1}/deviceclasses`,
    object('DeviceClass', 'v135-gated', { extendedResourceName: 'example.com/gpu' }),
    { pick: (b) => b.spec ?? b },
  )
  for (const name of ['gpu', 'kubernetes.io/gpu', 'requests.example.com/gpu', 'Bad_/gpu', '']) {
    await t.mergePatch(
      `${v1}/deviceclasses/v135-gated`,
      { spec: { extendedResourceName: name } },
      { pick: (b) => (b.kind === 'Status' ? b : b.spec) },
    )
  }
  const slice = (device, more) =>
    object('ResourceSlice', 'v135-gated', {
      driver: 'a.example.com',
      allNodes: true,
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'd', ...device }],
      ...more,
    })
  const dry = `${v1}/resourceslices?dryRun=All`
  const specs = {
    pick: (b) => {
      for (const d of b.spec?.pool ? (b.spec.devices ?? []) : [])
        for (const each of d.taints ?? []) if (each.timeAdded) each.timeAdded = '<time>'
      return b.spec ?? b
    },
  }
  const causes = {
    pick: (b) => b.details?.causes?.map((c) => `${c.reason} ${c.field} ${c.message}`).toSorted() ?? b.spec,
  }
  await t.post(dry, slice({ taints: [taint('None'), taint('NoSchedule')] }), specs)
  await t.post(dry, slice({ taints: [taint('Odd'), taint('')] }))
  await t.post(dry, slice({ taints: Array.from({ length: 17 }, () => taint('None')) }))
  await t.post(dry, slice({ bindsToNode: true, bindingConditions: ['A', 'B'], bindingFailureConditions: ['C'] }), specs)
  await t.post(dry, slice({ bindingConditions: ['A'] }))
  await t.post(dry, slice({ bindingConditions: ['1', '2', '3', '4', '5'], bindingFailureConditions: ['C'] }))
  const capacity = (requestPolicy, more) =>
    slice({ allowMultipleAllocations: true, capacity: { m: { value: '10', requestPolicy } }, ...more })
  await t.post(dry, capacity({ default: '2', validRange: { min: '1', max: '8', step: '1' } }), specs)
  await t.post(dry, capacity({ default: '2', validValues: ['1', '2', '4'] }), specs)
  await t.post(dry, capacity({ default: '3', validValues: ['1', '2'] }), causes)
  await t.post(dry, capacity({ validRange: { min: '5', max: '1', step: '7' } }), causes)
  await t.post(dry, capacity({ default: '20' }, { allowMultipleAllocations: false }), causes)
  const counters = [{ name: 'set', counters: { x: { value: '4' } } }]
  const consumes = (counterSet, more) => ({
    consumesCounters: [{ counterSet, counters: { x: { value: '1' } } }],
    ...more,
  })
  await t.post(dry, slice({}, { devices: undefined, sharedCounters: counters }), specs)
  await t.post(dry, slice(consumes('set'), { sharedCounters: counters }), causes)
  await t.post(dry, slice(consumes('elsewhere')), specs)
  await t.post(dry, slice(consumes('')), causes)
  await t.post(
    dry,
    slice({ consumesCounters: ['a', 'b', 'c'].map((set) => consumes(set).consumesCounters[0]) }),
    causes,
  )
  await t.post(dry, slice({}, { devices: undefined, sharedCounters: [counters[0], counters[0]] }), causes)
  await t.post(
    dry,
    slice(
      {},
      { devices: undefined, sharedCounters: Array.from({ length: 9 }, (_, i) => ({ ...counters[0], name: `s${i}` })) },
    ),
    causes,
  )
  await t.post(dry, slice({}, { devices: undefined, sharedCounters: [{ name: '', counters: {} }] }), causes)

  const claims = `${v1}/namespaces/${ns}/resourceclaims`
  const claim = (exactly, more) =>
    object('ResourceClaim', 'c', {
      devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'v135-gated', ...exactly } }], ...more },
    })
  const tolerations = (...list) => ({ tolerations: list })
  await t.post(`${claims}?dryRun=All`, claim({ capacity: { requests: { m: '1' } } }), specs)
  await t.post(`${claims}?dryRun=All`, claim(tolerations({ key: 'k', operator: 'Exists', effect: 'None' })), specs)
  await t.post(
    `${claims}?dryRun=All`,
    claim(tolerations({ key: 'a b', operator: 'Odd', effect: 'Odd', value: 'x' })),
    causes,
  )
  await t.post(
    `${claims}?dryRun=All`,
    claim(tolerations({ operator: 'Equal' }, { key: 'k', operator: 'Exists', value: 'v' })),
    causes,
  )
  await t.post(`${claims}?dryRun=All`, claim({}, { constraints: [{ distinctAttribute: 'a.example.com/x' }] }), specs)
  await t.post(
    `${claims}?dryRun=All`,
    claim({}, { constraints: [{ distinctAttribute: 'x', matchAttribute: 'y' }] }),
    causes,
  )
  await t.post(claims, claim({}), { pick: (b) => b.kind })
  const result = (more) => ({
    status: {
      allocation: {
        devices: { results: [{ request: 'r', driver: 'a.example.com', pool: 'p', device: 'd', ...more }] },
      },
    },
  })
  await t.mergePatch(`${claims}/c/status`, result({ shareID: 'x' }), causes)
  await t.mergePatch(`${claims}/c/status`, result({ bindingConditions: ['A'], consumedCapacity: { m: '-1' } }), causes)
  await t.mergePatch(
    `${claims}/c/status`,
    result({
      shareID: '7d1f0f8e-3a3b-4c5d-9e6f-000000000001',
      bindingConditions: ['A'],
      bindingFailureConditions: ['B'],
      consumedCapacity: { m: '1' },
    }),
    { pick: (b) => b.status ?? b },
  )
  await t.mergePatch(
    `${claims}/c/status`,
    {
      status: {
        devices: [{ driver: 'a.example.com', pool: 'p', device: 'd', shareID: '7d1f0f8e-3a3b-4c5d-9e6f-000000000002' }],
      },
    },
    { pick: (b) => b.status?.devices ?? b },
  )
  await t.delete(`${v1}/deviceclasses/v135-gated`)
}
