// Endpoints and EndpointSlice: defaults, warnings, table, create by put, immutable address type, refused objects.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/endpoints`
  const ep = (name, subsets) => ({ apiVersion: 'v1', kind: 'Endpoints', metadata: { name }, subsets })
  await t.post(
    url,
    ep('a', [{ addresses: [{ ip: '10.2.0.2' }, { ip: '10.2.0.1', nodeName: 'n' }], ports: [{ port: 80 }] }]),
  )
  await t.get(`${url}/a`, asTable)
  await t.post(url, ep('empty'))
  await t.get(`${url}/empty`, asTable)
  await t.put(
    `${url}/by-put`,
    ep('by-put', [{ notReadyAddresses: [{ ip: '10.2.0.3' }], ports: [{ name: 'x', port: 1, protocol: 'UDP' }] }]),
  )
  await t.put(`${url}/a`, ep('a', []))
  await t.post(
    url,
    ep('bad', [
      { addresses: [{ ip: '127.0.0.1' }, { ip: 'nope' }, { ip: '169.254.1.1' }], ports: [{ port: 0, protocol: 'X' }] },
    ]),
  )
  await t.post(url, ep('bad', [{ ports: [{ port: 80 }] }]))
  await t.post(url, ep('bad', [{ addresses: [{ ip: '10.2.0.2' }], ports: [{ port: 80 }, { port: 81 }] }]))
  await t.delete(`${url}/a`)

  const slices = `/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices`
  const slice = (name, more) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name },
    ...more,
  })
  await t.post(
    slices,
    slice('s', {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.2.0.1'] }, { addresses: ['10.2.0.2'], conditions: { ready: false } }],
      ports: [{ port: 80 }, { name: 'b', port: 81, protocol: 'SCTP' }],
    }),
  )
  await t.get(`${slices}/s`, asTable)
  await t.post(slices, slice('none', { addressType: 'FQDN', endpoints: [] }))
  await t.get(`${slices}/none`, asTable)
  await t.mergePatch(`${slices}/s`, {
    endpoints: [{ addresses: ['10.2.0.9'], hostname: 'h', zone: 'z', nodeName: 'n' }],
  })
  await t.mergePatch(`${slices}/s`, { addressType: 'IPv6' })
  await t.mergePatch(`${slices}/s`, { metadata: { labels: { x: 'y' } } })
  await t.put(`${slices}/s`, slice('s', { addressType: 'IPv4', endpoints: [] }))
  await t.put(`${slices}/missing`, slice('missing', { addressType: 'IPv4', endpoints: [] }))
  await t.post(slices, slice('bad', { endpoints: [] }))
  await t.post(
    slices,
    slice('bad', {
      addressType: 'IPv4',
      endpoints: [{ addresses: [] }, { addresses: ['::1', '10.2.0.1'], hostname: 'A_B' }],
      ports: [{ name: 'Up' }, { name: 'Up', port: 0, protocol: 'X' }],
    }),
  )
  await t.post(slices, slice('bad', { addressType: 'IPv9', endpoints: [{ addresses: ['10.2.0.1'] }] }))
  await t.post(slices, slice('bad', { addressType: 'IPv4', endpoints: 'none' }))
  await t.delete(`${slices}/s`)
}
