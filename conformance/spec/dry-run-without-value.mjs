// The specification's word: dryRun without a value is the same as no dryRun; every value but All is refused.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
  for (const [name, query] of [
    ['a', 'dryRun'],
    ['b', 'dryRun='],
    ['c', 'dryRun&pretty=true'],
    ['d', 'dryRun=All'],
  ]) {
    const made = await t.post(`${url}?${query}`, cm(name), { quiet: true })
    const kept = await t.get(`${url}/${name}`, { quiet: true })
    t.note(query, { create: made.status, get: kept.status })
  }
}
