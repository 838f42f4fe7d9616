/** Mutating policies as a plugin of a chain: what they make of objects, in which order, and what their failures mean. */
import { afterEach, describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import { openTestRegistry, testDefinition } from '../../registry/testing/test-registry.ts'
import { builtInDefinitions } from '../../resources/definitions.ts'
import { openMemoryStore } from '../../store/memory.ts'
import { AdmissionChain } from '../chain.ts'
import { configurationMerger, conversionProblem, equivalentForms, paramKindFinder } from '../cluster-forms.ts'
import type { AdmissionObserver } from '../observer.ts'
import { admittedEquality, objectDecoder, versionRestorer } from '../patched-object.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { type MutatingPolicyDependencies, mutatingPolicies } from './mutating-policies.ts'

const about = (resources: string[], apiGroups = [''], apiVersions = ['v1']): JsonObject => ({
  resourceRules: [{ apiGroups, apiVersions, operations: ['*'], resources }],
})
const patch = (expression: string): JsonObject => ({ patchType: 'JSONPatch', jsonPatch: { expression } })
const configuration = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
})
const label = (key: string, value = '"x"'): JsonObject =>
  configuration(`Object{metadata: Object.metadata{labels: Object.metadata.labels{${key}: ${value}}}}`)
/** Adds a letter to what is there. */
const note = (letter: string): JsonObject =>
  configuration(`Object{data: Object.data{seen: object.data.seen + "${letter}"}}`)

const policy = (spec: JsonObject, name = 'p'): KubeObject =>
  testObject('MutatingAdmissionPolicy', name, { spec: { matchConstraints: about(['configmaps']), ...spec } })
const binding = (policyName = 'p', more: JsonObject = {}, name = `of-${policyName}`): KubeObject =>
  testObject('MutatingAdmissionPolicyBinding', name, { spec: { policyName, ...more } })
const configMap = (data: JsonObject = { seen: '' }): KubeObject =>
  testObject('ConfigMap', 'x', { data }, { namespace: 'ns' })

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Given {
  readonly policies: readonly KubeObject[]
  readonly bindings?: readonly KubeObject[]
  readonly request?: Partial<AdmissionRequest>
  readonly dependencies?: Partial<MutatingPolicyDependencies>
  /** Those after the policies. */
  readonly plugins?: readonly AdmissionPlugin[]
}

/** What the chain makes of a config map, or of the object of the request; or its refusal. */
async function admitted({ policies, bindings, request = {}, dependencies = {}, plugins = [] }: Given) {
  const store = openMemoryStore()
  const { registries: all, reflector } = await openTestRegistry({ store, builtInDefinitions })
  closing.push(
    () => store.close(),
    () => reflector.close(),
  )
  all.add(testDefinition(builtInDefinitions, { resource: 'secrets' }))
  all.add(testDefinition(builtInDefinitions, { resource: 'horizontalpodautoscalers', versions: ['v1', 'v2'] }))
  const registries = () => all
  const judged: string[] = []
  const checked: string[] = []
  const observer: Partial<AdmissionObserver> = {
    conditionsJudged: ({ name, kind, type, outcome }) => void judged.push(`${kind} ${name} ${type} ${outcome}`),
    mutationChecked: ({ policy, binding, error }) => void checked.push(`${policy} ${binding} ${error}`),
  }
  const group = 'admissionregistration.k8s.io'
  const cluster = testCluster(
    {
      namespaces: [testObject('Namespace', 'ns', {}, { labels: { team: 'a' } })],
      [`mutatingadmissionpolicies.${group}`]: policies,
      [`mutatingadmissionpolicybindings.${group}`]: bindings ?? policies.map(({ metadata }) => binding(metadata.name)),
    },
    { gates: ['MutatingAdmissionPolicy'] },
  )
  const plugin = mutatingPolicies({
    cluster,
    forms: equivalentForms(registries),
    findParamKind: paramKindFinder(registries),
    observer: observer as AdmissionObserver,
    decode: objectDecoder(registries),
    restoreVersion: versionRestorer(registries),
    equal: admittedEquality(registries),
    merge: configurationMerger(registries, { allowsDuplicates: false }),
    conversionProblem: conversionProblem(registries),
    ...dependencies,
  })
  const whole = testRequest({
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    object: configMap(),
    ...request,
  })
  try {
    const object = await new AdmissionChain([plugin, ...plugins]).mutate(whole)
    return { object, isSame: object === whole.object, judged, checked }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { refused: `${error.code} ${error.status.reason} ${error.message}`, error, judged, checked }
  }
}

const dataOf = ({ object }: { readonly object?: KubeObject | undefined }): unknown => object?.['data']
const denies = (why: string, name = 'p'): string =>
  `403 Invalid policy '${name}' with binding 'of-${name}' denied request: ${why}`

