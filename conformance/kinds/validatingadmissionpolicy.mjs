// ValidatingAdmissionPolicy and its binding: defaults, tables, generation, status, compile errors and other refusals, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}
// managedFields come in the order of the second they were written in; sorted here by writer, so that the clock does not matter
const byWriter = (t) => {
  const key = (m) => [m.operation, m.manager, m.subresource, m.apiVersion].join()
  const sort = (o) => {
    o?.metadata?.managedFields?.sort?.((a, b) => (key(a) < key(b) ? -1 : 1))
    for (const r of o?.rows ?? []) sort(r.object)
    return o
  }
  const request = t.request.bind(t)
  t.request = (method, url, opts = {}) =>
    request(method, url, { ...opts, pick: (b) => sort(opts.pick ? opts.pick(b) : b) })
}

export default async (t) => {
  byWriter(t)
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
  const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'
  await t.clear(`${bindings}/kinds-vapb`)
  await t.clear(`${policies}/kinds-vap`)
  const policy = (name, spec) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec,
  })
  const binding = (name, spec) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec,
  })
  // matches a group that nobody serves
  const matchConstraints = {
    resourceRules: [
      { apiGroups: ['kinds.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothings'] },
    ],
  }
  const brief = {
    pick: (b) => ({
      code: b.code,
      reason: b.reason,
      causes: b.details?.causes?.map((c) => [c.field, c.reason, c.message?.split('ERROR')[0]]),
    }),
  }
  const made = await t.post(policies, {
    ...policy('kinds-vap', { matchConstraints, validations: [{ expression: 'object.spec.x > 1' }] }),
    status: { observedGeneration: 7 },
  })
  await t.get(`${policies}/kinds-vap`, asTable)
  await t.mergePatch(`${policies}/kinds-vap`, {
    spec: {
      variables: [{ name: 'v', expression: 'object.spec.x' }],
      validations: [
        { expression: 'variables.v > 1', messageExpression: '"was " + string(variables.v)', reason: 'Forbidden' },
      ],
      auditAnnotations: [{ key: 'k', valueExpression: '"v"' }],
      matchConditions: [{ name: 'c', expression: 'true' }],
      failurePolicy: 'Ignore',
    },
  })
  await t.get(`${policies}/kinds-vap`, asTable)
  await t.mergePatch(`${policies}/kinds-vap/status`, {
    spec: { failurePolicy: 'Fail' },
    status: { observedGeneration: 2, typeChecking: {}, conditions: [] },
  })
  await t.put(`${policies}/kinds-vap`, { ...made.body, metadata: { name: 'kinds-vap' } })
  await t.post(policies, policy('kinds-bad', {}))
  await t.post(
    policies,
    policy('kinds-bad', {
      matchConstraints,
      validations: [
        { expression: 'object.' },
        { expression: '1 + 1' },
        { expression: '' },
        { expression: 'true', messageExpression: '1', reason: 'Whim' },
      ],
    }),
    brief,
  )
  await t.post(
    policies,
    policy('kinds-bad', {
      matchConstraints,
      failurePolicy: 'Shrug',
      paramKind: { apiVersion: 'x/y/z', kind: '' },
      validations: [{ expression: 'params.x' }],
    }),
    brief,
  )
  await t.post(
    policies,
    policy('kinds-bad', {
      matchConstraints,
      variables: [
        { name: 'bad name', expression: 'true' },
        { name: 'v', expression: 'variables.later' },
      ],
      validations: [{ expression: 'variables.v' }],
    }),
    brief,
  )
  await t.post(policies, policy('kinds-bad', { matchConstraints, validations: 'none' }))
  await t.post(bindings, binding('kinds-vapb', { policyName: 'kinds-vap', validationActions: ['Deny', 'Audit'] }))
  await t.get(`${bindings}/kinds-vapb`, asTable)
  await t.mergePatch(`${bindings}/kinds-vapb`, {
    spec: {
      validationActions: ['Warn'],
      matchResources: { namespaceSelector: { matchLabels: { kinds: 'none' } } },
      paramRef: null,
    },
  })
  await t.mergePatch(`${bindings}/kinds-vapb`, { spec: { policyName: 'other' } })
  await t.post(bindings, binding('kinds-bad', {}))
  await t.post(
    bindings,
    binding('kinds-bad', { policyName: 'Bad Name', validationActions: ['Deny', 'Warn', 'Shout', 'Warn'] }),
  )
  await t.post(
    bindings,
    binding('kinds-bad', {
      policyName: 'p',
      validationActions: ['Deny'],
      paramRef: { name: 'n', selector: {}, parameterNotFoundAction: 'Cry' },
    }),
  )
  await t.get(`${bindings}/kinds-vapb/status`)
  await t.delete(`${bindings}/kinds-vapb`)
  await t.delete(`${policies}/kinds-vap`)
}
