import { describe, expect, it } from 'vitest'
import { matchesRule, matchingForm, type Rule, type RuleTarget } from './rules.ts'

const target: RuleTarget = {
  operation: 'CREATE',
  resource: { group: 'apps', version: 'v1', resource: 'deployments' },
  subresource: '',
  isNamespaced: true,
}
const rule = (more: Partial<Rule> = {}): Rule => ({
  apiGroups: ['apps'],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['deployments'],
  ...more,
})

describe('rules', () => {
  it.each<[string, Rule, Partial<RuleTarget>, boolean]>([
    ['exactly', rule(), {}, true],
    ['stars', { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }, {}, true],
    ['another operation', rule(), { operation: 'DELETE' }, false],
    ['a star is not about subresources', rule({ resources: ['*'] }), { subresource: 'scale' }, false],
    ['any resource with that subresource', rule({ resources: ['*/scale'] }), { subresource: 'scale' }, true],
    ['any subresource, and the resource itself', rule({ resources: ['deployments/*'] }), {}, true],
    ['cluster-wide only', rule({ scope: 'Cluster' }), {}, false],
    ['in namespaces only', rule({ scope: 'Namespaced' }), { isNamespaced: false }, false],
    ['other names', rule({ resourceNames: ['a'] }), { name: 'b' }, false],
    ['its name', rule({ resourceNames: ['a'] }), { name: 'a' }, true],
  ])('%s', (_, given, more, expected) => {
    expect(matchesRule(given, { ...target, ...more })).toBe(expected)
  })

  it('match in another version when that is as good', () => {
    const other = {
      resource: { ...target.resource, version: 'v2' },
      kind: { group: 'apps', version: 'v2', kind: 'Deployment' },
    }
    const options = { kind: { group: 'apps', version: 'v1', kind: 'Deployment' }, forms: () => [other] }
    const rules = [rule({ apiVersions: ['v2'] })]
    expect(matchingForm(rules, target, { ...options, equivalent: true })).toBe(other)
    expect(matchingForm(rules, target, { ...options, equivalent: false })).toBeUndefined()
    const excluded = { excluded: rules, equivalent: true }
    expect(matchingForm([rule()], target, { ...options, ...excluded })).toBeUndefined()
    expect(matchingForm([rule()], target, { ...options, ...excluded, equivalent: false })).toBeDefined()
  })
})
