import { describe, expect, it } from 'vitest'
import type { Toleration } from '../catalog/types/core-v1.ts'
import { coversToleration, mergeTolerations } from './tolerations.ts'

const exists = (key: string, more: Partial<Toleration> = {}): Toleration => ({ key, operator: 'Exists', ...more })
const equal = (key: string, value: string, more: Partial<Toleration> = {}): Toleration => ({
  key,
  operator: 'Equal',
  value,
  ...more,
})
const everything: Toleration = { operator: 'Exists' }

describe('a toleration covers another', () => {
  const longer = (tolerationSeconds?: number): Toleration =>
    exists('a', { effect: 'NoExecute', ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }) })
  it.each<[string, Toleration, Toleration, boolean]>([
    ['that is the same', exists('a'), exists('a'), true],
    ['of its key', exists('a'), equal('a', 'x'), true],
    ['of another key', exists('a'), exists('b'), false],
    ['of any key', everything, exists('b'), true],
    ['of its effect', exists('a', { effect: 'NoSchedule' }), equal('a', 'x', { effect: 'NoSchedule' }), true],
    ['of another effect', exists('a', { effect: 'NoSchedule' }), exists('a', { effect: 'NoExecute' }), false],
    ['of any effect', exists('a'), exists('a', { effect: 'NoExecute' }), true],
    ['of all effects by one', exists('a', { effect: 'NoSchedule' }), exists('a'), false],
    ['of its value', equal('a', 'x'), { key: 'a', value: 'x' }, true],
    ['of another value', equal('a', 'x'), equal('a', 'y'), false],
    ['of every value by one', equal('a', 'x'), exists('a'), false],
    ['without a value', { key: 'a' }, { key: 'a', operator: 'Equal' }, true],
    ['of an empty value by none', { key: 'a' }, equal('a', ''), true],
    ['that lasts as long', longer(5), exists('a', { effect: 'NoExecute', tolerationSeconds: 5, value: '' }), true],
    ['that lasts shorter', longer(5), longer(4), true],
    ['that lasts longer', longer(5), longer(6), false],
    ['that lasts for ever', longer(5), longer(), false],
    ['that lasts, by one for ever', longer(), longer(5), true],
    ['by an operator that nobody knows', { key: 'a', operator: 'Gt' }, { key: 'a', operator: 'Gt', value: 'x' }, false],
  ])('%s', (_, wide, narrow, expected) => {
    expect(coversToleration(wide, narrow)).toBe(expected)
  })
})

it.each<[string, Toleration[], Toleration[], Toleration[]]>([
  ['are those of both', [exists('a')], [exists('b')], [exists('a'), exists('b')]],
  ['are there once', [exists('a')], [exists('a'), exists('a')], [exists('a')]],
  ['leave out what an earlier one covers', [exists('a')], [equal('a', 'x')], [exists('a')]],
  ['leave out what a later one covers', [equal('a', 'x')], [exists('a')], [exists('a')]],
  ['leave out all but the widest', [equal('a', 'x'), exists('b')], [everything], [everything]],
  ['are none', [], [], []],
])('tolerations of two lists %s', (_, first, second, expected) => {
  expect(mergeTolerations(first, second)).toEqual(expected)
})
