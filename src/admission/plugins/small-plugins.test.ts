/** Plugins that fill in one thing: taints, finalizers, default classes, tolerations, pull policies. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { pluginOutcome, testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { alwaysAdmit, alwaysDenyPlugin } from './always.ts'
import { defaultIngressClass } from './network.ts'
import { podTopologyLabels, taintNodesByCondition } from './nodes.ts'
import { alwaysPullImages, defaultTolerationSeconds, isExtendedResource } from './pod-rules.ts'
import { defaultStorageClass, storageObjectInUseProtection } from './storage.ts'

/** The field of what the plugin makes of an object; the refusal; or that it is left as it is. */
async function made(
  plugin: AdmissionPlugin,
  object: KubeObject | undefined,
  field: string,
  request: Partial<AdmissionRequest> = {},
): Promise<unknown> {
  const answer = await pluginOutcome(plugin, testRequest({ object, ...request }))
  if (typeof answer === 'string' || answer === object) return answer === object ? 'as it was' : answer
  return field.split('.').reduce<unknown>((value, name) => (value as JsonObject | undefined)?.[name], answer)
}

describe('TaintNodesByCondition', () => {
  const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
  const other = { key: 'other', effect: 'NoSchedule' }
  const lasting = { ...notReady, effect: 'NoExecute' }
  it.each<[string, KubeObject | undefined, unknown]>([
    ['a node without a spec', testObject('Node', 'n'), [notReady]],
    [
      'a node with other taints',
      testObject('Node', 'n', { spec: { taints: [other, lasting] } }),
      [other, lasting, notReady],
    ],
    ['a node that has it', testObject('Node', 'n', { spec: { taints: [notReady] } }), 'as it was'],
    ['no node', undefined, 'as it was'],
  ])('%s', async (_, node, expected) => {
    expect(await made(taintNodesByCondition, node, 'spec.taints')).toEqual(expected)
  })

  it('keeps the rest of the node', async () => {
    const node = testObject('Node', 'n', { spec: { podCIDR: '10.0.0.0/24' } })
    expect(await made(taintNodesByCondition, node, 'spec.podCIDR')).toBe('10.0.0.0/24')
  })
})

describe('StorageObjectInUseProtection', () => {
  const plugin = (...gates: string[]) => storageObjectInUseProtection(testCluster({}, { gates }))
  const of = (group: string, resource: string) => ({ resource: { group, version: 'v1', resource } })
  const claim = (finalizers?: string[]) => testObject('X', 'x', {}, finalizers === undefined ? {} : { finalizers })
  const protection = 'kubernetes.io/pvc-protection'
  it.each<[string, ReturnType<typeof of>, KubeObject | undefined, unknown]>([
    ['a claim', of('', 'persistentvolumeclaims'), claim(), [protection]],
    ['a claim that has others', of('', 'persistentvolumeclaims'), claim(['a']), ['a', protection]],
    ['a claim that has it', of('', 'persistentvolumeclaims'), claim([protection]), 'as it was'],
    ['a volume', of('', 'persistentvolumes'), claim(), ['kubernetes.io/pv-protection']],
    [
      'a class of attributes',
      of('storage.k8s.io', 'volumeattributesclasses'),
      claim(),
      ['kubernetes.io/vac-protection'],
    ],
    ['something else', of('', 'pods'), claim(), 'as it was'],
    ['nothing', of('', 'persistentvolumeclaims'), undefined, 'as it was'],
  ])('%s', async (_, request, object, expected) => {
    expect(await made(plugin('VolumeAttributesClass'), object, 'metadata.finalizers', request)).toEqual(expected)
  })

  it('leaves classes of attributes alone where they are switched off', async () => {
    const request = of('storage.k8s.io', 'volumeattributesclasses')
    expect(await made(plugin(), claim(), '', request)).toBe('as it was')
    expect(plugin().handles({ operation: 'CREATE', group: '', resource: 'persistentvolumes', subresource: '' })).toBe(
      true,
    )
  })
})

/** Classes that are marked as default by these annotations, and when they were made. */
const marked = (annotation: string, ...classes: [name: string, year: string, value?: string][]): KubeObject[] =>
  classes.map(([name, year, value = 'true']) =>
    testObject(
      'Class',
      name,
      {},
      { annotations: { [annotation]: value }, creationTimestamp: `${year}-01-01T00:00:00Z` },
    ),
  )

