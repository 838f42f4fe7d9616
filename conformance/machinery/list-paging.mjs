// Paging: limit, continue and remainingItemCount, with one consistent snapshot over all chunks while the collection changes.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, v) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { v } })
  for (const name of ['a', 'b', 'c', 'd', 'e']) await t.post(cms, cm(name, '1'), { quiet: true })
  const show = (b) => ({
    kind: b.kind,
    items: b.items?.map((i) => `${i.metadata.name}=${i.data.v}`),
    metadata: b.metadata,
  })
  const page = (query) => t.get(`${cms}?${query}`, { pick: show })
  const next = (r) => encodeURIComponent(r.body.metadata.continue)

  const one = await page('limit=2')
  // Every kind of change after the first chunk; none of them shows in the later chunks.
  await t.delete(`${cms}/c`, undefined, { quiet: true })
  await t.put(`${cms}/d`, cm('d', '2'), { quiet: true })
  await t.post(cms, cm('cc', '1'), { quiet: true })
  const two = await page(`limit=2&continue=${next(one)}`)
  const three = await page(`limit=2&continue=${next(two)}`)
  t.note(
    'the chunks share one resourceVersion',
    new Set([one, two, three].map((r) => r.body.metadata.resourceVersion)).size === 1,
  )
  // A token may be used again, with another limit or none.
  await page(`continue=${next(one)}`)
  await page(`limit=1&continue=${next(one)}`)
  await page(`limit=3&continue=${next(two)}`)

  const now = await page('limit=3')
  await page(`limit=3&continue=${next(now)}`)
  await t.get(`${cms}?limit=5`, { pick: (b) => Object.keys(b.metadata ?? {}).sort() })
  await t.get(`${cms}?limit=4`, { pick: (b) => Object.keys(b.metadata ?? {}).sort() })
  // The first chunk is empty where nothing exists.
  await t.get(`/api/v1/namespaces/${ns}/secrets?limit=2`, {
    pick: (b) => ({ ...b, metadata: Object.keys(b.metadata ?? {}).sort() }),
  })
  await t.get(`${cms}?limit=2&continue=${next(one)}&watch=false`, { pick: show })
}
