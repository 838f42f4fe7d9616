// Mutating webhooks: JSON patches, their order, reinvocation, generated names, defaulting after the patch, bad patches, dry run.
import { settle, stable } from '../support/picks.mjs'
import { serve } from '../support/webhook-server.mjs'

const HOOKS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'

export default async (t) => {
  const ns = await t.namespace()
  for (const n of ['ext-mutating-a', 'ext-mutating-b']) await t.clear(`${HOOKS}/${n}`)
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, data, metadata = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    data,
  })
  const b64 = (ops) => Buffer.from(typeof ops === 'string' ? ops : JSON.stringify(ops)).toString('base64')
  const hook = await serve(t, (path, { request }) => {
    const data = request.object.data ?? {}
    const answer = (ops, more = {}) => ({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: {
        uid: request.uid,
        allowed: true,
        ...(ops ? { patchType: 'JSONPatch', patch: b64(ops) } : {}),
        ...more,
      },
    })
    const seen = `${data.seen ?? ''}${path.slice(1)}`
    const mark = { op: 'add', path: '/data/seen', value: seen }
    if (data.mode === 'bad-json' && path === '/a') return answer('not json')
    if (data.mode === 'bad-path' && path === '/a') return answer([{ op: 'remove', path: '/data/none' }])
    if (data.mode === 'bad-type' && path === '/a') return answer([mark], { patchType: 'MergePatch' })
    if (data.mode === 'no-type' && path === '/a') return answer([mark], { patchType: undefined })
    if (data.mode === 'bad-value' && path === '/a') return answer([{ op: 'add', path: '/data/x', value: 5 }])
    if (data.mode === 'rename' && path === '/a')
      return answer([{ op: 'replace', path: '/metadata/name', value: 'other' }])
    if (data.mode === 'label' && path === '/a')
      return answer([
        mark,
        { op: 'add', path: '/metadata/labels', value: { by: 'hook' } },
        { op: 'add', path: '/metadata/annotations', value: { 'a/b': 'c' } },
      ])
    if (data.mode === 'deny' && path === '/a')
      return answer(null, { allowed: false, status: { code: 409, message: 'not now' } })
    if (data.mode === 'none') return answer(null)
    return answer([mark])
  })
  const webhook = (path, more = {}) => ({
    name: `${path}.ext.conformance.example.com`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { url: `${hook.url}/${path}`, caBundle: hook.caBundle },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
    ...more,
  })
  // Configurations are called by name, webhooks in the order listed.
  await t.post(
    HOOKS,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'ext-mutating-b' },
      webhooks: [webhook('c')],
    },
    { quiet: true },
  )
  await t.post(HOOKS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'ext-mutating-a' },
    webhooks: [webhook('a', { reinvocationPolicy: 'IfNeeded' }), webhook('b')],
  })
  const ready = async () =>
    (await t.post(`${cms}?dryRun=All`, cm('probe', { k: 'v' }), { quiet: true })).body.data?.seen
  await settle(t, async () => (await ready()) === 'abca')
  hook.calls.length = 0

  await t.post(cms, cm('one', { k: 'v' }), { pick: stable })
  t.note(
    'paths called',
    hook.calls.map((c) => c.path),
  )
  hook.calls.length = 0
  await t.post(cms, cm('none', { mode: 'none' }), { pick: stable })
  t.note(
    'no change, no second call',
    hook.calls.map((c) => c.path),
  )
  await t.post(cms, cm('label', { mode: 'label' }), { pick: stable })
  await t.mergePatch(`${cms}/none`, { data: { mode: null, x: '1' } }, { pick: stable })
  await t.apply(`${cms}/applied`, cm('applied', { k: 'v' }), 'ext-manager', { pick: stable })
  await t.post(`${cms}?dryRun=All`, cm('dry', { k: 'v' }), { pick: (b) => ({ data: b.data, message: b.message }) })
  hook.calls.length = 0
  await t.post(cms, cm(undefined, { k: 'v' }, { generateName: 'gen-' }), {
    pick: (b) => ({ data: b.data, prefix: b.metadata.generateName, message: b.message }),
  })
  t.note('the name sent for a generated one', [
    hook.calls[0]?.body.request.name ?? null,
    hook.calls[0]?.body.request.object.metadata.name ?? null,
  ])
  await t.post(cms, cm('empty', {}))
  for (const mode of ['bad-json', 'bad-path', 'bad-type', 'no-type', 'bad-value', 'rename', 'deny'])
    await t.post(cms, cm('x', { mode }))
}
