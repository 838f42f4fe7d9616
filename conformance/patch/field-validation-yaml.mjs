// fieldValidation of YAML bodies, and how YAML values are read.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const post = (query, body) =>
    t.post(`${url}${query}`, body, {
      type: 'application/yaml',
      pick: (o) =>
        o.kind === 'Status'
          ? o
          : { name: o.metadata.name, labels: o.metadata.labels, data: o.data, immutable: o.immutable },
    })
  const cm = (name, rest) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${rest}`
  await post(
    '',
    cm('plain', 'data:\n  k: "1"\n  multi: |\n    line one\n    line two\n  folded: >-\n    one\n    two\n'),
  )
  await post('?fieldValidation=Strict', cm('unknown', 'bogus: x\n'))
  await post('?fieldValidation=Warn', cm('unknown', 'bogus: x\n'))
  await post('?fieldValidation=Strict', cm('twice', 'data:\n  k: a\n  k: b\n'))
  await post('?fieldValidation=Warn', cm('twice', 'data:\n  k: a\n  k: b\n'))
  await post('?fieldValidation=Ignore', cm('twice-ignored', 'data:\n  k: a\n  k: b\n'))
  await post('?fieldValidation=Strict', cm('both', 'data:\n  k: a\n  k: b\nbogus: x\nother: y\n'))
  await post('?fieldValidation=Warn', cm('both', 'data:\n  k: a\n  k: b\nbogus: x\nother: y\n'))
  await post('', cm('number', 'data:\n  k: 1\n'))
  await post('', cm('yes', 'data:\n  k: yes\n'))
  await post('', cm('nothing', 'data:\n  k: ~\n  l: ""\n'))
  await post('', cm('anchor', 'data: &d\n  k: v\n  l: w\n'))
  await post(
    '',
    '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "json"}, "data": {"k": "json is yaml"}}',
  )
  await post('', cm('tab', 'data:\n\tk: v\n'))
  await post('', 'just text')
  await post('', '')
  await post('', '- a\n- b\n')
  await post('', `---\n${cm('first', 'data:\n  k: v\n')}---\n${cm('second', '')}`)
  await t.post(url, cm('jsontype', ''), { type: 'application/json' })
  await t.post(url, cm('x', ''), { type: 'text/yaml' })
  await t.post(url, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"charset"}}', {
    type: 'application/json; charset=utf-8',
    pick: (o) => (o.kind === 'Status' ? o : o.metadata.name),
  })
}
