// Values of the wrong JSON type in request bodies: the exact message for each kind of field.
export default async (t) => {
  const ns = await t.namespace()
  const pods = `/api/v1/namespaces/${ns}/pods`
  const pod = (spec, metadata = {}) =>
    t.post(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', ...metadata },
      spec: { containers: [{ name: 'c', image: 'img:1' }], ...spec },
    })
  const c = (more) => ({ containers: [{ name: 'c', image: 'img:1', ...more }] })
  await pod({ containers: { name: 'c' } })
  await pod({ containers: ['text'] })
  await pod({ containers: 'text' })
  await pod(c({ image: 7 }))
  await pod(c({ ports: [{ containerPort: '80' }] }))
  await pod(c({ ports: [{ containerPort: 80.5 }] }))
  await pod(c({ ports: [{ containerPort: 99999999999 }] }))
  await pod(c({ env: [{ name: 'A', value: true }] }))
  await pod(c({ args: 'one' }))
  await pod(c({ resources: { limits: { cpu: true } } }))
  await pod(c({ resources: { limits: { cpu: 'lots' } } }))
  await pod(c({ livenessProbe: { httpGet: { port: { a: 1 } } } }))
  await pod({ hostNetwork: 'yes' })
  await pod({ terminationGracePeriodSeconds: 1.5 })
  await pod({ nodeSelector: ['x'] })
  await pod({}, { labels: { x: 1 } })
  await pod({}, { name: 7 })
  await pod({}, { creationTimestamp: 'today' })
  await pod({}, { ownerReferences: [{ controller: 'true' }] })
  await t.post(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: 'text' })
  await t.post(pods, { apiVersion: 'v1', kind: 'Pod', metadata: ['p'] })
  await t.post(pods, { apiVersion: 1, kind: 'Pod', metadata: { name: 'p' } })
  await t.post(pods, { apiVersion: 'v1', kind: { a: 1 }, metadata: { name: 'p' } })
  await t.post(`/api/v1/namespaces/${ns}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    data: { k: 'not base64!' },
  })
}
