/** What the expressions of a validating policy see, in which of its parts, and what they may cost together. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { ApiError } from '../../api/status-error.ts'
import type { AdmissionObserver } from '../observer.ts'
import { testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { type PolicyDependencies, validatingPolicies } from './validating-policies.ts'

const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
}
const namespace = testObject(
  'Namespace',
  'ns',
  { spec: { finalizers: ['f'] }, status: { phase: 'Active' } },
  { labels: { team: 'a' } },
)

/** What a policy makes of a pod whose text is so long that eleven expressions may look for it in itself, and twelve not. */
async function judged(spec: JsonObject, more: Partial<PolicyDependencies> = {}, bindings: JsonObject = {}) {
  const group = 'admissionregistration.k8s.io'
  const policy = testObject('Policy', 'p', { spec: { matchConstraints, ...spec } })
  const binding = testObject('Binding', 'b', { spec: { policyName: 'p', validationActions: ['Deny'], ...bindings } })
  const asked: string[] = []
  const checks: string[] = []
  const annotations: JsonObject = {}
  const observer: Partial<AdmissionObserver> = {
    policyChecked: ({ action, error }) => void checks.push(`${action} ${error}`),
    conditionsJudged: () => {},
    evaluated: () => {},
    compiled: () => {},
  }
  const cluster = testCluster(
    {
      namespaces: [namespace],
      [`validatingadmissionpolicies.${group}`]: [policy],
      [`validatingadmissionpolicybindings.${group}`]: [binding],
    },
    {
      allowed: ({ verb }) => {
        asked.push(verb)
        return verb === 'get'
      },
    },
  )
  const plugin = validatingPolicies({
    cluster,
    forms: () => [],
    findParamKind: async () => undefined,
    observer: observer as AdmissionObserver,
    ...more,
  })
  const object = testObject('Pod', 'x', { spec: {} }, { namespace: 'ns', annotations: { text: 'x'.repeat(9500) } })
  const request = testRequest({ object, annotate: (key, value) => void Object.assign(annotations, { [key]: value }) })
  let refused: string | undefined
  try {
    await plugin.validate?.(request)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refused = error.message.replace(/^.* denied request: /, '')
  }
  return { refused, asked, checks, annotations }
}

const may = (verb: string): string => `authorizer.group('').resource('pods').check('${verb}').allowed()`
const holds = [{ expression: 'true' }]

describe('the authorizer', () => {
  it.each<[string, JsonObject, string | undefined]>([
    ['is asked by validations', { validations: [{ expression: may('list'), message: 'no' }] }, 'no'],
    ['allows validations', { validations: [{ expression: may('get'), message: 'no' }] }, undefined],
    [
      'is asked by variables',
      {
        variables: [{ name: 'may', expression: may('get') }],
        validations: [{ expression: '!variables.may', message: 'it may' }],
      },
      'it may',
    ],
    [
      'is asked by conditions',
      {
        matchConditions: [{ name: 'c', expression: may('get') }],
        validations: [{ expression: 'false', message: 'no' }],
      },
      'no',
    ],
    [
      'is asked by conditions that do not hold',
      {
        matchConditions: [{ name: 'c', expression: may('list') }],
        validations: [{ expression: 'false', message: 'no' }],
      },
      undefined,
    ],
    [
      'is not there for annotations',
      { validations: holds, auditAnnotations: [{ key: 'k', valueExpression: `string(${may('get')})` }] },
      `expression 'string(${may('get')})' resulted in error: no such attribute(s): authorizer`,
    ],
  ])('%s', async (_, spec, expected) => {
    expect((await judged(spec)).refused).toBe(expected)
  })

  it('is asked once for the same', async () => {
    const validations = [{ expression: may('get') }, { expression: `${may('get')} || false` }]
    expect((await judged({ validations })).asked).toEqual(['get'])
  })
})

