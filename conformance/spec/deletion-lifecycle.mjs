// Two phases of deletion: the first delete sets the current time, finalizers are worked off in any order by anyone, and the last one ends the object.
export default async (t) => {
  for (const name of ['a', 'b'])
    await t.mergePatch(
      `/api/v1/namespaces/${t.ns}/configmaps/${name}`,
      { metadata: { finalizers: null } },
      { quiet: true },
    )
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const state = (b) =>
    b.kind === 'Status'
      ? b
      : {
          finalizers: b.metadata.finalizers,
          terminating: !!b.metadata.deletionTimestamp,
          graceSeconds: b.metadata.deletionGracePeriodSeconds,
          generation: b.metadata.generation,
        }
  const now = (iso) => Math.abs(Date.parse(iso) - Date.now()) < 5000
  await t.post(
    cms,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', finalizers: ['example.com/one', 'example.com/two', 'example.com/three'] },
    },
    { pick: state },
  )
  // Any actor may put the list in another order while the object lives.
  await t.mergePatch(
    `${cms}/a`,
    { metadata: { finalizers: ['example.com/three', 'example.com/one', 'example.com/two'] } },
    { agent: 'someone/1', pick: state },
  )
  const first = await t.delete(`${cms}/a`, undefined, { pick: state })
  t.note('the time is the current time', now(first.body.metadata?.deletionTimestamp))
  await t.sleep(1200)
  const second = await t.delete(`${cms}/a`, undefined, { pick: state })
  t.note(
    'a later delete leaves the time alone',
    first.body.metadata?.deletionTimestamp === second.body.metadata?.deletionTimestamp,
  )
  // The order may still change, and each may go when it is done: the middle, the last, the first.
  await t.mergePatch(
    `${cms}/a`,
    { metadata: { finalizers: ['example.com/two', 'example.com/three', 'example.com/one'] } },
    { pick: state },
  )
  await t.jsonPatch(
    `${cms}/a`,
    [
      { op: 'test', path: '/metadata/finalizers/1', value: 'example.com/three' },
      { op: 'remove', path: '/metadata/finalizers/1' },
    ],
    { agent: 'three/1', pick: state },
  )
  await t.jsonPatch(
    `${cms}/a`,
    [
      { op: 'test', path: '/metadata/finalizers/1', value: 'example.com/one' },
      { op: 'remove', path: '/metadata/finalizers/1' },
    ],
    { agent: 'one/1', pick: state },
  )
  await t.get(`${cms}/a`, { pick: state })
  await t.mergePatch(`${cms}/a`, { metadata: { finalizers: [] } }, { agent: 'two/1', pick: state })
  await t.get(`${cms}/a`)
  // By PUT as well.
  const made = (
    await t.post(
      cms,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b', finalizers: ['example.com/one'] } },
      { quiet: true },
    )
  ).body
  await t.delete(`${cms}/b`, undefined, { pick: state })
  await t.put(
    `${cms}/b`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b', uid: made.metadata.uid } },
    { pick: state },
  )
  await t.get(`${cms}/b`)
  // Without finalizers there is no second phase.
  await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }, { quiet: true })
  await t.delete(`${cms}/c`, undefined, { pick: (b) => b.status })
  await t.get(`${cms}/c`)
}
