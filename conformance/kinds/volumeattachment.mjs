// VolumeAttachment: defaults, table, immutable spec, status subresource, refusals, delete.
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
  const url = '/apis/storage.k8s.io/v1/volumeattachments'
  await t.clear(`${url}/kinds-va`)
  const va = (name, spec) => ({ apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', metadata: { name }, spec })
  const made = await t.post(url, {
    ...va('kinds-va', { attacher: 'csi.example.com', nodeName: 'n', source: { persistentVolumeName: 'pv' } }),
    status: { attached: true },
  })
  await t.get(`${url}/kinds-va`, asTable)
  await t.mergePatch(`${url}/kinds-va`, { metadata: { labels: { x: 'y' } }, status: { attached: true } })
  await t.mergePatch(
    `${url}/kinds-va`,
    { spec: { nodeName: 'm' } },
    { pick: (b) => JSON.parse(JSON.stringify(b).replace(/0x[0-9a-f]+/g, '0x0')) },
  )
  await t.mergePatch(`${url}/kinds-va/status`, {
    spec: { nodeName: 'm' },
    metadata: { labels: { from: 'status' } },
    status: {
      attached: true,
      attachmentMetadata: { k: 'v' },
      detachError: { message: 'm', time: '2024-01-01T00:00:00Z' },
    },
  })
  await t.get(`${url}/kinds-va`, asTable)
  await t.put(`${url}/kinds-va`, { ...made.body, metadata: { name: 'kinds-va' } })
  await t.post(url, va('kinds-va2', {}))
  await t.post(
    url,
    va('kinds-va2', { attacher: 'Bad Name', nodeName: 'Bad Node', source: { persistentVolumeName: 'Bad PV' } }),
  )
  await t.post(
    url,
    va('kinds-va2', {
      attacher: 'csi.example.com',
      nodeName: 'n',
      source: {
        persistentVolumeName: 'pv',
        inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } },
      },
    }),
  )
  await t.post(url, va('kinds-va2', { attacher: 5, nodeName: 'n', source: {} }))
  await t.delete(`${url}/kinds-va`)
}
