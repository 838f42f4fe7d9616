import { describe, expect, test } from 'vitest'
import type { KubeObject, OwnerReference } from '../api/object.ts'
import { deduplicateOwnerReferences } from './owner-references.ts'

const reference = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'owner',
  uid,
  ...more,
})

const owned = (...ownerReferences: OwnerReference[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', ownerReferences },
})

const rest =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed:'

describe('owner references that come twice', () => {
  test.each<[string, OwnerReference[], boolean, string[], string[]]>([
    [
      'are kept once',
      [reference('a'), reference('b'), reference('a'), reference('b'), reference('a')],
      false,
      ['a', 'b'],
      [`.metadata.ownerReferences contains duplicate entries; ${rest} a, b, a`],
    ],
    [
      'may come from admission',
      [reference('a'), reference('a')],
      true,
      ['a'],
      [`.metadata.ownerReferences contains duplicate entries after mutating admission happens; ${rest} a`],
    ],
    ['are equal in everything', [reference('a'), reference('a', { controller: true })], false, ['a', 'a'], []],
  ])('%s', (_, references, admitted, kept, warnings) => {
    const reported: string[] = []
    const object = owned(...references)
    const result = deduplicateOwnerReferences(object, (text) => reported.push(text), { admitted })
    expect(result.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual(kept)
    expect(reported).toEqual(warnings)
    expect(result === object).toBe(warnings.length === 0)
  })
})
