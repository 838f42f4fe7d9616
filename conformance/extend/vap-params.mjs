// ValidatingAdmissionPolicy with parameters from a ConfigMap and a custom resource, Warn and Audit actions, failurePolicy and missing parameters.
import { crd, install } from '../support/definitions.mjs'
import { settle } from '../support/picks.mjs'

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'params.extend.conformance.example.com'
  await install(
    t,
    crd({
      group,
      plural: 'limits',
      kind: 'Limit',
      scope: 'Cluster',
      spec: { type: 'object', properties: { max: { type: 'integer' } } },
    }),
  )
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const services = `/api/v1/namespaces/${ns}/services`
  const service = (name, ports) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { clusterIP: 'None', ports: ports.map((port) => ({ name: `p${port}`, port })) },
  })
  const pick = (b) => (b.kind === 'Status' ? b : { kind: b.kind, ports: b.spec?.ports?.map((p) => p.port) })
  const policy = (name, spec) =>
    t.post(
      POLICIES,
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name },
        spec: {
          matchConstraints: {
            resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['services'] }],
          },
          ...spec,
        },
      },
      { quiet: true },
    )
  const binding = (name, spec) =>
    t.post(
      BINDINGS,
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name },
        spec: {
          matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } } },
          ...spec,
        },
      },
      { quiet: true },
    )
  for (const b of ['ext-p-number', 'ext-p-banned', 'ext-p-warn']) await t.clear(`${BINDINGS}/${b}`)
  for (const p of ['ext-p-number', 'ext-p-banned', 'ext-p-warn']) await t.clear(`${POLICIES}/${p}`)

  // A number of ports at most, from a cluster-wide custom resource.
  await policy('ext-p-number', {
    paramKind: { apiVersion: `${group}/v1`, kind: 'Limit' },
    validations: [
      {
        expression: 'object.spec.ports.size() <= params.spec.max',
        messageExpression: "'at most ' + string(params.spec.max) + ' ports by ' + params.metadata.name",
      },
    ],
  })
  await binding('ext-p-number', {
    policyName: 'ext-p-number',
    paramRef: { name: 'small', parameterNotFoundAction: 'Deny' },
    validationActions: ['Deny'],
  })
  await settle(t, async () =>
    (await t.post(`${services}?dryRun=All`, service('probe', [1]), { quiet: true })).body.message?.includes(
      'no params found',
    ),
  )
  await t.post(services, service('a', [1]), { pick })
  await t.post(
    `/apis/${group}/v1/limits`,
    { apiVersion: `${group}/v1`, kind: 'Limit', metadata: { name: 'small' }, spec: { max: 2 } },
    { quiet: true },
  )
  await settle(
    t,
    async () => (await t.post(`${services}?dryRun=All`, service('probe', [1]), { quiet: true })).status === 201,
  )
  await t.post(services, service('a', [1, 2]), { pick })
  await t.post(services, service('b', [1, 2, 3]), { pick })
  await t.mergePatch(`/apis/${group}/v1/limits/small`, { spec: { max: 3 } }, { quiet: true })
  await settle(
    t,
    async () => (await t.post(`${services}?dryRun=All`, service('probe', [1, 2, 3]), { quiet: true })).status === 201,
  )
  await t.post(services, service('b', [1, 2, 3]), { pick })

  // Banned ports from every ConfigMap with a label in the object's own namespace; none found is allowed.
  await policy('ext-p-banned', {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [
      {
        expression: 'object.spec.ports.all(p, string(p.port) != params.data.port)',
        messageExpression: "'port ' + params.data.port + ' is banned'",
        reason: 'Forbidden',
      },
    ],
  })
  await binding('ext-p-banned', {
    policyName: 'ext-p-banned',
    paramRef: { selector: { matchLabels: { banned: 'yes' } }, parameterNotFoundAction: 'Allow' },
    validationActions: ['Deny'],
  })
  await t.post(services, service('c', [22]), { pick })
  for (const port of ['22', '23'])
    await t.post(
      cms,
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `ban-${port}`, labels: { banned: 'yes' } },
        data: { port },
      },
      { quiet: true },
    )
  await settle(
    t,
    async () =>
      (await t.post(`${services}?dryRun=All`, service('probe', [22]), { quiet: true })).status === 403 &&
      (await t.post(`${services}?dryRun=All`, service('probe', [23]), { quiet: true })).status === 403,
  )
  await t.post(services, service('d', [22]), { pick })
  await t.post(services, service('d', [23]), { pick })
  await t.post(services, service('d', [24]), { pick })

  // Warnings do not stop the request.
  await policy('ext-p-warn', {
    failurePolicy: 'Ignore',
    validations: [
      { expression: 'object.spec.ports.all(p, p.port > 1024)', message: 'low "port"' },
      { expression: 'object.spec.nothing == 1', message: 'never' },
    ],
    auditAnnotations: [{ key: 'ports', valueExpression: "string(object.spec.ports.size()) + ' ports'" }],
  })
  await binding('ext-p-warn', { policyName: 'ext-p-warn', validationActions: ['Warn', 'Audit'] })
  await settle(
    t,
    async () => (await t.post(`${services}?dryRun=All`, service('probe', [80]), { quiet: true })).headers.warning,
  )
  await t.post(services, service('e', [80]), { pick })
  await t.post(services, service('f', [8080]), { pick })
}
