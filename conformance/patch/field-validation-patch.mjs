// fieldValidation of JSON Patch, merge patch and strategic merge patch bodies.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/apis/apps/v1/namespaces/${ns}/deployments`
  await t.post(
    url,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { app: 'd' } },
        template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'img:1' }] } },
      },
    },
    { quiet: true },
  )
  const d = `${url}/d`
  const pick = (o) => {
    if (o.kind !== 'Status')
      return { replicas: o.spec.replicas, labels: o.metadata.labels, generation: o.metadata.generation }
    // the message may repeat the whole patched object
    return JSON.parse(JSON.stringify(o), (_, v) =>
      typeof v === 'string' ? v.replace(/Invalid value: "\{.*\}": /, 'Invalid value: <patched object>: ') : v,
    )
  }
  const merge = (query, body) => t.patch(`${d}${query}`, body, 'application/merge-patch+json', { pick })
  const strategic = (query, body) => t.patch(`${d}${query}`, body, 'application/strategic-merge-patch+json', { pick })
  const json = (query, body) => t.patch(`${d}${query}`, body, 'application/json-patch+json', { pick })
  await merge('?fieldValidation=Strict', '{"spec":{"replica":3,"bogus":1}}')
  await merge('?fieldValidation=Warn', '{"spec":{"replica":3,"bogus":1}}')
  await merge('?fieldValidation=Ignore', '{"spec":{"replica":3}}')
  await merge('', '{"spec":{"replica":3}}')
  await merge('?fieldValidation=Strict', '{"spec":{"replicas":2,"replicas":3}}')
  await merge('?fieldValidation=Warn', '{"spec":{"replicas":2,"replicas":3}}')
  await merge('?fieldValidation=Warn', '{"metadata":{"labels":{"x":"1"},"labels":{"x":"2"}},"spec":{"bogus":true}}')
  await merge('?fieldValidation=Strict', '{"spec":{"bogus":null}}')
  await strategic('?fieldValidation=Strict', '{"spec":{"template":{"spec":{"containers":[{"name":"c","img":"x"}]}}}}')
  await strategic('?fieldValidation=Warn', '{"spec":{"template":{"spec":{"containers":[{"name":"c","img":"x"}]}}}}')
  await strategic('?fieldValidation=Strict', '{"spec":{"replicas":4,"replicas":5}}')
  await strategic('?fieldValidation=Warn', '{"spec":{"replicas":4,"replicas":5}}')
  await json('?fieldValidation=Strict', '[{"op":"add","path":"/spec/bogus","value":1}]')
  await json('?fieldValidation=Warn', '[{"op":"add","path":"/spec/bogus","value":1}]')
  await json('?fieldValidation=Ignore', '[{"op":"add","path":"/spec/bogus","value":1}]')
  await json('?fieldValidation=Strict', '[{"op":"replace","path":"/spec/replicas","value":6,"value":7}]')
  await json('?fieldValidation=Warn', '[{"op":"replace","path":"/spec/replicas","value":6,"value":7,"why":"x"}]')
  await json(
    '?fieldValidation=Strict',
    '[{"op":"replace","path":"/spec/replicas","value":8,"comment":"unknown member"}]',
  )
  await merge('?fieldValidation=Other', '{}')
  await json('?fieldValidation=Other', '[]')
}
