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
