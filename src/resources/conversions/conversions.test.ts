import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keepWritings, writingOf } from '../../api/given-writing.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { eventFromHub, eventToHub } from '../kinds/config/event/event-conversion.ts'
import {
  autoscalerFromHub,
  autoscalerToHub,
  withoutRoundTrip,
} from '../kinds/control/horizontal-pod-autoscaler/autoscaler-conversion.ts'
import {
  claimConversion,
  claimTemplateConversion,
  decodedClaim,
  olderSliceConversion,
  sliceConversion,
  withBasics,
} from '../kinds/devices/device-conversion.ts'

describe('events', () => {
  const core: KubeObject = {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p' },
    reason: 'Started',
    message: 'Started c',
    source: { component: 'kubelet' },
    firstTimestamp: '2024-01-01T00:00:00Z',
    lastTimestamp: null,
    count: 3,
    type: 'Normal',
    eventTime: null,
    series: { count: 2, lastObservedTime: '2024-01-01T00:00:01.500000Z' },
    reportingComponent: '',
    reportingInstance: 'i',
  }

  it('is the same under other names, in the order of the wire', () => {
    const newer = eventFromHub(core)
    expect(Object.keys(newer)).toEqual([
      'kind',
      'apiVersion',
      'metadata',
      'eventTime',
      'series',
      'reportingInstance',
      'reason',
      'regarding',
      'note',
      'type',
      'deprecatedSource',
      'deprecatedFirstTimestamp',
      'deprecatedLastTimestamp',
      'deprecatedCount',
    ])
    expect(eventToHub(newer)).toEqual(core)
  })

  it('keeps how its times were written', () => {
    const newer = eventFromHub(core)
    keepWritings(newer, new Map([['deprecatedFirstTimestamp', '2024-01-01T00:00:00.5Z']]))
    expect(writingOf(eventToHub(newer), 'firstTimestamp')).toBe('2024-01-01T00:00:00.5Z')
  })
})

const target = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})

const hub = (spec: object, status: object = { desiredReplicas: 0, currentMetrics: null }): KubeObject => ({
  kind: 'HorizontalPodAutoscaler',
  apiVersion: 'autoscaling/v2',
  metadata: { name: 'a', annotations: { mine: 'x' } },
  spec: { scaleTargetRef: target, maxReplicas: 3, ...spec },
  status: status as never,
})

describe('autoscalers', () => {
  it('keeps what v1 cannot say of the object that it replaces, once the annotations are gone', () => {
    const memory = {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 5 } },
    }
    const behavior = { scaleDown: { stabilizationWindowSeconds: 5 } }
    const current = {
      type: 'Resource',
      resource: { name: 'memory', current: { averageUtilization: 5, averageValue: '1' } },
    }
    const conditions = [{ type: 'AbleToScale', status: 'True' }]
    const before = hub({ metrics: [memory], behavior }, { desiredReplicas: 0, currentMetrics: [current], conditions })
    const { annotations: _, ...metadata } = autoscalerFromHub(before).metadata
    const bare: KubeObject = { ...autoscalerFromHub(before), metadata }
    expect(autoscalerToHub(bare, before)).toMatchObject({
      spec: { metrics: [memory], behavior },
      status: { currentMetrics: [current], conditions },
    })
    expect(autoscalerToHub(bare)['spec']).toEqual({ scaleTargetRef: target, maxReplicas: 3, metrics: [cpu(80)] })
    const aimed = { ...bare, spec: { ...(bare['spec'] as JsonObject), targetCPUUtilizationPercentage: 50 } }
    expect(autoscalerToHub(aimed, before)['spec']).toMatchObject({ metrics: [cpu(50)], behavior })
  })

  it('aims at 80% of CPU when v1 says nothing', () => {
    const v1: KubeObject = {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'a' },
      spec: { scaleTargetRef: target, maxReplicas: 3 },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    }
    expect(autoscalerToHub(v1)['spec']).toEqual({ scaleTargetRef: target, maxReplicas: 3, metrics: [cpu(80)] })
    expect(autoscalerFromHub(autoscalerToHub(v1))['spec']).toMatchObject({ targetCPUUtilizationPercentage: 80 })
  })

  it('overlooks annotations that cannot be read', () => {
    const annotations = {
      'autoscaling.alpha.kubernetes.io/metrics': '{"not":"a list"}',
      'autoscaling.alpha.kubernetes.io/behavior': 'not json',
      mine: 'x',
    }
    const v1 = { ...hub({}), apiVersion: 'autoscaling/v1', metadata: { name: 'a', annotations } }
    const converted = autoscalerToHub(v1)
    expect(converted.metadata.annotations).toEqual({ mine: 'x' })
    expect(converted['spec']).toMatchObject({ metrics: [cpu(80)] })
  })

  it('drops what only v1 means from v2 bodies', () => {
    const body = hub({})
    expect(withoutRoundTrip(body)).toBe(body)
    const annotated = { ...body, metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '[]' } } }
    expect(withoutRoundTrip(annotated).metadata).toEqual({})
  })

  const quantity = fc.constantFrom('1', '10m', '100Mi')
  const name = fc.constantFrom('rps', 'queue')
  const metric = fc.oneof(
    fc.record({
      type: fc.constant('Pods'),
      pods: fc.record({
        metric: fc.record({ name }),
        target: fc.record({ type: fc.constant('AverageValue'), averageValue: quantity }),
      }),
    }),
    fc.record({
      type: fc.constant('External'),
      external: fc.record({
        metric: fc.record({ name, selector: fc.constant({ matchLabels: { a: 'b' } }) }),
        target: fc.record({ type: fc.constant('Value'), value: quantity }),
      }),
    }),
    fc.record({
      type: fc.constant('Object'),
      object: fc.record({
        describedObject: fc.constant(target),
        target: fc.record({ type: fc.constant('AverageValue'), value: quantity, averageValue: quantity }),
        metric: fc.record({ name }),
      }),
    }),
    fc.record({
      type: fc.constant('ContainerResource'),
      containerResource: fc.record({
        name: fc.constant('memory'),
        target: fc.record({ type: fc.constant('AverageValue'), averageValue: quantity }),
        container: fc.constant('c'),
      }),
    }),
  )
  const rules = fc.record({
    stabilizationWindowSeconds: fc.nat(3600),
    selectPolicy: fc.constantFrom('Max', 'Min'),
    policies: fc.array(
      fc.record({ type: fc.constant('Pods'), value: fc.integer({ min: 1, max: 9 }), periodSeconds: fc.constant(15) }),
      { minLength: 1, maxLength: 2 },
    ),
  })

  it('loses nothing on the way through v1', () => {
    fc.assert(
      fc.property(fc.array(metric, { minLength: 1, maxLength: 4 }), rules, rules, (metrics, scaleUp, scaleDown) => {
        const object = hub({ metrics: [...metrics, cpu(50)], behavior: { scaleUp, scaleDown } })
        expect(autoscalerToHub(autoscalerFromHub(object))).toEqual(object)
      }),
    )
  })
})

