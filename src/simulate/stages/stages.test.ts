import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { stageSets } from './default-stages.ts'
import { type Stage, type StageSpec, stepsOf } from './stage.ts'
import { patched, rendered, Templates, withFinalizers } from './stage-patch.ts'
import { type CompiledStage, compileStage, drawStage } from './stage-selection.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const facts = {
  now,
  startedAt: now,
  random: () => 0.5,
  uuid: () => 'uuid',
  cluster: { nodeAddress: () => '172.30.0.1', podAddress: ({ uid }: { uid: string }) => `10.0.0.${uid.length}` },
}
const pod = (more: Record<string, unknown> = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop', uid: 'u1', labels: { app: 'x' }, annotations: { speed: '3s' } },
    spec: { nodeName: 'n1', containers: [{ name: 'a', image: 'nginx' }] },
    status: { phase: 'Pending' },
    ...more,
  }) as KubeObject
const stage = (spec: Partial<StageSpec>, name = 's'): Stage => ({
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'Stage',
  metadata: { name },
  spec: { resourceRef: { kind: 'Pod' }, selector: {}, ...spec },
})
const compiled = (spec: Partial<StageSpec>, name?: string): CompiledStage =>
  compileStage(stage(spec, name)) as CompiledStage

describe('selectors', () => {
  const expression = (key: string, operator: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, values }],
  })
  it.each<[string, StageSpec['selector'], boolean]>([
    ['empty', {}, true],
    ['labels', { matchLabels: { app: 'x' } }, true],
    ['other labels', { matchLabels: { app: 'y' } }, false],
    ['annotations', { matchAnnotations: { speed: '3s' } }, true],
    ['In', expression('.status.phase', 'In', 'Pending', 'Running'), true],
    ['NotIn', expression('.status.phase', 'NotIn', 'Pending'), false],
    ['NotIn of nothing', expression('.status.nothing', 'NotIn', 'Pending'), true],
    ['Exists', expression('.status.phase', 'Exists'), true],
    ['DoesNotExist', expression('.metadata.deletionTimestamp', 'DoesNotExist'), true],
    ['stream', expression('.spec.containers.[].name', 'In', 'a'), true],
    ['jq', { matchExpressions: [{ jq: { key: '.spec.containers | length', operator: 'In', values: ['1'] } }] }, true],
    [
      'cel',
      {
        matchExpressions: [
          { cel: { expression: 'self.status.phase == "Pending" && !has(self.metadata.deletionTimestamp)' } },
        ],
      },
      true,
    ],
    [
      'cel false',
      { matchExpressions: [{ cel: { expression: 'self.spec.containers.exists(c, c.name == "b")' } }] },
      false,
    ],
    ['all of them', { matchLabels: { app: 'x' }, ...expression('.status.phase', 'In', 'Running') }, false],
  ])('%s', (_, selector, expected) => {
    expect(compiled(selector === undefined ? {} : { selector }).matches(pod(), now)).toBe(expected)
  })

  it('match nothing where there is none', () => {
    expect(compileStage({ ...stage({}), spec: { resourceRef: { kind: 'Pod' } } })).toBeUndefined()
  })

  it.each<[StageSpec['selector'], string]>([
    [expression('.a |', 'Exists'), 'jq ".a |": unexpected: the end of the filter'],
    [expression('.a', 'In'), 'the operator In needs values'],
    [expression('.a', 'Exists', 'x'), 'the operator Exists takes no values'],
    [expression('.a', 'Intersection', 'x'), 'the operator "Intersection" is not known'],
    [{ matchExpressions: [{ cel: { expression: 'self.' } }] }, 'cel "self."'],
    [{ matchExpressions: [{}] }, 'needs a key, jq or cel'],
  ])('%j is refused', (selector, message) => {
    expect(() => compiled(selector === undefined ? {} : { selector })).toThrow(message)
  })
})

it.each<[StageSpec['delay'], number]>([
  [undefined, 0],
  [{ durationMilliseconds: 1000 }, 1000],
  [{ durationMilliseconds: 1000, jitterDurationMilliseconds: 3000 }, 2000],
  [{ durationMilliseconds: 1000, jitterDurationMilliseconds: 500 }, 500],
  [{ durationMilliseconds: 1000, durationFrom: { expressionFrom: '.metadata.annotations.speed' } }, 3000],
  [{ durationMilliseconds: 1000, durationFrom: { expressionFrom: '.metadata.annotations.none' } }, 1000],
  [{ durationFrom: { jq: { expression: '"2026-01-01T00:01:00Z"' } } }, 60_000],
  [{ durationFrom: { cel: { expression: 'self.metadata.annotations["speed"]' } } }, 3000],
  [{ durationFrom: { expressionFrom: '"2025-01-01T00:00:00Z"' } }, 0],
])('a delay %j', (delay, expected) => {
  expect(compiled(delay === undefined ? {} : { delay }).delayMs(pod(), now, () => 0.5)).toBe(expected)
})

