// Drivers, volumes, device classes, claims and slices, nodes and definitions of v1.35.
export default async (t) => {
  const ns = await t.namespace()
  const kinds = { pick: (b) => (b.kind === 'Status' ? b : b.kind) }
  const specs = { pick: (b) => b.spec ?? b }

  const drivers = '/apis/storage.k8s.io/v1/csidrivers'
  const driver = (spec) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'v135.example.com' },
    spec,
  })
  await t.clear(`${drivers}/v135.example.com`)
  await t.post(`${drivers}?dryRun=All`, driver({ serviceAccountTokenInSecrets: false }))
  await t.post(drivers, driver({ tokenRequests: [{ audience: 'a' }], nodeAllocatableUpdatePeriodSeconds: 10 }), specs)
  await t.mergePatch(`${drivers}/v135.example.com`, { spec: { tokenRequests: [{ audience: 'b' }] } }, specs)
  await t.mergePatch(
    `${drivers}/v135.example.com`,
    { spec: { tokenRequests: [{ audience: 'c' }], serviceAccountTokenInSecrets: true } },
    specs,
  )
  await t.mergePatch(`${drivers}/v135.example.com`, { spec: { tokenRequests: [] } })
  await t.mergePatch(`${drivers}/v135.example.com`, { spec: { nodeAllocatableUpdatePeriodSeconds: 9 } })
  await t.delete(`${drivers}/v135.example.com`)

  const nodes = '/apis/storage.k8s.io/v1/csinodes'
  await t.clear(`${nodes}/v135-node`)
  const csi = (count, name = 'd.example.com') => ({
    drivers: [{ name, nodeID: 'n', topologyKeys: ['a'], allocatable: { count } }],
  })
  const node = (spec) => ({ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'v135-node' }, spec })
  await t.post(nodes, node(csi(1)), specs)
  await t.mergePatch(`${nodes}/v135-node`, { spec: csi(2) }, specs)
  await t.mergePatch(`${nodes}/v135-node`, { spec: csi(-1) })
  await t.mergePatch(`${nodes}/v135-node`, { spec: csi(2, '') })
  await t.delete(`${nodes}/v135-node`)

  const attachments = '/apis/storage.k8s.io/v1/volumeattachments'
  await t.clear(`${attachments}/v135-attachment`)
  await t.post(
    attachments,
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'v135-attachment' },
      spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
    },
    kinds,
  )
  const failed = (errorCode) => ({
    status: { attached: false, attachError: { time: '2024-01-01T00:00:00Z', message: 'm', errorCode } },
  })
  await t.mergePatch(`${attachments}/v135-attachment/status`, failed(8), { pick: (b) => b.status ?? b })
  await t.mergePatch(`${attachments}/v135-attachment`, { spec: { attacher: '' } })
  await t.delete(`${attachments}/v135-attachment`)

  const volumes = '/api/v1/persistentvolumes'
  await t.clear(`${volumes}/v135-volume`)
  const affinity = (value) => ({
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'In', values: [value] }] }] },
  })
  await t.post(
    volumes,
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v135-volume' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/v' },
        nodeAffinity: affinity('a'),
      },
    },
    kinds,
  )
  await t.mergePatch(`${volumes}/v135-volume`, { spec: { nodeAffinity: affinity('b') } })
  await t.mergePatch(`${volumes}/v135-volume`, { spec: { capacity: { storage: '0' } } })
  await t.delete(`${volumes}/v135-volume`)
  const claims = `/api/v1/namespaces/${ns}/persistentvolumeclaims`
  await t.post(
    claims,
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    kinds,
  )
  await t.mergePatch(
    `${claims}/c`,
    { spec: { accessModes: ['Odd'] } },
    {
      pick: (b) => ({
        code: b.code,
        causes: b.details?.causes?.map((c) => [c.reason, c.field, c.message.slice(0, 90)]),
      }),
    },
  )
  await t.mergePatch(`${claims}/c`, { metadata: { labels: { a: `${'b'.repeat(64)}` } } })

  const devices = '/apis/resource.k8s.io/v1'
  const object = (kind, name, spec) => ({ apiVersion: 'resource.k8s.io/v1', kind, metadata: { name }, spec })
  await t.clear(`${devices}/deviceclasses/v135-class`)
  await t.clear(`${devices}/resourceslices/v135-slice`)
  await t.post(`${devices}/deviceclasses`, object('DeviceClass', 'v135-class', { selectors: [] }), kinds)
  await t.mergePatch(`${devices}/deviceclasses/v135-class`, { spec: { selectors: [{ cel: { expression: '' } }] } })
  await t.mergePatch(`${devices}/deviceclasses/v135-class`, {
    spec: { config: [{ opaque: { driver: '', parameters: { a: 1 } } }] },
    metadata: { labels: { 'a b': 'c' } },
  })
  const slice = (more, device) =>
    object('ResourceSlice', 'v135-slice', {
      driver: 'a.example.com',
      allNodes: true,
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'd', ...device }],
      ...more,
    })
  const slices = `${devices}/resourceslices?dryRun=All`
  await t.post(slices, slice({ driver: 'A.example.com' }, {}), specs)
  await t.post(slices, slice({ devices: undefined }), specs)
  await t.post(slices, slice({}, { attributes: { a: {} } }))
  await t.post(slices, slice({}, { attributes: { '/a': { int: 1 }, 'b/': { int: 1 } } }), {
    pick: (b) => b.details?.causes?.map((c) => `${c.field} ${c.message}`).toSorted() ?? b,
  })
  await t.post(slices, slice({}, { attributes: { a: { version: 'x' }, b: { string: 's'.repeat(65) } } }), {
    pick: (b) => b.details?.causes?.map((c) => `${c.field} ${c.message}`).toSorted() ?? b,
  })
  await t.post(slices, slice({ devices: Array.from({ length: 129 }, (_, i) => ({ name: `d${i}` })) }))
  const requests = `${devices}/namespaces/${ns}/resourceclaims`
  const claim = (name, spec) =>
    object('ResourceClaim', name, {
      devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'v135-class' } }], ...spec },
    })
  await t.post(requests, claim('a', {}), kinds)
  await t.post(requests, claim('x', { constraints: [{ matchAttribute: 'plain' }] }))
  await t.post(requests, claim('x', { constraints: [{ matchAttribute: '' }] }))
  await t.post(requests, claim('x', { constraints: [{ requests: ['r', 'r'], matchAttribute: 'a.example.com/x' }] }))
  await t.post(requests, claim('x', { config: [{ requests: ['r', 'r'], opaque: { driver: '', parameters: {} } }] }))
  await t.post(
    requests,
    claim('x', {
      requests: Array.from({ length: 33 }, (_, i) => ({ name: `r${i}`, exactly: { deviceClassName: 'c' } })),
    }),
  )
  await t.mergePatch(`${requests}/a`, { spec: { devices: { requests: [{ name: 'Bad_' }] } } })
  const allocated = (more, config) => ({
    status: {
      allocation: {
        devices: { results: [{ request: 'r', driver: 'a.example.com', pool: 'p', device: 'd', ...more }], config },
      },
    },
  })
  await t.mergePatch(`${requests}/a/status`, allocated({ driver: '', pool: '' }))
  await t.mergePatch(`${requests}/a/status`, allocated({ pool: 'Bad_/p' }))
  await t.mergePatch(
    `${requests}/a/status`,
    allocated({}, [{ source: 'Odd', opaque: { driver: 'a.example.com', parameters: { a: 1 } } }]),
  )
  await t.mergePatch(`${requests}/a/status`, allocated({}), { pick: (b) => b.status ?? b })
  await t.mergePatch(`${requests}/a/status`, allocated({ device: 'e' }), {
    pick: (b) => ({ code: b.code, causes: b.details?.causes?.map((c) => [c.field, c.message.slice(-60)]) }),
  })
  await t.mergePatch(`${requests}/a/status`, {
    status: {
      devices: [
        {
          driver: 'a.example.com',
          pool: 'p',
          device: 'd',
          networkData: {
            interfaceName: 'i'.repeat(257),
            hardwareAddress: 'h'.repeat(129),
            ips: ['10.0.0.1/24', '10.0.0.1/24', '10.0.0.300/24'],
          },
        },
      ],
    },
  })
  await t.delete(`${devices}/deviceclasses/v135-class`)

  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const name = 'things.v135.example.com'
  await t.clear(`${definitions}/${name}`)
  const text = (format) => ({ type: 'string', format })
  const definition = (spec, version = {}) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: 'v135.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
          ...version,
        },
      ],
    },
  })
  await t.post(
    definitions,
    definition({
      type: 'object',
      properties: {
        short: text('k8s-short-name'),
        long: text('k8s-long-name'),
        uuid: text('uuid'),
        size: {
          type: 'integer',
          'x-kubernetes-validations': [{ rule: 'self > 1', message: 'too small' }],
        },
      },
    }),
    kinds,
  )
  const things = `/apis/v135.example.com/v1/namespaces/${ns}/things`
  const thing = (spec) => ({ apiVersion: 'v135.example.com/v1', kind: 'Thing', metadata: { name: 't' }, spec })
  await t.until(async () => (await t.get(things, { quiet: true })).status === 200)
  await t.post(things, thing({ short: 'ok', long: 'a.b', size: 2 }), specs)
  await t.mergePatch(`${things}/t`, { spec: { short: 'a.b' } })
  await t.mergePatch(`${things}/t`, { spec: { long: 'Bad_' } })
  await t.mergePatch(`${things}/t`, { spec: { size: 1 } })
  await t.mergePatch(
    `${definitions}/${name}/status`,
    { status: { observedGeneration: 3 } },
    { pick: (b) => ({ generation: b.status?.observedGeneration, message: b.message }) },
  )
  const many = Array.from({ length: 9 }, (_, i) => `f${i}`)
  await t.post(
    `${definitions}?dryRun=All`,
    definition(
      { type: 'object', properties: Object.fromEntries(many.map((f) => [f, { type: 'string' }])) },
      { selectableFields: many.map((f) => ({ jsonPath: `.spec.${f}` })) },
    ),
  )
  await t.delete(`${definitions}/${name}`, undefined, { quiet: true })
}
