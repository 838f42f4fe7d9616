/** What webhooks and expressions see of a request besides its objects. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import { testRequest } from '../testing/test-cluster.ts'
import { reviewNamespace, reviewRequest } from './review-request.ts'
import type { ServedForm } from './rules.ts'

const resource = { group: 'apps', version: 'v1', resource: 'deployments' }
const kind = { group: 'apps', version: 'v1', kind: 'Deployment' }
const form: ServedForm = { resource: { ...resource, version: 'v2' }, kind: { ...kind, version: 'v2' } }
const seen = (request: Partial<AdmissionRequest>): JsonObject =>
  reviewRequest(testRequest({ resource, kind, ...request }), form)
const namespaces = { group: '', version: 'v1', resource: 'namespaces' }

describe('a request', () => {
  it('is in the form that is asked for, and as it came', () => {
    expect(seen({})).toEqual({
      kind: { ...kind, version: 'v2' },
      resource: { ...resource, version: 'v2' },
      requestKind: kind,
      requestResource: resource,
      name: 'x',
      namespace: 'ns',
      operation: 'CREATE',
      userInfo: { username: 'somebody' },
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    })
  })

  it('has no name, part or namespace where there is none', () => {
    expect(seen({ subresource: 'scale' })).toMatchObject({ subResource: 'scale', requestSubResource: 'scale' })
    const bare = seen({ name: '', namespace: '' })
    for (const field of ['name', 'namespace', 'subResource', 'requestSubResource'])
      expect(bare).not.toHaveProperty(field)
  })

  it.each<[string, Partial<AdmissionRequest>, unknown]>([
    ['a create', { options: { fieldManager: 'm' } }, { kind: 'CreateOptions', fieldManager: 'm' }],
    ['an update', { operation: 'UPDATE' }, { kind: 'UpdateOptions' }],
    [
      'a patch',
      { operation: 'UPDATE', options: { kind: 'PatchOptions', apiVersion: 'x', force: true } },
      { kind: 'UpdateOptions' },
    ],
    [
      'a deletion',
      { operation: 'DELETE', options: { gracePeriodSeconds: 5 } },
      { kind: 'DeleteOptions', gracePeriodSeconds: 5 },
    ],
    ['a connection', { operation: 'CONNECT', options: { stdin: true } }, null],
  ])('has the options of %s', (_, request, expected) => {
    const { options } = seen(request)
    expect(options).toEqual(expected === null ? null : { apiVersion: 'meta.k8s.io/v1', ...(expected as object) })
  })

  it.each<[string, AdmissionRequest['user'], JsonObject]>([
    ['nobody', { name: '', groups: [], extra: new Map() }, {}],
    [
      'somebody',
      { name: 'u', uid: 'id', groups: ['g'], extra: new Map([['__proto__', ['v']]]) },
      { username: 'u', uid: 'id', groups: ['g'], extra: JSON.parse('{"__proto__":["v"]}') as JsonObject },
    ],
    ['somebody without an id', { name: 'u', uid: '', groups: [], extra: new Map() }, { username: 'u' }],
  ])('is that of %s', (_, user, expected) => {
    expect(JSON.stringify(seen({ user })['userInfo'])).toBe(JSON.stringify(expected))
  })
})

it.each<[string, Partial<AdmissionRequest>, string]>([
  ['of a namespaced object is its own', { namespace: 'ns' }, 'ns'],
  ['of a namespace is that itself', { namespace: '', resource: namespaces, name: 'n' }, 'n'],
  ['of a namespace in a namespace is the latter', { namespace: 'ns', resource: namespaces, name: 'n' }, 'ns'],
  ['of others is none', { namespace: '', resource: { ...namespaces, resource: 'nodes' }, name: 'n' }, ''],
  [
    'of what has the name of namespaces is none',
    { namespace: '', resource: { ...namespaces, group: 'x' }, name: 'n' },
    '',
  ],
])('the namespace %s', (_, request, expected) => {
  expect(reviewNamespace(testRequest(request))).toBe(expected)
})
