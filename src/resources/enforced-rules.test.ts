import { describe, expect, test, vi } from 'vitest'
import { limitErrors, maxErrors } from '../api/error-limit.ts'
import { type FieldError, invalid } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import type { KubeObject } from '../api/object.ts'
import { errorsAtRelease } from '../api/release-wordings.ts'
import { eachItem, rulesInSteps } from '../api/rules-in-steps.ts'
import { typesAt } from '../catalog/catalog.ts'
import { runToEnd } from '../lib/in-turns.ts'
import type { MetadataCalls } from '../registry/metadata-checks.ts'
import type { Strategy, WriteContext } from '../registry/strategy.ts'
import { parseMarkers } from './declared-markers.ts'
import { withEnforcedRules } from './enforced-rules.ts'

const release = 36
const context = {} as WriteContext
const declaredRules = { mismatch: vi.fn(), failure: vi.fn() }

function rules(kind: string, type: string, on: readonly string[] = []): Strategy {
  const schema = typesAt(release).typeSchema(type)
  return withEnforcedRules({}, { kind, schema }, { release, declaredRules, gate: (name) => on.includes(name) })
}

const groups = (on?: readonly string[]): Strategy =>
  rules('scheduling.k8s.io/PodGroup', 'scheduling.v1alpha2.PodGroup', on)
const workloads = rules('scheduling.k8s.io/Workload', 'scheduling.v1alpha2.Workload')
const pools = rules('resource.k8s.io/ResourcePoolStatusRequest', 'resource.v1alpha3.ResourcePoolStatusRequest')

const object = (spec: object, status?: object): KubeObject =>
  ({ metadata: { name: 'a' }, spec, ...(status && { status }) }) as unknown as KubeObject

const told = (strategy: Strategy, now: KubeObject, old?: KubeObject): string[] =>
  errorsAtRelease(
    (old === undefined ? strategy.validate?.(now, context) : strategy.validateUpdate?.(now, old, context)) ?? [],
    release,
  ).map(({ field, message }) => `${field}: ${message}`)

const basic = { basic: {} }

describe('new objects', () => {
  test.each<[string, Strategy, KubeObject, string[]]>([
    ['a pod group', groups(), object({ schedulingPolicy: basic }), []],
    [
      'no policy at all',
      groups(),
      object({}),
      ['spec.schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`'],
    ],
    [
      'two policies',
      groups(),
      object({ schedulingPolicy: { basic: {}, gang: { minCount: 1 } } }),
      ['spec.schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`'],
    ],
    [
      'a number that is required, and zero',
      groups(),
      object({ schedulingPolicy: { gang: { minCount: 0 } } }),
      ['spec.schedulingPolicy.gang.minCount: Required value'],
    ],
    [
      'a number that is too small',
      groups(),
      object({ schedulingPolicy: { gang: { minCount: -1 } } }),
      ['spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1'],
    ],
    [
      'a field whose gate is off',
      groups(),
      object({ schedulingPolicy: basic, priority: 5 }),
      ['spec.priority: Forbidden'],
    ],
    [
      'the same with the gate on, and too large',
      groups(['WorkloadAwarePreemption']),
      object({ schedulingPolicy: basic, priority: 1_000_000_001, disruptionMode: 'All' }),
      [
        'spec.disruptionMode: Unsupported value: "All": supported values: "Pod", "PodGroup"',
        'spec.priority: Invalid value: 1000000001: must be less than or equal to 1000000000',
      ],
    ],
    ['a list that is required', workloads, object({}), ['spec.podGroupTemplates: Required value']],
    [
      'too many items, which are not looked at',
      workloads,
      object({ podGroupTemplates: Array.from({ length: 9 }, () => ({ name: '' })) }),
      ['spec.podGroupTemplates: Too many: 9: must have at most 8 items'],
    ],
    [
      'items with the same key',
      workloads,
      object({ podGroupTemplates: [1, 2].map(() => ({ name: 'a', schedulingPolicy: basic })) }),
      ['spec.podGroupTemplates[1]: Duplicate value: {"name":"a","schedulingPolicy":{"basic":{}}}'],
    ],
    [
      'a limit in bytes',
      workloads,
      object({ podGroupTemplates: [{ name: 'a'.repeat(64), schedulingPolicy: basic }] }),
      [`spec.podGroupTemplates[0].name: Invalid value: "${'a'.repeat(64)}": must be no more than 63 bytes`],
    ],
    [
      'a domain in capitals',
      pools,
      object({ driver: 'Example.com', poolName: 'a//b', limit: 1001 }),
      [
        'spec.poolName: Invalid value: "a//b": segment 1: must not be empty',
        'spec.limit: Invalid value: 1001: must be less than or equal to 1000',
      ],
    ],
  ])('%s', (_, strategy, now, errors) => expect(told(strategy, now)).toEqual(errors))
})

