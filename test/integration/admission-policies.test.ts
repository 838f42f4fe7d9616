// Mutating policies, behind their gate: configurations are merged, patches applied, in order and once more if asked for.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([
    '--store',
    'memory',
    '--feature-gates=MutatingAdmissionPolicy=true',
    '--runtime-config=admissionregistration.k8s.io/v1alpha1=true',
    '--disable-admission-plugins=ServiceAccount',
  ])
})
afterAll(() => server.close())

const group = '/apis/admissionregistration.k8s.io/v1alpha1'
let count = 0

async function policy(spec: Json): Promise<string> {
  const name = `policy-${++count}`
  await server.call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  const apiVersion = 'admissionregistration.k8s.io/v1alpha1'
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': name } }
  const made = await server.call('POST', `${group}/mutatingadmissionpolicies`, {
    apiVersion,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: {
        namespaceSelector,
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps', 'pods'] },
        ],
      },
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      ...spec,
      mutations: [...spec.mutations, marking(name)],
    },
  })
  expect(made.json()).toMatchObject({ kind: 'MutatingAdmissionPolicy' })
  await server.call('POST', `${group}/mutatingadmissionpolicybindings`, {
    apiVersion,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name },
  })
  await inForce(name)
  return name
}

/** Policies take force a little after they are made: what every one of them also does tells when. */
const marking = (name: string): Json =>
  patch(`[JSONPatch{op: "add", path: "/metadata/labels", value: {"under": "${name}"}}]`)

async function inForce(name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe' }, data: { k: 'v' } }
  await until('the policy to take force', async () => {
    const answer = await server.call('POST', `/api/v1/namespaces/${name}/configmaps?dryRun=All`, body)
    return answer.status !== 201 || answer.json().metadata.labels?.under === name
  })
}

const patch = (expression: string): Json => ({ patchType: 'JSONPatch', jsonPatch: { expression } })
const configuration = (expression: string): Json => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
})

async function create(namespace: string, data: Json): Promise<Json> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data }
  return (await server.call('POST', `/api/v1/namespaces/${namespace}/configmaps`, body)).json()
}

