// fieldValidation of JSON bodies on POST and PUT: unknown and duplicate fields, nested and several, Strict, Warn, Ignore.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/apis/apps/v1/namespaces/${ns}/deployments`
  const pick = (o) =>
    o.kind === 'Status'
      ? o
      : {
          name: o.metadata.name,
          replicas: o.spec.replicas,
          containers: o.spec.template.spec.containers.map((c) => [c.name, c.image]),
        }
  const text = (name, { top = '', meta = '', spec = '', container = '' } = {}) =>
    `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"${name}"${meta}},"spec":{"selector":{"matchLabels":{"app":"d"}}${spec},"template":{"metadata":{"labels":{"app":"d"}},"spec":{"containers":[{"name":"c","image":"img:1"${container}}]}}}${top}}`
  const post = (query, body) => t.post(`${url}?dryRun=All${query}`, body, { pick })
  const one = text('one', { top: ',"bogus":1' })
  await post('&fieldValidation=Strict', one)
  await post('&fieldValidation=Warn', one)
  await post('&fieldValidation=Ignore', one)
  await post('', one)
  await post('&fieldValidation=Nope', one)
  const several = text('several', {
    meta: ',"nope":"x"',
    spec: ',"replica":3',
    container: ',"img":"x","Name":"y"',
    top: ',"zzz":{"deep":1}',
  })
  await post('&fieldValidation=Strict', several)
  await post('&fieldValidation=Warn', several)
  const twice = text('twice', { spec: ',"replicas":1,"replicas":2', container: ',"image":"img:2"' })
  await post('&fieldValidation=Strict', twice)
  await post('&fieldValidation=Warn', twice)
  await post('&fieldValidation=Ignore', twice)
  const both = text('both', { spec: ',"replicas":1,"replicas":2,"bogus":1,"bogus":2' })
  await post('&fieldValidation=Strict', both)
  await post('&fieldValidation=Warn', both)
  // names of fields are matched exactly
  await post('&fieldValidation=Strict', text('case', { spec: ',"Replicas":4' }))
  await post('&fieldValidation=Warn', text('case', { spec: ',"Replicas":4' }))
  await t.post(url, text('d'), { quiet: true })
  await t.put(`${url}/d?fieldValidation=Strict`, text('d', { spec: ',"replica":3' }), { pick })
  await t.put(`${url}/d?fieldValidation=Warn`, text('d', { spec: ',"replica":3' }), { pick })
  await t.put(`${url}/d?fieldValidation=Ignore`, text('d', { spec: ',"replica":3' }), { pick })
  await t.put(`${url}/d?fieldValidation=strict`, text('d'), { pick })
  // a value of the wrong type is an error with every setting
  await t.put(`${url}/d?fieldValidation=Ignore`, text('d', { spec: ',"replicas":"3","bogus":1' }), { pick })
  await t.put(`${url}/d?fieldValidation=Strict`, text('d', { spec: ',"replicas":"3","bogus":1' }), { pick })
}
