/** What objects use of a quota, which writes can change that, and what a name counts. */
import { describe, expect, it } from 'vitest'
import type { AdmissionOperation } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ScopedResourceSelectorRequirement } from '../../catalog/types/core-v1.ts'
import { testObject, testRequest } from '../testing/test-cluster.ts'
import { type Evaluator, evaluatorOf, resourceCountedBy } from './evaluators.ts'

function evaluator(group: string, resource: string, others: readonly string[] = []): Evaluator {
  const found = evaluatorOf(group, resource, others)
  if (found === undefined) throw new Error(`${resource} is not counted`)
  return found
}
const pods = evaluator('', 'pods')
const services = evaluator('', 'services')
const claims = evaluator('', 'persistentvolumeclaims')
const deviceClaims = evaluator('resource.k8s.io', 'resourceclaims')

const now = Date.parse('2024-01-01T00:01:00Z')
const usage = (of: Evaluator, object: KubeObject): JsonObject =>
  Object.fromEntries([...of.usage(object, now)].map(([name, amount]) => [name, amount.toString()]))
const pod = (spec: JsonObject, more: JsonObject = {}, metadata: JsonObject = {}): KubeObject =>
  testObject('Pod', 'x', { spec: { containers: [], ...spec }, ...more }, metadata)
const container = (resources: JsonObject, name = 'c'): JsonObject => ({ name, resources })

it.each<[string, string, boolean]>([
  ['', 'bindings', false],
  ['', 'events', false],
  ['events.k8s.io', 'events', false],
  ['authorization.k8s.io', 'localsubjectaccessreviews', false],
  ['', 'configmaps', true],
  ['x.io', 'events', true],
])('%s %s is counted: %s', (group, resource, expected) => {
  expect(evaluatorOf(group, resource) !== undefined).toBe(expected)
})

describe('objects that are only counted', () => {
  it.each<[string, string, string[], string[]]>([
    ['', 'configmaps', [], ['count/configmaps', 'configmaps']],
    ['', 'endpoints', [], ['count/endpoints']],
    ['apps', 'deployments', [], ['count/deployments.apps']],
    ['apps', 'secrets', [], ['count/secrets.apps']],
    [
      'extensions',
      'ingresses',
      ['networking.k8s.io'],
      ['count/ingresses.extensions', 'count/ingresses.networking.k8s.io'],
    ],
    ['x', 'secrets', [''], ['count/secrets.x', 'count/secrets', 'secrets']],
  ])('%s %s with %j', (group, resource, others, names) => {
    const found = evaluator(group, resource, others)
    expect(usage(found, testObject('X', 'x'))).toEqual(Object.fromEntries(names.map((name) => [name, '1'])))
    expect([...names, 'other'].map((name) => found.counts(name))).toEqual([...names.map(() => true), false])
    expect(found.inScope({ scopeName: 'BestEffort', operator: 'Exists' }, testObject('X', 'x'))).toBe(false)
  })
})

describe('writes that can change what is used', () => {
  it.each<[string, Evaluator, string[]]>([
    ['of config maps', evaluator('', 'configmaps'), ['CREATE ']],
    ['of pods', pods, ['CREATE ', 'UPDATE ', 'UPDATE resize']],
    ['of services', services, ['CREATE ', 'UPDATE ']],
    ['of claims', claims, ['CREATE ', 'UPDATE ', 'UPDATE status']],
    ['of device claims', deviceClaims, ['CREATE ', 'UPDATE ']],
  ])('%s', (_, of, expected) => {
    const all = (['CREATE', 'UPDATE', 'DELETE'] as AdmissionOperation[]).flatMap((operation) =>
      ['', 'status', 'resize'].map((subresource) => [operation, subresource] as const),
    )
    const found = all.filter(([operation, subresource]) => of.handles(operation, subresource))
    expect(found.map((each) => each.join(' '))).toEqual(expected)
  })

  it.each<[string, 'CREATE' | 'UPDATE', string, JsonObject, JsonObject, boolean]>([
    ['a create', 'CREATE', '', {}, {}, true],
    ['a resize', 'UPDATE', 'resize', {}, {}, true],
    ['an update', 'UPDATE', '', {}, {}, false],
    ['a deadline', 'UPDATE', '', { activeDeadlineSeconds: 0 }, {}, true],
    ['another deadline', 'UPDATE', '', { activeDeadlineSeconds: 1 }, { activeDeadlineSeconds: 2 }, false],
  ])('of pods are %s', (_, operation, subresource, spec, old, expected) => {
    const request = testRequest({ operation, subresource, object: pod(spec), oldObject: pod(old) })
    expect(pods.concerns?.(request)).toBe(expected)
  })
})

