// CBOR is off by default: not acceptable, no body type, no apply type, no watch; and no CBOR form of the other patches.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, { quiet: true })
  // {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cbor"},"data":{"k":"v"}}
  const body = Buffer.from(
    'a46a61706956657273696f6e627631646b696e6469436f6e6669674d6170686d65746164617461a1646e616d656463626f726464617461a1616b6176',
    'hex',
  )
  const kind = (b) => (b.kind === 'Status' ? b : { kind: b.kind })
  await t.get(`${cms}/a`, { accept: 'application/cbor' })
  await t.get(cms, { accept: 'application/cbor' })
  await t.get(`${cms}/a`, { accept: 'application/cbor, application/json', pick: kind })
  await t.get(`${cms}?watch=1&timeoutSeconds=1`, { accept: 'application/cbor-seq' })
  await t.get(`${cms}?watch=1&timeoutSeconds=1`, { accept: 'application/cbor' })
  await t.post(cms, body, { type: 'application/cbor' })
  await t.put(`${cms}/cbor`, body, { type: 'application/cbor' })
  await t.patch(`${cms}/cbor?fieldManager=one`, body, 'application/apply-patch+cbor')
  for (const name of ['json-patch', 'merge-patch', 'strategic-merge-patch'])
    await t.patch(`${cms}/a`, Buffer.from('a0', 'hex'), `application/${name}+cbor`)
  await t.get(`${cms}/cbor`)
  await t.get('/api', { accept: 'application/cbor' })
}
