/** The rules of list types, map types and their keys. */

import { type FieldError, forbidden, invalid, invalidAs, notSupported, required } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { goNull, type RenderedValue } from '../../api/golang/literal.ts'
import { quote } from '../../api/golang/quote.ts'
import { goStrings } from '../../api/golang/value.ts'
import { goItems } from '../../catalog/golang/schema.ts'
import type { JSONSchemaProps } from '../../catalog/types/apiextensions-v1.ts'
import { pushAll } from '../../lib/push-all.ts'
import { propertyOf } from './definition.ts'

export const openApiTypes: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string']

const listTypes = ['atomic', 'set', 'map']
const mapTypes = ['atomic', 'granular']

export const isMapType = (text: string): boolean => mapTypes.includes(text)

export function validateTopology(schema: JSONSchemaProps, at: FieldPath, requireAtomicSets: boolean): FieldError[] {
  const errors: FieldError[] = []
  const { type = '' } = schema
  const mapType = schema['x-kubernetes-map-type']
  const listType = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const wrongType = (text: string): FieldError =>
    type === '' ? required(at.child('type'), text) : invalid(at.child('type'), type, text)
  if (mapType !== undefined && type !== 'object') {
    errors.push(wrongType('must be object if x-kubernetes-map-type is specified'))
  }
  if (mapType !== undefined && !isMapType(mapType)) {
    errors.push(notSupported(at.child('x-kubernetes-map-type'), mapType, mapTypes))
  }
  if (listType !== undefined && type !== 'array') {
    errors.push(wrongType('must be array if x-kubernetes-list-type is specified'))
  } else if (requireAtomicSets && listType === 'set') pushAll(errors, validateSetItems(schema, at))
  if (listType !== undefined && !listTypes.includes(listType)) {
    errors.push(notSupported(at.child('x-kubernetes-list-type'), listType, listTypes))
  }
  if (keys.length > 0 && listType !== 'map') {
    const place = at.child('x-kubernetes-list-type')
    const text = 'must be map if x-kubernetes-list-map-keys is non-empty'
    errors.push(listType === undefined ? required(place, text) : invalid(place, listType, text))
  }
  if (listType === 'map') pushAll(errors, validateMapList(schema, keys, at))
  return errors
}

/** The reference shows the list type of the items, whatever the error is about. */
function validateSetItems({ items }: JSONSchemaProps, at: FieldPath): FieldError[] {
  if (items == null || Array.isArray(items)) return []
  const listType = items['x-kubernetes-list-type']
  const shown = (): RenderedValue => (listType === undefined ? goNull : quote(listType))
  const text = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  if (items.type === 'array' && (items['x-kubernetes-list-type'] ?? 'atomic') !== 'atomic') {
    return [invalidAs(at.child('items', 'x-kubernetes-list-type'), shown, text)]
  }
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    return [invalidAs(at.child('items', 'x-kubernetes-map-type'), shown, text)]
  }
  return []
}

function validateMapList(schema: JSONSchemaProps, keys: readonly string[], at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { items } = schema
  const keysAt = at.child('x-kubernetes-list-map-keys')
  if (keys.length === 0) errors.push(required(keysAt, 'must not be empty if x-kubernetes-list-type is map'))
  if (items === undefined) {
    errors.push(required(at.child('items'), 'must have a schema if x-kubernetes-list-type is map'))
    return errors
  }
  if (items === null || Array.isArray(items)) {
    const text = 'must only have a single schema if x-kubernetes-list-type is map'
    return [...errors, invalidAs(at.child('items'), () => goItems(items), text)]
  }
  if (items.type !== 'object') {
    const text = "must be object if parent array's x-kubernetes-list-type is map"
    return [...errors, invalid(at.child('items', 'type'), items.type ?? '', text)]
  }
  const seen = new Set<string>()
  const aboutKeys = (text: string): FieldError => invalidAs(keysAt, () => goStrings(keys), text)
  for (const key of keys) {
    const property = propertyOf(items, key)
    if (property === undefined) errors.push(aboutKeys('entries must all be names of item properties'))
    else if (property.type === 'array' || property.type === 'object') {
      const place = at.child('items', 'properties').key(key).child('type')
      errors.push(invalid(place, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"))
    }
    if (seen.has(key)) errors.push(aboutKeys('must not contain duplicate entries'))
    seen.add(key)
  }
  return errors
}

/** Keys of a list must always be there, and never null. */
export function validateListKeys(schema: JSONSchemaProps, at: FieldPath): FieldError[] {
  const { items } = schema
  const listType = schema['x-kubernetes-list-type']
  if (items == null || Array.isArray(items) || (listType !== 'set' && listType !== 'map')) return []
  const errors: FieldError[] = []
  if (items.nullable === true) {
    const text = `cannot be nullable when x-kubernetes-list-type is ${listType}`
    errors.push(forbidden(at.child('items', 'nullable'), text))
  }
  if (listType === 'set') return errors
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = propertyOf(items, key)
    if (property === undefined) continue
    const place = at.child('items', 'properties').key(key)
    if (items.required?.includes(key) !== true && (property.default ?? undefined) === undefined) {
      const text = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'
      errors.push(required(place.child('default'), text))
    }
    if (property.nullable === true) {
      const text = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'
      errors.push(forbidden(place.child('nullable'), text))
    }
  }
  return errors
}
