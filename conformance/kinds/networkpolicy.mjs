// NetworkPolicy: default policy types and protocols, table, generation, refusals, no status subresource, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = `/apis/networking.k8s.io/v1/namespaces/${ns}/networkpolicies`
  const np = (name, spec) => ({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name }, spec })
  await t.post(url, np('deny', { podSelector: {} }))
  await t.get(`${url}/deny`, asTable)
  await t.post(
    url,
    np('a', {
      podSelector: { matchLabels: { app: 'a' } },
      ingress: [
        {
          from: [
            { podSelector: { matchLabels: { r: 'x' } } },
            { namespaceSelector: {} },
            { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
          ],
          ports: [{ port: 80 }, { port: 'dns', protocol: 'UDP' }, { port: 1000, endPort: 2000 }],
        },
      ],
      egress: [{}],
    }),
  )
  await t.get(`${url}/a`, asTable)
  await t.post(url, np('empty'))
  await t.mergePatch(`${url}/a`, { metadata: { labels: { x: 'y' } } })
  await t.mergePatch(`${url}/a`, { spec: { policyTypes: ['Egress'] } })
  await t.put(`${url}/a`, np('a', { podSelector: {}, policyTypes: ['Ingress'] }))
  await t.put(`${url}/missing`, np('missing', { podSelector: {} }))
  await t.post(url, np('bad', { podSelector: { matchLabels: { 'a b': 'c' } }, policyTypes: ['Sideways'] }))
  await t.post(
    url,
    np('bad', {
      podSelector: {},
      ingress: [
        {
          from: [
            {},
            { ipBlock: { cidr: 'x' } },
            { ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/8'] } },
            { ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} },
          ],
        },
      ],
    }),
  )
  await t.post(
    url,
    np('bad', {
      podSelector: {},
      egress: [
        {
          ports: [
            { port: 0 },
            { port: 'UPPER_' },
            { protocol: 'ICMP', port: 1 },
            { endPort: 5 },
            { port: 10, endPort: 5 },
            { port: 'name', endPort: 5 },
          ],
        },
      ],
    }),
  )
  await t.post(url, np('bad', { podSelector: {}, policyTypes: ['Ingress', 'Egress', 'Ingress'] }))
  await t.post(url, np('bad', { podSelector: 'all' }))
  await t.get(`${url}/a/status`)
  await t.delete(`${url}/a`)
}
