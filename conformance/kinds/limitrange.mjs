// LimitRange: defaults it fills in for itself, its effect on pods and claims, create by put, refused ranges.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/limitranges`
  const pods = `/api/v1/namespaces/${ns}/pods`
  const range = (name, limits) => ({ apiVersion: 'v1', kind: 'LimitRange', metadata: { name }, spec: { limits } })
  const pod = (name, resources) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'busybox', resources }] },
  })
  // a maximum also becomes the default
  await t.post(
    url,
    range('a', [
      { type: 'Container', max: { cpu: '1' }, min: { cpu: '100m' } },
      { type: 'Pod', max: { memory: '1Gi' } },
      { type: 'PersistentVolumeClaim', min: { storage: '1Gi' } },
    ]),
  )
  await t.get(`${url}/a`, asTable)
  // it acts once it has been seen
  await t.until(
    async () =>
      (
        await t.post(
          `${pods}?dryRun=All`,
          pod('probe', { requests: { cpu: '5m', memory: '1Mi' }, limits: { memory: '1Mi' } }),
          { quiet: true },
        )
      ).status === 403,
  )
  await t.post(pods, pod('plain', {}))
  await t.post(pods, pod('with-memory', { limits: { memory: '1Gi' } }))
  await t.post(pods, pod('too-much', { limits: { cpu: '2', memory: '1Gi' } }))
  await t.post(pods, pod('too-much-in-all', { limits: { memory: '2Gi' } }))
  await t.post(pods, pod('too-little', { requests: { cpu: '50m', memory: '1Mi' }, limits: { memory: '1Mi' } }))
  await t.post(`/api/v1/namespaces/${ns}/persistentvolumeclaims`, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'small' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
  })
  // changes
  await t.put(
    `${url}/by-put`,
    range('by-put', [{ type: 'Container', default: { memory: '64Mi' }, defaultRequest: { memory: '32Mi' } }]),
  )
  await t.put(`${url}/a`, range('a', [{ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }]))
  await t.until(
    async () =>
      (
        await t.post(`${pods}?dryRun=All`, pod('probe', { requests: { cpu: '1' }, limits: { cpu: '1' } }), {
          quiet: true,
        })
      ).body.spec?.containers?.[0]?.resources?.limits?.memory === '64Mi',
  )
  await t.post(pods, pod('defaulted', { requests: { cpu: '1' }, limits: { cpu: '1' } }))
  await t.post(pods, pod('ratio', { requests: { cpu: '1' }, limits: { cpu: '4' } }))
  // refused
  await t.post(url, range('bad', []))
  await t.post(url, range('bad', [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '2' }, default: { cpu: '3' } }]))
  await t.post(
    url,
    range('bad', [{ type: 'Pod', default: { cpu: '1' } }, { type: 'Pod' }, { type: 'PersistentVolumeClaim' }]),
  )
  await t.post(url, range('bad', [{ type: '' }, { type: 'Container', max: { 'bad key!': '1' } }]))
  await t.post(url, range('bad', [{ type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }]))
  await t.post(url, range('bad', [{ type: 'Container', max: { cpu: 'many' } }]))
  await t.delete(`${url}/a`)
}
