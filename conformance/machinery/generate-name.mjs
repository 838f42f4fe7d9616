// generateName: random suffix, precedence of name, cutting of long prefixes, validation of the prefix.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (metadata) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata })
  // The generated name also stands in error bodies: show it as "<generated>".
  const hideName = (b) =>
    JSON.parse(
      JSON.stringify(b)
        .split(b.details?.name ?? b.metadata?.name)
        .join('<generated>'),
    )

  const one = await t.post(cms, cm({ generateName: 'run-' }))
  const two = await t.post(cms, cm({ generateName: 'run-' }), { quiet: true })
  t.note('two generated names differ', one.body.metadata.name !== two.body.metadata.name)
  t.note('suffix uses the safe alphabet', /^run-[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(one.body.metadata.name))
  await t.get(`${cms}/${one.body.metadata.name}`)
  await t.post(cms, cm({ name: 'given', generateName: 'run-' }))
  await t.post(cms, cm({ name: 'given', generateName: 'run-' }))
  await t.post(cms, cm({ generateName: 'dotted.' }), { pick: hideName })
  await t.post(cms, cm({ generateName: 'Upper-' }), { pick: hideName })
  await t.post(cms, cm({ generateName: '-lead' }), { pick: hideName })
  const long = await t.post(cms, cm({ generateName: 'p'.repeat(70) }), { noBody: true })
  t.note('a long prefix is cut so that the whole name has this length', long.body.metadata.name.length)
  t.note('generateName itself is kept whole', long.body.metadata.generateName.length)
  await t.post(cms, cm({ generateName: 'p'.repeat(260) }), { pick: hideName })
  await t.post(cms, cm({ name: '', generateName: '' }))
  await t.post(cms, cm({ name: '', generateName: 'empty-name-' }))
}
