/** The priority of a pod by its class, and the one class that is everybody's default. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { pluginOutcome, testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { priority } from './priority.ts'

const classOf = (name: string, more: JsonObject): KubeObject => testObject('PriorityClass', name, more)
const high = classOf('high', { value: 1000, preemptionPolicy: 'Never' })
const plain = classOf('plain', { value: 5 })
const none = classOf('none', {})
const low = classOf('low', { value: -1, globalDefault: true })
const middle = classOf('middle', { value: 7, globalDefault: true, preemptionPolicy: 'Never' })

const pluginWith = (...classes: KubeObject[]) => priority(testCluster({ 'priorityclasses.scheduling.k8s.io': classes }))
const pod = (spec: JsonObject): KubeObject => testObject('Pod', 'x', { spec })
const by = 'must not be provided in pod spec; priority admission controller computed'

describe('a new pod', () => {
  it.each<[string, KubeObject[], JsonObject, unknown]>([
    [
      'of a class',
      [high],
      { priorityClassName: 'high' },
      { priorityClassName: 'high', priority: 1000, preemptionPolicy: 'Never' },
    ],
    [
      'of a class without a policy',
      [plain],
      { priorityClassName: 'plain' },
      { priorityClassName: 'plain', priority: 5 },
    ],
    ['of a class without a value', [none], { priorityClassName: 'none' }, { priorityClassName: 'none', priority: 0 }],
    [
      'of a class that is not there',
      [high],
      { priorityClassName: 'x' },
      'pods "x" is forbidden: no PriorityClass with name x was found',
    ],
    ['of no class', [high], {}, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
    [
      'of no class where one is the default',
      [high, middle],
      {},
      { priorityClassName: 'middle', priority: 7, preemptionPolicy: 'Never' },
    ],
    [
      'of no class where several are',
      [middle, low, classOf('zero', { globalDefault: true })],
      {},
      { priorityClassName: 'low', priority: -1 },
    ],
    [
      'that says the same',
      [high],
      { priorityClassName: 'high', priority: 1000, preemptionPolicy: 'Never' },
      { priorityClassName: 'high', priority: 1000, preemptionPolicy: 'Never' },
    ],
    [
      'of another number',
      [high],
      { priorityClassName: 'high', priority: 1 },
      `pods "x" is forbidden: the integer value of priority (1) ${by} 1000 from the given PriorityClass name`,
    ],
    [
      'of another policy',
      [high],
      { priorityClassName: 'high', preemptionPolicy: 'x' },
      `pods "x" is forbidden: the string value of PreemptionPolicy (x) ${by} Never from the given PriorityClass name`,
    ],
    [
      'of a policy where the class has none',
      [plain],
      { priorityClassName: 'plain', preemptionPolicy: 'x' },
      { priorityClassName: 'plain', priority: 5, preemptionPolicy: 'x' },
    ],
  ])('%s', async (_, classes, spec, expected) => {
    const found = await pluginOutcome(pluginWith(...classes), testRequest({ object: pod(spec) }))
    expect(typeof found === 'string' ? found : found?.['spec']).toEqual(expected)
  })
})

describe('an updated pod', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'keeps what it leaves out',
      {},
      { priority: 5, preemptionPolicy: 'Never' },
      { priority: 5, preemptionPolicy: 'Never' },
    ],
    [
      'keeps what it says',
      { priority: 6 },
      { priority: 5, preemptionPolicy: 'Never' },
      { priority: 6, preemptionPolicy: 'Never' },
    ],
    ['has nothing that it never had', {}, {}, {}],
  ])('%s', async (_, spec, old, expected) => {
    const request = testRequest({ operation: 'UPDATE', object: pod(spec), oldObject: pod(old) })
    const found = await pluginOutcome(pluginWith(middle), request)
    expect((found as KubeObject)['spec']).toEqual(expected)
    if (Object.keys(old).length === 0) expect(found).toBe(request.object)
  })
})

describe('a class', () => {
  const resource = { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' }
  const refused = (name: string) =>
    `priorityclasses.scheduling.k8s.io "x" is forbidden: PriorityClass ${name} is already marked as default. Only one default can exist`
  it.each<[string, KubeObject[], Partial<AdmissionRequest>, string | undefined]>([
    ['that is the first default', [high], { object: classOf('new', { globalDefault: true }) }, undefined],
    ['that is the second default', [low], { object: classOf('new', { globalDefault: true }) }, refused('low')],
    ['that is no default', [low], { object: classOf('new', {}) }, undefined],
    [
      'that stays the default',
      [low],
      { operation: 'UPDATE', object: classOf('low', { globalDefault: true }) },
      undefined,
    ],
    [
      'that becomes the second default',
      [low],
      { operation: 'UPDATE', object: classOf('new', { globalDefault: true }) },
      refused('low'),
    ],
    [
      'that is made by the name of the default',
      [low],
      { object: classOf('low', { globalDefault: true }) },
      refused('low'),
    ],
  ])('%s', async (_, classes, given, expected) => {
    const found = await pluginOutcome(pluginWith(...classes), testRequest({ resource, ...given }))
    if (expected === undefined) expect(found).toBe(given.object)
    else expect(found).toBe(expected)
  })
})

it('cares for writes of pods and of classes', () => {
  const { handles } = pluginWith()
  const shapes: [Parameters<typeof handles>[0], boolean][] = [
    [{ operation: 'CREATE', group: '', resource: 'pods', subresource: '' }, true],
    [{ operation: 'UPDATE', group: 'scheduling.k8s.io', resource: 'priorityclasses', subresource: '' }, true],
    [{ operation: 'DELETE', group: '', resource: 'pods', subresource: '' }, false],
    [{ operation: 'CREATE', group: '', resource: 'pods', subresource: 'binding' }, false],
    [{ operation: 'CREATE', group: '', resource: 'priorityclasses', subresource: '' }, false],
  ]
  expect(shapes.map(([shape]) => handles(shape))).toEqual(shapes.map(([, expected]) => expected))
})
