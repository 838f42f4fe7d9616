import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import { emptyList, emptyMap } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ServedForm } from '../matching/rules.ts'
import { VersionedAttributes } from './versioned-attributes.ts'

const entry = (time: string) => ({ manager: 'm', operation: 'Update', apiVersion: 'v1', time })
const configMap = (metadata: object, more: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b', ...metadata }, ...more }) as KubeObject

const [before, now] = [entry('2026-01-01T00:00:00Z'), entry('2026-01-01T00:00:01Z')]
const stored = configMap(
  { uid: 'u', resourceVersion: '7', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z', managedFields: [before] },
  { data: { a: 'b' } },
)

describe('times of this very request', () => {
  it.each<[string, KubeObject, KubeObject | undefined, boolean]>([
    ['a new object has them', configMap({ managedFields: [now] }), undefined, true],
    ['one that nobody owns has none', configMap({}), undefined, false],
    [
      'a replacement that changes nothing has none, whatever it says of what nobody owns',
      configMap({ managedFields: [before] }, { data: { a: 'b' } }),
      stored,
      false,
    ],
    [
      'a change has them, even in the same second',
      configMap({ managedFields: [before] }, { data: { a: 'c' } }),
      stored,
      true,
    ],
    [
      'one that only removes has none, though its owners own less',
      configMap({ managedFields: [{ ...before, fieldsV1: {} }] }, { data: {} }),
      stored,
      false,
    ],
    [
      'items that are left of a list are none',
      configMap({ finalizers: ['b'], managedFields: [before] }),
      configMap({ finalizers: ['a', 'b'], managedFields: [before] }),
      false,
    ],
    [
      'lists and maps that are empty are not shown, and nobody owns them',
      configMap({ ownerReferences: emptyList, managedFields: [before] }, { data: emptyMap }),
      configMap({ managedFields: [before] }),
      false,
    ],
    ['an owner with another time has them', configMap({ managedFields: [now] }, { data: { a: 'b' } }), stored, true],
  ])('%s', (_, object, oldObject, expected) => {
    const request = { object, oldObject } as unknown as AdmissionRequest
    expect(new VersionedAttributes(request, (_request, made) => made).hasExactTimes).toBe(expected)
    expect(new VersionedAttributes(request, (_request, made) => made, true).hasExactTimes).toBe(false)
  })
})

describe('objects in several forms', () => {
  const formOf = (version: string): ServedForm => ({
    resource: { group: 'g', version, resource: 'things' },
    kind: { group: 'g', version, kind: 'Thing' },
  })
  const thing = (version: string, steps = ''): KubeObject =>
    ({ apiVersion: `g/${version}`, kind: 'Thing', metadata: { name: 'a' }, steps }) as unknown as KubeObject
  const stepsOf = (object: KubeObject | undefined): string => `${object?.apiVersion} ${object?.['steps']}`

  /** Conversions add what they do to the object. */
  function attributesOf(object: KubeObject | undefined, oldObject?: KubeObject) {
    const restored: string[] = []
    const request = {
      object,
      oldObject,
      convert: (given: KubeObject, apiVersion: string) => ({ ...given, apiVersion, steps: `${given['steps']}>` }),
    } as unknown as AdmissionRequest
    const attributes = new VersionedAttributes(request, (_, made, before) => {
      restored.push(stepsOf(before))
      return { ...made, apiVersion: 'g/v1', steps: `${made['steps']}<` } as KubeObject
    })
    return { attributes, restored }
  }

  it('are converted once for those who want the same', async () => {
    const { attributes, restored } = attributesOf(thing('v1'), thing('v1'))
    const first = await attributes.objectsIn(formOf('v2'))
    expect([stepsOf(first.object), stepsOf(first.oldObject)]).toEqual(['g/v2 >', 'g/v2 >'])
    expect(await attributes.objectsIn(formOf('v2'))).toBe(first)
    expect(stepsOf((await attributes.objectsIn(formOf('v1'))).object)).toBe('g/v1 ')
    expect(restored).toEqual([])
  })

  it('that were changed are brought back before the next form, and at the end once', async () => {
    const { attributes, restored } = attributesOf(thing('v1'))
    await attributes.objectsIn(formOf('v2'))
    expect(attributes.isPatched).toBe(false)
    attributes.change(thing('v2', 'a'))
    expect([attributes.isPatched, stepsOf((await attributes.objectsIn(formOf('v2'))).object)]).toEqual([true, 'g/v2 a'])
    expect(stepsOf((await attributes.objectsIn(formOf('v3'))).object)).toBe('g/v3 a<>')
    expect(stepsOf(await attributes.restore())).toBe('g/v1 a<')
    attributes.change(thing('v3', 'b'))
    expect(stepsOf(await attributes.restore())).toBe('g/v1 b<')
    expect(stepsOf(await attributes.restore())).toBe('g/v1 b<')
    expect(restored).toEqual(['g/v1 ', 'g/v1 a<'])
  })

  it('that were not changed, or are not there, are as they came', async () => {
    const object = thing('v1')
    expect(await attributesOf(object).attributes.restore()).toBe(object)
    expect(await attributesOf(undefined).attributes.restore()).toBeUndefined()
  })
})

describe('a change takes fields', () => {
  const of = (content: object): KubeObject => configMap({ managedFields: [before] }, content)
  it.each<[string, object, object, boolean]>([
    ['of another type', { data: [1] }, { data: { a: 1 } }, true],
    ['of a list that was none', { data: [1] }, { data: 'x' }, true],
    ['of an object that was a list', { data: { a: 1 } }, { data: [1] }, true],
    ['of another value', { data: 1 }, { data: 2 }, true],
    ['that were not there', { data: 1 }, {}, true],
    ['in a list', { data: [1, 2] }, { data: [1] }, true],
    ['not in another order', { data: [2, 1] }, { data: [1, 2] }, false],
    ['not of what stays', { data: { a: [1] } }, { data: { a: [1], b: 2 } }, false],
  ])('%s', (_, now, was, expected) => {
    const request = { object: of(now), oldObject: of(was) } as unknown as AdmissionRequest
    expect(new VersionedAttributes(request, (_request, made) => made).hasExactTimes).toBe(expected)
  })
})