describe('a pod uses', () => {
  const asked = container({
    requests: { cpu: '1', memory: '1Gi', 'x.io/gpu': '2', 'hugepages-2Mi': '4Mi', other: '1' },
    limits: { cpu: '2', 'x.io/gpu': '2' },
  })
  const all = {
    'count/pods': '1',
    pods: '1',
    cpu: '1',
    'requests.cpu': '1',
    memory: '1Gi',
    'requests.memory': '1Gi',
    'requests.x.io/gpu': '2',
    'hugepages-2Mi': '4Mi',
    'requests.hugepages-2Mi': '4Mi',
    'limits.cpu': '2',
  }
  const onlyCount = { 'count/pods': '1' }
  const deleted = (deletionGracePeriodSeconds: number) => ({
    deletionTimestamp: '2024-01-01T00:00:00Z',
    deletionGracePeriodSeconds,
  })
  it.each<[string, KubeObject, JsonObject]>([
    ['what it asks for', pod({ containers: [asked] }), all],
    [
      'its overhead',
      pod({ containers: [container({ requests: { cpu: '1' } })], overhead: { cpu: '1' } }),
      { ...onlyCount, pods: '1', cpu: '2', 'requests.cpu': '2' },
    ],
    ['only its place when it failed', pod({ containers: [asked] }, { status: { phase: 'Failed' } }), onlyCount],
    ['only its place when it is done', pod({ containers: [asked] }, { status: { phase: 'Succeeded' } }), onlyCount],
    ['all while it runs', pod({ containers: [asked] }, { status: { phase: 'Running' } }), all],
    ['all while it ends', pod({ containers: [asked] }, {}, deleted(60)), all],
    ['only its place when it outlives its end', pod({ containers: [asked] }, {}, deleted(59)), onlyCount],
    [
      'all when nobody knows how long it has',
      pod({ containers: [asked] }, {}, { deletionTimestamp: '2024-01-01T00:00:00Z' }),
      all,
    ],
  ])('%s', (_, object, expected) => {
    expect(usage(pods, object)).toEqual(expected)
  })

  it.each([
    'pods',
    'count/pods',
    'cpu',
    'requests.memory',
    'limits.ephemeral-storage',
    'hugepages-1Gi',
    'requests.hugepages-1Gi',
    'requests.x.io/gpu',
  ])('some of %s', (name) => {
    expect(pods.counts(name)).toBe(true)
  })

  it.each(['services', 'x.io/gpu', 'limits.x.io/gpu', 'requests.storage', 'count/secrets'])('nothing of %s', (name) => {
    expect(pods.counts(name)).toBe(false)
  })
})

it('pods change their scopes with their deadline', () => {
  const deadline = { activeDeadlineSeconds: 5 }
  expect([pods.changesScope?.(pod({}), pod(deadline)), pods.changesScope?.(pod(deadline), pod({}))]).toEqual([
    true,
    true,
  ])
  expect([
    pods.changesScope?.(pod({}), pod({ nodeName: 'n' })),
    pods.changesScope?.(pod(deadline), pod(deadline)),
  ]).toEqual([false, false])
})

it('a pod that was resized uses what its containers have', () => {
  const status = { containerStatuses: [{ name: 'c', resources: { requests: { cpu: '3' }, limits: { cpu: '4' } } }] }
  const given = { ...pod({ containers: [container({ requests: { cpu: '1' }, limits: { cpu: '2' } })] }), status }
  const used = pods.usage(given as never, 0)
  expect([used.get('requests.cpu')?.toString(), used.get('limits.cpu')?.toString()]).toEqual(['3', '4'])
})

