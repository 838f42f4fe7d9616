import { expect, test } from 'vitest'
import { compareVersions } from './version-order.ts'

test('stable before beta before alpha, newer before older, the rest last by name', () => {
  const versions = ['v1alpha1', 'foo10', 'v1', 'v11beta2', 'v2', 'v10', 'v1beta1', 'foo1', 'v12alpha1', 'v10beta3']
  expect(versions.sort(compareVersions)).toEqual([
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v1beta1',
    'v12alpha1',
    'v1alpha1',
    'foo1',
    'foo10',
  ])
})
