import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markInterned } from '../api/interned.ts'
import { isJsonObject, type JsonObject } from '../api/json.ts'
import { encodeJson } from './json.ts'
import { encodeForStore, joinResourceVersion } from './store-text.ts'

describe('the text for the store', () => {
  it('leaves room for the resource version', () => {
    const built: JsonObject = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'p', uid: 'u', creationTimestamp: null },
      spec: {},
    }
    expect(joinResourceVersion(encodeForStore(built), 12)).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","uid":"u","resourceVersion":"12","creationTimestamp":null},"spec":{}}',
    )
    const custom: JsonObject = {
      kind: 'X',
      apiVersion: 'a/v1',
      metadata: { uid: 'u', resourceVersion: '3', annotations: { resourceVersion: '1' } },
    }
    expect(joinResourceVersion(encodeForStore(custom, true), 12)).toBe(
      '{"apiVersion":"a/v1","kind":"X","metadata":{"annotations":{"resourceVersion":"1"},"resourceVersion":"12","uid":"u"}}',
    )
    expect(joinResourceVersion(encodeForStore({ metadata: {} }), '1')).toBe('{"metadata":{"resourceVersion":"1"}}')
  })

  it('is what is written for everybody, whatever the object shares with the one before', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('<', '>', '&', '"', '\\', '\u2028', '\n', 'ä', 'a') }),
    )
    const members = fc.dictionary(text, fc.oneof(text, fc.jsonValue()), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>
    const entry = fc.record({ manager: text, fieldsV1: members }, { requiredKeys: [] })
    const metadata = fc.record({ name: text, labels: members, managedFields: fc.array(entry, { maxLength: 3 }) })
    fc.assert(
      fc.property(text, metadata, members, members, fc.boolean(), (first, known, spec, other, isStable) => {
        if (isStable) for (const part of Object.values(spec)) if (isJsonObject(part)) markInterned(part)
        const object = { first, metadata: known, spec, status: { own: other } } as JsonObject
        const { name, ...rest } = known as JsonObject
        const whole = encodeJson({ ...object, metadata: { name: name as string, resourceVersion: '7', ...rest } })
        const baseline = { metadata: { ...known }, spec, status: { own: other, more: 1 } } as JsonObject
        const textWith = (given?: JsonObject) =>
          joinResourceVersion(encodeForStore(object, false, encodeJson, given), 7)
        expect([textWith(), textWith(object), textWith(baseline), textWith(baseline)]).toEqual([
          whole,
          whole,
          whole,
          whole,
        ])
      }),
    )
  })
})
