// ValidatingAdmissionPolicy with binding: expressions, messages, reasons, match rules, matchConditions, variables, and when it stops.
import { settle, stable } from '../support/picks.mjs'

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'

export default async (t) => {
  const ns = await t.namespace()
  const other = await t.namespace(`${ns}-other`)
  const name = 'ext-deny.conformance.example.com'
  await t.clear(`${BINDINGS}/ext-deny`)
  await t.clear(`${POLICIES}/${name}`)
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (n, data, metadata = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: n, ...metadata },
    data,
  })

  await t.post(POLICIES, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
        ],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
      },
      matchConditions: [
        { name: 'not-exempt', expression: "!has(object.metadata.labels) || !('exempt' in object.metadata.labels)" },
      ],
      variables: [
        { name: 'data', expression: 'has(object.data) ? object.data : {}' },
        { name: 'keys', expression: 'variables.data.map(k, k)' },
      ],
      validations: [
        { expression: "!('plain' in variables.data)" },
        { expression: "!('text' in variables.data)", message: 'text is not allowed' },
        {
          expression: "!('why' in variables.data)",
          message: 'not used',
          messageExpression:
            "'because of ' + variables.data['why'] + ' in ' + request.namespace + ' by ' + request.operation",
          reason: 'Forbidden',
        },
        { expression: "!('long' in variables.data)", message: 'too big', reason: 'RequestEntityTooLarge' },
        {
          expression: 'oldObject == null || !("locked" in oldObject.data) || object.data == oldObject.data',
          message: 'locked',
          reason: 'Invalid',
        },
        { expression: "!('crash' in variables.data) || variables.data['none'] == 'x'", message: 'never shown' },
        {
          expression: "!('me' in variables.data) || request.userInfo.username == 'someone'",
          message: 'only someone may',
        },
        {
          expression:
            "namespaceObject.metadata.name == request.namespace && !('authz' in variables.data && authorizer.group('').resource('secrets').namespace(request.namespace).check('get').allowed())",
          message: 'too mighty',
        },
      ],
    },
  })
  await t.post(BINDINGS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'ext-deny' },
    spec: { policyName: name, validationActions: ['Deny'] },
  })
  await settle(
    t,
    async () => (await t.post(`${cms}?dryRun=All`, cm('probe', { plain: '1' }), { quiet: true })).status === 422,
  )

  await t.post(cms, cm('ok', { fine: '1' }))
  await t.post(cms, cm('a', { plain: '1' }))
  await t.post(cms, cm('a', { text: '1' }))
  await t.post(cms, cm('a', { why: 'rain' }))
  await t.post(cms, cm('a', { long: '1' }))
  await t.post(cms, cm('a', { crash: '1' }))
  await t.post(cms, cm('a', { me: '1' }))
  await t.post(cms, cm('a', { authz: '1' }))
  await t.post(cms, cm('a', { text: '1', plain: '1', why: 'x' }))
  await t.post(cms, cm('exempt', { text: '1' }, { labels: { exempt: '' } }))
  await t.post(`${cms}?dryRun=All`, cm('a', { text: '1' }))
  await t.post(cms, cm('locked', { locked: '1' }), { quiet: true })
  await t.mergePatch(`${cms}/locked`, { data: { x: '1' } })
  await t.apply(`${cms}/ok`, cm('ok', { text: '1' }), 'ext-manager')
  await t.delete(`${cms}/locked`)
  await t.post(`/api/v1/namespaces/${other}/configmaps`, cm('a', { text: '1' }), {
    pick: (b) => ({ kind: b.kind, data: b.data }),
  })
  await t.delete(`${BINDINGS}/ext-deny`, undefined, { pick: stable })
  await settle(
    t,
    async () => (await t.post(`${cms}?dryRun=All`, cm('probe', { plain: '1' }), { quiet: true })).status === 201,
  )
  await t.post(cms, cm('after', { plain: '1' }))
}