describe('devices', () => {
  const object = (kind: string, spec: object): KubeObject => ({
    apiVersion: 'resource.k8s.io/v1beta1',
    kind,
    metadata: { name: 'x' },
    spec: spec as never,
  })

  const requests = [
    {
      name: 'a',
      deviceClassName: 'gpu',
      allocationMode: 'ExactCount',
      count: 1,
      tolerations: [{ operator: 'Exists' }],
    },
    { name: 'b', deviceClassName: '', firstAvailable: [{ name: 's', deviceClassName: 'gpu' }] },
  ]

  it.each([
    ['claims', claimConversion, object('ResourceClaim', { devices: { requests } })],
    ['templates', claimTemplateConversion, object('ResourceClaimTemplate', { spec: { devices: { requests } } })],
    [
      'slices',
      sliceConversion,
      object('ResourceSlice', {
        driver: 'd',
        devices: [{ name: 'x', basic: { capacity: { memory: { value: '1Gi' } } } }],
      }),
    ],
    [
      'older slices',
      olderSliceConversion,
      object('ResourceSlice', {
        driver: 'd',
        devices: [{ name: 'x', basic: { capacity: { memory: { value: '1Gi' } } } }],
      }),
    ],
    ['claims of nothing', claimConversion, object('ResourceClaim', {})],
  ])('%s come back as they were', (_, { toHub, fromHub }, hub) => {
    const other = fromHub(hub)
    expect(other.apiVersion).not.toBe(hub.apiVersion)
    expect(toHub(other)).toEqual(hub)
  })

  it('have their own shapes', () => {
    const claim = claimConversion.fromHub(object('ResourceClaim', { devices: { requests } }))
    expect(claim['spec']).toMatchObject({
      devices: { requests: [{ exactly: { deviceClassName: 'gpu' } }, { name: 'b' }] },
    })
    const slice = object('ResourceSlice', {
      devices: [{ name: 'x', basic: { capacity: { memory: { value: '1Gi' } } } }],
    })
    expect(olderSliceConversion.fromHub(slice)['spec']).toEqual({
      devices: [{ name: 'x', basic: { capacity: { memory: '1Gi' } } }],
    })
  })
})

it.each(['attributes', 'capacity', 'consumesCounters', 'taints'])('empty %s of a device are none', (name) => {
  const empty = name === 'consumesCounters' || name === 'taints' ? [] : {}
  for (const version of ['v1beta1', 'v1alpha3']) {
    const devices = [{ name: 'a', basic: { [name]: empty, allNodes: true } }]
    const { spec } = withBasics({ apiVersion: `resource.k8s.io/${version}`, spec: { devices } })
    expect(spec).toEqual({ devices: [{ name: 'a', basic: { allNodes: true } }] })
  }
})

it.each<[string, JsonObject, JsonObject]>([
  ['v1beta1', { deviceClassName: 'c', tolerations: [] }, { deviceClassName: 'c' }],
  ['v1alpha3', { deviceClassName: 'c', tolerations: [] }, { deviceClassName: 'c' }],
  ['v1beta1', { deviceClassName: 'c', selectors: [] }, { deviceClassName: 'c', selectors: [] }],
  ['v1beta1', { deviceClassName: '', tolerations: [] }, { deviceClassName: '', tolerations: [] }],
  ['v1beta2', { exactly: { tolerations: [] } }, { exactly: { tolerations: [] } }],
])('empty tolerations of a request in %s: %o', (version, request, kept) => {
  const claim = { apiVersion: `resource.k8s.io/${version}`, spec: { devices: { requests: [request] } } }
  expect(decodedClaim(claim)['spec']).toEqual({ devices: { requests: [kept] } })
})

it('a device has its basic facts in every version that has them', () => {
  const slice = (apiVersion: string): JsonObject => ({ apiVersion, spec: { devices: [{ name: 'a' }] } })
  for (const version of ['v1beta1', 'v1alpha3']) {
    const { spec } = withBasics(slice(`resource.k8s.io/${version}`))
    expect(spec).toEqual({ devices: [{ name: 'a', basic: {} }] })
  }
  const newer = slice('resource.k8s.io/v1beta2')
  expect(withBasics(newer)).toBe(newer)
})
