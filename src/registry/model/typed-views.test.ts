import { expect, it } from 'vitest'
import { typedViews } from './typed-views.ts'

it.each([
  ['', 'Pod', '*core.Pod'],
  ['events.k8s.io', 'Event', '*core.Event'],
  ['apps', 'Deployment', '*apps.Deployment'],
  ['rbac.authorization.k8s.io', 'Role', '*rbac.Role'],
  ['internal.apiserver.k8s.io', 'StorageVersion', '*apiserverinternal.StorageVersion'],
])('the stored type of %s %s is %s', (group, kind, type) => {
  expect(typedViews.storedType({ group, version: 'v1', kind } as never)).toBe(type)
})

it('an item of a list says neither its kind nor its version, and begins where those end', () => {
  const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } }
  expect(typedViews.listItem(object as never)).toEqual({ metadata: { name: 'a' } })
  const text = JSON.stringify(object)
  expect(text.slice(typedViews.itemOffset({ kind: 'Pod', apiVersion: 'v1' } as never))).toBe('"metadata":{"name":"a"}}')
})

it('an empty list has null for its items', () => {
  expect(typedViews.emptyList('PodList', 'v1')).toEqual({
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: {},
    items: null,
  })
})
