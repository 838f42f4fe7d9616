// Lists: the invalid cells of resourceVersion x resourceVersionMatch x limit x continue, and values that do not parse.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  for (const name of ['a', 'b', 'c'])
    await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }, { quiet: true })
  const first = (await t.get(`${cms}?limit=1`, { quiet: true })).body
  const token = encodeURIComponent(first.metadata.continue)
  const rv = first.metadata.resourceVersion

  await t.get(`${cms}?resourceVersionMatch=Exact`)
  await t.get(`${cms}?resourceVersionMatch=Exact&resourceVersion=0`)
  await t.get(`${cms}?resourceVersionMatch=NotOlderThan`)
  await t.get(`${cms}?resourceVersionMatch=Bogus`)
  await t.get(`${cms}?resourceVersionMatch=Bogus&resourceVersion=${rv}`)
  await t.get(`${cms}?resourceVersionMatch=Exact&limit=2`)
  await t.get(`${cms}?resourceVersionMatch=Exact&resourceVersion=0&limit=2`)
  await t.get(`${cms}?limit=1&continue=${token}&resourceVersion=${rv}`)
  await t.get(`${cms}?limit=1&continue=${token}&resourceVersionMatch=Exact&resourceVersion=${rv}`)
  await t.get(`${cms}?limit=1&continue=${token}&resourceVersionMatch=NotOlderThan`)
  await t.get(`${cms}?limit=1&continue=${token}&resourceVersion=0`, {
    pick: (b) => ({ items: b.items?.map((i) => i.metadata.name), message: b.message }),
  })
  await t.get(`${cms}?resourceVersion=abc`)
  await t.get(`${cms}?resourceVersion=-1`)
  await t.get(`${cms}?resourceVersion=1.5&limit=1`)
  await t.get(`${cms}?resourceVersionMatch=Exact&resourceVersion=abc`)
  await t.get(`${cms}?limit=abc`)
  await t.get(`${cms}?limit=-1`, { pick: (b) => ({ items: b.items?.map((i) => i.metadata.name), message: b.message }) })
  await t.get(`${cms}?continue=garbage`)
  await t.get(`${cms}?timeoutSeconds=soon`)
}