it('a pod that asks as a whole need not say what each container asks for', () => {
  const given = pod({ containers: [container({})], resources: { requests: { cpu: '1' } } })
  expect(pods.missing?.(['requests.cpu'], given)).toBeUndefined()
  expect(pods.usage(given, 0).get('requests.cpu')?.toString()).toBe('1')
})

describe('a quota wants each container of a pod to say what it asks for', () => {
  const spec = {
    containers: [container({ requests: { cpu: '1' } }, 'b'), container({}, 'a')],
    initContainers: [container({ limits: { memory: '1' } }, 'i')],
  }
  it.each<[string[], string | undefined]>([
    [[], undefined],
    [['pods', 'requests.ephemeral-storage'], undefined],
    [['requests.cpu'], 'must specify requests.cpu for: a,i'],
    [['limits.memory', 'cpu'], 'must specify cpu for: a,i; limits.memory for: a,b'],
  ])('%j', (names, expected) => {
    expect(pods.missing?.(names, pod(spec))).toBe(expected)
  })

  it('and is content when all do', () => {
    expect(
      pods.missing?.(['cpu', 'memory'], pod({ containers: [container({ requests: { cpu: '1', memory: '1' } })] })),
    ).toBeUndefined()
  })
})

describe('a pod is in scope', () => {
  const scope = (scopeName: string, more: Partial<ScopedResourceSelectorRequirement> = {}) =>
    ({ scopeName, ...more }) as ScopedResourceSelectorRequirement
  const priority = (operator: string, values?: string[]) =>
    scope('PriorityClass', { operator, ...(values === undefined ? {} : { values }) })
  const high = { priorityClassName: 'high' }
  const term = (more: JsonObject): JsonObject => ({ topologyKey: 'k', ...more })
  it.each<[ScopedResourceSelectorRequirement, JsonObject, boolean]>([
    [scope('Terminating'), { activeDeadlineSeconds: 5 }, true],
    [scope('Terminating'), {}, false],
    [scope('NotTerminating'), {}, true],
    [scope('NotTerminating'), { activeDeadlineSeconds: 0 }, false],
    [scope('BestEffort'), {}, true],
    [scope('BestEffort'), { containers: [container({ requests: { cpu: '1' } })] }, false],
    [scope('NotBestEffort'), { containers: [container({ requests: { cpu: '1' } })] }, true],
    [scope('NotBestEffort'), {}, false],
    [scope('PriorityClass'), high, true],
    [priority('Exists'), {}, false],
    [priority('DoesNotExist'), {}, true],
    [priority('DoesNotExist'), high, false],
    [priority('In', ['high']), high, true],
    [priority('In', ['low']), high, false],
    [priority('In'), high, false],
    [priority('NotIn', ['low']), high, true],
    [priority('NotIn', ['high']), high, false],
    [priority('Odd', ['high']), high, false],
    [scope('CrossNamespacePodAffinity'), {}, false],
    [
      scope('CrossNamespacePodAffinity'),
      { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term({})] } } },
      false,
    ],
    [
      scope('CrossNamespacePodAffinity'),
      { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term({ namespaces: ['x'] })] } } },
      true,
    ],
    [
      scope('CrossNamespacePodAffinity'),
      {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, podAffinityTerm: term({ namespaceSelector: {} }) },
            ],
          },
        },
      },
      true,
    ],
    [scope('Odd'), high, false],
  ])('%j of %j: %s', (requirement, spec, expected) => {
    expect(pods.inScope(requirement, pod(spec))).toBe(expected)
  })
})

