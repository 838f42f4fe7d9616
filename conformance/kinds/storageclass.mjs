// StorageClass: defaults, table, immutable fields, refusals, delete returns the object.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const url = '/apis/storage.k8s.io/v1/storageclasses'
  for (const n of ['kinds-sc-a', 'kinds-sc-b']) await t.clear(`${url}/${n}`)
  const sc = (name, more) => ({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, ...more })
  await t.post(url, sc('kinds-sc-a', { provisioner: 'example.com/disk' }))
  await t.get(`${url}/kinds-sc-a`, asTable)
  await t.post(
    url,
    sc('kinds-sc-b', {
      provisioner: 'kubernetes.io/no-provisioner',
      parameters: { type: 'ssd' },
      reclaimPolicy: 'Retain',
      mountOptions: ['debug'],
      allowVolumeExpansion: true,
      volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
    }),
  )
  await t.get(`${url}/kinds-sc-b`, asTable)
  await t.mergePatch(`${url}/kinds-sc-a`, {
    metadata: { labels: { x: 'y' } },
    allowVolumeExpansion: true,
    mountOptions: ['ro'],
  })
  await t.mergePatch(`${url}/kinds-sc-a`, {
    parameters: { a: 'b' },
    provisioner: 'example.com/other',
    reclaimPolicy: 'Retain',
    volumeBindingMode: 'WaitForFirstConsumer',
  })
  await t.put(`${url}/kinds-sc-a`, sc('kinds-sc-a', { provisioner: 'example.com/disk' }))
  await t.put(`${url}/kinds-sc-missing`, sc('kinds-sc-missing', { provisioner: 'example.com/disk' }))
  await t.post(url, sc('kinds-sc-bad', {}))
  await t.post(
    url,
    sc('kinds-sc-bad', {
      provisioner: 'Bad Name!',
      reclaimPolicy: 'Recycle',
      volumeBindingMode: 'Whenever',
      parameters: { '': 'v' },
    }),
  )
  await t.post(
    url,
    sc('kinds-sc-bad', {
      provisioner: 'example.com/x',
      allowedTopologies: [
        {
          matchLabelExpressions: [
            { key: 'zone', values: [] },
            { key: 'zone', values: ['a', 'a'] },
          ],
        },
      ],
    }),
  )
  await t.post(url, sc('kinds-sc-bad', { provisioner: 'example.com/x', allowVolumeExpansion: 'yes' }))
  await t.delete(`${url}/kinds-sc-a`)
}
