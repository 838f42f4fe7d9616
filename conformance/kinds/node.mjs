// Node: defaults and taints on create, table, what may change, status subresource, refused nodes.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const url = '/api/v1/nodes'
  for (const name of ['kinds-node-a', 'kinds-node-b', 'kinds-node-c']) await t.clear(`${url}/${name}`)
  const node = (name, more = {}) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, ...more })
  await t.post(url, node('kinds-node-a'))
  await t.get(`${url}/kinds-node-a`, asTable)
  // roles come from labels; status is kept at creation
  await t.post(
    url,
    node('kinds-node-b', {
      metadata: {
        name: 'kinds-node-b',
        labels: { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/control-plane': '' },
      },
      spec: { podCIDR: '10.88.0.0/24', providerID: 'x://1', unschedulable: true },
      status: {
        capacity: { cpu: '4', memory: '8Gi' },
        nodeInfo: {
          kubeletVersion: 'v1.33.0',
          osImage: 'Os',
          kernelVersion: '6.1',
          containerRuntimeVersion: 'cri://2',
          machineID: '',
          systemUUID: '',
          bootID: '',
          kubeProxyVersion: '',
          operatingSystem: 'linux',
          architecture: 'amd64',
        },
        addresses: [{ type: 'InternalIP', address: '10.9.0.1' }],
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    }),
  )
  await t.get(`${url}/kinds-node-b`, asTable)
  // taints and unschedulable may change, podCIDR and providerID may not once set
  await t.mergePatch(`${url}/kinds-node-a`, {
    spec: { unschedulable: true, taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] },
  })
  await t.get(`${url}/kinds-node-a`, asTable)
  await t.mergePatch(`${url}/kinds-node-a`, {
    spec: { podCIDR: '10.77.0.0/24', podCIDRs: ['10.77.0.0/24'], providerID: 'x://2' },
  })
  await t.mergePatch(`${url}/kinds-node-a`, { spec: { podCIDR: '10.78.0.0/24', podCIDRs: ['10.78.0.0/24'] } })
  await t.mergePatch(`${url}/kinds-node-a`, { spec: { providerID: 'x://3' } })
  await t.put(
    `${url}/kinds-node-a`,
    node('kinds-node-a', { spec: { podCIDR: '10.77.0.0/24', podCIDRs: ['10.77.0.0/24'], providerID: 'x://2' } }),
  )
  // status
  await t.mergePatch(`${url}/kinds-node-a`, { metadata: { labels: { a: 'b' } }, status: { capacity: { cpu: '1' } } })
  await t.strategicPatch(`${url}/kinds-node-a/status`, {
    spec: { unschedulable: true },
    status: {
      capacity: { cpu: '2', memory: '1Gi' },
      conditions: [{ type: 'Ready', status: 'False', reason: 'R', message: 'm' }],
    },
  })
  await t.get(`${url}/kinds-node-a`, asTable)
  await t.mergePatch(`${url}/kinds-node-a/status`, { status: { capacity: { cpu: '-1' } } })
  // refused
  await t.post(url, node('Kinds_Node'))
  await t.post(url, node('kinds-node-c', { spec: { podCIDR: 'nope', podCIDRs: ['nope'] } }))
  await t.post(
    url,
    node('kinds-node-c', {
      spec: {
        taints: [
          { key: 'a b', effect: 'Sometimes' },
          { key: 'x', value: 'a', effect: 'NoSchedule' },
          { key: 'x', value: 'b', effect: 'NoSchedule' },
          { key: 'y' },
        ],
      },
    }),
  )
  await t.post(url, node('kinds-node-c', { spec: { unschedulable: 'no' } }))
  await t.post(
    url,
    node('kinds-node-c', {
      status: {
        addresses: [
          { type: 'InternalIP', address: '1.1.1.1' },
          { type: 'InternalIP', address: '1.1.1.1' },
        ],
      },
    }),
  )
  await t.put(`${url}/kinds-node-missing`, node('kinds-node-missing'))
  await t.delete(`${url}/kinds-node-a`)
}