describe('a service uses', () => {
  const ports = [{ port: 1, nodePort: 30_000 }, { port: 2 }]
  it.each<[string, JsonObject | undefined, string, string]>([
    ['no ports of nodes', { type: 'ClusterIP', ports }, '0', '0'],
    ['a port for each', { type: 'NodePort', ports }, '2', '0'],
    ['a port for each, and a balancer', { type: 'LoadBalancer', ports }, '2', '1'],
    [
      'those that it names, and a balancer',
      { type: 'LoadBalancer', ports, allocateLoadBalancerNodePorts: false },
      '1',
      '1',
    ],
    [
      'one for each, whatever it allocates',
      { type: 'NodePort', ports, allocateLoadBalancerNodePorts: false },
      '2',
      '0',
    ],
    ['nothing but itself', undefined, '0', '0'],
  ])('%s', (_, spec, nodePorts, balancers) => {
    expect(usage(services, testObject('Service', 'x', spec === undefined ? {} : { spec }))).toEqual({
      'count/services': '1',
      services: '1',
      'services.nodeports': nodePorts,
      'services.loadbalancers': balancers,
    })
  })

  it('counts as such', () => {
    expect(['services.nodeports', 'count/services', 'pods'].map((name) => services.counts(name))).toEqual([
      true,
      true,
      false,
    ])
    expect(services.inScope({ scopeName: 'BestEffort', operator: 'Exists' }, testObject('Service', 'x'))).toBe(false)
  })
})

describe('a claim uses', () => {
  const suffix = '.storageclass.storage.k8s.io/'
  const counted = { 'count/persistentvolumeclaims': '1', persistentvolumeclaims: '1' }
  const ofClass = (name: string, storage: string) => ({
    [`${name}${suffix}persistentvolumeclaims`]: '1',
    'requests.storage': storage,
    [`${name}${suffix}requests.storage`]: storage,
  })
  const requests = { resources: { requests: { storage: '1Gi' } } }
  it.each<[string, JsonObject, JsonObject, JsonObject, JsonObject]>([
    ['its place', {}, {}, {}, counted],
    ['its storage', requests, {}, {}, { ...counted, 'requests.storage': '1Gi' }],
    ['its storage of a class', { ...requests, storageClassName: 'a' }, {}, {}, { ...counted, ...ofClass('a', '1Gi') }],
    [
      'its storage of the class of its annotation',
      { ...requests, storageClassName: 'a' },
      {},
      { 'volume.beta.kubernetes.io/storage-class': 'b' },
      { ...counted, ...ofClass('b', '1Gi') },
    ],
    [
      'what it has more',
      requests,
      { allocatedResources: { storage: '2Gi' } },
      {},
      { ...counted, 'requests.storage': '2Gi' },
    ],
    [
      'what it asks for when it has less',
      requests,
      { allocatedResources: { storage: '1Mi' } },
      {},
      { ...counted, 'requests.storage': '1Gi' },
    ],
    ['whole bytes', { resources: { requests: { storage: '1500m' } } }, {}, {}, { ...counted, 'requests.storage': '2' }],
  ])('%s', (_, spec, status, annotations, expected) => {
    expect(usage(claims, testObject('PersistentVolumeClaim', 'x', { spec, status }, { annotations }))).toEqual(expected)
  })

  it('counts as such', () => {
    const names = [
      'persistentvolumeclaims',
      'requests.storage',
      `a${suffix}persistentvolumeclaims`,
      `a${suffix}requests.storage`,
      `a${suffix}x`,
      'pods',
    ]
    expect(names.map((name) => claims.counts(name))).toEqual([true, true, true, true, false, false])
  })

  it.each<[JsonObject, JsonObject, boolean]>([
    [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['a'] }, { volumeAttributesClassName: 'a' }, true],
    [{ scopeName: 'VolumeAttributesClass' }, { volumeAttributesClassName: 'a' }, true],
    [{ scopeName: 'VolumeAttributesClass' }, {}, false],
    [{ scopeName: 'VolumeAttributesClass', operator: 'In' }, { volumeAttributesClassName: 'a' }, false],
    [{ scopeName: 'PriorityClass' }, { volumeAttributesClassName: 'a' }, false],
    [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: [''] }, { volumeAttributesClassName: '' }, false],
    [{ scopeName: 'VolumeAttributesClass', operator: 'NotIn', values: [''] }, {}, true],
    [
      { scopeName: 'VolumeAttributesClass', operator: 'NotIn', values: ['a'] },
      { volumeAttributesClassName: 'a' },
      false,
    ],
    [{ scopeName: 'VolumeAttributesClass', operator: 'DoesNotExist' }, {}, true],
  ])('%j of %j: %s', (scope, spec, expected) => {
    const object = testObject('PersistentVolumeClaim', 'x', { spec })
    expect(claims.inScope(scope as unknown as ScopedResourceSelectorRequirement, object)).toBe(expected)
  })

  it('are in the scopes of the classes that they ask for, have, and are being moved to', () => {
    const current = { currentVolumeAttributesClassName: 'b' }
    const moving = { modifyVolumeStatus: { status: 'InProgress', targetVolumeAttributesClassName: 'c' } }
    const of = (status: JsonObject) =>
      testObject('PersistentVolumeClaim', 'x', { spec: { volumeAttributesClassName: 'a' }, status })
    const within = (name: string, status: JsonObject): boolean =>
      claims.inScope({ scopeName: 'VolumeAttributesClass', operator: 'In', values: [name] }, of(status))
    expect(['a', 'b', 'c'].map((name) => within(name, { ...current, ...moving }))).toEqual([true, true, true])
    expect(['a', 'b', 'c'].map((name) => within(name, {}))).toEqual([true, false, false])
    expect(claims.changesScope?.(of(current), of({ ...current, ...moving }))).toBe(true)
    expect(claims.changesScope?.(of(current), of({ ...current, phase: 'Bound' }))).toBe(false)
  })
})

