// Claims for devices, slices, and what is reported of pods: rules that v1.34 to v1.36 brought.
const causes = (b) => b.details?.causes?.map(({ field, message }) => `${field} ${message}`)
const many = (count, value) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${String(i).padStart(3, '0')}`, value]))

export default async (t) => {
  const ns = await t.namespace()
  await reports(t, ns)
  await volumeClaims(t, ns)
  await slices(t)
  await claims(t, ns)
}

async function reports(t, ns) {
  const pods = `/api/v1/namespaces/${ns}/pods`
  const amounts = { cpu: '1', 'example.com/gpu': '1' }
  const container = { name: 'c', image: 'i', resources: { requests: amounts, limits: amounts } }
  const pod = (name, more) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [container], ...more },
  })
  await t.post(pods, pod('free'), { quiet: true })
  await t.post(pods, pod('bound', { nodeName: 'n1' }), { quiet: true })
  const report = (name, status, pick = causes) =>
    t.mergePatch(`${pods}/${name}/status?dryRun=All`, { status }, { pick })
  await report('free', { nominatedNodeName: 'n2' }, (b) => b.status.nominatedNodeName)
  await report('bound', { nominatedNodeName: 'n2' })
  await report('bound', { nominatedNodeName: 'N_' })
  const mapping = { containerName: 'c', resourceName: 'example.com/gpu', requestName: 'r' }
  const extended = (requestMappings, resourceClaimName = 'claim', pick) =>
    report('free', { extendedResourceClaimStatus: { requestMappings, resourceClaimName } }, pick)
  await extended([mapping], 'claim', (b) => b.status.extendedResourceClaimStatus)
  await extended([])
  await extended([mapping], '')
  await extended([mapping], 'X_')
  await extended([{ ...mapping, containerName: 'other' }])
  await extended([{ ...mapping, resourceName: 'example.com/other' }])
  await extended([{ ...mapping, requestName: 'R' }])
  await extended([mapping, mapping])
  await extended([mapping, { ...mapping, requestName: 's' }], 'claim', (b) => b.status.extendedResourceClaimStatus)
  await report('free', { resourceClaimStatuses: [{ name: 'q', resourceClaimName: 'Y_' }] })
  const health = (device, pick) => {
    const allocatedResourcesStatus = [
      { name: 'example.com/gpu', resources: [{ resourceID: '1', health: 'Healthy', ...device }] },
    ]
    const one = { name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, allocatedResourcesStatus }
    return report('free', { containerStatuses: [one] }, pick)
  }
  await health({ message: 'm' }, (b) => b.status.containerStatuses[0].allocatedResourcesStatus)
  await health({ message: '' })
  await health({ message: 'm'.repeat(1025) })
  const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }]
  const first = { name: 'i', image: 'i', resizePolicy }
  const tried = (more) => t.post(`${pods}?dryRun=All`, pod('tried', more), { pick: causes })
  await tried({ initContainers: [first] })
  await tried({ initContainers: [{ ...first, restartPolicy: 'Always' }] })
  await tried({ restartPolicy: 'Never', containers: [{ ...container, resizePolicy }] })
  await tried({ restartPolicy: 'Never', initContainers: [first] })
  for (const name of ['free', 'bound']) await t.delete(`${pods}/${name}?gracePeriodSeconds=0`, { quiet: true })
}

async function volumeClaims(t, ns) {
  const url = `/api/v1/namespaces/${ns}/persistentvolumeclaims`
  for (const [name, volumeAttributesClassName] of [
    ['with', 'gold'],
    ['without', undefined],
  ]) {
    const spec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeAttributesClassName,
    }
    await t.post(url, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec }, { quiet: true })
    for (const status of [{ phase: 'Bound' }, { phase: 'Bound', currentVolumeAttributesClassName: 'gold' }]) {
      await t.mergePatch(`${url}/${name}/status`, { status }, { quiet: true })
      for (const to of [null, '', 'silver']) {
        const pick = (b) => causes(b) ?? b.spec?.volumeAttributesClassName ?? 'none'
        await t.mergePatch(`${url}/${name}?dryRun=All`, { spec: { volumeAttributesClassName: to } }, { pick })
      }
    }
  }
  const status = {
    allocatedResources: { ['x'.repeat(64)]: '1' },
    allocatedResourceStatuses: { ['x'.repeat(64)]: 'NodeResizePending' },
  }
  await t.mergePatch(`${url}/with/status?dryRun=All`, { status }, { pick: causes })
}

async function slices(t) {
  const slice = (spec) => {
    const pool = { name: 'p', generation: 1, resourceSliceCount: 1 }
    const whole = { driver: 'd.example.com', nodeName: 'n', pool, ...spec }
    const metadata = { name: 'v136-rules' }
    return t.post(
      '/apis/resource.k8s.io/v1/resourceslices?dryRun=All',
      { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceSlice', metadata, spec: whole },
      { pick: causes },
    )
  }
  const device = (more) => slice({ devices: [{ name: 'd', ...more }] })
  for (const name of ['/a', 'b/', '']) await device({ attributes: { [name]: { int: 1 } } })
  for (const name of ['/a', '-', 'c.example.com/']) await device({ capacity: { [name]: { value: '1' } } })
  await device({ attributes: many(33, { int: 1 }) })
  await device({ attributes: many(49, { int: 1 }) })
  await device({ bindingConditions: ['a'] })
  await device({ bindingFailureConditions: ['a'] })
  await device({ consumesCounters: [{ counterSet: 's', counters: { A_: { value: '1' } } }] })
  await device({ consumesCounters: [{ counterSet: 's', counters: many(33, { value: '1' }) }] })
  await slice({ sharedCounters: [{ name: 's', counters: many(33, { value: '1' }) }] })
  await slice({ sharedCounters: [{ name: 's', counters: { A_: { value: '1' } } }] })
  await slice({ sharedCounters: [{ name: 's', counters: {} }] })
}

async function claims(t, ns) {
  const root = `/apis/resource.k8s.io/v1/namespaces/${ns}`
  const type = (kind) => ({ apiVersion: 'resource.k8s.io/v1', kind })
  const asks = (request) => ({ devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'k' }, ...request }] } })
  await t.post(
    `${root}/resourceclaimtemplates`,
    { ...type('ResourceClaimTemplate'), metadata: { name: 't' }, spec: { spec: asks({}) } },
    { quiet: true },
  )
  const template = (request) =>
    t.mergePatch(`${root}/resourceclaimtemplates/t`, { spec: { spec: asks(request) } }, { pick: causes })
  await template({ name: '' })
  await template({ exactly: null })
  const twofold = { firstAvailable: [{ name: '', deviceClassName: 'UDP' }] }
  await template(twofold)
  await t.post(
    `${root}/resourceclaims?dryRun=All`,
    { ...type('ResourceClaim'), metadata: { name: 'twofold' }, spec: asks(twofold) },
    { pick: causes },
  )
  await t.post(
    `${root}/resourceclaims`,
    { ...type('ResourceClaim'), metadata: { name: 'c' }, spec: asks({}) },
    { quiet: true },
  )

  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const grant = async (name, rules) => {
    for (const kind of ['clusterroles', 'clusterrolebindings']) await t.clear(`${rbac}/${kind}/${name}`)
    const about = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name } }
    await t.post(`${rbac}/clusterroles`, { ...about, kind: 'ClusterRole', rules }, { quiet: true })
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
    const subjects = [
      { kind: 'User', name: 'v136-ann', apiGroup: 'rbac.authorization.k8s.io' },
      { kind: 'ServiceAccount', name: 'driver', namespace: 'kube-system' },
    ]
    await t.post(
      `${rbac}/clusterrolebindings`,
      { ...about, kind: 'ClusterRoleBinding', roleRef, subjects },
      { quiet: true },
    )
  }
  const apiGroups = ['resource.k8s.io']
  await grant('v136-claims', [{ apiGroups, resources: ['resourceclaims', 'resourceclaims/status'], verbs: ['*'] }])
  const ann = { 'impersonate-user': 'v136-ann' }
  const driver = (node) => ({
    'impersonate-user': 'system:serviceaccount:kube-system:driver',
    'impersonate-extra-authentication.kubernetes.io%2fnode-name': node,
  })
  const status = (change, headers, quiet = false) =>
    t.mergePatch(
      `${root}/resourceclaims/c/status`,
      { status: change },
      quiet ? { quiet } : { headers, pick: (b) => causes(b) ?? b.status },
    )
  const may = (headers) => async () => {
    const answer = await t.mergePatch(
      `${root}/resourceclaims/c/status?dryRun=All`,
      { metadata: { labels: { a: 'b' } } },
      { headers, quiet: true },
    )
    return answer.status === 200
  }
  await t.until(may(ann))
  const nodeSelector = {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
  }
  const result = (driver, device) => ({ request: 'r', driver, pool: 'p', device })
  const results = [result('d.example.com', 'x'), result('e.example.com', 'y')]
  const allocation = { nodeSelector, devices: { results } }
  await status({ allocation }, ann)
  await status({ allocation }, undefined, true)
  await status({ reservedFor: [{ resource: 'pods', name: 'a', uid: 'u' }] }, ann)
  const devices = (...names) => ({
    devices: names.map((name, i) => ({
      driver: `${name}.example.com`,
      pool: 'p',
      device: i === 0 && name === 'd' ? 'x' : 'y',
    })),
  })
  await status(devices('d'), ann)
  await status(devices('e'), ann)
  await status(devices('d', 'e'), ann)
  await status(devices('d'), driver('n1'))
  await status(devices('d'), driver('n2'))
  const own = {
    apiGroups,
    resources: ['resourceclaims/driver'],
    verbs: ['associated-node:patch'],
    resourceNames: ['d.example.com'],
  }
  await grant('v136-driver', [own])
  await t.until(async () => {
    const change = { status: devices('d') }
    const asked = `${root}/resourceclaims/c/status?dryRun=All`
    return (await t.mergePatch(asked, change, { headers: driver('n1'), quiet: true })).status === 200
  })
  await status(devices('d'), ann)
  await status(devices('d'), driver('n2'))
  await status(devices('d'), driver('n1'))
  await status(devices('d', 'e'), driver('n1'))
  await status({ devices: null }, ann)
  await status({ devices: null }, driver('n1'))
  await t.delete(`${root}/resourceclaims/c`, { quiet: true })
  for (const name of ['v136-claims', 'v136-driver']) {
    for (const kind of ['clusterroles', 'clusterrolebindings']) await t.clear(`${rbac}/${kind}/${name}`)
  }
}