describe('a mutation', () => {
  it.each<[string, JsonObject[], string[]]>([
    ['that succeeds', [note('a'), note('b')], ['p of-p no_error', 'p of-p no_error']],
    ['that does not compile', [patch('nothing')], ['p of-p compile_error']],
    ['that is no patch', [patch('"text"')], ['p of-p invalid_error']],
  ])('%s is counted', async (_, mutations, expected) => {
    expect((await admitted({ policies: [policy({ mutations })] })).checked).toEqual(expected)
  })

  it.each<[string, JsonObject[], JsonObject]>([
    ['is a JSON patch', [patch('[JSONPatch{op: "add", path: "/data/a", value: "b"}]')], { seen: '', a: 'b' }],
    ['is a configuration', [configuration('Object{data: Object.data{a: "b"}}')], { seen: '', a: 'b' }],
    ['sees what those before it made', [note('a'), note('b'), note('c')], { seen: 'abc' }],
    [
      'sees its request, its namespace and its user',
      [configuration('Object{data: Object.data{a: request.operation + namespaceObject.metadata.labels.team}}')],
      { seen: '', a: 'CREATEa' },
    ],
    ['of no operations changes nothing', [patch('[]')], { seen: '' }],
    [
      'with a test that fails changes nothing',
      [patch('[JSONPatch{op: "test", path: "/data/seen", value: "z"}, JSONPatch{op: "remove", path: "/data/seen"}]')],
      { seen: '' },
    ],
    [
      'with a test that holds goes on',
      [patch('[JSONPatch{op: "test", path: "/data/seen", value: ""}, JSONPatch{op: "remove", path: "/data/seen"}]')],
      {},
    ],
  ])('%s', async (_, mutations, expected) => {
    const found = await admitted({ policies: [policy({ mutations })] })
    expect(found.refused).toBeUndefined()
    expect(dataOf(found) ?? {}).toEqual(expected)
  })

  it.each<[string, JsonObject, string]>([
    ['is no patch', patch('"text"'), 'type mismatch: JSONPatchType.expression should evaluate to array'],
    [
      'cannot be applied',
      patch('[JSONPatch{op: "remove", path: "/data/none"}]'),
      "JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
    ],
    ['says nothing', patch('[JSONPatch{}]'), 'JSON Patch: '],
    ['is no configuration', configuration('1'), 'unsupported return type from ApplyConfiguration expression'],
    [
      'fails',
      configuration('Object{data: Object.data{a: object.data.none}}'),
      "expression 'Object{data: Object.data{a: object.data.none}}' resulted in error: no such key: none",
    ],
    ['cannot be compiled', configuration('Object{'), 'compilation error: compilation failed: ERROR'],
    [
      'has fields that the object does not',
      configuration('Object{other: 1}'),
      'error applying patch: failed to convert patch object to typed object: ',
    ],
  ])('that %s refuses, unless its failure is passed over', async (_, mutation, why) => {
    const found = await admitted({ policies: [policy({ mutations: [mutation] })] })
    expect(found.refused).toContain(denies(why))
    const [cause] = found.error?.status.details?.causes ?? []
    expect(cause).toEqual({ message: found.error?.message })
    const passed = await admitted({ policies: [policy({ mutations: [mutation, note('a')], failurePolicy: 'Ignore' })] })
    expect(dataOf(passed)).toEqual({ seen: 'a' })
  })

  it('that makes another kind of it is an error of the server', async () => {
    const mutation = patch('[JSONPatch{op: "replace", path: "/kind", value: "Other"}]')
    for (const failurePolicy of ['Fail', 'Ignore']) {
      const { refused } = await admitted({ policies: [policy({ mutations: [mutation], failurePolicy })] })
      expect(refused).toMatch(/^500 InternalError /)
    }
  })

  it('is told of with all others that fail', async () => {
    const mutations = [patch('"one"'), configuration('1')]
    const { error } = await admitted({ policies: [policy({ mutations })] })
    expect(error?.status.details?.causes?.map(({ message = '' }) => message.replace(/.*request: /, ''))).toEqual([
      'type mismatch: JSONPatchType.expression should evaluate to array',
      'unsupported return type from ApplyConfiguration expression',
    ])
    expect(error?.status.details).toMatchObject({ name: 'x', kind: 'configmaps' })
  })

  it('that costs too much refuses', async () => {
    const seen = 'x'.repeat(40_000)
    const expression = 'Object{data: Object.data{a: string(object.data.seen.contains(object.data.seen))}}'
    const policies = [policy({ mutations: [configuration(expression)] })]
    const { refused } = await admitted({ policies, request: { object: configMap({ seen }) } })
    const text = 'validation failed due to running out of cost budget, no further validation rules will be run'
    expect(refused).toBe(denies(text))
  })

  it('has nothing to do where there is no object', async () => {
    const request = { operation: 'CONNECT', object: undefined } as const
    const { object, refused } = await admitted({ policies: [policy({ mutations: [patch('"text"')] })], request })
    expect([object, refused]).toEqual([undefined, undefined])
  })

  it('leaves the object itself where nothing is to be done', async () => {
    expect((await admitted({ policies: [] })).isSame).toBe(true)
    expect((await admitted({ policies: [policy({ mutations: [] })] })).isSame).toBe(true)
  })

  it('keeps what the object is in the version of the request', async () => {
    const broken = { restoreVersion: () => Promise.reject(new Error('no way back')) }
    const { refused } = await admitted({ policies: [policy({ mutations: [note('a')] })], dependencies: broken })
    expect(refused).toBe('500 InternalError Internal error occurred: failed to convert object: no way back')
  })
})