describe('updates', () => {
  const gang = (minCount: number): KubeObject => object({ schedulingPolicy: { gang: { minCount } } })

  test('what is immutable is said to be no more than that', () => {
    expect(told(groups(), gang(2), gang(1))).toEqual(['spec.schedulingPolicy: Invalid value: null: field is immutable'])
  })

  test('what is as it was is not looked at again', () => {
    expect(told(groups(), gang(-1), gang(-1))).toEqual([])
  })

  test('a text that is too long in a status', () => {
    const spec = { driver: 'example.com' }
    const pool = { driver: 'example.com', poolName: 'p', generation: 1, validationError: 'x'.repeat(257) }
    expect(told(pools, object(spec, { poolCount: 1, pools: [pool] }), object(spec))).toEqual([
      'status.pools[0].validationError: Too long: may not be more than 256 bytes',
    ])
  })
  test('a status that is new is looked at', () => {
    const spec = { driver: 'a.b', limit: 1 }
    const now = object(spec, {
      poolCount: 0,
      pools: [{ driver: 'a.b', generation: 1, poolName: 'p', totalDevices: -1 }],
    })
    expect(told(pools, now, object(spec))).toEqual([
      'status.pools[0].totalDevices: Invalid value: -1: must be greater than or equal to 0',
    ])
  })
})

test('kinds and releases whose declared rules do not count keep their strategy', () => {
  const plain = {}
  const schema = typesAt(release).typeSchema('core.v1.Pod')
  expect(withEnforcedRules(plain, { kind: '/Pod', schema }, { release, declaredRules, gate: () => true })).toBe(plain)
  const kind = 'scheduling.k8s.io/Workload'
  expect(withEnforcedRules(plain, { kind, schema }, { release: 35, declaredRules, gate: () => true })).toBe(plain)
})

test('rules that fail refuse, and are told of with what was validated', () => {
  const failing = (subresource?: string): unknown => {
    const broken = Object.defineProperty({ kind: 'Workload', metadata: { name: 'a' } }, 'spec', {
      get: () => {
        throw new Error('broken')
      },
    }) as unknown as KubeObject
    const about = subresource === undefined ? context : { ...context, subresource }
    const found = [workloads.validate?.(broken, about), workloads.validateUpdate?.(broken, object({}), about)]
    const told = declaredRules.failure.mock.calls.splice(0)
    return { found: found.map((errors) => errors?.map(({ reason, message }) => `${reason}: ${message}`)), told }
  }
  const detail = 'panic during declarative validation: broken'
  const refused = [`InternalError: Internal error: ${detail}`]
  expect(failing()).toEqual({
    found: [refused, refused],
    told: [
      [detail, 'workload_create'],
      [detail, 'workload_update'],
    ],
  })
  expect(failing('a/b')).toMatchObject({
    told: [
      [detail, 'workload_a_b_create'],
      [detail, 'workload_a_b_update'],
    ],
  })
})

describe('rules are left on purpose', () => {
  const workloadWith = (effect: () => void): KubeObject =>
    Object.defineProperty({ kind: 'Workload', metadata: { name: 'a' } }, 'spec', {
      get: () => {
        effect()
        return { podGroupTemplates: [] }
      },
    }) as unknown as KubeObject

  test('at the limit of errors, which count', () => {
    const tooMany = (): void => {
      for (let i = 0; i <= maxErrors; i++) invalid(FieldPath.root, i, 'bad')
    }
    const found = limitErrors(() => workloads.validate?.(workloadWith(tooMany), context) as FieldError[])
    expect(found).toHaveLength(maxErrors + 1)
    expect(declaredRules.failure.mock.calls).toEqual([])
  })

  test('for a long loop, which runs in steps', () => {
    const items = Array.from({ length: 20_000 }, (_, i) => i)
    const seen: number[] = []
    const loop = workloadWith(() => eachItem([], items, (_, item) => seen.push(item)))
    const steps = rulesInSteps(() => workloads.validate?.(loop, context))
    expect(steps.next().done).toBe(false)
    runToEnd(steps)
    expect(seen).toEqual(items)
    expect(declaredRules.failure.mock.calls).toEqual([])
  })
})

test('markers on trial are left, and those of a gate are taken as it is set', () => {
  const text = [
    'a.v1.T.x +k8s:alpha(since: "1.36")=+k8s:required',
    'a.v1.T.x +k8s:optional',
    'a.v1.T.y +k8s:ifEnabled("G")=+k8s:maximum=10 # why',
    'a.v1.T.y +k8s:ifDisabled(G)=+k8s:forbidden',
    'a.v1.T.z +k8s:listMapKey=name',
    'a.v1.T.z +k8s:listMapKey=kind',
  ].join('\n')
  const fields = (on: boolean) => Object.fromEntries(parseMarkers(text, () => on).get('a.v1.T') ?? [])
  expect(fields(true)).toEqual({ x: { optional: true }, y: { maximum: 10 }, z: { keys: ['name', 'kind'] } })
  expect(fields(false)['y']).toEqual({ forbidden: true })
})

test('a rule of the kind itself that is broken twice in the same way is told once', () => {
  const schema = typesAt(release).typeSchema('resource.v1alpha3.ResourcePoolStatusRequest')
  const kind = 'resource.k8s.io/ResourcePoolStatusRequest'
  const error = invalid(FieldPath.of('metadata', 'finalizers'), 'a', 'too long')
  const own: Strategy = { validate: () => [error, error], validateMetadata: () => [error, error] }
  const strategy = withEnforcedRules(own, { kind, schema }, { release, declaredRules, gate: () => false })
  const now = object({ driver: 'd.example.com' })
  expect(strategy.validate?.(now, context)).toEqual([error])
  expect(strategy.validateMetadata?.({} as MetadataCalls, now)).toEqual([error])
})
