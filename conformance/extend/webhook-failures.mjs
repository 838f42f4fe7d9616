// Webhooks that fail: no server, wrong certificate, timeout, bad answers, with failurePolicy Fail and Ignore, and sideEffects against dry run.
import { settle } from '../support/picks.mjs'
import { serve } from '../support/webhook-server.mjs'

const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

export default async (t) => {
  const ns = await t.namespace()
  await t.clear(`${HOOKS}/ext-failing`)
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (mode) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', labels: { mode } } })
  const hook = await serve(t, async (path, { request }) => {
    const review = (response, more = {}) => ({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: request.uid, allowed: true, ...response },
      ...more,
    })
    switch (path) {
      case '/slow':
        await t.sleep(1500)
        return review({})
      case '/status':
        return { status: 503, text: 'out of order' }
      case '/text':
        return { text: 'hello' }
      case '/empty':
        return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }
      case '/uid':
        return review({ uid: 'another' })
      case '/version':
        return review({}, { apiVersion: 'admission.k8s.io/v1beta1' })
      case '/kind':
        return { apiVersion: 'v1', kind: 'Pod' }
      case '/patch':
        return review({ patchType: 'JSONPatch', patch: Buffer.from('[]').toString('base64') })
      default:
        return review({})
    }
  })
  const other = await serve(t, () => ({}))
  const gone = await serve(t, () => ({}))
  gone.close()
  const webhook = (mode, more = {}, client = {}) => ({
    name: `${mode}.ext.conformance.example.com`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    timeoutSeconds: 5,
    clientConfig: { url: `${hook.url}/${mode}`, caBundle: hook.caBundle, ...client },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
    objectSelector: { matchLabels: { mode } },
    ...more,
  })
  await t.post(
    HOOKS,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'ext-failing' },
      webhooks: [
        ...['status', 'text', 'empty', 'uid', 'version', 'kind', 'patch'].map((m) => webhook(m)),
        webhook('slow', { timeoutSeconds: 1 }),
        webhook('slow-ignored', { timeoutSeconds: 1, failurePolicy: 'Ignore' }, { url: `${hook.url}/slow` }),
        webhook('gone', {}, { url: `${gone.url}/gone`, caBundle: gone.caBundle }),
        webhook('gone-ignored', { failurePolicy: 'Ignore' }, { url: `${gone.url}/gone`, caBundle: gone.caBundle }),
        webhook('untrusted', {}, { url: `${other.url}/x` }),
        webhook('service', {}, { url: undefined, service: { namespace: ns, name: 'none', path: '/p', port: 8443 } }),
        webhook('some', { sideEffects: 'NoneOnDryRun' }),
        webhook('condition', { matchConditions: [{ name: 'breaks', expression: "object.data.none == 'x'" }] }),
        webhook('condition-ignored', {
          failurePolicy: 'Ignore',
          matchConditions: [{ name: 'breaks', expression: "object.data.none == 'x'" }],
        }),
      ],
    },
    { quiet: true },
  )
  await settle(t, async () => (await t.post(`${cms}?dryRun=All`, cm('text'), { quiet: true })).status === 500)
  const post = (mode, query = '?dryRun=All') =>
    t.post(`${cms}${query}`, cm(mode), {
      pick: (b) => (b.kind === 'Status' ? b : { kind: b.kind, labels: b.metadata.labels }),
    })
  for (const mode of [
    'status',
    'text',
    'empty',
    'uid',
    'version',
    'kind',
    'patch',
    'slow',
    'slow-ignored',
    'gone',
    'gone-ignored',
    'untrusted',
    'service',
    'condition',
    'condition-ignored',
    'unmatched',
  ])
    await post(mode)
  hook.calls.length = 0
  await post('some')
  t.note(
    'sent on dry run',
    hook.calls.map((c) => c.body.request.dryRun),
  )
}
