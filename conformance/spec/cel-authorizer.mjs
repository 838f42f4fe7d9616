// The authorizer in admission expressions: resource checks narrowed by subresource, namespace and name, path checks, decisions with reasons, service accounts, selectors.
import { settle } from '../support/picks.mjs'

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'

export default async (t) => {
  const ns = await t.namespace()
  const name = 'spec-authorizer.example.com'
  await t.clear(`${BINDINGS}/spec-authorizer`)
  await t.clear(`${POLICIES}/${name}`)
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}`
  await t.post(
    `${rbac}/roles`,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r' },
      rules: [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
        { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
        { apiGroups: [''], resources: ['pods/log'], resourceNames: ['main'], verbs: ['get'] },
        { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['update'] },
      ],
    },
    { quiet: true },
  )
  await t.post(
    `${rbac}/rolebindings`,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'r' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [
        { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'spec-cel-user' },
        { kind: 'ServiceAccount', name: 'robot', namespace: ns },
      ],
    },
    { quiet: true },
  )
  const pods = `authorizer.group('').resource('pods')`
  const checks = {
    pods: `${pods}.namespace(request.namespace).check('get').allowed()`,
    podsElsewhere: `${pods}.namespace('default').check('get').allowed()`,
    podsEverywhere: `${pods}.check('get').allowed()`,
    deletePods: `${pods}.namespace(request.namespace).check('delete').allowed()`,
    logOfMain: `${pods}.subresource('log').namespace(request.namespace).name('main').check('get').allowed()`,
    logOfOther: `${pods}.subresource('log').namespace(request.namespace).name('other').check('get').allowed()`,
    anyLog: `${pods}.subresource('log').namespace(request.namespace).check('get').allowed()`,
    scale:
      "authorizer.group('apps').resource('deployments').subresource('scale').namespace(request.namespace).check('update').allowed()",
    wrongGroup:
      "authorizer.group('').resource('deployments').subresource('scale').namespace(request.namespace).check('update').allowed()",
    livez: "authorizer.path('/livez').check('get').allowed()",
    metrics: "authorizer.path('/metrics').check('get').allowed()",
    postLivez: "authorizer.path('/livez').check('post').allowed()",
    robot:
      "authorizer.serviceAccount(request.namespace, 'robot').group('').resource('pods').namespace(request.namespace).check('list').allowed()",
    otherRobot:
      "authorizer.serviceAccount(request.namespace, 'other').group('').resource('pods').namespace(request.namespace).check('list').allowed()",
    requestItself: "authorizer.requestResource.check('create').allowed()",
    requestDelete: "authorizer.requestResource.check('delete').allowed()",
    selected: `${pods}.namespace(request.namespace).fieldSelector('spec.nodeName=n1').labelSelector('app=web').check('list').allowed()`,
    errored: `${pods}.namespace(request.namespace).check('get').errored()`,
    noError: `${pods}.namespace(request.namespace).check('get').error() == ''`,
    reason: `${pods}.namespace(request.namespace).check('get').reason() == 'RBAC: allowed by RoleBinding "r/' + request.namespace + '" of Role "r" to User "spec-cel-user"'`,
    noReason: `${pods}.namespace('default').check('get').reason() == ''`,
  }
  // A check that holds lets the object through. A message cannot ask the authorizer, not even through a variable.
  const validations = [
    ...Object.entries(checks).map(([k, e]) => ({ expression: `object.data.ask != '${k}' || ${e}`, message: 'false' })),
    { expression: "object.data.ask != 'message'", messageExpression: "'allowed: ' + variables.allowed" },
  ]
  const variables = [{ name: 'allowed', expression: `string(${checks.pods})` }]
  await t.post(
    POLICIES,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
        },
        variables,
        validations,
      },
    },
    { pick: (b) => (b.kind === 'Status' ? b : b.kind) },
  )
  await t.post(
    BINDINGS,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'spec-authorizer' },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
    { quiet: true },
  )
  const ask = async (user, k) =>
    (
      await t.post(
        `/api/v1/namespaces/${ns}/configmaps?dryRun=All`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { ask: k } },
        { quiet: true, headers: user ? { 'impersonate-user': user, 'impersonate-group': 'system:authenticated' } : {} },
      )
    ).body
  await settle(
    t,
    async () =>
      (await ask('spec-cel-user', 'deletePods')).kind === 'Status' &&
      (await ask('spec-cel-user', 'pods')).kind === 'ConfigMap',
  )
  const shown = (b) => (b.kind === 'ConfigMap' ? true : b.message?.replace(/^.*denied request: /, ''))
  for (const k of [...Object.keys(checks), 'message']) t.note(k, shown(await ask('spec-cel-user', k)))
  for (const k of ['deletePods', 'metrics', 'otherRobot']) t.note(`${k}, asked by an admin`, shown(await ask(null, k)))
}
