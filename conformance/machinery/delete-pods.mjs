// Graceful pod deletion: unscheduled pods go at once, scheduled ones wait for their grace period, which can only be shortened.
export default async (t) => {
  // A pod left on a node by an earlier run has nobody to finish it: force it away first.
  await t.delete(`/api/v1/namespaces/${t.ns}/pods/bound`, { gracePeriodSeconds: 0 }, { quiet: true })
  const ns = await t.namespace()
  const pods = `/api/v1/namespaces/${ns}/pods`
  const pod = (name, spec) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  })
  const brief = (b) =>
    b.kind === 'Pod'
      ? {
          kind: b.kind,
          name: b.metadata?.name,
          generation: b.metadata?.generation,
          grace: b.metadata?.deletionGracePeriodSeconds,
          terminating: !!b.metadata?.deletionTimestamp,
        }
      : b

  await t.post(pods, pod('free'), { quiet: true })
  await t.delete(`${pods}/free`)
  await t.get(`${pods}/free`)
  await t.post(pods, pod('free2', { terminationGracePeriodSeconds: 5 }), { quiet: true })
  await t.delete(`${pods}/free2?gracePeriodSeconds=20`, undefined, { pick: brief })
  await t.get(`${pods}/free2`)

  await t.post(pods, pod('bound', { nodeName: 'mach-node', terminationGracePeriodSeconds: 40 }), { quiet: true })
  await t.delete(`${pods}/bound`, { gracePeriodSeconds: -1, dryRun: ['All'] }, { pick: brief })
  const first = await t.delete(`${pods}/bound`)
  t.note(
    'deletionTimestamp lies the grace period ahead',
    Math.round((Date.parse(first.body.metadata.deletionTimestamp) - Date.now()) / 10000) * 10,
  )
  await t.get(`${pods}/bound`, { pick: brief })
  await t.delete(`${pods}/bound`, undefined, { pick: brief })
  await t.delete(`${pods}/bound?gracePeriodSeconds=100`, undefined, { pick: brief })
  await t.delete(`${pods}/bound?gracePeriodSeconds=10`, undefined, { pick: brief })
  await t.delete(`${pods}/bound`, { gracePeriodSeconds: 7 }, { pick: brief })
  await t.mergePatch(`${pods}/bound`, { metadata: { labels: { still: 'here' } } }, { pick: brief })
  await t.delete(`${pods}/bound`, { gracePeriodSeconds: 0, preconditions: { uid: 'wrong' } })
  await t.delete(`${pods}/bound`, { gracePeriodSeconds: 0 }, { pick: brief })
  await t.get(`${pods}/bound`)
  // A finished pod on a node needs no grace.
  await t.post(pods, pod('bound', { nodeName: 'mach-node' }), { quiet: true })
  await t.mergePatch(`${pods}/bound/status`, { status: { phase: 'Succeeded' } }, { quiet: true })
  await t.delete(`${pods}/bound`, undefined, { pick: brief })
  await t.get(`${pods}/bound`)
}
