// What a delete answers: a Status for kinds that go at once, the object itself where deletion takes time, and options that do not decode.
export default async (t) => {
  const ns = await t.namespace()
  const base = `/api/v1/namespaces/${ns}`
  const cms = `${base}/configmaps`
  const cm = (name, metadata) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } })
  const make = (name, metadata) => t.post(cms, cm(name, metadata), { quiet: true })
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await make(name)
  await t.post(`${base}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }, { quiet: true })
  await t.post(
    `${base}/events`,
    { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, involvedObject: { namespace: ns } },
    { quiet: true },
  )

  await t.delete(`${cms}/a`)
  await t.delete(`${cms}/a`)
  await t.delete(`${cms}/b`, { apiVersion: 'v1', kind: 'DeleteOptions' })
  await t.delete(`${cms}/c`, {})
  await t.delete(`${base}/secrets/s`)
  await t.delete(`${base}/events/e`)
  await t.delete(`${cms}/d`, { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 })
  await t.delete(`${cms}/e?dryRun=All`)
  await t.get(`${cms}/e`, { pick: (b) => b.metadata?.name })
  await t.delete(`${cms}/e`, { dryRun: ['All'] })
  await t.delete(`${cms}/e`, { dryRun: ['Sure'] })
  await t.delete(`${cms}/e`, '{"gracePeriodSeconds":')
  await t.delete(`${cms}/e`, { apiVersion: 'v1', kind: 'ConfigMap' })
  await t.delete(`${cms}/e`, { gracePeriodSeconds: 'soon' })
  await t.delete(`${cms}/e?gracePeriodSeconds=soon`)
  await t.delete(`${cms}/e`, { gracePeriodSeconds: -1, noSuchField: true })
  await t.delete(`${cms}/f?gracePeriodSeconds=30`)
  await t.delete(`${cms}/g?propagationPolicy=Whatever`)
  await t.delete(`${cms}/g?propagationPolicy=Background`)
  await t.delete(`${cms}/h`, { apiVersion: 'v1', kind: 'DeleteOptions' }, { type: 'application/yaml' })
}
