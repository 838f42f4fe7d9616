import { expect, test } from 'vitest'
import type { Container, EphemeralContainer } from '../../../catalog/types/core-v1.ts'
import {
  hasRestartRules,
  mayRestartAfter,
  mayRestartAll,
  usesRestartRules,
  withoutRestartRules,
} from './restart-rules.ts'

const rule = (operator: string, values: number[], action = 'Restart') => ({ action, exitCodes: { operator, values } })
const container = (restartPolicy: string | undefined, ...restartPolicyRules: object[]): Container =>
  ({ name: 'c', ...(restartPolicy && { restartPolicy }), restartPolicyRules }) as unknown as Container
const options = { restartRules: true, restartsAll: false, newMessages: false }

test.each([
  ['no policy of its own says nothing', container(undefined), 1, undefined],
  ['a rule that fits', container('Never', rule('In', [42])), 42, true],
  ['a rule that does not fit leaves it to the policy', container('Never', rule('In', [42])), 1, false],
  ['codes that are not listed', container('Never', rule('NotIn', [0])), 3, true],
  ['the first rule that fits decides', container('OnFailure', rule('In', [1], 'Odd'), rule('In', [1])), 0, false],
  ['a failure', container('OnFailure'), 1, true],
  ['always', container('Always'), 0, true],
  ['all containers, while that is off', container('Never', rule('In', [1], 'RestartAllContainers')), 1, false],
])('%s', (_what, one, exitCode, expected) => {
  expect(mayRestartAfter(one, exitCode, options)).toBe(expected)
})

test('a rule of any container may restart all of them', () => {
  const all = container('Never', rule('In', [1], 'RestartAllContainers'))
  expect(mayRestartAfter(all, 1, { ...options, restartsAll: true })).toBe(true)
  expect(mayRestartAll({ containers: [container('Never')], initContainers: [all] })).toBe(true)
  expect(mayRestartAll({ containers: [container('Never', rule('In', [1]))] })).toBe(false)
})

test('a policy of a container for debugging is dropped, though it does not count as used', () => {
  const spec = { containers: [], ephemeralContainers: [container('Always') as EphemeralContainer] }
  expect([usesRestartRules(spec), hasRestartRules(spec), hasRestartRules({ containers: [] })]).toEqual([
    false,
    true,
    false,
  ])
  expect(withoutRestartRules(spec).ephemeralContainers).toEqual([{ name: 'c' }])
})
