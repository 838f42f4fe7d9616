/** Policies of a file: whom and what they match, in both formats, and the rules that they list. */
import { describe, expect, it } from 'vitest'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { pathRequest, resourceRequest, user } from '../testing/attributes.ts'
import { AbacAuthorizer } from './abac.ts'

const versioned = (spec: object): string =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec })
const abac = (...lines: (string | object)[]): AbacAuthorizer =>
  new AbacAuthorizer(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'), 'f')

const ann = user('ann', 'dev', 'system:authenticated')
const pods = (more: Partial<RequestAttributes> = {}): RequestAttributes =>
  resourceRequest(ann, { resource: 'pods', namespace: 'ns', ...more })

describe('a policy', () => {
  const all = { namespace: '*', resource: '*', apiGroup: '*' }
  it.each<[string, string | object, RequestAttributes, boolean]>([
    ['for its user', versioned({ user: 'ann', ...all }), pods(), true],
    ['for another user', versioned({ user: 'bob', ...all }), pods(), false],
    ['for every user', versioned({ user: '*', ...all }), pods(), true],
    ['for a group', versioned({ group: 'dev', ...all }), pods(), true],
    ['for every group', versioned({ group: '*', ...all }), pods(), true],
    ['for another group', versioned({ group: 'ops', ...all }), pods(), false],
    ['for a user in another group', versioned({ user: 'ann', group: 'ops', ...all }), pods(), false],
    ['for another user in the group', versioned({ user: 'bob', group: 'dev', ...all }), pods(), false],
    ['for nobody', versioned(all), pods(), false],
    ['of a namespace', versioned({ user: 'ann', ...all, namespace: 'ns' }), pods(), true],
    ['of another namespace', versioned({ user: 'ann', ...all, namespace: 'x' }), pods(), false],
    ['of another resource', versioned({ user: 'ann', ...all, resource: 'x' }), pods(), false],
    ['of another group of resources', versioned({ user: 'ann', ...all, apiGroup: 'apps' }), pods(), false],
    ['to read, of a read', versioned({ user: 'ann', ...all, readonly: true }), pods({ verb: 'list' }), true],
    ['to read, of a write', versioned({ user: 'ann', ...all, readonly: true }), pods({ verb: 'delete' }), false],
    ['of resources, of a path', versioned({ user: 'ann', ...all }), pathRequest(ann, '/x'), false],
    ['of a path', versioned({ user: 'ann', nonResourcePath: '/x' }), pathRequest(ann, '/x'), true],
    ['of a path, of one below it', versioned({ user: 'ann', nonResourcePath: '/x' }), pathRequest(ann, '/x/y'), false],
    ['of all below a path', versioned({ user: 'ann', nonResourcePath: '/x/*' }), pathRequest(ann, '/x/y'), true],
    ['of all below another path', versioned({ user: 'ann', nonResourcePath: '/z/*' }), pathRequest(ann, '/x/y'), false],
    ['of the first format, which leaves out everything', {}, pods({ verb: 'delete', apiGroup: 'apps' }), true],
    ['of the first format, of somebody unknown', {}, { ...pods(), user: user('x', 'system:unauthenticated') }, false],
    ['of the first format, for a user', { user: 'bob' }, pods(), false],
    ['of the first format, for every user', { user: '*' }, pods(), true],
    ['of the first format, for a group', { group: 'dev' }, pods(), true],
    ['of the first format, for another group', { group: 'ops' }, pods(), false],
    ['of the first format, of a resource', { user: 'ann', resource: 'pods' }, pods(), true],
    ['of the first format, of another resource', { user: 'ann', resource: 'x' }, pods(), false],
    ['of the first format, of another namespace', { user: 'ann', namespace: 'x' }, pods(), false],
    ['of the first format, of a path', { user: 'ann' }, pathRequest(ann, '/x'), true],
    ['of the first format and a resource, of a path', { user: 'ann', resource: 'pods' }, pathRequest(ann, '/x'), false],
    ['of the first format and a namespace, of a path', { user: 'ann', namespace: 'ns' }, pathRequest(ann, '/x'), false],
    ['without a spec', { apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy' }, pods(), false],
  ])('%s', (_, line, attributes, isAllowed) => {
    const expected = isAllowed
      ? { verdict: 'allow', reason: '' }
      : { verdict: 'no opinion', reason: 'No policy matched.' }
    expect(abac(line).authorize(attributes)).toEqual(expected)
  })

  it.each<[string, string]>([
    ['{"kind":"Policy"}', 'error reading policy file f:1: no kind "Policy" is registered for version "undefined"'],
    [
      versioned({}).replace('"Policy"', '"X"'),
      'no kind "X" is registered for version "abac.authorization.kubernetes.io/v1beta1"',
    ],
    ['[]', 'error reading policy file f:1: the line is not a JSON object'],
  ])('that is %s is refused', (line, why) => {
    expect(() => abac(line)).toThrow(why)
  })
})

it('the rules of a user in a namespace are listed', () => {
  const authorizer = abac(
    versioned({ user: 'ann', namespace: 'ns', resource: 'pods', apiGroup: 'apps', readonly: true }),
    versioned({ user: 'ann', namespace: '*', resource: 'services' }),
    versioned({ user: 'ann', namespace: 'other', resource: 'secrets' }),
    versioned({ user: 'bob', namespace: '*', resource: '*' }),
    versioned({ group: 'dev', nonResourcePath: '/x', readonly: true }),
  )
  expect(authorizer.rulesFor(ann, 'ns')).toEqual({
    resourceRules: [
      { verbs: ['get', 'list', 'watch'], apiGroups: ['apps'], resources: ['pods'] },
      { verbs: ['*'], apiGroups: [''], resources: ['services'] },
    ],
    nonResourceRules: [{ verbs: ['get', 'list', 'watch'], nonResourceURLs: ['/x'] }],
    incomplete: false,
  })
})
