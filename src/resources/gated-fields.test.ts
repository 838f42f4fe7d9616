import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../api/object.ts'
import { typesAt } from '../catalog/catalog.ts'
import type { Strategy, WriteContext } from '../registry/strategy.ts'
import { withGatedFields } from './gated-fields.ts'

const context = {} as WriteContext
const plain = {} as Strategy
const pod = (spec: object): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec }) as unknown as KubeObject
const rules = (on: boolean, release = 34): Strategy =>
  withGatedFields(plain, typesAt(release).typeSchema('core.v1.Pod'), { release, gate: () => on })
const given = () =>
  pod({ hostnameOverride: 'x', containers: [{ name: 'c', restartPolicyRules: [{ action: 'Restart' }] }] })

describe('fields of a later release whose gate is off', () => {
  test('are dropped from what is created, wherever they stand', () => {
    const draft = given()
    rules(false).prepareForCreate?.(draft, context)
    expect(draft['spec']).toEqual({ containers: [{ name: 'c' }] })
  })

  test('stay in what is updated where the stored object has them', () => {
    const draft = given()
    rules(false).prepareForUpdate?.(draft, pod({ hostnameOverride: 'y', containers: [{ name: 'c' }] }), context)
    expect(draft['spec']).toEqual({ hostnameOverride: 'x', containers: [{ name: 'c' }] })
  })

  const object = (parts: object): KubeObject =>
    ({ apiVersion: 'v1', kind: 'K', metadata: { name: 'a' }, ...parts }) as unknown as KubeObject
  const rulesOf = (type: string, own: Strategy): Strategy =>
    withGatedFields(own, typesAt(35).typeSchema(type), { release: 35, gate: () => false })

  test('of a node are dropped from a new one, and kept in its status', () => {
    const node = (): KubeObject => object({ status: { declaredFeatures: ['A'] } })
    const nodes = rulesOf('core.v1.Node', plain)
    const made = node()
    nodes.prepareForCreate?.(made, context)
    expect(made['status']).toEqual({})
    const updated = node()
    nodes.prepareForUpdate?.(updated, object({ status: {} }), context)
    expect(updated['status']).toEqual({ declaredFeatures: ['A'] })
  })

  test('take the part along that is nothing without them', () => {
    const draft = object({ status: { containerStatuses: [{ volumeMounts: [{ name: 'v', volumeStatus: {} }] }] } })
    const schema = typesAt(36).typeSchema('core.v1.Pod')
    const old = object({ status: {} })
    withGatedFields(plain, schema, { release: 36, gate: () => false }).prepareForUpdate?.(draft, old, context)
    expect(draft['status']).toEqual({ containerStatuses: [{ volumeMounts: [{ name: 'v' }] }] })
  })

  test.each([
    [34, {}],
    [35, { allocationTimestamp: 't' }],
  ])('of a claim are dropped as the release does: %d', (release, allocation) => {
    const claim = (): KubeObject => object({ status: { allocation: { allocationTimestamp: 't' } } })
    const schema = typesAt(release).typeSchema('resource.v1beta1.ResourceClaim')
    const draft = claim()
    withGatedFields(plain, schema, { release, gate: () => false }).prepareForUpdate?.(
      draft,
      object({ status: {} }),
      context,
    )
    expect(draft['status']).toEqual({ allocation })
  })

  test('of a slice count as a change before they are dropped', () => {
    const slice = (device: object): KubeObject => object({ spec: { devices: [{ name: 'd', ...device }] } })
    let seen: unknown
    const slices = rulesOf('resource.v1beta2.ResourceSlice', {
      prepareForUpdate(draft) {
        seen = draft['spec']
      },
    } as Strategy)
    const draft = slice({ bindingConditions: ['c'] })
    slices.prepareForUpdate?.(draft, slice({}), context)
    expect([seen, draft['spec']]).toEqual([
      { devices: [{ name: 'd', bindingConditions: ['c'] }] },
      { devices: [{ name: 'd' }] },
    ])
  })

  test('stay while all gates are on', () => {
    const draft = given()
    rules(true).prepareForCreate?.(draft, context)
    expect(draft).toEqual(given())
  })

  test('cost nothing in the default release', () => {
    expect(rules(false, 33)).toBe(plain)
  })
})
