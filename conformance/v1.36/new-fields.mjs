// Fields, columns and rules that v1.35 and v1.36 have by default.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const pods = `/api/v1/namespaces/${ns}/pods`
  const container = (more) => ({ name: 'c', image: 'i', ...more })
  const pod = (name, spec) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [container()], ...spec },
  })
  const picks = {
    pick: (b) =>
      b.spec
        ? { containers: b.spec.containers, volumes: b.spec.volumes, hostnameOverride: b.spec.hostnameOverride }
        : b,
  }
  const restarts = (rules, more = {}) => ({
    containers: [container({ restartPolicy: 'Never', restartPolicyRules: rules, ...more })],
  })
  const onExit = (operator, values) => ({ action: 'Restart', exitCodes: { operator, values } })
  await t.post(pods, pod('rules', restarts([onExit('In', [1, 2])])), picks)
  await t.post(pods, pod('x', restarts([onExit('Odd', [1])])))
  await t.post(pods, pod('x', restarts([onExit('In', [])])))
  await t.post(pods, pod('x', restarts([{ action: 'Odd', exitCodes: { operator: 'In', values: [1] } }])))
  await t.post(pods, pod('x', restarts([{ action: 'Restart' }])))
  await t.post(pods, pod('x', restarts([onExit('In', [1])], { restartPolicy: undefined })))
  const file = (more = {}) => ({
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 's', secret: { secretName: 's' } },
    ],
    containers: [
      container({ env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'f', key: 'K', ...more } } }] }),
    ],
  })
  await t.post(pods, pod('file', file()), picks)
  await t.post(pods, pod('x', file({ volumeName: 'no' })))
  await t.post(pods, pod('x', file({ volumeName: 's' })))
  await t.post(pods, pod('x', file({ path: '../f' })))
  await t.post(pods, pod('x', file({ key: 'a=b' })))
  await t.post(pods, pod('x', file({ key: '', path: '', volumeName: '' })))
  await t.post(pods, pod('host', { hostnameOverride: 'over' }), picks)
  await t.post(pods, pod('x', { hostnameOverride: 'Bad_' }))
  await t.post(pods, pod('x', { hostnameOverride: 'over', hostNetwork: true }))
  await t.post(pods, pod('x', { hostnameOverride: 'over', setHostnameAsFQDN: true }))
  const certificate = (more = {}) => ({
    volumes: [
      {
        name: 'v',
        projected: {
          sources: [
            {
              podCertificate: {
                signerName: 'example.com/s',
                keyType: 'ED25519',
                credentialBundlePath: 'b.pem',
                ...more,
              },
            },
          ],
        },
      },
    ],
  })
  await t.post(pods, pod('certificate', certificate()), picks)
  await t.post(pods, pod('tolerates', { tolerations: [{ key: 'k', operator: 'Gt', value: '5' }] }), {
    pick: (b) => b.spec?.tolerations ?? b,
  })

  const services = `/api/v1/namespaces/${ns}/services`
  const service = (name, spec) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec })
  await t.post(services, service('1-first', { ports: [{ port: 1 }] }), { pick: (b) => b.metadata?.name ?? b })
  await t.post(services, service('a.b', { ports: [{ port: 1 }] }))
  const ingresses = `/apis/networking.k8s.io/v1/namespaces/${ns}/ingresses`
  await t.post(
    ingresses,
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'i' },
      spec: { defaultBackend: { service: { name: '1-first', port: { number: 1 } } } },
    },
    { pick: (b) => b.spec ?? b },
  )

  const nodes = '/api/v1/nodes'
  await t.clear(`${nodes}/v136-node`)
  await t.post(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'v136-node' } }, { pick: (b) => b.kind })
  await t.mergePatch(
    `${nodes}/v136-node/status`,
    { status: { nodeInfo: { kernelVersion: '6.1', architecture: 'arm64' }, declaredFeatures: ['A', 'B'] } },
    { pick: (b) => ({ info: b.status?.nodeInfo, features: b.status?.declaredFeatures }) },
  )
  await t.get(`${nodes}/v136-node`, asTable)
  await t.delete(`${nodes}/v136-node`, { pick: (b) => b.status ?? b.kind })
  await t.post(
    `/api/v1/namespaces/${ns}/serviceaccounts`,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } },
    { pick: (b) => b.kind },
  )
  await t.get(`/api/v1/namespaces/${ns}/serviceaccounts/a`, asTable)
  const ingressClasses = '/apis/networking.k8s.io/v1/ingressclasses'
  await t.clear(`${ingressClasses}/v136-class`)
  await t.post(
    ingressClasses,
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'v136-class', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
      spec: { controller: 'example.com/c' },
    },
    { pick: (b) => b.kind },
  )
  await t.get(`${ingressClasses}/v136-class`, asTable)
  await t.delete(`${ingressClasses}/v136-class`, { pick: (b) => b.status ?? b.kind })

  const drivers = '/apis/storage.k8s.io/v1/csidrivers'
  await t.clear(`${drivers}/v136.example.com`)
  const driver = (spec) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'v136.example.com' },
    spec,
  })
  await t.post(drivers, driver({ tokenRequests: [{ audience: 'a' }] }), { pick: (b) => b.spec ?? b })
  await t.mergePatch(
    `${drivers}/v136.example.com`,
    { spec: { serviceAccountTokenInSecrets: true } },
    { pick: (b) => b.spec ?? b },
  )
  await t.delete(`${drivers}/v136.example.com`, { pick: (b) => b.kind })
  await t.post(`${drivers}?dryRun=All`, driver({ serviceAccountTokenInSecrets: true }))

  const devices = '/apis/resource.k8s.io/v1'
  const object = (kind, name, spec) => ({ apiVersion: 'resource.k8s.io/v1', kind, metadata: { name }, spec })
  await t.clear(`${devices}/deviceclasses/v136-class`)
  await t.clear(`${devices}/resourceslices/v136-slice`)
  await t.post(
    `${devices}/deviceclasses`,
    object('DeviceClass', 'v136-class', { extendedResourceName: 'example.com/gpu' }),
  )
  await t.post(`${devices}/deviceclasses?dryRun=All`, object('DeviceClass', 'v136-b', { extendedResourceName: 'gpu' }))
  await t.post(
    `${devices}/deviceclasses?dryRun=All`,
    object('DeviceClass', 'v136-b', { extendedResourceName: 'kubernetes.io/gpu' }),
  )
  await t.mergePatch(`${devices}/deviceclasses/v136-class`, {
    spec: { extendedResourceName: 'requests.example.com/gpu' },
  })
  const slice = (device) =>
    object('ResourceSlice', 'v136-slice', {
      driver: 'a.example.com',
      allNodes: true,
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'd', ...device }],
    })
  const dry = `${devices}/resourceslices?dryRun=All`
  const specs = { pick: (b) => b.spec?.devices ?? b }
  await t.post(dry, slice({ taints: [{ key: 'k', effect: 'NoSchedule', timeAdded: '2024-01-01T00:00:00Z' }] }), specs)
  await t.post(dry, slice({ taints: [{ key: 'k', effect: 'None', timeAdded: '2024-01-01T00:00:00Z' }] }), specs)
  await t.post(dry, slice({ taints: [{ key: 'k', effect: 'Odd' }] }))
  await t.post(dry, slice({ bindingConditions: ['A'], bindingFailureConditions: ['B'] }), specs)
  await t.post(dry, slice({ bindingConditions: ['A'] }))
  await t.post(
    dry,
    slice({
      allowMultipleAllocations: true,
      capacity: { m: { value: '10', requestPolicy: { default: '1', validRange: { min: '1', step: '1' } } } },
    }),
    specs,
  )
  await t.post(dry, slice({ capacity: { m: { value: '10', requestPolicy: { default: '1' } } } }))
  await t.post(dry, slice({ consumesCounters: [{ counterSet: 'c', counters: { x: { value: '1' } } }] }))
  const claims = `${devices}/namespaces/${ns}/resourceclaims`
  const claim = (exactly, more = {}) =>
    object('ResourceClaim', 'c', {
      devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'v136-class', ...exactly } }], ...more },
    })
  await t.post(`${claims}?dryRun=All`, claim({ capacity: { requests: { m: '1' } } }), { pick: (b) => b.spec ?? b })
  await t.post(`${claims}?dryRun=All`, claim({ tolerations: [{ key: 'k', operator: 'Exists' }] }), {
    pick: (b) => b.spec ?? b,
  })
  await t.post(`${claims}?dryRun=All`, claim({ tolerations: [{ key: 'k', operator: 'Odd' }] }))
  await t.post(`${claims}?dryRun=All`, claim({}, { constraints: [{ distinctAttribute: 'a.example.com/x' }] }), {
    pick: (b) => b.spec ?? b,
  })
  await t.delete(`${devices}/deviceclasses/v136-class`, { pick: (b) => b.kind })

  const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/roles`
  await t.post(
    roles,
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'r' } },
    { pick: (b) => b.kind },
  )
  await t.mergePatch(`${roles}/r`, { rules: [{ resources: ['a'], verbs: ['get'] }] })
  await t.mergePatch(`${roles}/r`, { metadata: { labels: { a: 'b c' } } })
  await t.get(`${pods}?labelSelector=a/b/c`)
  await t.get(`${pods}?labelSelector=${'a'.repeat(64)}`)
  await t.delete(`${pods}/rules`, { pick: (b) => b.message ?? b.kind })
  await t.request('DELETE', `${pods}/file`, { body: '{"kind":"Odd"}', type: 'application/json' })
}
