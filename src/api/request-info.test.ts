import { expect, it } from 'vitest'
import { requestInfo } from './request-info.ts'

// What cannot be read names nothing: the list is authorized as one of everything.
it.each([
  ['fieldSelector=metadata.name%3Da', 'a'],
  ['fieldSelector=metadata.name%3Da&labelSelector=b%3Dc&limit=5', 'a'],
  ['fieldSelector=metadata.name%3Da&labelSelector=,-b', ''],
  ['fieldSelector=metadata.name%3Da&limit=x', ''],
  ['fieldSelector=metadata.name%3Da&timeoutSeconds=1.5', ''],
  ['fieldSelector=metadata.name', ''],
  ['fieldSelector=metadata.name!%3Da', ''],
  ['fieldSelector=metadata.name%3D..', ''],
])('a list with %s is about %j', (query, name) => {
  const info = requestInfo({ method: 'GET', path: '/api/v1/namespaces/default/pods', query })
  expect([info.verb, info.name]).toEqual(['list', name])
})

const pods = '/api/v1/namespaces/default/pods'

// The specification has a watch of one object by its own path, which the reference ignores; HEAD has none.
it.each([
  ['GET', `${pods}?watch=true`, 'watch', ''],
  ['GET', `${pods}?watch=0`, 'list', ''],
  ['GET', `${pods}?watch=1&fieldSelector=metadata.name%3Da`, 'watch', 'a'],
  ['GET', `${pods}/a?watch=true`, 'watch', 'a'],
  ['GET', `${pods}/a?watch=false`, 'get', 'a'],
  ['HEAD', `${pods}/a?watch=x`, 'get', 'a'],
  ['GET', `${pods}/a/log?watch=true`, 'get', 'a'],
  ['GET', '/api/v1/watch/namespaces/default/pods/a', 'watch', 'a'],
])('%s %s is a %s', (method, target, verb, name) => {
  const [path = '', query = ''] = target.split('?')
  const info = requestInfo({ method, path, query })
  expect([info.verb, info.name]).toEqual([verb, name])
})
