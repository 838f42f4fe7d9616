import { describe, expect, it } from 'vitest'
import type { NamespaceCondition } from '../../catalog/types/core-v1.ts'
import { type ContentReport, updatedConditions } from './conditions.ts'

const empty: ContentReport = { discoveryErrors: [], errors: [], remaining: new Map(), finalizers: new Map() }
const before = '2024-01-01T00:00:00Z'
const now = '2024-01-01T00:00:09Z'

const find = (conditions: readonly NamespaceCondition[] | undefined, type: string) =>
  conditions?.find((condition) => condition.type === type)

describe('conditions of a terminating namespace', () => {
  it('are all there after the first pass, and stay when nothing is new', () => {
    const first = updatedConditions([], empty, before) ?? []
    expect(first.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'NamespaceDeletionDiscoveryFailure False',
      'NamespaceDeletionGroupVersionParsingFailure False',
      'NamespaceDeletionContentFailure False',
      'NamespaceContentRemaining False',
      'NamespaceFinalizersRemaining False',
    ])
    expect(updatedConditions(first, empty, now)).toBeUndefined()
  })

  it.each([
    [
      'NamespaceContentRemaining',
      { remaining: new Map(Object.entries({ 'pods.': 2, 'deployments.apps': 1 })) },
      'Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances',
    ],
    [
      'NamespaceFinalizersRemaining',
      { finalizers: new Map([['example.com/hold', 1]]) },
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    ],
    [
      'NamespaceDeletionContentFailure',
      { errors: ['b', 'a'] },
      'Failed to delete all resource types, 2 remaining: a, b',
    ],
  ])('say what is in the way: %s', (type, report, message) => {
    const first = updatedConditions([], empty, before) ?? []
    const next = updatedConditions(first, { ...empty, ...report }, now)
    expect(find(next, type)).toMatchObject({ status: 'True', message, lastTransitionTime: now })
  })

  it('keep the time while only the words change, and leave those of others alone', () => {
    const foreign = { type: 'Example', status: 'True', lastTransitionTime: null, reason: 'R', message: 'm' }
    const one = updatedConditions([foreign], { ...empty, remaining: new Map([['pods.', 2]]) }, before) ?? []
    const two = updatedConditions(one, { ...empty, remaining: new Map([['pods.', 1]]) }, now)
    expect(find(two, 'NamespaceContentRemaining')).toMatchObject({ lastTransitionTime: before })
    expect(two?.[0]).toEqual(foreign)
  })
})
