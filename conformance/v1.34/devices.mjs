// Device classes, claims, templates and slices in resource.k8s.io/v1: defaults, versions, tables, refusals, status, apply, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const api = '/apis/resource.k8s.io/v1'
  const classes = `${api}/deviceclasses`
  const claims = `${api}/namespaces/${ns}/resourceclaims`
  const templates = `${api}/namespaces/${ns}/resourceclaimtemplates`
  const slices = `${api}/resourceslices`
  for (const url of [`${classes}/v134-gpu`, `${classes}/v134-b`, `${slices}/v134-slice`]) await t.clear(url)
  const object = (kind, name, spec) => ({ apiVersion: 'resource.k8s.io/v1', kind, metadata: { name }, spec })
  const cel = (expression) => ({ cel: { expression } })

  await t.get(api, { pick: (b) => b.resources?.map(({ name, kind, verbs }) => ({ name, kind, verbs })) })
  const made = await t.post(
    classes,
    object('DeviceClass', 'v134-gpu', { selectors: [cel('device.driver == "a.example.com"')] }),
  )
  await t.get(`${classes}/v134-gpu`, asTable)
  await t.put(`${classes}/v134-gpu`, {
    ...made.body,
    spec: { selectors: [cel('true')], config: [{ opaque: { driver: 'a.example.com', parameters: { a: 1 } } }] },
  })
  await t.mergePatch(`${classes}/v134-gpu`, {
    spec: { selectors: [cel('device.attributes["a.example.com"].model == "x"')] },
  })
  await t.post(classes, object('DeviceClass', 'v134-b', { selectors: [cel('1')] }))
  await t.post(classes, object('DeviceClass', 'v134-b', { selectors: [cel('device.nothing')] }))
  await t.post(classes, object('DeviceClass', 'v134-b', { selectors: [{}] }))
  await t.post(classes, object('DeviceClass', 'v134-b', { config: [{ opaque: { driver: 'Bad_', parameters: [] } }] }))
  await t.post(classes, object('DeviceClass', 'v134-b', { config: [{}] }))
  await t.post(classes, object('DeviceClass', 'Bad_', {}))
  await t.get('/apis/resource.k8s.io/v1beta1/deviceclasses/v134-gpu', { pick: (b) => b.apiVersion ?? b.message })

  const request = (exactly, name = 'gpu') => ({ devices: { requests: [{ name, exactly }] } })
  await t.post(claims, object('ResourceClaim', 'a', request({ deviceClassName: 'v134-gpu' })))
  await t.get(`${claims}/a`, asTable)
  await t.post(
    claims,
    object(
      'ResourceClaim',
      'b',
      request({ deviceClassName: 'v134-gpu', allocationMode: 'All', selectors: [cel('true')] }),
    ),
  )
  await t.post(
    claims,
    object('ResourceClaim', 'c', {
      devices: {
        requests: [
          {
            name: 'r',
            firstAvailable: [
              { name: 'one', deviceClassName: 'v134-gpu' },
              { name: 'two', deviceClassName: 'v134-gpu', count: 2 },
            ],
          },
        ],
      },
    }),
  )
  await t.post(claims, object('ResourceClaim', 'x', request({})))
  await t.post(claims, object('ResourceClaim', 'x', request({ deviceClassName: 'v134-gpu', count: -1 })))
  await t.post(
    claims,
    object('ResourceClaim', 'x', request({ deviceClassName: 'v134-gpu', allocationMode: 'All', count: 1 })),
  )
  await t.post(claims, object('ResourceClaim', 'x', request({ deviceClassName: 'v134-gpu', allocationMode: 'Odd' })))
  await t.post(claims, object('ResourceClaim', 'x', request({ deviceClassName: 'v134-gpu', adminAccess: true })))
  await t.post(claims, object('ResourceClaim', 'x', { devices: { requests: [{ name: 'r' }] } }))
  await t.post(
    claims,
    object('ResourceClaim', 'x', {
      devices: {
        requests: [
          { name: 'r', exactly: { deviceClassName: 'c' }, firstAvailable: [{ name: 's', deviceClassName: 'c' }] },
        ],
      },
    }),
  )
  await t.post(
    claims,
    object('ResourceClaim', 'x', {
      devices: {
        requests: [
          { name: 'r', exactly: { deviceClassName: 'c' } },
          { name: 'r', exactly: { deviceClassName: 'c' } },
        ],
        constraints: [{ requests: ['q'], matchAttribute: 'bad' }],
      },
    }),
  )
  await t.post(
    claims,
    object('ResourceClaim', 'x', {
      devices: { config: [{ requests: ['q'], opaque: { driver: 'a.example.com', parameters: {} } }] },
    }),
  )
  await t.mergePatch(`${claims}/a`, { spec: request({ deviceClassName: 'other' }) })
  await t.mergePatch(`${claims}/a`, { metadata: { labels: { a: 'b' } } })
  const allocation = { devices: { results: [{ request: 'gpu', driver: 'a.example.com', pool: 'p', device: 'd0' }] } }
  await t.mergePatch(`${claims}/a/status`, { status: { allocation } })
  await t.get(`${claims}/a`, asTable)
  await t.mergePatch(`${claims}/a/status`, {
    status: { reservedFor: [{ resource: 'pods', name: 'p', uid: '7d1f0f8e-3a3b-4c5d-9e6f-000000000001' }] },
  })
  await t.mergePatch(`${claims}/a/status`, {
    status: {
      reservedFor: [
        { resource: 'pods', name: 'p', uid: '7d1f0f8e-3a3b-4c5d-9e6f-000000000001' },
        { resource: 'pods', name: 'p', uid: '7d1f0f8e-3a3b-4c5d-9e6f-000000000001' },
      ],
    },
  })
  await t.mergePatch(`${claims}/a/status`, {
    status: {
      devices: [
        {
          driver: 'a.example.com',
          pool: 'p',
          device: 'd0',
          conditions: [
            { type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' },
          ],
          networkData: { interfaceName: 'eth0', ips: ['10.0.0.1/24'] },
        },
      ],
    },
  })
  await t.mergePatch(`${claims}/a/status`, {
    status: { devices: [{ driver: 'a.example.com', pool: 'p', device: 'd1' }] },
  })
  await t.mergePatch(`${claims}/a/status`, {
    status: { allocation: { devices: { results: [{ request: 'no', driver: 'Bad_', pool: '', device: '' }] } } },
  })
  await t.mergePatch(`${claims}/b/status`, {
    status: {
      allocation: { devices: { results: [{ request: 'no', driver: 'a.example.com', pool: 'p', device: 'd' }] } },
    },
  })
  await t.apply(
    `${claims}/applied`,
    object('ResourceClaim', 'applied', request({ deviceClassName: 'v134-gpu' })),
    'one',
  )
  await t.apply(
    `${claims}/applied`,
    object('ResourceClaim', 'applied', request({ deviceClassName: 'v134-gpu', count: 2 })),
    'two',
  )
  await t.delete(`${claims}/c`)

  const template = (name, spec, metadata) =>
    object('ResourceClaimTemplate', name, { ...(metadata && { metadata }), spec })
  await t.post(templates, template('a', request({ deviceClassName: 'v134-gpu' }), { labels: { x: 'y' } }))
  await t.get(`${templates}/a`, asTable)
  await t.post(templates, template('b', request({})))
  await t.post(templates, template('b', request({ deviceClassName: 'v134-gpu' }), { labels: { 'bad key': 'y' } }))
  await t.post(templates, template('b', request({ deviceClassName: 'v134-gpu' }), { name: 'x' }))
  await t.mergePatch(`${templates}/a`, { spec: { spec: request({ deviceClassName: 'other' }) } })
  await t.delete(`${templates}/a`)

  const slice = (more, devices) =>
    object('ResourceSlice', 'v134-slice', {
      driver: 'a.example.com',
      nodeName: 'n1',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices,
      ...more,
    })
  const device = {
    name: 'd0',
    attributes: {
      model: { string: 'x' },
      'a.example.com/size': { int: 3 },
      ok: { bool: true },
      v: { version: '1.2.3' },
    },
    capacity: { memory: { value: '1Gi' } },
  }
  await t.post(slices, slice({}, [device]))
  await t.get(`${slices}/v134-slice`, asTable)
  await t.get(`${slices}?fieldSelector=spec.nodeName=n1,spec.driver=a.example.com`, {
    pick: (b) => b.items?.map((i) => i.metadata.name),
  })
  await t.get(`${slices}?fieldSelector=spec.pool=p`)
  await t.post(slices, slice({ nodeName: undefined }, [device]))
  await t.post(slices, slice({ allNodes: true }, [device]))
  await t.post(slices, slice({}, [device, device]))
  await t.post(
    slices,
    slice({}, [
      {
        name: 'Bad_',
        attributes: { two: { int: 1, bool: true } },
      },
    ]),
  )
  await t.post(slices, slice({ pool: { name: '', generation: -1, resourceSliceCount: 0 } }, []))
  await t.mergePatch(`${slices}/v134-slice`, { spec: { driver: 'b.example.com', nodeName: 'n2' } })
  await t.mergePatch(`${slices}/v134-slice`, { spec: { pool: { generation: 2 } } })
  await t.delete(`${slices}/v134-slice`)
  await t.delete(`${classes}/v134-gpu`)
}
