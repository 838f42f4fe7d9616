/** Validating policies as a plugin: what they deny, warn of and note, and what their failures mean. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import type { AdmissionObserver } from '../observer.ts'
import { testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { type PolicyDependencies, validatingPolicies } from './validating-policies.ts'

const matchConstraints: JsonObject = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
}
const policy = (spec: JsonObject, name = 'p'): KubeObject =>
  testObject('ValidatingAdmissionPolicy', name, { spec: { matchConstraints, ...spec } })
const binding = (more: JsonObject = {}, name = 'b', policyName = 'p'): KubeObject =>
  testObject('ValidatingAdmissionPolicyBinding', name, { spec: { policyName, validationActions: ['Deny'], ...more } })

async function judged(
  policies: KubeObject[],
  bindings: KubeObject[],
  request: Partial<AdmissionRequest> = {},
  findParamKind: PolicyDependencies['findParamKind'] = async () => undefined,
) {
  const warnings: string[] = []
  const annotations: JsonObject = {}
  const checks: string[] = []
  const counted = { compiled: 0, evaluated: 0, conditions: [] as string[], denied: [] as string[] }
  const observer: Partial<AdmissionObserver> = {
    policyChecked: ({ policy: name, binding: by, action, error, seconds }) =>
      void checks.push(`${name}/${by} ${action} ${error} ${seconds >= 0 && seconds < 1000}`),
    compiled: () => void counted.compiled++,
    evaluated: (seconds: number) => void (seconds >= 0 && seconds < 1000 && counted.evaluated++),
    conditionsJudged: ({ name, outcome, seconds }) =>
      void counted.conditions.push(`${name} ${outcome} ${seconds >= 0 && seconds < 1000}`),
    denied: (messages) => {
      for (const message of messages) counted.denied.push(message)
    },
  }
  const group = 'admissionregistration.k8s.io'
  const cluster = testCluster({
    namespaces: [testObject('Namespace', 'ns', {}, { labels: { team: 'a' } })],
    [`validatingadmissionpolicies.${group}`]: policies,
    [`validatingadmissionpolicybindings.${group}`]: bindings,
  })
  const plugin = validatingPolicies({
    cluster,
    forms: () => [],
    findParamKind,
    observer: observer as AdmissionObserver,
  })
  const whole = testRequest({
    object: testObject(
      'Pod',
      'x',
      { spec: { hostNetwork: true, containers: [] } },
      { namespace: 'ns', labels: { app: 'web' } },
    ),
    ...request,
    warn: (text) => void warnings.push(text),
    annotate: (key, value) => void Object.assign(annotations, { [key]: value }),
  })
  let refused: string | undefined
  let reason: string | undefined
  try {
    await plugin.validate?.(whole)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refused = `${error.code} ${error.message}`
    reason = error.status.reason
  }
  return { refused, reason, warnings, annotations, checks, counted }
}

const denies = (message: string, by = " with binding 'b'") =>
  `pods "x" is forbidden: ValidatingAdmissionPolicy 'p'${by} denied request: ${message}`

describe('a validation', () => {
  it.each<[string, JsonObject, string | undefined]>([
    ['that holds', { expression: 'object.spec.hostNetwork == true' }, undefined],
    [
      'that does not',
      { expression: '!object.spec.hostNetwork' },
      `422 ${denies('failed expression: !object.spec.hostNetwork')}`,
    ],
    ['with a message', { expression: 'false', message: 'no' }, `422 ${denies('no')}`],
    [
      'with an evaluated message',
      { expression: 'false', message: 'no', messageExpression: '"not " + object.metadata.name' },
      `422 ${denies('not x')}`,
    ],
    [
      'with a message that cannot be evaluated',
      { expression: 'false', message: 'no', messageExpression: 'object.missing.x' },
      `422 ${denies('no')}`,
    ],
    [
      'with a message of many lines',
      { expression: 'false', message: 'no', messageExpression: '"a\\nb"' },
      `422 ${denies('no')}`,
    ],
    [
      'with a message that is too long',
      { expression: 'false', message: 'no', messageExpression: `"${'x'.repeat(5121)}"` },
      `422 ${denies('no')}`,
    ],
    [
      'with a message that is blank',
      { expression: 'false', message: 'no', messageExpression: '"  "' },
      `422 ${denies('no')}`,
    ],
    ['with a reason', { expression: 'false', message: 'no', reason: 'Forbidden' }, `403 ${denies('no')}`],
    [
      'with another reason',
      { expression: 'false', message: 'no', reason: 'RequestEntityTooLarge' },
      `413 ${denies('no')}`,
    ],
    [
      'that fails',
      { expression: 'object.missing.x == 1' },
      `422 ${denies("expression 'object.missing.x == 1' resulted in error: no such key: missing")}`,
    ],
    ['that does not compile', { expression: 'x +' }, `422 ${denies('compilation error: ')}`],
    [
      'over the namespace',
      { expression: 'namespaceObject.metadata.labels.team == "b"', message: 'no' },
      `422 ${denies('no')}`,
    ],
    ['over the request', { expression: 'request.operation == "CREATE" && oldObject == null' }, undefined],
  ])('%s', async (_, validation, expected) => {
    const { refused } = await judged([policy({ validations: [validation] })], [binding()])
    if (expected === undefined) expect(refused).toBeUndefined()
    else if (expected.endsWith('compilation error: ')) expect(refused?.startsWith(expected.slice(0, -19))).toBe(true)
    else expect(refused).toBe(expected)
  })

  it('may use variables', async () => {
    const spec = {
      variables: [{ name: 'host', expression: 'object.spec.hostNetwork' }],
      validations: [{ expression: '!variables.host', message: 'no' }],
    }
    expect((await judged([policy(spec)], [binding()])).refused).toBe(`422 ${denies('no')}`)
  })

  it('that fails is passed over where the policy says so', async () => {
    const spec = { failurePolicy: 'Ignore', validations: [{ expression: 'object.missing.x == 1' }] }
    const { refused, checks } = await judged([policy(spec)], [binding()])
    expect([refused, checks]).toEqual([undefined, ['p/b allow invalid_error true']])
  })
})

describe('the actions of a binding', () => {
  const validations = [{ expression: 'true' }, { expression: 'false', message: 'no' }]
  it.each<[string[] | undefined, string | undefined, string[], JsonObject, string[]]>([
    [['Deny'], `422 ${denies('no')}`, [], {}, ['p/b deny no_error true']],
    [
      ['Warn'],
      undefined,
      ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no"],
      {},
      ['p/b warn no_error true'],
    ],
    [
      ['Audit'],
      undefined,
      [],
      {
        'validation.policy.admission.k8s.io/validation_failure':
          '[{"message":"no","policy":"p","binding":"b","expressionIndex":1,"validationActions":["Audit"]}]',
      },
      ['p/b audit no_error true'],
    ],
    [undefined, undefined, [], {}, []],
  ])('%j', async (validationActions, refused, warnings, annotations, checks) => {
    const bound =
      validationActions === undefined
        ? testObject('B', 'b', { spec: { policyName: 'p' } })
        : binding({ validationActions })
    expect(await judged([policy({ validations })], [bound])).toMatchObject({ refused, warnings, annotations, checks })
  })

  it('are all told of, and the first failure is noted', async () => {
    const two = [
      { expression: 'false', message: 'one' },
      { expression: 'false', message: 'two' },
    ]
    const { refused, annotations, counted } = await judged(
      [policy({ validations: two })],
      [binding({ validationActions: ['Deny', 'Audit'] })],
    )
    expect(refused).toBe(`422 ${denies('one')}`)
    expect(counted.denied).toEqual(
      ['one', 'two'].map((text) => `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${text}`),
    )
    expect(Object.values(annotations).join()).toContain('"message":"one"')
  })
})

describe('the conditions of a policy', () => {
  const validations = [{ expression: 'false', message: 'no' }]
  it.each<[string, JsonObject, string | undefined, string[]]>([
    [
      'that hold',
      { matchConditions: [{ name: 'c', expression: 'object.metadata.name == "x"' }] },
      `422 ${denies('no')}`,
      ['p match true'],
    ],
    ['that do not', { matchConditions: [{ name: 'c', expression: 'false' }] }, undefined, ['p exclusion true']],
    [
      'that fail',
      { matchConditions: [{ name: 'c', expression: 'object.missing.x == 1' }] },
      expect.stringContaining("expression 'object.missing.x == 1' resulted in error") as never,
      ['p error true'],
    ],
    [
      'that fail, which is passed over',
      { failurePolicy: 'Ignore', matchConditions: [{ name: 'c', expression: 'object.missing.x == 1' }] },
      undefined,
      ['p error true'],
    ],
  ])('%s', async (_, more, refused, conditions) => {
    const found = await judged([policy({ validations, ...more })], [binding()])
    expect(found.refused).toEqual(refused)
    expect(found.counted.conditions).toEqual(conditions)
    expect([found.counted.compiled, found.counted.evaluated]).toEqual([1, 1])
  })
})

describe('the annotations of a policy', () => {
  const annotate = (valueExpression: string, more: JsonObject = {}): JsonObject => ({
    auditAnnotations: [{ key: 'k', valueExpression }],
    ...more,
  })
  it.each<[string, JsonObject, JsonObject, boolean]>([
    ['are values', annotate('" " + object.metadata.name + " "'), { 'p/k': 'x' }, false],
    ['are none', annotate('null'), {}, false],
    ['are not blank', annotate('" "'), {}, false],
    ['are cut', annotate(`"${'x'.repeat(10_300)}"`), { 'p/k': 'x'.repeat(10_240) }, false],
    ['that fail deny', annotate('object.missing.x'), {}, true],
    ['that fail are passed over', annotate('object.missing.x', { failurePolicy: 'Ignore' }), {}, false],
  ])('%s', async (_, spec, expected, isRefused) => {
    const { annotations, refused } = await judged(
      [policy({ validations: [{ expression: 'true' }], ...spec })],
      [binding({}, 'b'), binding({}, 'c')],
    )
    expect([annotations, refused !== undefined]).toEqual([expected, isRefused])
  })
})

describe('the parameters of a policy', () => {
  const param = testObject('ConfigMap', 'limits', { data: { most: '1' } }, { namespace: 'ns' })
  const find: PolicyDependencies['findParamKind'] = async (apiVersion, kind) =>
    apiVersion === 'v1' && kind === 'ConfigMap'
      ? {
          namespaced: true,
          isTyped: true,
          objects: {
            get: (_, name) => (name === 'limits' ? param : undefined),
            list: () => [param],
            subscribe: () => () => undefined,
          },
          convert: (object) => object,
        }
      : undefined
  const spec = (kind: string) => ({
    paramKind: { apiVersion: 'v1', kind },
    validations: [{ expression: 'params.data.most == "2"', messageExpression: '"at most " + params.data.most' }],
  })
  it.each<[string, string, JsonObject, string]>([
    [
      'are found',
      'ConfigMap',
      { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
      `422 ${denies('at most 1')}`,
    ],
    [
      'must be there',
      'ConfigMap',
      { paramRef: { name: 'other', parameterNotFoundAction: 'Deny' } },
      `422 ${denies('failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction')}`,
    ],
    [
      'are of a kind that there is',
      'Other',
      { paramRef: { name: 'limits' } },
      `422 ${denies("failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Other'", '')}`,
    ],
  ])('%s', async (_, kind, more, expected) => {
    expect((await judged([policy(spec(kind))], [binding(more)], {}, find)).refused).toBe(expected)
    expect(
      (await judged([policy({ ...spec(kind), failurePolicy: 'Ignore' })], [binding(more)], {}, find)).refused !==
        undefined,
    ).toBe(kind === 'ConfigMap' && expected.includes('at most'))
  })
})

it('every policy is asked, and the first denial is the answer', async () => {
  const no = (message: string) => ({ validations: [{ expression: 'false', message }] })
  const { refused, counted } = await judged(
    [policy(no('q'), 'q'), policy(no('p'), 'p')],
    [binding({}, 'b', 'p'), binding({}, 'c', 'q')],
  )
  expect(refused).toBe(`422 ${denies('p')}`)
  expect(counted.denied).toHaveLength(2)
  expect((await judged([], [])).refused).toBeUndefined()
})
