// Webhook configurations that are refused: names, rules, client config, versions, side effects, timeouts, match conditions.
import { stable } from '../support/picks.mjs'

const V = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All'
const M = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All'

export default async (t) => {
  const good = {
    name: 'a.ext.conformance.example.com',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { url: 'https://127.0.0.1:1/x' },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
  }
  const hook = (...webhooks) =>
    t.post(
      V,
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'ext-bad' },
        webhooks: webhooks.map((w) => ({ ...good, ...w })),
      },
      { pick: stable },
    )

  await hook({ name: 'short' }, { name: '' }, { name: 'Up.Per.case' })
  await hook({}, {})
  await hook(
    { admissionReviewVersions: undefined },
    { name: 'b.ext.conformance.example.com', admissionReviewVersions: ['v2', 'v3'] },
    { name: 'c.ext.conformance.example.com', admissionReviewVersions: ['v1', 'v1', 'V!'] },
  )
  await hook(
    { sideEffects: undefined },
    { name: 'b.ext.conformance.example.com', sideEffects: 'Some' },
    { name: 'c.ext.conformance.example.com', sideEffects: 'Many' },
  )
  await hook({ timeoutSeconds: 0 }, { name: 'b.ext.conformance.example.com', timeoutSeconds: 31 })
  await hook({ failurePolicy: 'Hope', matchPolicy: 'Near' })
  await hook({ clientConfig: {} })
  await hook(
    { clientConfig: { url: 'http://a.b/c' } },
    { name: 'b.ext.conformance.example.com', clientConfig: { url: 'https://user:pw@a.b/c?d=e#f' } },
    { name: 'c.ext.conformance.example.com', clientConfig: { url: 'https:///nohost' } },
    { name: 'd.ext.conformance.example.com', clientConfig: { url: 'not a url' } },
  )
  await hook({ clientConfig: { url: 'https://a.b/', service: { name: 'x', namespace: 'y' } } })
  await hook(
    { clientConfig: { service: { name: '', namespace: '', path: 'rel/ative', port: 0 } } },
    {
      name: 'b.ext.conformance.example.com',
      clientConfig: { service: { name: 'x', namespace: 'y', path: '/a//b/Bad Seg' } },
    },
  )
  await hook({
    rules: [{ apiGroups: [], apiVersions: ['', 'v1'], operations: [], resources: ['', 'a//b', '*', 'pods'] }],
  })
  await hook({ rules: [{ ...good.rules[0], resources: ['pods/status', 'pods/*'] }] })
  await hook({ rules: [] })
  await hook({
    matchConditions: [
      { name: 'a', expression: 'object.x ==' },
      { name: '', expression: '1' },
    ],
  })
  await hook({ clientConfig: { url: 'https://a.b/', caBundle: 'bm90IGEgY2VydA==' } })
  await hook({ clientConfig: { url: 'https://a.b/', caBundle: '!!' } })
  await t.post(M, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'ext-bad' },
    webhooks: [{ ...good, reinvocationPolicy: 'Always' }],
  })
  await t.post(M, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'Bad_Name' },
  })
  await t.post(
    M,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'ext-empty' },
    },
    { pick: stable },
  )
  await t.post(
    M,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'ext-full' },
      webhooks: [good],
    },
    { pick: stable },
  )
  await t.post(M, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'ext-full' },
    webhooks: 'none',
  })
}