describe('DefaultStorageClass', () => {
  const annotation = 'storageclass.kubernetes.io/is-default-class'
  const older = 'storageclass.beta.kubernetes.io/is-default-class'
  const claim = (spec: JsonObject = {}, annotations: JsonObject = {}) =>
    testObject('PersistentVolumeClaim', 'x', { spec: { volumeMode: 'Block', ...spec } }, { annotations })
  it.each<[string, KubeObject[], KubeObject, unknown]>([
    ['the newest default', marked(annotation, ['a', '2020'], ['b', '2022'], ['c', '2021']), claim(), 'b'],
    [
      'the first by name of those that are as new',
      marked(annotation, ['b', '2020'], ['a', '2020'], ['c', '2020']),
      claim(),
      'a',
    ],
    ['one that is marked in the older way', marked(older, ['a', '2020']), claim(), 'a'],
    ['none that says it is none', marked(annotation, ['a', '2020', 'false']), claim(), 'as it was'],
    ['none where there are none', [testObject('Class', 'a')], claim(), 'as it was'],
    ['its own', marked(annotation, ['a', '2020']), claim({ storageClassName: 'own' }), 'as it was'],
    ['none, as it says', marked(annotation, ['a', '2020']), claim({ storageClassName: '' }), 'as it was'],
    [
      'its own in the older way',
      marked(annotation, ['a', '2020']),
      claim({}, { 'volume.beta.kubernetes.io/storage-class': '' }),
      'as it was',
    ],
  ])('%s', async (_, classes, object, expected) => {
    const plugin = defaultStorageClass(testCluster({ 'storageclasses.storage.k8s.io': classes }))
    expect(await made(plugin, object, 'spec.storageClassName')).toBe(expected)
    expect(await made(plugin, object, 'spec.volumeMode')).toBe(expected === 'as it was' ? expected : 'Block')
  })
})

describe('DefaultIngressClass', () => {
  const annotation = 'ingressclass.kubernetes.io/is-default-class'
  const ingress = (more: object = { spec: { rules: [] } }, annotations: JsonObject = {}) =>
    testObject('Ingress', 'x', more, { annotations })
  it.each<[string, KubeObject[], KubeObject, unknown]>([
    ['the newest default', marked(annotation, ['a', '2020'], ['b', '2022']), ingress(), 'b'],
    ['the default, without a spec', marked(annotation, ['a', '2020']), ingress({}), 'a'],
    ['none where there are none', [], ingress(), 'as it was'],
    ['its own', marked(annotation, ['a', '2020']), ingress({ spec: { ingressClassName: 'own' } }), 'as it was'],
    [
      'its own in the older way',
      marked(annotation, ['a', '2020']),
      ingress({ spec: {} }, { 'kubernetes.io/ingress.class': 'own' }),
      'as it was',
    ],
  ])('%s', async (_, classes, object, expected) => {
    const plugin = defaultIngressClass(testCluster({ 'ingressclasses.networking.k8s.io': classes }))
    expect(await made(plugin, object, 'spec.ingressClassName')).toBe(expected)
  })
})

describe('DefaultTolerationSeconds', () => {
  const plugin = () => defaultTolerationSeconds({ notReady: 5, unreachable: 6 })
  const notReady = {
    key: 'node.kubernetes.io/not-ready',
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 5,
  }
  const unreachable = { ...notReady, key: 'node.kubernetes.io/unreachable', tolerationSeconds: 6 }
  it.each<[string, JsonObject[] | undefined, JsonValue]>([
    ['none', undefined, [notReady, unreachable]],
    ['an empty list', [], [notReady, unreachable]],
    [
      'one of them, for longer',
      [{ ...notReady, tolerationSeconds: 9 }],
      [{ ...notReady, tolerationSeconds: 9 }, unreachable],
    ],
    [
      'one of them with any effect',
      [{ key: unreachable.key, operator: 'Exists' }],
      [{ key: unreachable.key, operator: 'Exists' }, notReady],
    ],
    [
      'one of them with another effect',
      [{ ...notReady, effect: 'NoSchedule' }],
      [{ ...notReady, effect: 'NoSchedule' }, notReady, unreachable],
    ],
    ['everything', [{ operator: 'Exists' }], 'as it was'],
    ['everything that is executed', [{ operator: 'Exists', effect: 'NoExecute' }], 'as it was'],
    ['both', [notReady, unreachable], 'as it was'],
  ])('a pod that tolerates %s', async (_, tolerations, expected) => {
    const pod = testObject('Pod', 'x', {
      spec: { containers: [], ...(tolerations === undefined ? {} : { tolerations }) },
    })
    expect(await made(plugin(), pod, 'spec.tolerations')).toEqual(expected)
  })
})

