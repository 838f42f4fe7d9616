// Watch with other representations: Table rows (column headers only in the first event), PartialObjectMetadata, and YAML refused.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, data) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { n: name } }, data })
  const start = (await t.get(`${cms}?limit=1`, { quiet: true })).body.metadata.resourceVersion
  await t.post(cms, cm('a', { k: '1' }), { quiet: true })
  await t.put(`${cms}/a`, cm('a', { k: '1', l: '2' }), { quiet: true })
  await t.delete(`${cms}/a`, undefined, { quiet: true })
  const url = `${cms}?watch=true&resourceVersion=${start}`
  // Ages in table cells depend on the clock; of the columns the names will do.
  const tidy = (e) => {
    for (const row of e.object?.rows ?? []) row.cells[row.cells.length - 1] = '<age>'
    if (e.object?.columnDefinitions) e.object.columnDefinitions = e.object.columnDefinitions.map((c) => c.name)
    return e
  }
  const whole = async (accept, query = '') => {
    const r = await t.get(`${url}&timeoutSeconds=1${query}`, { accept, quiet: true })
    t.note(`watch as ${accept}${query}`, {
      status: r.status,
      type: r.headers['content-type'],
      events: r.raw
        .toString()
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          try {
            return tidy(JSON.parse(line))
          } catch {
            return line
          }
        }),
    })
  }

  await whole('application/json;as=Table;v=v1;g=meta.k8s.io')
  await whole('application/json;as=Table;v=v1;g=meta.k8s.io', '&includeObject=None')
  await whole('application/json;as=Table;v=v1;g=meta.k8s.io', '&includeObject=Object')
  await whole('application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', '&includeObject=Metadata')
  await whole('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io')
  await whole('application/json;stream=watch')
  await t.get(`${url}&timeoutSeconds=1`, { accept: 'application/yaml' })
  await t.get(`${url}&timeoutSeconds=1`, { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' })
  await t.get(`${url}&timeoutSeconds=1`, { accept: 'text/html' })
  await t.get(`${url}&timeoutSeconds=1&includeObject=Everything`, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  })
  const proto = await t.get(`${url}&timeoutSeconds=1`, {
    accept: 'application/vnd.kubernetes.protobuf;stream=watch',
    quiet: true,
  })
  t.note('protobuf watch', { status: proto.status, type: proto.headers['content-type'], empty: proto.raw.length === 0 })
}
