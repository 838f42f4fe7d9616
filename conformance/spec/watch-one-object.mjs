// The specification's word: with the watch parameter a GET of one object is a watch of that object, and of no other.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, v) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { v } })
  const start = (await t.post(cms, cm('a', '1'), { quiet: true })).body.metadata.resourceVersion
  await t.post(cms, cm('other', '1'), { quiet: true })
  const brief = (events) => events.map((e) => `${e?.type} ${e?.object?.metadata?.name} ${e?.object?.data?.v}`)
  const read = async (query) => {
    const r = await t.get(`${cms}/a?${query}`, { quiet: true })
    const events = r.raw
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((l) => {
        try {
          return JSON.parse(l)
        } catch {
          return undefined
        }
      })
    return {
      status: r.status,
      got: events.length === 1 && events[0]?.kind === 'ConfigMap' ? 'the object' : brief(events),
    }
  }
  t.note('watch=1: the present state first', await read('watch=1&timeoutSeconds=1'))
  t.note('watch', await read('watch&timeoutSeconds=1'))
  t.note('watch=false is a plain read', await read('watch=false'))
  await t.put(`${cms}/a`, cm('a', '2'), { quiet: true })
  await t.put(`${cms}/other`, cm('other', '2'), { quiet: true })
  t.note('from a version on: the changes since', await read(`watch=1&timeoutSeconds=1&resourceVersion=${start}`))
  await t.delete(`${cms}/a`, undefined, { quiet: true })
  t.note('up to the deletion', await read(`watch=1&timeoutSeconds=1&resourceVersion=${start}`))
}
