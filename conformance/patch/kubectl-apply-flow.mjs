// The requests of `kubectl apply`, twice, and then of `kubectl apply --server-side`, with its handover of managedFields.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const a = `${url}/a`
  const key = 'kubectl.kubernetes.io/last-applied-configuration'
  const cm = (data, annotations) => ({
    apiVersion: 'v1',
    data,
    kind: 'ConfigMap',
    metadata: { annotations, name: 'a', namespace: ns },
  })
  const applied = (data) => `${JSON.stringify(cm(data, {}))}\n`
  const pick = (o) => {
    o.metadata?.managedFields?.sort((x, y) => (x.manager + x.operation < y.manager + y.operation ? -1 : 1))
    return o
  }
  const client = 'fieldManager=kubectl-client-side-apply&fieldValidation=Strict'
  await t.get(a)
  await t.post(`${url}?${client}`, cm({ k: '1', l: '1' }, { [key]: applied({ k: '1', l: '1' }) }), { pick })
  await t.strategicPatch(
    `${a}?${client}`,
    { data: { k: '2', l: null, m: '1' }, metadata: { annotations: { [key]: applied({ k: '2', m: '1' }) } } },
    { pick },
  )
  // an unchanged manifest sends an empty patch
  await t.strategicPatch(`${a}?${client}`, {}, { pick })
  // server-side from here on: the object, ...
  const yaml = `apiVersion: v1\ndata:\n  k: "3"\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: ${ns}\n`
  const apply = (query, body) =>
    t.patch(`${a}?${query}&fieldValidation=Strict`, body, 'application/apply-patch+yaml', { pick })
  const first = (await apply('fieldManager=kubectl&force=false', yaml)).body
  // ... the annotation under a manager of its own, ...
  const annotation = first.metadata?.annotations?.[key]
  const second = (
    await apply('fieldManager=kubectl-last-applied', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: ns, annotations: { [key]: annotation } },
    })
  ).body
  // ... the client-side entry merged into the Apply entry, guarded by the resourceVersion, ...
  const find = (manager) => second.metadata?.managedFields?.find((m) => m.manager === manager)
  const union = {
    'f:data': { '.': {}, 'f:k': {}, 'f:m': {} },
    'f:metadata': { 'f:annotations': { '.': {}, [`f:${key}`]: {} } },
  }
  const handover = (resourceVersion) => [
    {
      op: 'replace',
      path: '/metadata/managedFields',
      value: [find('kubectl-last-applied'), { ...find('kubectl'), fieldsV1: union }],
    },
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
  ]
  await t.jsonPatch(`${a}?fieldManager=kubectl&fieldValidation=Strict`, handover(first.metadata?.resourceVersion), {
    pick,
  })
  await t.jsonPatch(`${a}?fieldManager=kubectl&fieldValidation=Strict`, handover(second.metadata?.resourceVersion), {
    pick,
  })
  // ... and the object again, which now removes what the manifest no longer has
  await apply('fieldManager=kubectl&force=false', yaml)
  await apply('fieldManager=kubectl&force=false', yaml)
  await apply('fieldManager=kubectl&force=false&dryRun=All', yaml.replace('"3"', '"4"'))
  await t.get(a, { pick })
}
