// Mutating admission policies in admissionregistration.k8s.io/v1: refusals, tables, what they do to objects, deletion.
export const exclusive = true

const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const api = '/apis/admissionregistration.k8s.io/v1'
  const policies = `${api}/mutatingadmissionpolicies`
  const bindings = `${api}/mutatingadmissionpolicybindings`
  for (const name of ['v136-policy', 'v136-json']) {
    await t.clear(`${policies}/${name}`)
    await t.clear(`${bindings}/${name}`)
  }
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]
  const apply = (expression) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } })
  const json = (expression) => ({ patchType: 'JSONPatch', jsonPatch: { expression } })
  const policy = (name, spec) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: {
        resourceRules: rules,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
      },
      ...spec,
    },
  })
  const labelled = apply('Object{metadata: Object.metadata{labels: {"policy": "yes"}}}')
  await t.post(policies, policy('v136-policy', { mutations: [labelled] }))
  await t.get(`${policies}/v136-policy`, asTable)
  const wrong = async (spec) => t.post(`${policies}?dryRun=All`, policy('v136-bad', spec))
  await wrong({})
  await wrong({ mutations: [{}] })
  await wrong({ mutations: [{ patchType: 'Odd' }] })
  await wrong({ mutations: [{ patchType: 'JSONPatch', applyConfiguration: { expression: '1' } }] })
  await wrong({ mutations: [apply('')] })
  await wrong({ mutations: [apply('1')] })
  await wrong({ mutations: [apply('Object{no}')] })
  await wrong({ mutations: [json('[1]')] })
  await wrong({ mutations: [json('nothing')] })
  await wrong({ mutations: [labelled], reinvocationPolicy: 'Odd' })
  await wrong({ mutations: [labelled], failurePolicy: 'Odd' })
  await wrong({ mutations: [labelled], matchConstraints: null })
  await wrong({ mutations: [labelled], matchConstraints: { resourceRules: [{ ...rules[0], operations: ['DELETE'] }] } })
  await wrong({
    mutations: [labelled],
    matchConditions: [
      { name: 'a', expression: '1' },
      { name: 'a', expression: 'true' },
    ],
  })
  await wrong({
    mutations: [labelled],
    variables: [
      { name: 'a-b', expression: '1' },
      { name: 'v', expression: 'no' },
    ],
  })
  await wrong({ mutations: [labelled], paramKind: { apiVersion: 'x.y/z', kind: '' } })
  await t.mergePatch(`${policies}/v136-policy`, { spec: { failurePolicy: 'Ignore' } })
  await t.mergePatch(`${policies}/v136-policy`, { spec: { mutations: [apply('Object{')] } })

  const binding = (name, spec) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec,
  })
  await t.post(bindings, binding('v136-policy', { policyName: 'v136-policy' }))
  await t.get(`${bindings}/v136-policy`, asTable)
  await t.post(`${bindings}?dryRun=All`, binding('v136-bad', {}))
  await t.post(
    `${bindings}?dryRun=All`,
    binding('v136-bad', { policyName: 'a', paramRef: { name: 'n', selector: {} } }),
  )
  await t.post(
    `${bindings}?dryRun=All`,
    binding('v136-bad', { policyName: 'a', paramRef: { name: 'n', parameterNotFoundAction: 'Odd' } }),
  )
  const maps = `/api/v1/namespaces/${ns}/configmaps`
  const map = (name, more = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { a: 'b' },
    ...more,
  })
  await t.until(
    async () =>
      (await t.post(`${maps}?dryRun=All`, map('probe'), { quiet: true })).body.metadata?.labels?.policy === 'yes',
  )
  await t.post(maps, map('made'))
  await t.mergePatch(`${maps}/made`, { data: { c: 'd' } }, { pick: (b) => b.metadata?.labels })
  await t.post(
    policies,
    policy('v136-json', {
      mutations: [json('[JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("x.y"), value: "z"}]')],
      matchConditions: [{ name: 'only', expression: 'object.metadata.name.startsWith("json")' }],
    }),
    { pick: (b) => b.spec?.mutations },
  )
  await t.post(bindings, binding('v136-json', { policyName: 'v136-json' }), { pick: (b) => b.kind })
  await t.until(
    async () => (await t.post(`${maps}?dryRun=All`, map('json-probe'), { quiet: true })).body.data?.['x.y'] === 'z',
  )
  await t.post(maps, map('json-made'), { pick: (b) => ({ data: b.data, labels: b.metadata?.labels }) })
  await t.post(maps, map('other'), { pick: (b) => ({ data: b.data, labels: b.metadata?.labels }) })
  await t.get('/apis/admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies', { noBody: true })
  await t.get(`${policies}?limit=1`, { pick: (b) => b.kind })
  await t.delete(`${bindings}/v136-json`, { pick: (b) => b.status ?? b.kind })
  await t.delete(`${policies}/v136-json`, { pick: (b) => b.status ?? b.kind })
  await t.delete(`${bindings}/v136-policy`, { pick: (b) => b.status ?? b.kind })
  await t.delete(`${policies}/v136-policy`, { pick: (b) => b.status ?? b.kind })
}