describe('mutating policies', () => {
  it('apply a JSON patch', async () => {
    const namespace = await policy({
      variables: [{ name: 'size', expression: 'object.data.size()' }],
      mutations: [patch(`[JSONPatch{op: "add", path: "/data/size", value: string(variables.size)}]`)],
    })
    expect((await create(namespace, { k: 'v' })).data).toEqual({ k: 'v', size: '1' })
  })

  it('merge a configuration, lists by their keys', async () => {
    const namespace = await policy({
      mutations: [
        configuration(`Object{spec: Object.spec{containers: [Object.spec.containers{name: "side", image: "side"}]}}`),
      ],
    })
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'main', image: 'main' }] },
    }
    const made = (await server.call('POST', `/api/v1/namespaces/${namespace}/pods`, pod)).json()
    expect(made.spec?.containers.map(({ name }: Json) => name)).toEqual(['main', 'side'])
  })

  it('say what of a merged configuration cannot be read', async () => {
    const name = `policy-${count + 1}`
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'] }
    const namespace = await policy({
      mutations: [configuration(`Object{data: Object.data{a: 'b'}}`)],
      matchConstraints: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
        resourceRules: [{ ...rule, resources: ['configmaps', 'secrets'] }],
      },
    })
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }
    const answer = await server.call('POST', `/api/v1/namespaces/${namespace}/secrets`, secret)
    expect([answer.status, answer.json().message]).toEqual([
      403,
      `policy '${name}' with binding '${name}' denied request: unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 0`,
    ])
  })

  it.each([
    ['Never', 'x'],
    ['IfNeeded', 'xx'],
  ])('that may be invoked again (%s) are, after changes of their own', async (reinvocationPolicy, appended) => {
    const namespace = await policy({
      reinvocationPolicy,
      mutations: [patch(`[JSONPatch{op: "add", path: "/data/k", value: object.data.k + "x"}]`)],
    })
    expect((await create(namespace, { k: '' })).data.k).toBe(appended)
  })

  it('do not see deletions', async () => {
    const name = `policy-${count + 1}`
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }
    const namespace = await policy({
      matchConditions: [{ name: 'has-data', expression: 'object.data.size() > 0' }],
      mutations: [patch(`[JSONPatch{op: "add", path: "/data/x", value: "y"}]`)],
      matchConstraints: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
        resourceRules: [rule],
      },
    })
    expect((await create(namespace, { k: 'v' })).data).toEqual({ k: 'v', x: 'y' })
    const deleted = await server.call('DELETE', `/api/v1/namespaces/${namespace}/configmaps/x`)
    expect(deleted.status, deleted.body.toString()).toBe(200)
  })

  // As the reference, which knows no way between two versions of a built-in kind.
  it('refuse what they would change in another version than that of the request', async () => {
    const rule = { apiVersions: ['v1'], operations: ['CREATE'] }
    const selector = (name: string): Json => ({ matchLabels: { 'kubernetes.io/metadata.name': name } })
    const namespace = await policy({
      mutations: [configuration(`Object{metadata: Object.metadata{annotations: {"a": "b"}}}`)],
      matchConstraints: {
        namespaceSelector: selector(`policy-${count + 1}`),
        resourceRules: [
          { ...rule, apiGroups: [''], resources: ['configmaps'] },
          { ...rule, apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'] },
        ],
      },
    })
    const spec = { maxReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'd' } }
    const post = async (version: string): Promise<readonly [number, string]> => {
      const path = `/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers?dryRun=All`
      const answer = await server.call('POST', path, { metadata: { name: 'a' }, spec })
      return [answer.status, answer.json().message ?? '']
    }
    expect((await post('v1'))[0]).toBe(201)
    const said = 'converting (v1.HorizontalPodAutoscaler) to (v2.HorizontalPodAutoscaler): unknown conversion'
    expect(await post('v2')).toEqual([403, expect.stringContaining(said)])
  })

  it('see what the mutation before them made', async () => {
    const namespace = await policy({
      mutations: [
        patch(`[JSONPatch{op: "add", path: "/data/a", value: "1"}]`),
        patch(`[JSONPatch{op: "add", path: "/data/b", value: object.data.a + "2"}]`),
      ],
    })
    expect((await create(namespace, { k: 'v' })).data).toEqual({ k: 'v', a: '1', b: '12' })
  })

  it('leave objects alone whose test fails', async () => {
    const namespace = await policy({
      mutations: [
        patch(
          `[JSONPatch{op: "test", path: "/data/k", value: "other"}, JSONPatch{op: "add", path: "/data/a", value: "1"}]`,
        ),
      ],
    })
    expect((await create(namespace, { k: 'v' })).data).toEqual({ k: 'v' })
  })

  it('are chosen by what the object was before any of them changed it', async () => {
    const first = await policy({ mutations: [] })
    const second = await policy({
      matchConstraints: {
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'In', values: [first, `policy-${count + 1}`] },
          ],
        },
        objectSelector: { matchExpressions: [{ key: 'under', operator: 'DoesNotExist' }] },
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'], scope: '*' },
        ],
      },
      matchConditions: [{ name: 'chosen', expression: "has(object.data.chosen) || object.metadata.name == 'probe'" }],
      mutations: [],
    })
    expect((await create(first, { chosen: 'yes' })).metadata.labels).toEqual({ under: second })
    expect((await create(second, { k: 'v' })).metadata.labels).toBeUndefined()
  })

  it('refuse the request when they fail', async () => {
    const namespace = await policy({ mutations: [patch(`[JSONPatch{op: "remove", path: "/data/none"}]`)] })
    const answer = await create(namespace, { k: 'v' })
    expect(answer).toMatchObject({ code: 403, reason: 'Invalid' })
    expect(answer.message).toBe(
      `policy '${namespace}' with binding '${namespace}' denied request: JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value`,
    )
  })
})

describe('validating policies', () => {
  it('make messages without an authorizer, also inside of variables', async () => {
    const name = 'quiet'
    await server.call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    const apiVersion = 'admissionregistration.k8s.io/v1'
    const made = await server.call('POST', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
        variables: [
          { name: 'may', expression: "authorizer.path('/x').check('get').allowed()" },
          { name: 'size', expression: 'object.data.size()' },
        ],
        validations: [
          { expression: "!('asks' in object.data) || !variables.may", messageExpression: 'string(variables.may)' },
          { expression: '!variables.may', messageExpression: "'has ' + string(variables.size)" },
        ],
      },
    })
    expect(made.status).toBe(201)
    await server.call('POST', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    })
    await expect.poll(async () => (await create(name, { k: 'v' })).message).toMatch(/denied request: has 1$/)
    expect((await create(name, { asks: 'x' })).message).toMatch(/denied request: failed expression: !\('asks' in .*$/)
  })

  it('are reported in their status what their types say', async () => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
    const made = await server.call('POST', path, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'typed' },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments'] }],
        },
        validations: [{ expression: 'object.spec.replicas < 5' }, { expression: 'object.spec.size < 5' }],
      },
    })
    expect(made.status).toBe(201)
    const status = await until('the policy to be checked', async (): Promise<Json> => {
      const found = (await server.call('GET', `${path}/typed`)).json().status
      return found?.observedGeneration !== undefined && found
    })
    expect(status.observedGeneration).toBe(1)
    const warnings = status.typeChecking.expressionWarnings
    expect(warnings.map(({ fieldRef }: Json) => fieldRef)).toEqual(['spec.validations[1].expression'])
    expect(warnings[0].warning).toContain("undefined field 'size'")
  })
})
