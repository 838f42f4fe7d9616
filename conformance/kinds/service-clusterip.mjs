// Service: ClusterIP allocation and defaults, table row, what may and may not change, status subresource, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? [])
      r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : /^10\.\d+\.\d+\.\d+$/.test(c) ? '<ip>' : c))
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
  const url = `/api/v1/namespaces/${ns}/services`
  const svc = (name, spec) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec })
  const made = await t.post(url, svc('a', { selector: { app: 'a' }, ports: [{ port: 80 }] }))
  await t.get(`${url}/a`, asTable)
  await t.post(
    url,
    svc('many', {
      ports: [
        { name: 'http', port: 80, targetPort: 'web' },
        { name: 'dns', port: 53, protocol: 'UDP', targetPort: 5353, appProtocol: 'example.com/dns' },
      ],
      sessionAffinity: 'ClientIP',
    }),
  )
  await t.get(`${url}/many`, asTable)
  // the same address cannot be given twice
  const again = await t.post(url, svc('b', { clusterIP: made.body.spec?.clusterIP, ports: [{ port: 80 }] }), {
    pick: (b) => JSON.parse(JSON.stringify(b).replaceAll(made.body.spec?.clusterIP ?? '-', '<ip>')),
  })
  t.note('status of a second service with the same address', again.status)
  await t.post(url, svc('b', { clusterIP: '192.168.77.1', ports: [{ port: 80 }] }))
  // changes: ports and selector may, the address may not
  await t.mergePatch(`${url}/a`, { spec: { selector: { app: 'b' }, ports: [{ port: 81, targetPort: 8081 }] } })
  await t.mergePatch(
    `${url}/a`,
    { spec: { clusterIP: '10.0.0.250', clusterIPs: ['10.0.0.250'] } },
    {
      pick: (b) => ({
        code: b.code,
        reason: b.reason,
        causes: b.details?.causes?.map((c) => ({ ...c, message: c.message?.replace(/10\.\d+\.\d+\.\d+/g, '<ip>') })),
      }),
    },
  )
  await t.mergePatch(
    `${url}/a`,
    { spec: { ipFamilies: ['IPv6'] } },
    {
      pick: (b) => ({
        code: b.code,
        reason: b.reason,
        causes: b.details?.causes?.map((c) => ({ ...c, message: c.message?.replace(/10\.\d+\.\d+\.\d+/g, '<ip>') })),
      }),
    },
  )
  await t.mergePatch(`${url}/a`, { spec: { ipFamilyPolicy: 'RequireDualStack' } })
  // a put without the address keeps it
  await t.put(`${url}/a`, svc('a', { ports: [{ port: 82 }] }))
  await t.put(`${url}/a`, { ...svc('a', { ports: [{ port: 82 }] }), metadata: { name: 'a', resourceVersion: '1' } })
  await t.put(`${url}/new`, svc('new', { ports: [{ port: 82 }] }))
  // status
  await t.mergePatch(`${url}/a`, { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } })
  await t.mergePatch(`${url}/a/status`, {
    spec: { ports: [{ port: 99 }] },
    status: {
      conditions: [
        { type: 'Ok', status: 'True', reason: 'R', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' },
      ],
    },
  })
  await t.mergePatch(`${url}/a/status`, { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } })
  await t.delete(`${url}/a`)
  await t.get(`${url}/a`)
}
