// Validating webhooks: what is sent, denial with message, code and details, warnings, dry run, and which requests are sent at all.
import { settle, stable } from '../support/picks.mjs'
import { serve } from '../support/webhook-server.mjs'

const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

export default async (t) => {
  const ns = await t.namespace()
  await t.clear(`${HOOKS}/ext-validating`)
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, data, metadata = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    data,
  })
  const hook = await serve(t, (_path, { request }) => {
    const { mode } = request.object?.data ?? request.oldObject?.data ?? {}
    const response = { uid: request.uid, allowed: true }
    if (mode === 'deny') Object.assign(response, { allowed: false })
    if (mode === 'message') Object.assign(response, { allowed: false, status: { message: 'no such luck' } })
    if (mode === 'code')
      Object.assign(response, {
        allowed: false,
        status: {
          code: 418,
          reason: 'Teapot',
          message: 'short and stout',
          details: { name: 'x', causes: [{ field: 'f', message: 'm', reason: 'r' }] },
        },
      })
    if (mode === 'ok-code')
      Object.assign(response, { allowed: false, status: { code: 200, status: 'Success', message: 'odd' } })
    if (mode === 'warn') Object.assign(response, { warnings: ['first "one"', 'second\nline', ''] })
    if (mode === 'warn-deny')
      Object.assign(response, { allowed: false, warnings: ['careful'], status: { reason: 'Expired' } })
    if (mode === 'keep' && request.operation === 'DELETE')
      Object.assign(response, { allowed: false, status: { message: 'kept' } })
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
  })
  await t.post(HOOKS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'ext-validating' },
    webhooks: [
      {
        name: 'check.ext.conformance.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: `${hook.url}/validate`, caBundle: hook.caBundle },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['configmaps'],
          },
        ],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
      },
    ],
  })
  await settle(
    t,
    async () => (await t.post(`${cms}?dryRun=All`, cm('probe', { mode: 'deny' }), { quiet: true })).status === 400,
  )
  hook.calls.length = 0

  await t.post(cms, cm('a', { mode: 'allow' }), { pick: stable })
  t.note('the call', hook.calls[0])
  await t.post(cms, cm('b', { mode: 'deny' }))
  await t.post(cms, cm('b', { mode: 'message' }))
  await t.post(cms, cm('b', { mode: 'code' }))
  await t.post(cms, cm('b', { mode: 'ok-code' }))
  await t.post(cms, cm('warned', { mode: 'warn' }), { pick: stable })
  await t.post(cms, cm('b', { mode: 'warn-deny' }))
  await t.post(`${cms}?dryRun=All`, cm('b', { mode: 'message' }))
  hook.calls.length = 0
  await t.mergePatch(`${cms}/a?fieldManager=ext-manager`, { data: { mode: 'message' } })
  t.note('the call for an update', {
    ...hook.calls[0]?.body.request,
    object: undefined,
    oldObject: hook.calls[0]?.body.request.oldObject?.data,
    options: hook.calls[0]?.body.request.options,
  })
  await t.post(cms, cm('kept', { mode: 'keep' }), { quiet: true })
  hook.calls.length = 0
  await t.delete(`${cms}/kept`, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' })
  t.note(
    'the call for a delete',
    hook.calls[0] && { ...hook.calls[0].body.request, oldObject: hook.calls[0].body.request.oldObject?.data },
  )
  hook.calls.length = 0
  await t.delete(cms)
  t.note('a collection delete calls for each object', [
    ...new Set(
      hook.calls.map((c) =>
        [c.body.request.operation, c.body.request.name ?? 'no name', c.body.request.oldObject?.metadata.name].join(' '),
      ),
    ),
  ])
  await t.get(cms, { pick: (b) => b.items?.map((i) => i.metadata.name) })
  await t.post(
    `/api/v1/namespaces/${ns}/secrets`,
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
    { quiet: true },
  )
  t.note(
    'no call for another resource',
    hook.calls.filter((c) => c.body.request.resource.resource !== 'configmaps').length,
  )
}