describe('AlwaysPullImages', () => {
  const pod = (policy: string | undefined, image = 'i', list = 'containers') =>
    testObject('Pod', 'x', {
      spec: { [list]: [{ name: 'c', image, ...(policy === undefined ? {} : { imagePullPolicy: policy }) }] },
    })
  it.each(['containers', 'initContainers', 'ephemeralContainers'])('pulls the images of %s each time', async (list) => {
    expect(await made(alwaysPullImages, pod('Never', 'i', list), `spec.${list}.0.imagePullPolicy`)).toBe('Always')
  })

  it.each<[string, KubeObject, KubeObject | undefined, string | undefined]>([
    ['always', pod('Always'), undefined, undefined],
    [
      'never',
      pod('Never'),
      undefined,
      'pods "x" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
    [
      'as the node likes',
      pod(undefined, 'i', 'initContainers'),
      undefined,
      'pods "x" is forbidden: spec.initContainers[0].imagePullPolicy: Unsupported value: "": supported values: "Always"',
    ],
    ['never, but no new image', pod('Never'), pod('Never'), undefined],
    [
      'never, a new image',
      pod('Never', 'new'),
      pod('Never'),
      'pods "x" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
  ])('refuses what others made of a pod that pulls %s', async (_, object, oldObject, expected) => {
    const { validate } = alwaysPullImages
    const run = async () => validate?.(testRequest({ object, oldObject }))
    if (expected === undefined) await run()
    else await expect(run()).rejects.toThrow(expected)
  })

  it('tells of several in one text', () => {
    const container = { name: 'c', image: 'i', imagePullPolicy: 'Never' }
    const object = testObject('Pod', 'x', { spec: { containers: [container, container] } })
    expect(() => alwaysPullImages.validate?.(testRequest({ object }))).toThrow(
      /: \[spec\.containers\[0\]\.imagePullPolicy: .*, spec\.containers\[1\]\.imagePullPolicy: .*\]$/,
    )
  })
})

it.each([
  ['example.com/gpu', true],
  ['cpu', false],
  ['kubernetes.io/batch', false],
  ['node.kubernetes.io/x', false],
  ['requests.example.com/gpu', false],
])('%s is an extended resource: %s', (name, expected) => {
  expect(isExtendedResource(name)).toBe(expected)
})

describe('PodTopologyLabels', () => {
  const plugin = (labels: JsonObject | undefined) =>
    podTopologyLabels(
      testCluster(
        { nodes: [testObject('Node', 'n', {}, labels === undefined ? {} : { labels })] },
        { gates: ['PodTopologyLabelsAdmission'] },
      ),
    )
  const pod = (metadata: JsonObject = {}) => testObject('Pod', 'x', { spec: { nodeName: 'n' } }, metadata)
  it.each<[string, JsonObject | undefined, KubeObject, unknown]>([
    ['a node with a zone', { 'topology.k8s.io/zone': 'z' }, pod(), { 'topology.k8s.io/zone': 'z' }],
    ['a node with a region', { 'topology.k8s.io/region': 'r' }, pod(), { 'topology.k8s.io/region': 'r' }],
    [
      'a node other than the pod says',
      { 'topology.k8s.io/zone': 'z' },
      pod({ labels: { a: 'b', 'topology.k8s.io/zone': 'y' } }),
      { a: 'b', 'topology.k8s.io/zone': 'z' },
    ],
    ['a node that says nothing', { other: 'o' }, pod(), 'as it was'],
    ['a node without labels', undefined, pod(), 'as it was'],
  ])('%s', async (_, labels, object, expected) => {
    expect(await made(plugin(labels), object, 'metadata.labels')).toEqual(expected)
  })

  it('reads labels of another domain since v1.34', async () => {
    const labels = {
      'topology.k8s.io/zone': 'old',
      'topology.kubernetes.io/zone': 'z',
      'topology.kubernetes.io/region': 'r',
    }
    const gates = ['PodTopologyLabelsAdmission', 'release:kubernetesTopologyLabels']
    const later = podTopologyLabels(testCluster({ nodes: [testObject('Node', 'n', {}, { labels })] }, { gates }))
    const { 'topology.k8s.io/zone': _, ...copied } = labels
    expect(await made(later, pod(), 'metadata.labels')).toEqual(copied)
  })

  it('has nothing to do without an object', async () => {
    expect(await made(plugin({}), undefined, '')).toBe('as it was')
  })
})

it('one lets all pass, and one nothing', async () => {
  const shape = { operation: 'DELETE', group: 'a', resource: 'b', subresource: 'c' } as const
  expect([alwaysAdmit.handles(shape), alwaysDenyPlugin.handles(shape)]).toEqual([false, true])
  const refusal = 'pods "x" is forbidden: admission control is denying all modifications'
  const request = testRequest()
  expect(() => alwaysDenyPlugin.mutate?.(request, undefined as never)).toThrow(refusal)
  expect(() => alwaysDenyPlugin.validate?.(request)).toThrow(refusal)
})
