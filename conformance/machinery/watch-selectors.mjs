// Selectors in a watch: an object that enters the selection is ADDED, one that leaves it is DELETED with its last matching state.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, labels, v) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data: { v } })
  const start = (await t.get(`${cms}?limit=1`, { quiet: true })).body.metadata.resourceVersion

  const red = await t.watch(`${cms}?watch=true&resourceVersion=${start}&labelSelector=color%3Dred`)
  await t.post(cms, cm('a', { color: 'blue' }, '1'), { quiet: true })
  await t.put(`${cms}/a`, cm('a', { color: 'red' }, '2'), { quiet: true })
  await red.take(1)
  await t.put(`${cms}/a`, cm('a', { color: 'red' }, '3'), { quiet: true })
  await red.take(1)
  const left = (await t.put(`${cms}/a`, cm('a', { color: 'green' }, '4'), { quiet: true })).body
  const [gone] = await red.take(1)
  t.note(
    'the DELETED event has the version of the write that ended the match',
    gone?.object?.metadata?.resourceVersion === left.metadata?.resourceVersion,
  )
  // Outside the selection nothing is seen, not even the real deletion.
  await t.put(`${cms}/a`, cm('a', { color: 'grey' }, '5'), { quiet: true })
  await t.delete(`${cms}/a`, undefined, { quiet: true })
  await t.post(cms, cm('b', { color: 'red' }, '1'), { quiet: true })
  await red.take(1)
  await t.delete(`${cms}/b`, undefined, { quiet: true })
  await red.take(1)
  red.close()

  const b = await t.watch(`${cms}?watch=true&resourceVersion=${start}&fieldSelector=metadata.name%3Db`)
  await b.take(2)
  b.close()
  const notRed = await t.watch(`${cms}?watch=true&resourceVersion=${start}&labelSelector=color,color!%3Dred`)
  await notRed.take(5)
  notRed.close()
}
