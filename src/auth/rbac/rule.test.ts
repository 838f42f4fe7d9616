import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import { pathRequest, resourceRequest, user } from '../testing/attributes.ts'
import { covers } from './escalation.ts'
import { type PolicyRule, ruleAllows, ruleGaps, rulesOf } from './rule.ts'

const some = (...items: string[]) => fc.subarray(items, { minLength: 1 })
const resourceRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some('get', 'list', '*'),
  apiGroups: some('', 'apps', '*'),
  resources: some('pods', 'pods/log', 'deployments', '*/scale', '*', 'deployments/scale'),
  resourceNames: fc.subarray(['a', 'b']),
  nonResourceURLs: fc.constant([]),
})
const pathRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some('get', 'post', '*'),
  apiGroups: fc.constant([]),
  resources: fc.constant([]),
  resourceNames: fc.constant([]),
  nonResourceURLs: some('/healthz', '/healthz/*', '/logs*', '*'),
})
const rules = fc.array(fc.oneof(resourceRule, pathRule), { maxLength: 4 })
const ann = user('ann')
const request = fc.oneof(
  fc
    .record({
      verb: fc.constantFrom('get', 'list', 'delete'),
      apiGroup: fc.constantFrom('', 'apps', 'other'),
      resource: fc.constantFrom('pods', 'deployments', 'nodes'),
      subresource: fc.constantFrom('', 'log', 'scale'),
      name: fc.constantFrom('', 'a', 'c'),
    })
    .map((attributes) => resourceRequest(ann, attributes)),
  fc
    .tuple(fc.constantFrom('/healthz', '/healthz/x', '/logs', '/logs/a', '/x'), fc.constantFrom('get', 'post'))
    .map(([path, verb]) => pathRequest(ann, path, verb)),
)

describe('covers and ruleAllows agree', () => {
  it('who holds all of the rules may do all that they allow', () => {
    fc.assert(
      fc.property(rules, rules, request, (owned, wanted, asked) => {
        fc.pre(runToEnd(covers(owned, wanted)).covered)
        if (wanted.some((rule) => ruleAllows(rule, asked)))
          expect(owned.some((rule) => ruleAllows(rule, asked))).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
  it('everybody holds what they have, and what is missing is not held', () => {
    fc.assert(
      fc.property(rules, rules, (owned, wanted) => {
        expect(runToEnd(covers(owned, owned)).covered).toBe(true)
        const { missing } = runToEnd(covers(owned, wanted))
        expect(runToEnd(covers([...owned, ...missing], wanted)).covered).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('what a rule does not cover', () => {
  const rule: PolicyRule = {
    verbs: ['get'],
    apiGroups: ['apps'],
    resources: ['deployments', '*/scale'],
    resourceNames: ['a'],
    nonResourceURLs: ['/healthz/*'],
  }
  const asked = { verb: 'get', apiGroup: 'apps', resource: 'deployments', name: 'a' }
  it.each<[string, RequestAttributes, Partial<PolicyRule>, string[]]>([
    ['nothing', resourceRequest(ann, asked), {}, []],
    ['another verb', resourceRequest(ann, { ...asked, verb: 'list' }), {}, ['verb']],
    ['another group', resourceRequest(ann, { ...asked, apiGroup: '' }), {}, ['group']],
    ['another resource', resourceRequest(ann, { ...asked, resource: 'pods' }), {}, ['resource']],
    ['a part of another name', resourceRequest(ann, { ...asked, subresource: 'status' }), {}, ['resource']],
    ['a part of any resource', resourceRequest(ann, { ...asked, subresource: 'scale' }), {}, []],
    ['another name', resourceRequest(ann, { ...asked, name: 'b' }), {}, ['name']],
    ['another name where none is named', resourceRequest(ann, { ...asked, name: 'b' }), { resourceNames: [] }, []],
    ['all of it', resourceRequest(ann, { verb: 'list' }), {}, ['verb', 'group', 'resource', 'name']],
    ['anything of stars', resourceRequest(ann, asked), { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, []],
    ['a path', pathRequest(ann, '/healthz/etcd'), {}, []],
    ['another path', pathRequest(ann, '/healthz'), {}, ['path']],
    ['another path by another verb', pathRequest(ann, '/x', 'post'), {}, ['verb', 'path']],
    ['the path itself', pathRequest(ann, '/x'), { nonResourceURLs: ['/x'] }, []],
    ['all paths', pathRequest(ann, '/x'), { nonResourceURLs: ['*'] }, []],
  ])('%s', (_, attributes, more, expected) => {
    const given = { ...rule, ...more }
    expect(ruleGaps(given, attributes)).toEqual(expected)
    expect(ruleAllows(given, attributes)).toBe(expected.length === 0)
  })

  it('is read from whatever is stored', () => {
    const empty = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }
    expect(rulesOf({})).toEqual([])
    expect(rulesOf({ rules: 'x' })).toEqual([])
    expect(rulesOf({ rules: [1, {}, { verbs: ['get', 2], resources: 'pods' }] })).toEqual([
      empty,
      { ...empty, verbs: ['get'] },
    ])
  })
})