describe('the conditions of a mutating policy', () => {
  const given = (expression: string, more: JsonObject = {}): Given => ({
    policies: [policy({ mutations: [note('a')], matchConditions: [{ name: 'c', expression }], ...more })],
  })
  it.each<[string, string, string, string]>([
    ['hold', 'object.data.seen == ""', 'a', 'match'],
    ['do not hold', 'false', '', 'exclusion'],
    ['do not see the namespace', 'namespaceObject == null', 'a', 'match'],
  ])('%s', async (_, expression, seen, outcome) => {
    const found = await admitted(given(expression))
    expect(dataOf(found)).toEqual({ seen })
    expect(found.judged).toContain(`policy p validate ${outcome}`)
  })

  it('fail', async () => {
    const { refused } = await admitted(given('object.data.none == ""'))
    expect(refused).toBe(denies('expression \'object.data.none == ""\' resulted in error: no such key: none'))
    expect(dataOf(await admitted(given('object.data.none == ""', { failurePolicy: 'Ignore' })))).toEqual({ seen: '' })
  })

  it('see variables', async () => {
    const variables = [{ name: 'empty', expression: 'object.data.seen == ""' }]
    expect(dataOf(await admitted(given('variables.empty', { variables })))).toEqual({ seen: 'a' })
  })
})

describe('mutating policies in a row', () => {
  /** Notes that it was there, and whether the other was. */
  const once = (letter: string, more: JsonObject = {}): KubeObject =>
    policy({ mutations: [note(letter)], ...more }, letter)
  const again: JsonObject = { reinvocationPolicy: 'IfNeeded' }
  /** Changes the object in the first round only. */
  function changing(round: number): AdmissionPlugin {
    return {
      name: 'changing',
      handles: () => true,
      mutate: async ({ object }, pass) =>
        pass.round === round
          ? ({ ...object, data: { seen: `${dataOf({ object })?.['seen' as never]}-` } } as never)
          : undefined,
    }
  }

  it.each<[string, KubeObject[], AdmissionPlugin[], string]>([
    ['see what those before them made, by their names', [once('b'), once('a')], [], 'ab'],
    ['are asked once more where those after them changed something', [once('a', again), once('b')], [], 'aba'],
    ['are asked once more where they changed something themselves', [once('a', again)], [], 'aa'],
    ['are asked once more, each of them', [once('a', again), once('b', again)], [], 'abab'],
    ['are not asked once more unless they say so', [once('a'), once('b', again)], [], 'abb'],
    ['are asked once more after others changed something', [once('a', again)], [changing(0)], 'a-a'],
    [
      'are not asked once more where nothing changed',
      [once('a', { ...again, matchConditions: [{ name: 'c', expression: 'object.data.seen == "z"' }] })],
      [changing(0)],
      '-',
    ],
  ])('%s', async (_, policies, plugins, seen) => {
    expect(dataOf(await admitted({ policies, plugins }))).toEqual({ seen })
  })

  it('are each asked for every binding', async () => {
    const bindings = [binding('a', {}, 'one'), binding('a', {}, 'two')]
    expect(dataOf(await admitted({ policies: [once('a')], bindings }))).toEqual({ seen: 'aa' })
  })

  it('all say why they refuse, the first one first', async () => {
    const failing = (name: string): KubeObject => policy({ mutations: [patch('"text"')] }, name)
    const { error } = await admitted({ policies: [failing('b'), once('c'), failing('a')] })
    expect(error?.message).toContain("policy 'a' with binding 'of-a' denied request")
    expect(error?.status.details?.causes).toHaveLength(2)
  })
})

