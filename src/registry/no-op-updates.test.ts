import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../api/object.ts'
import { observeNoOp } from './no-op-updates.ts'
import type { Strategy } from './strategy.ts'
import type { WriteRequest } from './write-request.ts'

const labels = { a: 'b' }
const data = { key: 'value' }
const existing = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels }, data } as KubeObject
const strategy: Strategy = {}
const request = { version: { apiVersion: 'v1' }, warn: () => {} } as unknown as WriteRequest

describe('an update is observed as a no-op', () => {
  const { data: _, ...withoutData } = existing
  it.each<[string, object, boolean]>([
    ['that is the object itself', existing, true],
    ['that has the same members', { ...existing, metadata: { ...existing.metadata } }, true],
    ['with an equal member that is another', { ...existing, data: { ...data } }, false],
    ['with another label', { ...existing, metadata: { ...existing.metadata, labels: { a: 'c' } } }, false],
    ['with one member more', { ...existing, binaryData: {} }, false],
    ['with one member less', withoutData, false],
    ['with another member in the place of one', { ...withoutData, binaryData: data }, false],
    ['with less metadata', { ...existing, metadata: { name: 'a' } }, false],
  ])('%s', (_, draft, isNoOp) => {
    expect(observeNoOp(draft as KubeObject, existing, { strategy, request }) !== undefined).toBe(isNoOp)
  })
})

describe('a no-op that was validated', () => {
  const other = { ...request, version: { apiVersion: 'v2' } } as unknown as WriteRequest
  const observe = (given = request, by: Strategy = strategy) =>
    observeNoOp(draft, draft, { strategy: by, request: given })
  let draft: KubeObject

  it('need not be validated again: what it warns of or is refused for since is a fault', () => {
    draft = structuredClone(existing)
    observe()?.remember()
    expect(() => observe()?.warn('x')).toThrow('the memo no-op-update is stale')
    expect(() => observe()?.refuse([])).toThrow('the memo no-op-update is stale')
  })

  it.each<[string, (first: NonNullable<ReturnType<typeof observe>>) => void, () => ReturnType<typeof observe>]>([
    ['in another version', (first) => first.remember(), () => observe(other)],
    ['by other rules', (first) => first.remember(), () => observe(request, { generation: 'spec' })],
    [
      'of another object',
      (first) => first.remember(),
      () => {
        draft = structuredClone(existing)
        return observe()
      },
    ],
    [
      'with a warning',
      (first) => {
        first.warn('x')
        first.remember()
      },
      () => observe(),
    ],
    ['and not remembered', () => {}, () => observe()],
  ])('%s is not known', (_, first, second) => {
    draft = structuredClone(existing)
    const observer = observe()
    if (observer !== undefined) first(observer)
    expect(() => second()?.refuse([])).not.toThrow()
    expect(() => second()?.warn('x')).not.toThrow()
  })

  it('is warned of to the client', () => {
    const texts: string[] = []
    draft = structuredClone(existing)
    observe({ ...request, warn: (text) => void texts.push(text) })?.warn('x')
    expect(texts).toEqual(['x'])
  })
})