describe('the draw', () => {
  const draw = (stages: readonly CompiledStage[], random: number) =>
    drawStage(stages, pod(), { now, random: () => random })?.name
  it('is by weight, and leaves those without weight out', () => {
    const stages = [compiled({ weight: 1 }, 'one'), compiled({ weight: 3 }, 'three'), compiled({}, 'none')]
    expect([0, 0.2, 0.3, 0.99].map((random) => draw(stages, random))).toEqual(['one', 'one', 'three', 'three'])
  })
  it('is even where no stage has one', () => {
    const stages = [compiled({}, 'a'), compiled({}, 'b')]
    expect([0, 0.49, 0.5, 0.99].map((random) => draw(stages, random))).toEqual(['a', 'a', 'b', 'b'])
  })
  it('does not count a weight that is no number', () => {
    const from = (expression: string) => ({ weightFrom: { expressionFrom: expression } })
    const stages = [compiled(from('"x"'), 'a'), compiled(from('"2"'), 'b')]
    expect(draw(stages, 0)).toBe('b')
  })
  it('is among those that match', () => {
    const other = compiled({ selector: { matchLabels: { app: 'y' } }, weight: 100 }, 'other')
    expect(draw([other, compiled({}, 'this')], 0)).toBe('this')
    expect(draw([other], 0)).toBeUndefined()
  })
})

it('reads the older form as steps', () => {
  const next = {
    event: { reason: 'R' },
    finalizers: { empty: true },
    statusTemplate: 'phase: X',
    statusPatchAs: { username: 'u' },
  }
  expect(stepsOf(stage({ next }).spec)).toEqual([
    { event: { reason: 'R' } },
    { finalizers: { empty: true } },
    { patch: { subresource: 'status', root: 'status', template: 'phase: X', impersonation: { username: 'u' } } },
  ])
  expect(stepsOf(stage({ next: { delete: true, statusTemplate: 'x' } }).spec)).toEqual([{ delete: true }])
})

describe('patches', () => {
  const status = { conditions: [{ type: 'Ready', status: 'True' }] }
  const current = pod({ status: { phase: 'Running', conditions: [{ type: 'Other', status: 'True' }] } })
  it('are strategic for pods, and merge for others', () => {
    const root = { root: 'status' }
    expect((patched(current, root, status)['status'] as { conditions: unknown[] }).conditions).toHaveLength(2)
    const other = { ...current, apiVersion: 'example.com/v1', kind: 'Boat' }
    expect((patched(other, root, status)['status'] as { conditions: unknown[] }).conditions).toHaveLength(1)
    expect(
      patched(current, { root: 'status', type: 'json' }, [{ op: 'replace', path: '/phase', value: 'X' }])['status'],
    ).toMatchObject({ phase: 'X' })
    expect(() => patched(current, { type: 'odd' }, {})).toThrow('the patch type "odd" is not known')
  })
  it('of finalizers', () => {
    const object = { ...current, metadata: { ...current.metadata, finalizers: ['a', 'b'] } }
    expect(withFinalizers(object, { add: [{ value: 'c' }], remove: [{ value: 'a' }] }).metadata.finalizers).toEqual([
      'b',
      'c',
    ])
    expect(withFinalizers(object, { empty: true }).metadata.finalizers).toBeUndefined()
  })
})

describe('the sets of our own', () => {
  const templates = new Templates()
  const play = (set: keyof typeof stageSets, object: KubeObject): [string, KubeObject] | undefined => {
    const stages = stageSets[set].map((each) => compileStage(each) as CompiledStage)
    const drawn = drawStage(stages, object, { now, random: () => 0 })
    if (drawn === undefined) return undefined
    let after = object
    for (const { patch } of drawn.steps) {
      if (patch !== undefined) after = patched(after, patch, rendered(templates, patch.template ?? '', after, facts))
    }
    return [drawn.name, after]
  }

  it('bring a pod through its life', () => {
    const names: string[] = []
    let object = pod({ metadata: { ...pod().metadata, ownerReferences: [{ kind: 'Job' }] } })
    for (let played = play('pod-general', object); played !== undefined; played = play('pod-general', object)) {
      names.push(`${played[0]} ${String((played[1]['status'] as { phase: string }).phase)}`)
      object = played[1]
    }
    expect(names).toEqual(['pod-create Pending', 'pod-ready Running', 'pod-complete Succeeded'])
    expect(object['status']).toMatchObject({
      podIP: '10.0.0.2',
      containerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
    })
    expect(play('pod-fast', pod())?.[1]['status']).toMatchObject({ phase: 'Running' })
  })

  it('make nodes ready, and break what labels ask for', () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, status: {} } as KubeObject
    const made = play('node-fast', node)?.[1] as KubeObject
    expect(made['status']).toMatchObject({
      phase: 'Running',
      addresses: [{ address: '172.30.0.1' }, { address: 'n1' }],
    })
    const labels = { 'node-not-ready.stage.kwok.x-k8s.io': 'true' }
    const broken = play('node-chaos', { ...made, metadata: { name: 'n1', labels } })?.[1] as KubeObject
    const { conditions } = broken['status'] as { conditions: { type: string; status: string }[] }
    expect(conditions.find(({ type }) => type === 'Ready')?.status).toBe('False')
    const label = { 'pod-container-running-failed.stage.kwok.x-k8s.io': 'true' }
    const annotations = { 'pod-container-running-failed.stage.kwok.x-k8s.io/exit-code': '9' }
    const running = play('pod-fast', pod())?.[1] as KubeObject
    const failed = play('pod-chaos', { ...running, metadata: { ...running.metadata, labels: label, annotations } })?.[1]
    expect(failed?.['status']).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 9 } } }],
    })
  })
})
