// Pods behind gates: tolerations that compare, workloads, restarts of all containers, resizes of whole pods, features of nodes.
export default async (t) => {
  const ns = await t.namespace()
  const pods = `/api/v1/namespaces/${ns}/pods`
  const dry = `${pods}?dryRun=All`
  const container = (more) => ({ name: 'c', image: 'i', ...more })
  const pod = (name, spec) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [container()], ...spec },
  })
  const part = (field) => ({ pick: (b) => b.spec?.[field] ?? b })
  const short = {
    pick: (b) =>
      b.kind === 'Status'
        ? { code: b.code, causes: b.details?.causes?.map((c) => [c.reason, c.field, c.message.slice(0, 120)]) }
        : b.spec,
  }

  const tolerates = (...tolerations) => pod('x', { tolerations })
  const compares = (operator, value, more) => ({ key: 'k', operator, value, ...more })
  await t.post(dry, tolerates(compares('Gt', '5'), compares('Lt', '-7', { effect: 'NoSchedule' })), part('tolerations'))
  await t.post(dry, tolerates(compares('Gt', 'five')))
  await t.post(dry, tolerates(compares('Gt', '05')))
  await t.post(dry, tolerates(compares('Lt', '9223372036854775808')))
  await t.post(dry, tolerates(compares('Lt', '')))
  await t.post(dry, tolerates({ operator: 'Gt', value: '1' }))
  await t.post(dry, tolerates(compares('Odd', '1')))
  await t.post(dry, tolerates(compares('Gt', '1', { tolerationSeconds: 3 })))
  await t.post(pods, { ...tolerates(compares('Gt', '5')), metadata: { name: 'tolerates' } }, part('tolerations'))
  const made = await t.get(`${pods}/tolerates`, { quiet: true })
  await t.mergePatch(
    `${pods}/tolerates`,
    { spec: { tolerations: [...made.body.spec.tolerations, compares('Lt', 'x')] } },
    short,
  )
  const runtimeClasses = '/apis/node.k8s.io/v1/runtimeclasses?dryRun=All'
  const runtimeClass = (operator, value) => ({
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'v135-class' },
    handler: 'h',
    scheduling: { tolerations: [compares(operator, value)] },
  })
  await t.post(runtimeClasses, runtimeClass('Gt', '5'), { pick: (b) => b.scheduling ?? b })
  await t.post(runtimeClasses, runtimeClass('Gt', 'x'))

  const refers = (workloadRef) => pod('x', { workloadRef })
  await t.post(
    pods,
    { ...refers({ name: 'w', podGroup: 'g', podGroupReplicaKey: 'k' }), metadata: { name: 'w' } },
    part('workloadRef'),
  )
  await t.post(dry, refers({}))
  await t.post(dry, refers({ name: 'Bad_', podGroup: 'a.b', podGroupReplicaKey: 'Bad_' }))
  await t.mergePatch(`${pods}/w`, { spec: { workloadRef: { podGroup: 'other' } } }, short)
  await t.post(dry, pod('x', { hostUsers: false, hostNetwork: true }), { pick: (b) => b.spec?.hostUsers ?? b })
  await t.post(dry, pod('x', { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true }))

  const source = (more) => ({ signerName: 'example.com/s', keyType: 'ED25519', credentialBundlePath: 'b.pem', ...more })
  const certificate = (more) =>
    pod('x', { volumes: [{ name: 'v', projected: { sources: [{ podCertificate: source(more) }] } }] })
  await t.post(dry, certificate({ userAnnotations: { 'example.com/a': 'b' } }), part('volumes'))
  await t.post(dry, certificate({ userAnnotations: { plain: 'b' } }))
  await t.post(dry, certificate({ userAnnotations: { 'Example.com/a': 'b' } }), part('volumes'))
  await t.post(dry, certificate({ userAnnotations: { 'bad_/a': 'b' } }))
  await t.post(dry, certificate({ userAnnotations: { 'example.com/a': 'b'.repeat(262144) } }))
  await t.post(dry, certificate({ signerName: '', keyType: 'RSA', maxExpirationSeconds: 1 }))
  await t.post(dry, certificate({ signerName: 'kubernetes.io/odd', keyPath: '../k', certificateChainPath: '/c' }))

  const all = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }
  const restarts = (rule, more) =>
    pod('x', {
      restartPolicy: 'Never',
      containers: [container({ restartPolicy: 'Never', restartPolicyRules: [rule], ...more })],
    })
  await t.post(pods, { ...restarts(all), metadata: { name: 'restarts' } }, part('containers'))
  await t.post(dry, restarts({ ...all, action: 'Odd' }))
  const init = (more) => pod('x', { initContainers: [{ name: 'i', image: 'i', ...more }] })
  await t.post(dry, init({ restartPolicy: 'Always', restartPolicyRules: [all] }), part('initContainers'))
  await t.post(dry, init({ restartPolicy: 'Always', restartPolicyRules: [{ action: 'Odd' }] }))
  await t.post(dry, init({ restartPolicyRules: [all] }))
  const status = (state) => ({
    status: { containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state }] },
  })
  const states = { pick: (b) => b.status?.containerStatuses?.map((s) => Object.keys(s.state)) ?? b }
  await t.mergePatch(`${pods}/restarts/status`, status({ terminated: { exitCode: 1 } }), states)
  await t.mergePatch(`${pods}/restarts/status`, status({ running: {} }), states)

  const sized = (cpu, memory = '1Gi') => ({ requests: { cpu, memory }, limits: { cpu: '2', memory } })
  await t.post(pods, pod('whole', { resources: sized('1') }), part('resources'))
  const resize = (name, spec, options = part('resources')) => t.mergePatch(`${pods}/${name}/resize`, { spec }, options)
  await resize('whole', { resources: { requests: { cpu: '500m' } } })
  await resize('whole', { resources: { limits: { memory: '2Gi' }, requests: { memory: '2Gi' } } })
  await resize('whole', { resources: { requests: { cpu: '3' } } }, short)
  await resize('whole', { resources: { requests: { cpu: null } } }, short)
  await resize('whole', { resources: null }, short)
  await resize(
    'whole',
    { resources: { limits: { 'hugepages-2Mi': '2Mi' }, requests: { 'hugepages-2Mi': '2Mi' } } },
    short,
  )
  await resize('whole', { containers: [container({ resources: { requests: { cpu: '100m' } } })] }, short)
  await t.post(pods, pod('plain'), { pick: (b) => b.kind })
  await resize('plain', { resources: { requests: { cpu: '1' } } }, short)
  await t.post(pods, pod('burst', { containers: [container({ resources: { requests: { cpu: '1' } } })] }), {
    pick: (b) => b.kind,
  })
  await resize('burst', { resources: { requests: { cpu: '2' } } }, short)
  await t.mergePatch(
    `${pods}/whole/status`,
    { status: { resources: sized('1'), allocatedResources: { cpu: '1' } } },
    { pick: (b) => ({ resources: b.status?.resources, allocated: b.status?.allocatedResources, message: b.message }) },
  )
  await t.mergePatch(
    `${pods}/whole/status`,
    { status: { resources: { limits: { odd: '1' } }, allocatedResources: { cpu: '-1' } } },
    { pick: (b) => ({ resources: b.status?.resources, allocated: b.status?.allocatedResources, message: b.message }) },
  )

  // what an update needs of the node
  const nodes = '/api/v1/nodes'
  await t.clear(`${nodes}/v135-node`)
  const features = (declaredFeatures) =>
    t.mergePatch(
      `${nodes}/v135-node/status`,
      { status: { declaredFeatures } },
      { pick: (b) => b.status?.declaredFeatures ?? b },
    )
  await t.post(nodes, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'v135-node' },
    status: { declaredFeatures: ['B', 'A'] },
  })
  await t.post(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'v135-node' } }, { pick: (b) => b.kind })
  await features(['A', 'A/b', 'C'])
  await features(['A', 'A'])
  await features(['b', 'A/', `A${'b'.repeat(253)}`])
  await features([])
  await features(['A'])
  const bind = (name) =>
    t.post(
      `${pods}/${name}/binding`,
      { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: 'v135-node' } },
      { pick: (b) => b.status },
    )
  await bind('whole')
  await resize('whole', { resources: { requests: { cpu: '700m' } } }, { pick: (b) => b.spec?.resources ?? b })
  await features(['InPlacePodLevelResourcesVerticalScaling'])
  await t.until(
    async () =>
      (
        await t.mergePatch(
          `${pods}/whole/resize?dryRun=All`,
          { spec: { resources: { requests: { cpu: '700m' } } } },
          { quiet: true },
        )
      ).status === 200,
  )
  await resize('whole', { resources: { requests: { cpu: '700m' } } })
  const guaranteed = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } }
  await t.post(pods, pod('exact', { containers: [container({ resources: guaranteed })] }), {
    pick: (b) => b.status?.qosClass,
  })
  await bind('exact')
  await t.strategicPatch(`${pods}/exact/resize`, {
    spec: { containers: [{ name: 'c', resources: { limits: { cpu: '2' }, requests: { cpu: '2' } } }] },
  })
  await t.mergePatch(`${pods}/exact`, { metadata: { labels: { a: 'b' } } }, { pick: (b) => b.metadata?.labels ?? b })
  await t.delete(`${nodes}/v135-node`)
  await t.strategicPatch(
    `${pods}/burst/resize`,
    { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '500m' } } }] } },
    short,
  )
}
