// Strategic merge patch errors: bad directives, missing merge keys, wrong types, malformed bodies, unsupported media types.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/services`
  await t.post(
    url,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { clusterIP: 'None', ports: [{ name: 'http', port: 80 }], selector: { app: 's' } },
    },
    { quiet: true },
  )
  const s = `${url}/s`
  const pick = (o) =>
    o.kind === 'Status'
      ? o
      : { finalizers: o.metadata.finalizers, labels: o.metadata.labels, ports: o.spec.ports, selector: o.spec.selector }
  const patch = (body) => t.strategicPatch(s, body, { pick })
  await patch({ spec: { ports: [{ name: 'other' }] } })
  await patch({ spec: { ports: [{ $patch: 'delete', name: 'http' }] } })
  await patch({ spec: { selector: { $patch: 'bogus' } } })
  await patch({ spec: { ports: [{ $patch: 'bogus', port: 80 }] } })
  await patch({ metadata: { '$deleteFromPrimitiveList/finalizers': 'text' } })
  await patch({ metadata: { '$setElementOrder/finalizers': ['example.com/b'], finalizers: ['example.com/a'] } })
  await patch({ spec: { '$setElementOrder/ports': [{ port: 81 }], ports: [{ port: 80, name: 'web' }] } })
  await patch({ spec: { selector: { $retainKeys: 'app', app: 'x' } } })
  await patch({ spec: { selector: { $retainKeys: ['app'], other: 'x' } } })
  await patch({ spec: { ports: { port: 80 } } })
  await patch({ spec: { ports: ['text'] } })
  await patch({ spec: { ports: [{ port: '80' }] } })
  await patch({ spec: 'text' })
  await patch({ spec: { selector: ['x'] } })
  await patch({ unknownTop: { a: 1 } })
  await t.patch(s, '[]', 'application/strategic-merge-patch+json')
  await t.patch(s, 'null', 'application/strategic-merge-patch+json', { pick })
  await t.patch(s, '', 'application/strategic-merge-patch+json')
  await t.patch(s, '{"spec":', 'application/strategic-merge-patch+json')
  await t.patch(s, '{}', 'application/json')
  await t.patch(s, '{}', 'text/plain')
  await t.request('PATCH', s)
  await t.strategicPatch(`${url}/missing`, { spec: { type: 'ClusterIP' } })
  await t.get(s, { pick })
}
