// How a watch is asked for and sent: the watch parameter with and without a value, chunked transfer, one JSON document for each event, and going on after a disconnect.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, v) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { v } })
  for (const name of ['a', 'b']) await t.post(cms, cm(name, '1'), { quiet: true })
  const events = (r) =>
    r.raw
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((l) => {
        try {
          const e = JSON.parse(l)
          return `${e.type} ${e.object?.metadata?.name}`
        } catch {
          return 'not one document on a line'
        }
      })
  for (const query of [
    'watch',
    'watch=',
    'watch=1',
    'watch=true',
    'watch=TRUE',
    'watch=x',
    'watch=0',
    'watch=false',
    'watch=False',
  ]) {
    const r = await t.get(`${cms}?${query}&timeoutSeconds=1`, { quiet: true })
    t.note(query, {
      status: r.status,
      type: r.headers['content-type'],
      chunked: r.headers['transfer-encoding'] === 'chunked',
      got: r.body?.kind === 'ConfigMapList' ? 'a list' : events(r),
    })
  }
  const raw = (await t.get(`${cms}?watch=1&timeoutSeconds=1`, { quiet: true })).raw.toString()
  t.note('the body is JSON documents only', {
    startsWith: raw.slice(0, 28),
    keys: [
      ...new Set(
        raw
          .split('\n')
          .filter(Boolean)
          .flatMap((l) => Object.keys(JSON.parse(l))),
      ),
    ],
    lines: raw.trim().split('\n').length,
  })

  // After a disconnect: a new watch from the last version that was seen misses nothing and repeats nothing.
  const w = await t.watch(`${cms}?watch=1`)
  const seen = await w.take(2)
  await t.put(`${cms}/a`, cm('a', '2'), { quiet: true })
  const [last] = await w.take(1)
  w.close()
  await t.put(`${cms}/b`, cm('b', '2'), { quiet: true })
  await t.delete(`${cms}/a`, undefined, { quiet: true })
  await t.post(cms, cm('c', '1'), { quiet: true })
  const on = await t.watch(`${cms}?watch=1&resourceVersion=${last?.object?.metadata?.resourceVersion}`)
  await on.take(3)
  on.close()
  // From a fresh list it is the same.
  const list = (await t.get(cms, { quiet: true })).body
  const fresh = await t.watch(`${cms}?watch=1&resourceVersion=${list.metadata.resourceVersion}`)
  await t.put(`${cms}/c`, cm('c', '2'), { quiet: true })
  await fresh.take(1)
  fresh.close()
  t.note(
    'started with the whole state',
    seen.map((e) => `${e.type} ${e.object?.metadata?.name}`),
  )
}
