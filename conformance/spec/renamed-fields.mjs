// Fields that went away with an older API version are unknown in its successor; the ones that replaced them are required or defaulted.
export default async (t) => {
  const ns = await t.namespace()
  const strict = (path, body) => t.post(`${path}?dryRun=All&fieldValidation=Strict`, body)
  const ok = (b) => (b.kind === 'Status' ? b : { spec: b.spec })
  const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const workload = (kind, spec) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'x' },
    spec: { selector: { matchLabels: { app: 'x' } }, template, ...spec },
  })
  const apps = `/apis/apps/v1/namespaces/${ns}`
  // DaemonSet and Deployment of extensions/v1beta1.
  await strict(`${apps}/daemonsets`, workload('DaemonSet', { templateGeneration: 3 }))
  await strict(`${apps}/deployments`, workload('Deployment', { rollbackTo: { revision: 1 } }))
  for (const [plural, kind] of [
    ['daemonsets', 'DaemonSet'],
    ['deployments', 'Deployment'],
    ['statefulsets', 'StatefulSet'],
    ['replicasets', 'ReplicaSet'],
  ])
    await t.post(
      `${apps}/${plural}?dryRun=All`,
      workload(kind, { selector: undefined, serviceName: kind === 'StatefulSet' ? 's' : undefined }),
    )
  await t.post(`${apps}/deployments?dryRun=All`, workload('Deployment'), {
    pick: (b) =>
      b.kind === 'Status'
        ? b
        : {
            progressDeadlineSeconds: b.spec.progressDeadlineSeconds,
            revisionHistoryLimit: b.spec.revisionHistoryLimit,
            strategy: b.spec.strategy,
          },
  })
  await t.post(`${apps}/daemonsets?dryRun=All`, workload('DaemonSet'), {
    pick: (b) => (b.kind === 'Status' ? b : b.spec.updateStrategy),
  })
  await t.post(`${apps}/statefulsets?dryRun=All`, workload('StatefulSet', { serviceName: 's' }), {
    pick: (b) => (b.kind === 'Status' ? b : b.spec.updateStrategy),
  })
  // Ingress of networking v1beta1.
  const ingresses = `/apis/networking.k8s.io/v1/namespaces/${ns}/ingresses`
  const ingress = (spec) => ({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'i' }, spec })
  await strict(ingresses, ingress({ backend: { serviceName: 's', servicePort: 80 } }))
  await strict(
    ingresses,
    ingress({
      rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: { serviceName: 's', servicePort: 80 } }] } }],
    }),
  )
  await t.post(
    `${ingresses}?dryRun=All`,
    ingress({
      rules: [{ http: { paths: [{ path: '/', backend: { service: { name: 's', port: { number: 80 } } } }] } }],
    }),
  )
  await t.post(
    `${ingresses}?dryRun=All`,
    ingress({
      defaultBackend: { service: { name: 's', port: { name: 'web' } } },
      rules: [
        {
          http: {
            paths: ['Prefix', 'Exact', 'ImplementationSpecific'].map((pathType, i) => ({
              path: `/${i}`,
              pathType,
              backend: { service: { name: 's', port: { number: 80 } } },
            })),
          },
        },
      ],
    }),
    { pick: ok },
  )
  // CronJob kept its fields; an EndpointSlice's topology became deprecatedTopology, which cannot be written.
  const slices = `/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices`
  const slice = (endpoint) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'e' },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'], ...endpoint }],
  })
  await strict(slices, slice({ topology: { 'kubernetes.io/hostname': 'n' } }))
  await t.post(`${slices}?dryRun=All`, slice({ deprecatedTopology: { a: 'b' }, nodeName: 'n', zone: 'z' }), {
    pick: (b) => (b.kind === 'Status' ? b : b.endpoints),
  })
  // A review takes groups, not group.
  await strict('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: 'u', group: ['g'], resourceAttributes: { verb: 'get', resource: 'pods' } },
  })
}
