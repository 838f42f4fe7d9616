import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { pluginOutcome, testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { podTopologyLabels } from './nodes.ts'
import { podNodeSelector } from './pod-node-selector.ts'
import { alwaysPullImages, extendedResourceToleration, limitPodHardAntiAffinityTopology } from './pod-rules.ts'
import { podTolerationRestriction } from './pod-toleration-restriction.ts'
import { runtimeClass } from './runtime-class.ts'

const pod = (spec: object = {}, more: object = {}): KubeObject =>
  testObject('Pod', 'x', { spec: { containers: [{ name: 'c', image: 'i' }], ...spec }, ...more })
const withRequests = (requests: object): object => ({
  containers: [{ name: 'c', image: 'i', resources: { requests } }],
})

/** The spec after the plugin, or what it says against it. */
async function spec(
  plugin: AdmissionPlugin,
  object: KubeObject,
  oldObject?: KubeObject,
): Promise<JsonValue | undefined> {
  const operation = oldObject === undefined ? 'CREATE' : 'UPDATE'
  const answer = await pluginOutcome(plugin, testRequest({ operation, object, oldObject }))
  return typeof answer === 'string' ? answer : answer?.['spec']
}

const exists = (key: string, more: object = {}): JsonObject => ({ key, operator: 'Exists', ...more }) as JsonObject

describe('PodTolerationRestriction', () => {
  const parse = (text: string): JsonValue => JSON.parse(text) as JsonValue
  const prefix = 'scheduler.alpha.kubernetes.io'
  const plugin = (annotations: Record<string, string>, configuration?: JsonValue): AdmissionPlugin =>
    podTolerationRestriction(
      testCluster({ namespaces: [testObject('Namespace', 'ns', {}, { annotations })] }),
      configuration,
      parse,
    )
  const defaults = (list: JsonObject[]) => ({ [`${prefix}/defaultTolerations`]: JSON.stringify(list) })
  const permitted = (list: JsonObject[]) => ({ [`${prefix}/tolerationsWhitelist`]: JSON.stringify(list) })
  const conflict = (whose: string) =>
    `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${whose} whitelist`
  const pressure = exists('node.kubernetes.io/memory-pressure', { effect: 'NoSchedule' })

  it.each<[string, AdmissionPlugin, object, JsonValue]>([
    ['none', plugin({}), {}, []],
    ['those of the namespace', plugin(defaults([exists('a')])), {}, [exists('a')]],
    [
      'its own before those',
      plugin(defaults([exists('a')])),
      { tolerations: [exists('b')] },
      [exists('b'), exists('a')],
    ],
    ['those of the cluster', plugin({}, { default: [exists('a')] }), {}, [exists('a')]],
    [
      'none, as the namespace says so',
      plugin({ [`${prefix}/defaultTolerations`]: '' }, { default: [exists('a')] }),
      {},
      [],
    ],
    ['one for pods with memory', plugin({}), withRequests({ memory: '1' }), [pressure]],
    ['none for pods with devices', plugin({}), withRequests({ 'example.com/x': '1' }), []],
    ['permitted ones', plugin(permitted([exists('a')])), { tolerations: [exists('a')] }, [exists('a')]],
    ['more than is permitted', plugin(permitted([exists('a')])), { tolerations: [exists('b')] }, conflict('namespace')],
    [
      'more than the cluster permits',
      plugin({}, { whitelist: [exists('a')] }),
      { tolerations: [exists('b')] },
      conflict('cluster'),
    ],
    ['any, as nothing is listed', plugin(permitted([])), { tolerations: [exists('b')] }, [exists('b')]],
  ])('%s', async (_, made, given, expected) => {
    const answer = await spec(made, pod(given))
    expect(typeof answer === 'string' ? answer : ((answer as JsonObject)['tolerations'] ?? [])).toEqual(expected)
  })

  it('adds no defaults to a pod that is there, but what its class of service needs', async () => {
    const given = pod({}, { status: { qosClass: 'Burstable' } })
    expect(await spec(plugin(defaults([exists('a')])), given, given)).toMatchObject({ tolerations: [pressure] })
  })

  it('says which namespace is missing, and what cannot be read', async () => {
    expect(await spec(podTolerationRestriction(testCluster(), undefined, parse), pod())).toBe(
      'namespaces "ns" not found',
    )
    expect(await spec(plugin({ [`${prefix}/defaultTolerations`]: '{' }), pod())).toEqual(expect.any(String))
  })

  it.each<[string, string | JsonValue]>([
    ['null', []],
    ['[null]', [{}]],
    ['{}', 'json: cannot unmarshal object into Go value of type []v1.Toleration'],
    ['["a"]', 'json: cannot unmarshal string into Go value of type v1.Toleration'],
  ])('reads %s as defaults', async (text, expected) => {
    const answer = await spec(plugin({ [`${prefix}/defaultTolerations`]: text }), pod())
    expect(typeof answer === 'string' ? answer : ((answer as JsonObject)['tolerations'] ?? [])).toEqual(expected)
  })

  it.each<[string, object, string]>([
    ['mutation', { tolerations: [exists('b')] }, 'mutate'],
    ['validation', { tolerations: [exists('b')] }, 'validate'],
  ])('refuses what is not permitted in %s', async (_, given, phase) => {
    const made = plugin(permitted([exists('a')]))
    const run = async () => made[phase as 'validate']?.(testRequest({ object: pod(given) }))
    await expect(run()).rejects.toThrow(conflict('namespace'))
  })
})

describe('ExtendedResourceToleration', () => {
  it.each<[string, object, JsonValue]>([
    ['nothing for what every node has', withRequests({ cpu: '1', 'hugepages-2Mi': '1' }), []],
    ['nothing for what is the cluster’s own', withRequests({ 'a.kubernetes.io/x': '1', 'requests.b/c': '1' }), []],
    [
      'each device once, in order',
      withRequests({ 'z.com/b': '1', 'a.com/c': '1' }),
      [exists('a.com/c', { effect: 'NoSchedule' }), exists('z.com/b', { effect: 'NoSchedule' })],
    ],
    [
      'what init containers ask for',
      { initContainers: [{ name: 'i', resources: { requests: { 'a.com/b': '1' } } }] },
      [exists('a.com/b', { effect: 'NoSchedule' })],
    ],
    [
      'what is there already',
      { ...withRequests({ 'a.com/b': '1' }), tolerations: [exists('a.com/b', { effect: 'NoSchedule' })] },
      [exists('a.com/b', { effect: 'NoSchedule' })],
    ],
  ])('%s', async (_, given, expected) => {
    const answer = (await spec(extendedResourceToleration, pod(given))) as JsonObject
    expect(answer['tolerations'] ?? []).toEqual(expected)
  })
})

describe('LimitPodHardAntiAffinityTopology', () => {
  const rule = (topologyKey: string, kind = 'requiredDuringSchedulingIgnoredDuringExecution') => ({
    affinity: { podAntiAffinity: { [kind]: [{ topologyKey: 'kubernetes.io/hostname' }, { topologyKey }] } },
  })
  it('lets pods keep others off their node alone', async () => {
    expect(await spec(limitPodHardAntiAffinityTopology, pod())).toBeDefined()
    expect(await spec(limitPodHardAntiAffinityTopology, pod(rule('kubernetes.io/hostname')))).toHaveProperty('affinity')
    expect(
      await spec(
        limitPodHardAntiAffinityTopology,
        pod(rule('zone', 'preferredDuringSchedulingIgnoredDuringExecution')),
      ),
    ).toHaveProperty('affinity')
    expect(await spec(limitPodHardAntiAffinityTopology, pod(rule('zone')))).toBe(
      'pods "x" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
    )
  })
})

describe('PodNodeSelector', () => {
  const annotation = 'scheduler.alpha.kubernetes.io/node-selector'
  const plugin = (selector?: string, configuration: JsonObject = {}): AdmissionPlugin =>
    podNodeSelector(
      testCluster({
        namespaces: [
          testObject('Namespace', 'ns', {}, { annotations: selector === undefined ? {} : { [annotation]: selector } }),
        ],
      }),
      { podNodeSelectorPluginConfig: configuration },
    )
  it.each<[string, AdmissionPlugin, object, JsonValue]>([
    ['nothing', plugin(), {}, {}],
    ['that of the namespace', plugin('a=1, b=2'), { nodeSelector: { c: '3' } }, { a: '1', b: '2', c: '3' }],
    ['that of the cluster', plugin(undefined, { clusterDefaultNodeSelector: 'a=1' }), {}, { a: '1' }],
    ['nothing, as the namespace says so', plugin('', { clusterDefaultNodeSelector: 'a=1' }), {}, {}],
    ['the same', plugin('a=1'), { nodeSelector: { a: '1' } }, { a: '1' }],
    [
      'a conflict',
      plugin('a=1'),
      { nodeSelector: { a: '2' } },
      'pods "x" is forbidden: pod node label selector conflicts with its namespace node label selector',
    ],
    [
      'what is not listed',
      plugin(undefined, { ns: 'a=1' }),
      { nodeSelector: { b: '2' } },
      'pods "x" is forbidden: pod node label selector labels conflict with its namespace whitelist',
    ],
    ['what is listed', plugin(undefined, { ns: 'a=1,b=2' }), { nodeSelector: { b: '2' } }, { b: '2' }],
    ['nonsense', plugin('a'), {}, 'invalid selector: [a]'],
  ])('%s', async (_, made, given, expected) => {
    const answer = await spec(made, pod(given))
    expect(typeof answer === 'string' ? answer : ((answer as JsonObject)['nodeSelector'] ?? {})).toEqual(expected)
  })
})

describe('RuntimeClass', () => {
  const classes = [
    testObject('RuntimeClass', 'plain', { handler: 'h' }),
    testObject('RuntimeClass', 'heavy', { handler: 'h', overhead: { podFixed: { cpu: '250m' } } }),
    testObject('RuntimeClass', 'placed', {
      handler: 'h',
      scheduling: { nodeSelector: { os: 'x' }, tolerations: [exists('t')] },
    }),
  ]
  const plugin = runtimeClass(testCluster({ 'runtimeclasses.node.k8s.io': classes }))
  const mismatch = `pods "x" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead`
  it.each<[string, object, object | string]>([
    ['without a class', {}, {}],
    ['missing', { runtimeClassName: 'none' }, 'pods "x" is forbidden: pod rejected: RuntimeClass "none" not found'],
    ['with overhead', { runtimeClassName: 'heavy' }, { overhead: { cpu: '250m' } }],
    ['with the same overhead', { runtimeClassName: 'heavy', overhead: { cpu: '0.25' } }, { overhead: { cpu: '250m' } }],
    ['with another overhead', { runtimeClassName: 'heavy', overhead: { cpu: '1' } }, mismatch],
    [
      'with overhead of its own',
      { runtimeClassName: 'plain', overhead: { cpu: '1' } },
      'pods "x" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    ],
    [
      'with a place',
      { runtimeClassName: 'placed', nodeSelector: { a: 'b' }, tolerations: [exists('s')] },
      { nodeSelector: { a: 'b', os: 'x' }, tolerations: [exists('s'), exists('t')] },
    ],
    [
      'with another place',
      { runtimeClassName: 'placed', nodeSelector: { os: 'y' } },
      'pods "x" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[os] = x; pod.spec.nodeSelector[os] = y',
    ],
  ])('%s', async (_, given, expected) => {
    const answer = await spec(plugin, pod(given))
    if (typeof expected === 'string') expect(answer).toBe(expected)
    else expect(answer).toMatchObject(expected)
  })

  it.each<[string, string]>([
    ['', 'resource name may not be empty'],
    ['a/b', 'invalid resource name "a/b": [may not contain \'/\']'],
  ])('of a name that leads nowhere: %j', async (runtimeClassName, expected) => {
    expect(await spec(plugin, pod({ runtimeClassName }))).toBe(expected)
  })

  it('leaves out what its class does not say', async () => {
    const bare = testObject('RuntimeClass', 'bare', { handler: 'h', scheduling: {}, overhead: {} })
    const of = runtimeClass(testCluster({ 'runtimeclasses.node.k8s.io': [bare] }))
    const made = await spec(of, pod({ runtimeClassName: 'bare' }))
    for (const field of ['nodeSelector', 'tolerations', 'overhead']) expect(made).not.toHaveProperty(field)
  })

  it.each<[string, object]>([
    ['none', {}],
    ['another', { overhead: { cpu: '1' } }],
    ['more', { overhead: { cpu: '250m', memory: '1' } }],
    ['something else', { overhead: { memory: '250m' } }],
  ])('refuses a pod that others have given %s', async (_, more) => {
    const object = pod({ runtimeClassName: 'heavy', ...more })
    await expect((async () => plugin.validate?.(testRequest({ object })))()).rejects.toThrow(mismatch)
  })
})

describe('AlwaysPullImages', () => {
  const pulled = (policy: string) => ({ containers: [{ name: 'c', image: 'i', imagePullPolicy: policy }] })
  it('pulls new images each time, and leaves those alone that run', async () => {
    expect(await spec(alwaysPullImages, pod(pulled('Never')))).toMatchObject(pulled('Always'))
    expect(await spec(alwaysPullImages, pod(pulled('Never')), pod(pulled('Never')))).toMatchObject(pulled('Never'))
  })
})

describe('PodTopologyLabels', () => {
  const labels = { 'topology.k8s.io/zone': 'z', 'topology.k8s.io/region': 'r', other: 'o' }
  const given = (gates: readonly string[]) =>
    podTopologyLabels(testCluster({ nodes: [testObject('Node', 'n1', {}, { labels })] }, { gates }))
  const plugin = given(['PodTopologyLabelsAdmission'])
  const copied = { 'topology.k8s.io/zone': 'z', 'topology.k8s.io/region': 'r' }
  const binding = (target: object) => testObject('Binding', 'x', { target }, { labels: { own: 'l' } })
  const labelsOf = async (object: KubeObject, subresource = ''): Promise<unknown> => {
    const answer = await pluginOutcome(plugin, testRequest({ object, subresource }))
    return typeof answer === 'string' ? answer : answer?.metadata.labels
  }

  it('copies where the node is', async () => {
    expect(await labelsOf(pod({ nodeName: 'n1' }))).toEqual(copied)
    expect(await labelsOf(pod())).toBeUndefined()
    expect(await labelsOf(pod({ nodeName: 'gone' }))).toBeUndefined()
    expect(await labelsOf(binding({ kind: 'Node', name: 'n1' }), 'binding')).toEqual({ own: 'l', ...copied })
    expect(await labelsOf(binding({ kind: 'Other', name: 'n1' }), 'binding')).toEqual({ own: 'l' })
    expect(await labelsOf(binding({ name: 'n1' }), 'binding')).toEqual({ own: 'l' })
  })

  it('is asked about new pods and bindings, where it is on', () => {
    const shape = { operation: 'CREATE', group: '', resource: 'pods', subresource: 'binding' } as const
    expect(plugin.handles(shape)).toBe(true)
    expect(plugin.handles({ ...shape, operation: 'UPDATE' })).toBe(false)
    expect(given([]).handles(shape)).toBe(false)
  })
})
