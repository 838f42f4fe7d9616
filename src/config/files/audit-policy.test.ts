import { expect, it } from 'vitest'
import { readAuditPolicy } from './audit-policy.ts'

const policy = `{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata, resources: [{group: "*"}]}]}`

it('knows rules about all groups since v1.36', () => {
  expect(readAuditPolicy(policy, 'p', 36).rules[0]?.resources[0]?.group).toBe('*')
  expect(() => readAuditPolicy(policy, 'p', 35)).toThrow('rules[0].resources[0].group: Invalid value: "*"')
})
