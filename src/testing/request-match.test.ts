import { describe, expect, it } from 'vitest'
import type { RecordedRequest, RequestMatch } from './api/requests.ts'
import { requestMatcher, textPattern } from './request-match.ts'

const request: RecordedRequest = {
  id: 1,
  verb: 'update',
  method: 'PUT',
  path: '/apis/apps/v1/namespaces/shop/deployments/web/status',
  query: '',
  resource: 'deployments.apps',
  subresource: 'status',
  version: 'v1',
  namespace: 'shop',
  name: 'web',
  user: 'alice',
  userAgent: 'operator/v1.2 (linux)',
  groups: [],
  headers: {},
  responseHeaders: {},
  warnings: [],
  auditAnnotations: {},
  response: undefined,
  time: 0,
  status: 0,
  duration: undefined,
  body: undefined,
  faults: [],
}

describe('which requests match', () => {
  it.each<[RequestMatch, boolean]>([
    [{}, true],
    [{ verb: 'update' }, true],
    [{ verb: ['get', 'update'] }, true],
    [{ verb: 'get' }, false],
    [{ resource: 'deployments.apps/status' }, true],
    [{ resource: 'deployments.apps' }, false],
    [{ resource: 'deployments.apps*' }, true],
    [{ resource: ['pods', '*/status'] }, true],
    [{ namespace: 'shop', name: 'web', user: 'alice' }, true],
    [{ namespace: 'shop', name: 'db' }, false],
    [{ userAgent: 'operator/*' }, true],
    [{ path: '/apis/*/deployments/*' }, true],
    [{ where: ({ method }) => method === 'POST' }, false],
  ])('%j: %s', (match, expected) => {
    expect(requestMatcher(match)(request)).toBe(expected)
  })

  it.each([
    ['*', '', true],
    ['a*', 'a', true],
    ['a*a', 'a', false],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['*bc', 'abcbc', true],
    ['a.c', 'abc', false],
  ])('%j holds for %j: %s', (pattern, text, expected) => {
    expect(textPattern(pattern)(text)).toBe(expected)
  })
})
