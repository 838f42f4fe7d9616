import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import type { ObjectSource } from '../../api/object-source.ts'
import type { ParamRef } from '../../catalog/types/admissionregistration-v1.ts'
import { testObject, testRequest } from '../testing/test-cluster.ts'
import { collectParams, type FindParamKind, paramKindProblem } from './params.ts'
import type { PolicySpec } from './policy-objects.ts'

const one = testObject('ConfigMap', 'one', {}, { namespace: 'ns', labels: { a: 'b' } })
const objects: ObjectSource = {
  get: (namespace, name) => (namespace === 'ns' && name === 'one' ? one : undefined),
  list: (namespace) => (namespace === 'ns' ? [one] : []),
  subscribe: () => () => undefined,
}
const find: FindParamKind = async (_, kind) =>
  kind === 'Odd'
    ? undefined
    : { namespaced: kind === 'ConfigMap', isTyped: false, objects, convert: (object) => object }

const spec = (apiVersion: string, kind: string): PolicySpec => ({ paramKind: { apiVersion, kind } })

describe('the kind of parameters', () => {
  const missing = 'failed to configure policy: failed to find resource referenced by paramKind:'
  it.each<[PolicySpec, string | undefined]>([
    [{}, undefined],
    [spec('v1', 'ConfigMap'), undefined],
    [spec('v1', 'Odd'), `${missing} '/v1, Kind=Odd'`],
    [spec('a.example.com/v1', 'Odd'), `${missing} 'a.example.com/v1, Kind=Odd'`],
  ])('%o', async (given, problem) => {
    expect(await paramKindProblem(given, find)).toBe(problem)
  })
})

describe('parameters', () => {
  const collect = async (kind: string, paramRef: ParamRef | undefined, namespace = 'ns') => {
    const resource = { group: '', version: 'v1', resource: 'nodes' }
    const request = testRequest({ namespace, ...(namespace === '' ? { resource } : {}) })
    const found = await collectParams(spec('v1', kind), paramRef, request, { find, type: 'validating' }).catch(
      (error: Error) => error.message,
    )
    return typeof found === 'string' ? found : found.map((object: KubeObject | null) => object?.metadata.name ?? null)
  }
  const deny = { parameterNotFoundAction: 'Deny' }
  it.each<[string, string, ParamRef | undefined, string | undefined, unknown]>([
    ['none asked for', 'ConfigMap', undefined, undefined, [null]],
    ['by name', 'ConfigMap', { name: 'one', ...deny }, undefined, ['one']],
    ['by label', 'ConfigMap', { selector: { matchLabels: { a: 'b' } } }, undefined, ['one']],
    ['none there, which is fine', 'ConfigMap', { name: 'two', parameterNotFoundAction: 'Allow' }, undefined, []],
    [
      'none there',
      'ConfigMap',
      { name: 'two', ...deny },
      undefined,
      'no params found for policy binding with `Deny` parameterNotFoundAction',
    ],
    [
      'a namespace of what has none',
      'Namespace',
      { name: 'one', namespace: 'ns' },
      undefined,
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    ],
    [
      'no namespace to look in',
      'ConfigMap',
      { name: 'one' },
      '',
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    ],
  ])('%s', async (_, kind, paramRef, namespace, expected) => {
    expect(await collect(kind, paramRef, namespace)).toEqual(expected)
  })
})

describe('parameters as an informer has them', () => {
  const owned = { ...one, metadata: { ...one.metadata, managedFields: [{ manager: 'm' }] } } as KubeObject
  const { managedFields: _, ...unowned } = owned.metadata
  const { apiVersion: _version, kind: _kind, ...content } = owned
  it.each<[boolean, 'validating' | 'mutating', object]>([
    [true, 'validating', { ...owned, metadata: unowned }],
    [true, 'mutating', { ...content, metadata: unowned }],
    [false, 'validating', owned],
    [false, 'mutating', owned],
  ])('typed: %s, %s', async (isTyped, type, expected) => {
    const kind: FindParamKind = async () => ({ namespaced: true, isTyped, objects, convert: () => owned })
    const request = testRequest({ namespace: 'ns' })
    expect(await collectParams(spec('v1', 'ConfigMap'), { name: 'one' }, request, { find: kind, type })).toEqual([
      expected,
    ])
  })
})