describe('a device claim uses', () => {
  const count = { 'count/resourceclaims.resource.k8s.io': '1' }
  const devices = (name: string): string => `${name}.deviceclass.resource.k8s.io/devices`
  it.each<[string, JsonObject, JsonObject]>([
    ['its place', {}, {}],
    ['one device', { requests: [{ exactly: { deviceClassName: 'a' } }] }, { [devices('a')]: '1' }],
    [
      'so many',
      { requests: [{ exactly: { deviceClassName: 'a', count: 3 } }, { deviceClassName: 'a', count: 2 }] },
      { [devices('a')]: '5' },
    ],
    [
      'all that there can be',
      { requests: [{ exactly: { deviceClassName: 'a', allocationMode: 'All', count: 1 } }] },
      { [devices('a')]: '32' },
    ],
    [
      'the most of its alternatives',
      {
        requests: [
          { firstAvailable: [{ deviceClassName: 'a', count: 2 }, { deviceClassName: 'a' }, { deviceClassName: 'b' }] },
        ],
      },
      { [devices('a')]: '2', [devices('b')]: '1' },
    ],
    ['none without a class', { requests: [{ exactly: { deviceClassName: '' } }, { exactly: {} }] }, {}],
  ])('%s', (_, spec, expected) => {
    expect(usage(deviceClaims, testObject('ResourceClaim', 'x', { spec: { devices: spec } }))).toEqual({
      ...count,
      ...expected,
    })
  })

  it('counts as such, and needs no spec', () => {
    expect(
      [devices('a'), 'count/resourceclaims.resource.k8s.io', 'pods'].map((name) => deviceClaims.counts(name)),
    ).toEqual([true, true, false])
    expect(usage(deviceClaims, testObject('ResourceClaim', 'x'))).toEqual(count)
  })
})

it.each<[string, object | undefined]>([
  ['count/pods', { group: '', resource: 'pods' }],
  ['count/deployments.apps', { group: 'apps', resource: 'deployments' }],
  ['count/x.a.b', { group: 'a.b', resource: 'x' }],
  ['secrets', { group: '', resource: 'secrets' }],
  ['requests.cpu', { group: '', resource: 'pods' }],
  ['services.nodeports', { group: '', resource: 'services' }],
  ['requests.storage', { group: '', resource: 'persistentvolumeclaims' }],
  ['a.deviceclass.resource.k8s.io/devices', { group: 'resource.k8s.io', resource: 'resourceclaims' }],
  ['odd', undefined],
])('%s counts %j', (name, expected) => {
  expect(resourceCountedBy(name)).toEqual(expected)
})
