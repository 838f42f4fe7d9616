// Service: node ports, load balancers, traffic policies, and moving from one type to another.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? [])
      r.cells = r.cells?.map((c) =>
        typeof c !== 'string'
          ? c
          : c
              .replace(/^\d+s$/, '<age>')
              .replace(/^10\.\d+\.\d+\.\d+$/, '<ip>')
              .replace(/:3[0-2]\d\d\d\//g, ':<nodePort>/'),
      )
    return b
  },
}
const ports = {
  pick: (b) => JSON.parse(JSON.stringify(b).replace(/"healthCheckNodePort":\d+/, '"healthCheckNodePort":"<nodePort>"')),
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
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/services`
  const svc = (name, spec) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec })
  const made = await t.post(
    url,
    svc('np', {
      type: 'NodePort',
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 81, protocol: 'UDP' },
      ],
    }),
  )
  await t.get(`${url}/np`, asTable)
  const used = made.body.spec?.ports?.[0]?.nodePort
  await t.post(url, svc('np2', { type: 'NodePort', ports: [{ port: 80, nodePort: used }] }), {
    pick: (b) => JSON.parse(JSON.stringify(b).replaceAll(String(used), '<nodePort>')),
  })
  await t.post(url, svc('np3', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }))
  await t.post(url, svc('np4', { ports: [{ port: 80, nodePort: 31999 }] }))
  // a merge patch that leaves node ports out keeps the node port of the same port
  await t.mergePatch(`${url}/np`, {
    spec: {
      ports: [
        { name: 'a', port: 80 },
        { name: 'c', port: 82 },
      ],
    },
  })
  // to ClusterIP: node ports go
  await t.mergePatch(`${url}/np`, { spec: { type: 'ClusterIP' } })
  await t.mergePatch(`${url}/np`, { spec: { type: 'NodePort', externalTrafficPolicy: 'Local' } })
  await t.mergePatch(`${url}/np`, { spec: { type: 'ClusterIP', externalTrafficPolicy: 'Local' } })
  // load balancers
  await t.post(url, svc('lb', { type: 'LoadBalancer', ports: [{ port: 80 }] }))
  await t.get(`${url}/lb`, asTable)
  await t.mergePatch(`${url}/lb/status`, {
    status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'lb.example.com' }] } },
  })
  await t.get(`${url}/lb`, asTable)
  await t.mergePatch(`${url}/lb/status`, {
    status: { loadBalancer: { ingress: [{ ip: 'nope', hostname: '1.2.3.4' }] } },
  })
  await t.post(url, svc('lb2', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80 }] }), ports)
  await t.post(
    url,
    svc('lb3', {
      type: 'LoadBalancer',
      allocateLoadBalancerNodePorts: false,
      loadBalancerClass: 'example.com/lb',
      ports: [{ port: 80 }],
    }),
  )
  await t.mergePatch(`${url}/lb3`, { spec: { loadBalancerClass: 'example.com/other' } })
  // leaving the type clears the class and the status
  await t.mergePatch(`${url}/lb`, { spec: { type: 'ClusterIP' } })
  await t.get(`${url}/lb`, asTable)
  await t.post(
    url,
    svc('bad', {
      type: 'LoadBalancer',
      loadBalancerSourceRanges: ['10.0.0.0/99'],
      externalTrafficPolicy: 'Nope',
      internalTrafficPolicy: 'Nope',
      ports: [{ port: 80 }],
    }),
  )
}
