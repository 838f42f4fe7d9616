// MutatingWebhookConfiguration and ValidatingWebhookConfiguration: defaults, tables, generation, update needs a resource version, refusals, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const mutating = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
  const validating = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
  await t.clear(`${mutating}/kinds-mwc`)
  await t.clear(`${validating}/kinds-vwc`)
  const config = (kind, name, webhooks) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name },
    webhooks,
  })
  // rules match a group that nobody serves
  const rules = [
    { apiGroups: ['kinds.example.com'], apiVersions: ['v1'], resources: ['nothings'], operations: ['CREATE'] },
  ]
  const hook = {
    name: 'hook.kinds.example.com',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { service: { namespace: 'n', name: 's' } },
    rules,
  }
  const made = await t.post(mutating, config('MutatingWebhookConfiguration', 'kinds-mwc', [hook]))
  await t.get(`${mutating}/kinds-mwc`, asTable)
  await t.post(
    validating,
    config('ValidatingWebhookConfiguration', 'kinds-vwc', [
      hook,
      {
        ...hook,
        name: 'two.kinds.example.com',
        failurePolicy: 'Ignore',
        timeoutSeconds: 5,
        matchConditions: [{ name: 'c', expression: 'true' }],
      },
    ]),
  )
  await t.get(`${validating}/kinds-vwc`, asTable)
  await t.mergePatch(`${mutating}/kinds-mwc`, { metadata: { labels: { x: 'y' } } })
  await t.strategicPatch(`${mutating}/kinds-mwc`, {
    webhooks: [
      {
        name: 'hook.kinds.example.com',
        reinvocationPolicy: 'IfNeeded',
        clientConfig: { service: null, url: 'https://example.com/hook' },
      },
    ],
  })
  await t.put(`${mutating}/kinds-mwc`, { ...made.body, metadata: { name: 'kinds-mwc' } })
  await t.put(`${mutating}/kinds-mwc`, made.body)
  await t.put(`${mutating}/kinds-missing`, config('MutatingWebhookConfiguration', 'kinds-missing', [hook]))
  await t.post(validating, config('ValidatingWebhookConfiguration', 'kinds-bad', [{ name: 'short' }]))
  await t.post(validating, config('ValidatingWebhookConfiguration', 'kinds-bad', [hook, hook]))
  await t.post(
    validating,
    config('ValidatingWebhookConfiguration', 'kinds-bad', [
      {
        ...hook,
        sideEffects: 'Some',
        failurePolicy: 'Shrug',
        matchPolicy: 'Fuzzy',
        timeoutSeconds: 31,
        admissionReviewVersions: ['v7'],
      },
    ]),
  )
  await t.post(
    validating,
    config('ValidatingWebhookConfiguration', 'kinds-bad', [
      { ...hook, clientConfig: { url: 'http://example.com/x?y#z' } },
      {
        ...hook,
        name: 'b.kinds.example.com',
        clientConfig: { url: 'https://example.com', service: { namespace: 'n', name: 's' } },
      },
      { ...hook, name: 'c.kinds.example.com', clientConfig: {} },
    ]),
  )
  await t.post(
    validating,
    config('ValidatingWebhookConfiguration', 'kinds-bad', [
      {
        ...hook,
        rules: [
          {
            apiGroups: [],
            apiVersions: ['v1', '*'],
            resources: ['a', '*', 'b/'],
            operations: ['CREATE', '*', 'EAT'],
            scope: 'Galaxy',
          },
        ],
      },
    ]),
  )
  await t.post(
    validating,
    config('ValidatingWebhookConfiguration', 'kinds-bad', [
      { ...hook, matchConditions: [{ name: '', expression: 'nope(' }] },
    ]),
    {
      pick: (b) => ({
        code: b.code,
        reason: b.reason,
        causes: b.details?.causes?.map((c) => [c.field, c.reason, c.message?.split('ERROR')[0]]),
      }),
    },
  )
  await t.post(
    mutating,
    config('MutatingWebhookConfiguration', 'kinds-bad', [{ ...hook, reinvocationPolicy: 'Always' }]),
  )
  await t.post(mutating, config('MutatingWebhookConfiguration', 'kinds-bad', [{ ...hook, timeoutSeconds: '5' }]))
  await t.delete(`${mutating}/kinds-mwc`)
  await t.delete(`${validating}/kinds-vwc`)
}
