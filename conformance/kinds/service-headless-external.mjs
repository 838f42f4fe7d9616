// Service: headless and ExternalName rules, and refused services.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/services`
  const svc = (name, spec) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec })
  await t.post(url, svc('headless', { clusterIP: 'None', selector: { a: 'b' } }))
  await t.get(`${url}/headless`, asTable)
  await t.post(url, svc('headless-ports', { clusterIP: 'None', publishNotReadyAddresses: true, ports: [{ port: 80 }] }))
  await t.post(url, svc('headless-np', { clusterIP: 'None', type: 'NodePort', ports: [{ port: 80 }] }))
  await t.mergePatch(`${url}/headless`, { spec: { clusterIP: '10.0.0.251', clusterIPs: ['10.0.0.251'] } })
  await t.post(url, svc('ext', { type: 'ExternalName', externalName: 'db.example.com' }))
  await t.get(`${url}/ext`, asTable)
  await t.post(url, svc('ext2', { type: 'ExternalName' }))
  await t.post(url, svc('ext3', { type: 'ExternalName', externalName: 'Not A Name', clusterIP: '10.0.0.5' }))
  await t.mergePatch(`${url}/ext`, { spec: { externalName: 'other.example.com' } })
  // ExternalName to ClusterIP allocates, and the other way frees
  await t.mergePatch(`${url}/ext`, { spec: { type: 'ClusterIP', externalName: null, ports: [{ port: 80 }] } })
  await t.mergePatch(`${url}/ext`, {
    spec: { type: 'ExternalName', externalName: 'x.example.com', clusterIP: '', clusterIPs: null },
  })
  // refused
  await t.post(url, svc('Bad.Name', { ports: [{ port: 80 }] }))
  await t.post(url, svc('1st', { ports: [{ port: 80 }] }))
  await t.post(url, svc('noports', {}))
  await t.post(url, svc('p', { ports: [{ port: 0 }, { port: 80 }] }))
  await t.post(
    url,
    svc('p', {
      ports: [
        { name: 'a', port: 80 },
        { name: 'a', port: 80 },
        { name: 'B_', port: 70000, protocol: 'ICMP', targetPort: 'not a port' },
      ],
    }),
  )
  await t.post(url, svc('p', { type: 'Magic', sessionAffinity: 'Sticky', ports: [{ port: 80 }] }))
  await t.post(
    url,
    svc('p', { clusterIP: 'abc', externalIPs: ['127.0.0.1', 'zzz'], selector: { 'a b': 'c' }, ports: [{ port: 80 }] }),
  )
  await t.post(
    url,
    svc('p', {
      ports: [{ port: 80 }],
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 90000 } },
    }),
  )
  await t.post(url, svc('p', { ports: [{ port: 'http' }] }))
  await t.post(url, svc('p', { ports: [{ port: 80, targetPort: {} }] }))
  await t.delete(`${url}/headless`)
}
