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
