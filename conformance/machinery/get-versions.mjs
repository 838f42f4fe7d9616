// Reading one object with resourceVersion: 0, an old one, the current one, and values that do not parse; unknown query parameters.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const made = (await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { v: '1' } }))
    .body
  const newer = (await t.put(`${cms}/a`, { ...made, data: { v: '2' } })).body

  await t.get(`${cms}/a?resourceVersion=${newer.metadata.resourceVersion}`)
  await t.get(`${cms}/a?resourceVersion=${made.metadata.resourceVersion}`)
  await t.get(`${cms}/a?resourceVersion=0`)
  await t.get(`${cms}/a?resourceVersion=`)
  await t.get(`${cms}/missing?resourceVersion=0`)
  await t.get(`${cms}/a?resourceVersion=abc`)
  await t.get(`${cms}/a?resourceVersion=-5`)
  await t.get(`${cms}/a?resourceVersion=99999999999999999999999`)
  await t.get(`${cms}/a?resourceVersionMatch=Exact`)
  await t.get(`${cms}/a?labelSelector=x=y&limit=1&no-such-parameter=1`)
  await t.get(`${cms}/a?export=true&exact=true`)
  await t.get(`${cms}/a?resourceVersion=${newer.metadata.resourceVersion}&resourceVersion=abc`)
}