describe('the parameters of a mutating policy', () => {
  const spec: JsonObject = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    mutations: [configuration('Object{data: Object.data{seen: object.data.seen + params.metadata.name}}')],
  }
  const params = ['one', 'two'].map((name) => testObject('ConfigMap', name, {}, { namespace: 'ns' }))
  const findParamKind: MutatingPolicyDependencies['findParamKind'] = async (_, kind) =>
    kind !== 'ConfigMap'
      ? undefined
      : {
          namespaced: true,
          isTyped: true,
          objects: {
            get: (_namespace, name) => params.find(({ metadata }) => metadata.name === name),
            list: () => params,
            subscribe: () => () => undefined,
          },
          convert: (object) => object,
        }
  const found = (paramRef: JsonObject, more: JsonObject = {}) =>
    admitted({
      policies: [policy({ ...spec, ...more })],
      bindings: [binding('p', { paramRef })],
      dependencies: { findParamKind },
    })

  it('are one object, or one after the other', async () => {
    expect(dataOf(await found({ name: 'two', parameterNotFoundAction: 'Deny' }))).toEqual({ seen: 'two' })
    expect(dataOf(await found({ selector: {}, parameterNotFoundAction: 'Deny' }))).toEqual({ seen: 'onetwo' })
    const again = { reinvocationPolicy: 'IfNeeded' }
    expect(dataOf(await found({ selector: {}, parameterNotFoundAction: 'Deny' }, again))).toEqual({
      seen: 'onetwoonetwo',
    })
  })

  it('must be there, where the binding says so', async () => {
    const missing = { name: 'three', parameterNotFoundAction: 'Deny' }
    const text = 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction'
    expect((await found(missing)).refused).toBe(`403 Forbidden policy 'p' with binding 'of-p' denied request: ${text}`)
    expect(dataOf(await found(missing, { failurePolicy: 'Ignore' }))).toEqual({ seen: '' })
    expect(dataOf(await found({ ...missing, parameterNotFoundAction: 'Allow' }))).toEqual({ seen: '' })
  })

  it('must be of a kind that there is', async () => {
    const unknown = { paramKind: { apiVersion: 'v1', kind: 'Other' } }
    const text = "failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Other'"
    expect((await found({ name: 'one' }, unknown)).refused).toBe(`403 Forbidden policy "p" denied request: ${text}`)
    expect(dataOf(await found({ name: 'one' }, { ...unknown, failurePolicy: 'Ignore' }))).toEqual({ seen: '' })
  })

  it('that cannot be read at all are an error of the server', async () => {
    const broken = { findParamKind: () => Promise.reject(new Error('no cache')) }
    const given = { policies: [policy(spec)], dependencies: broken }
    await expect(admitted(given)).rejects.toThrow('no cache')
  })
})

describe('versions', () => {
  const autoscaler = testObject(
    'HorizontalPodAutoscaler',
    'x',
    { spec: { maxReplicas: 2, scaleTargetRef: { kind: 'K', name: 'n' } } },
    { namespace: 'ns' },
  )
  const group = 'autoscaling'
  const request = (version: string): Partial<AdmissionRequest> => ({
    resource: { group, version, resource: 'horizontalpodautoscalers' },
    kind: { group, version, kind: 'HorizontalPodAutoscaler' },
    object: { ...autoscaler, apiVersion: `autoscaling/${version}` },
    convert: (object, apiVersion) => ({ ...object, apiVersion }),
  })
  const given = (version: string, mutations: JsonObject[]): Given => ({
    policies: [policy({ mutations, matchConstraints: about(['horizontalpodautoscalers'], [group], ['v2']) })],
    request: request(version),
  })

  it('of a built-in kind that a policy is about can be changed', async () => {
    const { object } = await admitted(given('v2', [label('a')]))
    expect([object?.apiVersion, object?.metadata.labels]).toEqual(['autoscaling/v2', { a: 'x' }])
  })

  it('of a built-in kind that it is not about can be seen, but not changed', async () => {
    const { refused } = await admitted(given('v1', [label('a')]))
    expect(refused).toBe(
      denies('converting (v2.HorizontalPodAutoscaler) to (v1.HorizontalPodAutoscaler): unknown conversion'),
    )
    expect((await admitted(given('v1', []))).isSame).toBe(true)
  })
})

describe('mutating policies are asked about', () => {
  const dependencies = { forms: () => [] } as unknown as MutatingPolicyDependencies
  const shape = { operation: 'CREATE', group: '', resource: 'pods', subresource: '' } as const
  const handles = (gates: string[], more: object): boolean =>
    mutatingPolicies({ ...dependencies, cluster: testCluster({}, { gates }) }).handles({ ...shape, ...more })
  it.each<[string, string[], object, boolean]>([
    ['writes', ['MutatingAdmissionPolicy'], {}, true],
    ['no deletions', ['MutatingAdmissionPolicy'], { operation: 'DELETE' }, false],
    [
      'no policies',
      ['MutatingAdmissionPolicy'],
      { group: 'admissionregistration.k8s.io', resource: 'mutatingadmissionpolicies' },
      false,
    ],
    ['nothing where they are switched off', [], {}, false],
  ])('%s', (_, gates, more, expected) => {
    expect(handles(gates, more)).toBe(expected)
  })
})
