import { describe, expect, it } from 'vitest'
import type { Deployment, ReplicaSet } from '../../../catalog/types/apps-v1.ts'
import { lastRevision, maxRevision, newSetAnnotations, revisionAnnotation } from './revisions.ts'
import {
  desiredReplicasAnnotation,
  fenceposts,
  maxReplicasAnnotation,
  newSetSize,
  rollingDownsizes,
  scaleSizes,
} from './rollout.ts'

const deployment = (replicas: number, maxSurge: number | string = 0, maxUnavailable: number | string = 0): Deployment =>
  ({
    metadata: { name: 'web', annotations: { note: 'x', [revisionAnnotation]: '9' } },
    spec: { replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } },
    status: {},
  }) as unknown as Deployment

let age = 0
const set = (replicas: number, available = replicas, max?: number, revision = 1): ReplicaSet =>
  ({
    metadata: {
      name: `set-${++age}`,
      creationTimestamp: new Date(1_800_000_000_000 + age * 1000).toISOString(),
      annotations: {
        [revisionAnnotation]: String(revision),
        ...(max === undefined ? {} : { [maxReplicasAnnotation]: String(max), [desiredReplicasAnnotation]: '1' }),
      },
    },
    spec: { replicas },
    status: { availableReplicas: available },
  }) as unknown as ReplicaSet

describe('how far a rollout may go', () => {
  const cases: readonly [number, number | string, number | string, surge: number, unavailable: number][] = [
    [10, '25%', '25%', 3, 2],
    [10, 0, '30%', 0, 3],
    [1, '25%', '25%', 1, 0],
    [10, 0, 0, 0, 1],
    [2, 0, 5, 0, 2],
  ]
  for (const [replicas, maxSurge, maxUnavailable, surge, unavailable] of cases) {
    it(`${replicas} with ${maxSurge} and ${maxUnavailable}`, () => {
      expect(fenceposts(deployment(replicas, maxSurge, maxUnavailable))).toEqual({ surge, unavailable })
    })
  }

  it('grows the newest set as far as there is room', () => {
    expect(newSetSize(deployment(10, 3, 2), 0, [set(10)])).toBe(3)
    expect(newSetSize(deployment(10, 0, 2), 0, [set(10)])).toBe(0)
    expect(newSetSize(deployment(10, 0, 2), 0, [set(8)])).toBe(2)
    expect(newSetSize(deployment(10, 3, 2), 8, [set(1)])).toBe(10)
    const recreate = deployment(10)
    expect(newSetSize({ ...recreate, spec: { ...recreate.spec, strategy: { type: 'Recreate' } } }, 0, [set(5)])).toBe(
      10,
    )
  })
})

describe('what older sets shrink to', () => {
  const cases: readonly [string, Deployment, newSet: [number, number], olds: [number, number][], sizes: number[]][] = [
    ['nothing while the new pods are not there', deployment(10, 3, 0), [3, 0], [[10, 10]], []],
    ['as many as may be unavailable', deployment(10, 3, 2), [3, 0], [[10, 10]], [8]],
    ['as many as have become available', deployment(10, 3, 2), [3, 3], [[10, 10]], [5]],
    [
      'first those that are not available',
      deployment(10, 0, 2),
      [0, 0],
      [
        [8, 0],
        [2, 2],
      ],
      [6],
    ],
    ['all when the new ones are there', deployment(4, 1, 1), [4, 4], [[1, 1]], [0]],
    [
      'one set in two steps: what is not available, then what is too much',
      deployment(4, 1, 1),
      [4, 3],
      [[2, 1]],
      [1, 0],
    ],
  ]
  for (const [name, target, [size, available], olds, sizes] of cases) {
    it(name, () => {
      const old = olds.map(([replicas, up]) => set(replicas, up))
      expect(rollingDownsizes(target, set(size, available), old).map(({ replicas }) => replicas)).toEqual(sizes)
    })
  }
})

describe('scaling while a rollout is under way', () => {
  const sizes = (target: Deployment, newSet: ReplicaSet, olds: readonly ReplicaSet[]): number[] => {
    const wanted = new Map(scaleSizes(target, newSet, olds).map(({ set: each, replicas }) => [each, replicas]))
    return [...olds, newSet].map((each) => wanted.get(each) ?? each.spec.replicas ?? 0)
  }
  const cases: readonly [string, Deployment, newSet: number, olds: number[], max: number, expected: number[]][] = [
    ['up, in proportion', deployment(15, 3, 2), 5, [8], 13, [11, 7]],
    ['down, in proportion', deployment(5, 3, 2), 5, [8], 13, [5, 3]],
    ['to nothing', deployment(0, 3, 2), 5, [8], 13, [0, 0]],
    ['the largest gets what is left over', deployment(20, 0, 2), 4, [3, 3], 10, [6, 6, 8]],
  ]
  for (const [name, target, newSize, olds, max, expected] of cases) {
    it(name, () => {
      const old = olds.map((replicas) => set(replicas, replicas, max))
      expect(sizes(target, set(newSize, 0, max), old)).toEqual(expected)
    })
  }

  it('gives one active set all', () => {
    expect(sizes(deployment(7), set(3), [set(0)])).toEqual([0, 7])
    expect(sizes(deployment(7), set(0), [set(3)])).toEqual([7, 0])
  })
})

describe('revisions', () => {
  it('finds the last one', () => {
    expect(lastRevision([set(1, 1, 1, 3), set(1, 1, 1, 7), set(1, 1, 1, 5)])).toBe(5n)
    expect(lastRevision([set(1)])).toBe(0n)
    const huge = set(1)
    const annotated = (revision: string) => ({
      ...huge,
      metadata: { ...huge.metadata, annotations: { [revisionAnnotation]: revision } },
    })
    expect(maxRevision([annotated('3546343826724305832')])).toBe(3546343826724305832n)
    for (const odd of ['9223372036854775808', '1.5', '', 'x', '0x10']) expect(maxRevision([annotated(odd)])).toBe(0n)
  })

  it('notes the place in history, and copies annotations that are not its own', () => {
    const first = newSetAnnotations(deployment(1), {}, 1n)
    expect(first).toEqual({ note: 'x', [revisionAnnotation]: '1' })
    const again = newSetAnnotations(deployment(1), first, 4n)
    expect(again).toEqual({ note: 'x', [revisionAnnotation]: '4', 'deployment.kubernetes.io/revision-history': '1' })
    expect(newSetAnnotations(deployment(1), again, 3n)).toEqual(again)
    let annotations = again
    for (let revision = 5n; revision < 2000n; revision++)
      annotations = newSetAnnotations(deployment(1), annotations, revision)
    expect(annotations['deployment.kubernetes.io/revision-history']?.length).toBeLessThanOrEqual(2000)
  })
})
