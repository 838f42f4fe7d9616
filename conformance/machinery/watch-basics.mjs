// Watch from an exact version: ADDED, MODIFIED and DELETED events with full objects; earlier changes are replayed; no-op writes stay silent.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, v) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { v } })
  const start = (await t.get(`${cms}?limit=1`, { quiet: true })).body.metadata.resourceVersion

  const w = await t.watch(`${cms}?watch=true&resourceVersion=${start}`)
  await t.post(cms, cm('a', '1'))
  await w.take(1)
  await t.put(`${cms}/a`, cm('a', '2'))
  await t.put(`${cms}/a`, cm('a', '2'))
  await t.post(cms, cm('b', '1'))
  await w.take(2)
  await t.delete(`${cms}/a`)
  const [deleted] = await w.take(1)
  t.note(
    'the deleted object carries a newer version than its last state',
    Number(deleted?.object?.metadata?.resourceVersion) > Number(start),
  )
  w.close()

  // The same history again, from the start version and from the middle.
  const again = await t.watch(`${cms}?watch=1&resourceVersion=${start}`)
  const events = await again.take(4)
  again.close()
  const middle = await t.watch(`${cms}?watch=true&resourceVersion=${events[1]?.object?.metadata?.resourceVersion}`)
  await middle.take(2)
  middle.close()
  // Nothing new: the watch stays silent until its timeout and ends without an event.
  const silent = await t.watch(
    `${cms}?watch=true&resourceVersion=${deleted?.object?.metadata?.resourceVersion}&timeoutSeconds=1`,
  )
  await silent.take(1, 2500)
  t.note('the server ended the watch', silent.ended)
}
