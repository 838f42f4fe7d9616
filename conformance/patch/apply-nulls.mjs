// null, empty and absent values under apply.
export default async (t) => {
  const ns = await t.namespace()
  const a = `/api/v1/namespaces/${ns}/configmaps/a`
  const s = `/api/v1/namespaces/${ns}/services/s`
  const cm = (more, metadata) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', ...metadata },
    ...more,
  })
  const pick = (o) => {
    o.metadata?.managedFields?.sort((x, y) => (x.manager < y.manager ? -1 : 1))
    return o
  }
  await t.apply(a, cm({ data: { k: 'v', l: 'w' }, immutable: false }, { labels: { x: '1' } }), 'one', { pick })
  await t.apply(a, cm({ data: { k: null, l: 'w' }, immutable: null }, { labels: { x: '1' } }), 'one', { pick })
  await t.apply(a, cm({ data: null }, { labels: null }), 'one', { pick })
  await t.apply(a, cm({ data: {} }, { labels: {} }), 'one', { pick })
  await t.apply(a, cm({ data: { k: '' } }), 'one', { pick })
  await t.apply(a, cm({ data: { k: null } }), 'two', { pick })
  await t.apply(a, cm({ binaryData: { b: 'AAEC' } }), 'one', { pick })
  await t.apply(a, cm({ binaryData: { b: 'not base64!' } }), 'one', { pick })
  const service = (spec) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec })
  const view = (o) =>
    o.kind === 'Status'
      ? o
      : {
          managedFields: o.metadata.managedFields,
          spec: {
            ports: o.spec.ports,
            selector: o.spec.selector,
            sessionAffinity: o.spec.sessionAffinity,
            externalIPs: o.spec.externalIPs,
            loadBalancerSourceRanges: o.spec.loadBalancerSourceRanges,
          },
        }
  await t.apply(
    s,
    service({
      clusterIP: 'None',
      ports: [
        { port: 80, name: 'a' },
        { port: 53, protocol: 'UDP', name: 'b' },
      ],
      selector: { app: 's' },
      externalIPs: [],
    }),
    'one',
    { pick: view },
  )
  await t.apply(
    s,
    service({ clusterIP: 'None', ports: [{ port: 80, name: 'a' }], selector: null, sessionAffinity: 'ClientIP' }),
    'one',
    { pick: view },
  )
  await t.apply(
    s,
    service({
      clusterIP: 'None',
      ports: [{ port: 80, name: 'a', targetPort: null }],
      selector: {},
      sessionAffinity: null,
    }),
    'one',
    { pick: view },
  )
  await t.apply(s, service({ clusterIP: 'None', ports: null }), 'one', { pick: view })
  await t.apply(s, service({ clusterIP: 'None', ports: [null] }), 'one', { pick: view })
  await t.apply(s, service({ clusterIP: 'None', ports: [] }), 'one', { pick: view })
  await t.apply(s, service(null), 'one', { pick: view })
}
