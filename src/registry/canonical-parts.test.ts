/** Interned parts of new objects: made canonical once, shared by all objects that have them, and never in place. */
import { describe, expect, it } from 'vitest'
import { markInterned } from '../api/interned.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { withCanonicalParts } from './canonical-parts.ts'
import { testDefinition } from './testing/test-registry.ts'

const { schema } = testDefinition(builtInDefinitions, { resource: 'pods' }).hub

const pod = (spec: JsonObject, more: JsonObject = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec, ...more }) as KubeObject

/** In canonical form it has no empty list, and what Go writes though it is empty. */
const containers = () => markInterned([{ name: 'c', image: 'i', args: [] }])
const canonical = [{ name: 'c', image: 'i', resources: {} }]

const containersOf = (object: JsonObject | undefined) => (object?.['spec'] as JsonObject | undefined)?.['containers']

describe('an object', () => {
  it('without interned parts is the same, and has no baseline', () => {
    const object = pod({ containers: [{ name: 'c', args: [] }], nodeName: 'n' })
    expect(withCanonicalParts(object, schema)).toEqual({ given: object, baseline: undefined })
    expect(withCanonicalParts(object, schema).given).toBe(object)
  })

  it('gets the canonical form of a part of a member, and stays as it was', () => {
    const part = containers()
    const object = pod({ containers: part as never, nodeName: 'n' })
    const { given, baseline } = withCanonicalParts(object, schema)
    expect(given).toEqual(pod({ containers: canonical, nodeName: 'n' }))
    expect(baseline).toEqual({ spec: { containers: canonical } })
    expect(containersOf(baseline)).toBe(containersOf(given))
    expect(containersOf(object)).toBe(part)
  })

  it('gets that of a member that is a part itself', () => {
    const spec = markInterned({ nodeName: 'n', tolerations: [] })
    const { given, baseline } = withCanonicalParts(pod(spec), schema)
    expect(given).toEqual(pod({ containers: null, nodeName: 'n' }))
    expect(baseline).toEqual({ spec: { containers: null, nodeName: 'n' } })
    expect(baseline?.['spec']).toBe(given['spec'])
  })

  it('shares the form with others that have the part', () => {
    const part = containers()
    const [first, second] = ['x', 'y'].map((nodeName) =>
      withCanonicalParts(pod({ containers: part as never, nodeName }), schema),
    )
    expect(containersOf(first?.baseline)).toEqual(canonical)
    expect(containersOf(first?.baseline)).toBe(containersOf(second?.baseline))
  })

  it('whose parts are canonical is the same, with these as its baseline', () => {
    const { given } = withCanonicalParts(pod({ containers: containers() as never }), schema)
    const object = pod(given['spec'] as JsonObject)
    const again = withCanonicalParts(object, schema)
    expect(again.given).toBe(object)
    expect(again.baseline).toEqual({ spec: { containers: canonical } })
  })

  it.each<[string, KubeObject]>([
    ['that is empty in canonical form', pod({ tolerations: markInterned([]) as never })],
    ['that is null', pod({ nodeName: null, containers: null })],
    ['of its metadata', { ...pod({}), metadata: { name: 'a', labels: markInterned({ a: 'b' }) } } as KubeObject],
    ['of a field that is not known', pod({ other: markInterned({ a: [] }) })],
    ['of no known member', pod({}, { other: markInterned({ a: [] }) })],
  ])('has no baseline for a part %s', (_, object) => {
    const { given, baseline } = withCanonicalParts(object, schema)
    expect(given).toBe(object)
    expect(baseline).toBeUndefined()
  })
})
