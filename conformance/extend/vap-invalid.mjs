// ValidatingAdmissionPolicies and bindings that are refused: fields, expressions, types, names and actions.
import { stable } from '../support/picks.mjs'

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings?dryRun=All'

export default async (t) => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }
  const policy = (spec, name = 'ext-bad') =>
    t.post(
      POLICIES,
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name },
        spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }], ...spec },
      },
      { pick: stable },
    )
  const binding = (spec) =>
    t.post(
      BINDINGS,
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'ext-bad' },
        spec: { policyName: 'ext-none', validationActions: ['Deny'], ...spec },
      },
      { pick: stable },
    )

  await policy({ matchConstraints: undefined, validations: undefined })
  await policy({ matchConstraints: { resourceRules: [] } })
  await policy({
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['*', 'apps'],
          apiVersions: [],
          operations: ['*', 'CREATE', 'FLY'],
          resources: ['pods/*', '*/*', '*'],
          scope: 'Here',
        },
      ],
    },
  })
  await policy({
    matchConstraints: {
      resourceRules: [rule],
      matchPolicy: 'Roughly',
      namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Like' }] },
    },
  })
  await policy({ failurePolicy: 'Maybe' })
  await policy({
    validations: [
      { expression: '' },
      { expression: 'object.x', message: '  ' },
      { expression: '1 +', message: 'a\nb' },
      { expression: 'true', messageExpression: '5' },
    ],
  })
  await policy({
    validations: [{ expression: 'params.x == 1' }, { expression: 'nothing.x == 1' }, { expression: 'variables.none' }],
  })
  await policy({
    variables: [
      { name: 'a', expression: 'variables.b' },
      { name: 'b', expression: '1' },
      { name: 'b', expression: '2' },
      { name: 'not-ok', expression: '' },
    ],
  })
  await policy({
    matchConditions: [
      { name: '', expression: '' },
      { name: 'a b', expression: 'object' },
      { name: 'dup', expression: 'true' },
      { name: 'dup', expression: 'true' },
    ],
  })
  await policy({
    validations: undefined,
    auditAnnotations: [
      { key: '', valueExpression: '' },
      { key: 'a/b/c', valueExpression: '1' },
      { key: 'ok', valueExpression: "'x'" },
      { key: 'ok', valueExpression: 'null' },
    ],
  })
  await policy({ paramKind: { apiVersion: 'a/b/c', kind: 'Not A Kind' } })
  await policy({ paramKind: {} })
  await policy({}, 'Bad_Name')
  await policy({ validations: [{ expression: 'object.metadata.name', reason: 'Odd' }] })
  await policy({
    validations: [
      {
        expression:
          'object.metadata.annotations.all(a, object.metadata.annotations.all(b, object.metadata.annotations.all(c, a.matches(b) && b.matches(c))))',
      },
    ],
  })

  await binding({ policyName: '', validationActions: [] })
  await binding({ validationActions: ['Deny', 'Warn'] })
  await binding({ validationActions: ['Audit', 'Audit', 'Shout'] })
  await binding({ paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Shrug' } })
  await binding({ paramRef: {} })
  await binding({ paramRef: { name: 'Not_Valid', namespace: '!', parameterNotFoundAction: 'Deny' } })
  await binding({
    matchResources: { resourceRules: [{ ...rule, operations: [] }], objectSelector: { matchLabels: { 'a b': 'c' } } },
  })
  await binding({})
}