describe('the namespace', () => {
  it.each([
    ['has its labels', 'namespaceObject.metadata.labels.team == "a"'],
    ['has what it is to be', 'namespaceObject.spec.finalizers == ["f"]'],
    ['has what it is', 'namespaceObject.status.phase == "Active"'],
  ])('%s', async (_, expression) => {
    expect((await judged({ validations: [{ expression }] })).refused).toBeUndefined()
  })
})

describe('what expressions cost', () => {
  const dear = 'object.metadata.annotations.text.contains(object.metadata.annotations.text)'
  const tooDear = 'validation failed due to running out of cost budget, no further validation rules will be run'
  const many = (count: number, more: JsonObject = {}) =>
    Array.from({ length: count }, () => ({ expression: dear, ...more }))
  const annotations = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ key: `k${i}`, valueExpression: `string(${dear})` }))
  const message = { messageExpression: `string(${dear})` }
  it.each<[string, JsonObject, string | undefined, string[]]>([
    ['is enough', { validations: many(11) }, undefined, []],
    ['is too much of several validations', { validations: many(12) }, tooDear, ['deny out_of_budget']],
    [
      'is too much, which is passed over',
      { validations: many(12), failurePolicy: 'Ignore' },
      undefined,
      ['allow out_of_budget'],
    ],
    [
      'is that of variables, too, once',
      {
        variables: [{ name: 'v', expression: dear }],
        validations: [...many(11), { expression: 'variables.v' }, { expression: 'variables.v' }],
      },
      tooDear,
      ['deny out_of_budget'],
    ],
    [
      'is that of variables only once',
      { variables: [{ name: 'v', expression: dear }], validations: many(12, { expression: 'variables.v' }) },
      undefined,
      [],
    ],
    [
      'is too much of messages after their validations',
      { validations: [...many(11, message), { expression: 'false', message: 'no' }] },
      `failed messageExpression: ${tooDear}`,
      Array.from({ length: 12 }, () => 'deny out_of_budget'),
    ],
    [
      'is that of messages alone',
      { validations: many(11, { expression: 'false', ...message }) },
      'true',
      Array.from({ length: 11 }, () => 'deny no_error'),
    ],
    [
      'is too much of several annotations',
      { validations: holds, auditAnnotations: annotations(12) },
      tooDear,
      ['deny out_of_budget'],
    ],
    ['is another budget for annotations', { validations: many(11), auditAnnotations: annotations(11) }, undefined, []],
  ])('%s', async (_, spec, refused, checks) => {
    expect(await judged(spec)).toMatchObject({ refused, checks })
  })
})

it.each<[string, string, string[]]>([
  ['cannot be compiled', 'object.', ['deny compile_error']],
  ['breaks', 'object.metadata.none == ""', ['deny invalid_error']],
])('a validation that %s is counted as such', async (_, expression, checks) => {
  expect((await judged({ validations: [{ expression }] })).checks).toEqual(checks)
})

describe('parameters', () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' }
  const params = ['a', 'b'].map((name) => testObject('ConfigMap', name, {}, { namespace: 'ns' }))
  const findParamKind: PolicyDependencies['findParamKind'] = async () => ({
    namespaced: true,
    isTyped: true,
    objects: { get: () => undefined, list: () => params, subscribe: () => () => undefined },
    convert: (object) => object,
  })
  const paramRef = { selector: {}, parameterNotFoundAction: 'Deny' }

  it('are seen by conditions, which are judged for each', async () => {
    const spec = {
      paramKind,
      matchConditions: [{ name: 'c', expression: 'params.metadata.name == "b"' }],
      validations: [{ expression: 'false', messageExpression: '"of " + params.metadata.name' }],
    }
    const { refused, checks } = await judged(spec, { findParamKind }, { paramRef })
    expect([refused, checks]).toEqual(['of b', ['deny no_error']])
  })

  it('that cannot be read are an error, whatever the policy says of failures', async () => {
    const spec = { paramKind, validations: holds, failurePolicy: 'Ignore' }
    const broken = async () => ({ ...(await findParamKind('', ''))!, convert: () => Promise.reject(new Error('no')) })
    await expect(judged(spec, { findParamKind: broken }, { paramRef })).rejects.toThrow('no')
  })
})
