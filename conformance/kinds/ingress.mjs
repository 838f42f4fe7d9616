// Ingress and IngressClass: defaults, table, immutable controller, status, refusals, delete.
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
  const ns = await t.namespace()
  const url = `/apis/networking.k8s.io/v1/namespaces/${ns}/ingresses`
  const classes = '/apis/networking.k8s.io/v1/ingressclasses'
  await t.clear(`${classes}/kinds-ic`)
  const ing = (name, spec, metadata = {}) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, ...metadata },
    spec,
  })
  const cls = (name, spec) => ({ apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name }, spec })
  const service = { service: { name: 's', port: { number: 80 } } }
  await t.post(
    classes,
    cls('kinds-ic', {
      controller: 'example.com/ingress',
      parameters: { kind: 'Params', apiGroup: 'example.com', name: 'p' },
    }),
  )
  await t.get(`${classes}/kinds-ic`, asTable)
  await t.mergePatch(`${classes}/kinds-ic`, { metadata: { labels: { x: 'y' } }, spec: { parameters: { name: 'q' } } })
  await t.mergePatch(`${classes}/kinds-ic`, { spec: { controller: 'example.com/other' } })
  await t.post(
    classes,
    cls('kinds-ic2', { controller: 'nodomain', parameters: { kind: '', name: '', scope: 'Namespace' } }),
  )

  await t.post(
    url,
    ing('a', {
      ingressClassName: 'kinds-ic',
      rules: [{ host: 'a.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend: service }] } }],
      tls: [{ hosts: ['a.example.com'], secretName: 'tls' }],
    }),
  )
  await t.get(`${url}/a`, asTable)
  await t.post(url, ing('b', { defaultBackend: { service: { name: 's', port: { name: 'http' } } } }))
  await t.get(`${url}/b`, asTable)
  await t.post(
    url,
    ing('old', { defaultBackend: service }, { annotations: { 'kubernetes.io/ingress.class': 'nginx' } }),
  )
  await t.mergePatch(`${url}/a`, {
    spec: {
      rules: [{ host: '*.example.com', http: { paths: [{ pathType: 'ImplementationSpecific', backend: service }] } }],
    },
    status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
  })
  await t.mergePatch(`${url}/a/status`, {
    spec: { rules: [] },
    status: {
      loadBalancer: {
        ingress: [{ ip: '1.2.3.4', ports: [{ port: 80, protocol: 'TCP' }] }, { hostname: 'lb.example.com' }],
      },
    },
  })
  await t.get(`${url}/a`, asTable)
  await t.mergePatch(`${url}/a/status`, { status: { loadBalancer: { ingress: [{ ip: 'nope' }] } } })
  // refused
  await t.post(url, ing('bad', {}))
  await t.post(
    url,
    ing('bad', {
      rules: [
        {
          host: '1.2.3.4',
          http: {
            paths: [
              { path: 'no-slash', pathType: 'Prefix', backend: service },
              { path: '/x', pathType: 'Exact', backend: {} },
            ],
          },
        },
        { host: '*.*.com', http: { paths: [] } },
      ],
    }),
  )
  await t.post(
    url,
    ing('bad', {
      rules: [
        {
          http: {
            paths: [
              { path: '/', backend: service },
              { path: '/', pathType: 'Odd', backend: { service: { name: 'S_', port: { number: 80, name: 'x' } } } },
            ],
          },
        },
      ],
    }),
  )
  await t.post(
    url,
    ing('bad', {
      ingressClassName: 'Bad Class',
      defaultBackend: { service: { name: 's', port: {} }, resource: { kind: 'K', name: 'n' } },
      tls: [{ hosts: ['bad host'] }],
    }),
  )
  await t.post(
    url,
    ing(
      'bad',
      { ingressClassName: 'x', defaultBackend: service },
      { annotations: { 'kubernetes.io/ingress.class': 'y' } },
    ),
  )
  await t.post(url, ing('bad', { defaultBackend: { service: { name: 's', port: { number: 'http' } } } }))
  await t.put(`${url}/missing`, ing('missing', { defaultBackend: service }))
  await t.delete(`${url}/a`)
  await t.delete(`${classes}/kinds-ic`)
}
