// A request to a deprecated endpoint: the Warning header on every verb, and the gauge of deprecated requests with its labels, joinable with the request counter.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/endpoints`
  const endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'e' } }
  const kind = (b) => b.kind ?? b
  await t.get('/api/v1/componentstatuses', { pick: kind })
  await t.get('/api/v1/componentstatuses/no-such-component', { pick: kind })
  await t.get(url, { pick: kind })
  await t.post(url, endpoints, { pick: kind })
  await t.get(`${url}/e`, { pick: kind })
  await t.put(`${url}/e`, { ...endpoints, metadata: { name: 'e', labels: { a: 'b' } } }, { pick: kind })
  await t.mergePatch(`${url}/e`, {}, { pick: kind })
  await t.apply(`${url}/e`, endpoints, 'one', { pick: kind })
  const w = await t.watch(`${url}?watch=1&timeoutSeconds=1`)
  t.note('watching answers', w.status)
  w.close()
  await t.delete(`${url}/e`, undefined, { pick: kind })
  await t.delete(url, undefined, { pick: kind })
  await t.get(`${url}/missing`)
  await t.get(`/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices`, { pick: kind })

  const text = (await t.get('/metrics', { quiet: true })).raw.toString()
  const series = (name, resource) =>
    text
      .split('\n')
      .filter((l) => l.startsWith(`${name}{`) && l.includes(`resource="${resource}"`))
      .map((l) => {
        const labels = Object.fromEntries([...l.matchAll(/(\w+)="([^"]*)"/g)].map(([, k, v]) => [k, v]))
        return { labels, value: Number(l.slice(l.lastIndexOf(' '))) }
      })
  const gauge = 'apiserver_requested_deprecated_apis'
  t.note('type', text.match(new RegExp(`^# TYPE ${gauge} (.*)$`, 'm'))?.[1])
  for (const resource of ['componentstatuses', 'endpoints', 'endpointslices', 'configmaps'])
    t.note(`${gauge} of ${resource}`, series(gauge, resource))
  const shared = ({ group, version, resource, subresource }) => [group, version, resource, subresource].join('|')
  const counted = new Set(series('apiserver_request_total', 'endpoints').map((s) => shared(s.labels)))
  t.note(
    'the request counter has the same group, version, resource and subresource',
    series(gauge, 'endpoints').every((s) => counted.has(shared(s.labels))),
  )
}
