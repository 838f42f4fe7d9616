/** The write rules of unstructured objects (custom resources). */

import { parseGroupVersion } from '../../api/group-version.ts'
import { cloneJson, equalJson, type JsonObject, type JsonValue } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import { compileOnce } from '../../lib/memo.ts'
import { isAboutDuplicates, validateConfig } from '../../patch/apply/validate-config.ts'
import type { Schema } from '../../schema/schema.ts'
import type { OwnableObject, WriteRules } from './write-rules.ts'

export const unstructuredWrites: WriteRules = {
  // It has no time at all before it has one.
  prepareNew: ({ metadata }) => {
    delete metadata.creationTimestamp
  },
  // It may say to be of another kind: that is what is wrong with it.
  refusedAs: ({ hub }, { apiVersion, kind }) => ({ group: parseGroupVersion(apiVersion)?.group ?? hub.group, kind }),
  equal: equalJson,
  hasOwners: conforms,
  // The versions of custom types know nothing of what others reset.
  resettingVersion: ({ apiVersion }) => apiVersion,
  ownDraft: (_version, object) => cloneJson(object),
}

/**
 * A custom object that does not conform to its schema has no owners. Most such objects are refused, except where the fault is in a part
 * that the request cannot write. Parts that stay as they are stored are not checked.
 */
function conforms({ object, version, subresource, current }: OwnableObject): boolean {
  if (subresource !== '' && subresource !== 'status') return true
  const isReset = (name: string): boolean =>
    subresource === '' ? version.resetFields.includes(name) : name !== 'metadata' && name !== 'status'
  return keysOf(object).every((name) => {
    const schema = version.schema.fields.get(name)?.schema
    const value = object[name]
    if (schema === undefined || value === undefined || value === current?.[name]) return true
    if (!isReset(name)) return !hasMistypedList(schema, value)
    // Of equal elements only the first one is owned.
    return validateConfig(schema, value as JsonObject).errors.every(isAboutDuplicates)
  })
}

/** A format is a check of its own, which lets lists pass for texts. */
function hasMistypedList(schema: Schema, value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null || !hasFormats(schema)) return false
  switch (schema.kind) {
    case 'object':
      return keysOf(value as JsonObject).some((name) => {
        const field = schema.fields.get(name)
        return field !== undefined && hasMistypedList(field.schema, (value as JsonObject)[name])
      })
    case 'map':
      return Object.values(value).some((each) => hasMistypedList(schema.values, each))
    case 'list':
      return Object.values(value).some((each) => hasMistypedList(schema.items, each))
    default:
      return Array.isArray(value)
  }
}

/** Whether there are texts with a format at or below a part of a custom type. */
const hasFormats = compileOnce('has-formats', (schema: Schema): boolean => {
  switch (schema.kind) {
    case 'object':
      return schema.name === undefined && [...schema.fields.values()].some((field) => hasFormats(field.schema))
    case 'map':
      return hasFormats(schema.values)
    case 'list':
      return hasFormats(schema.items)
    case 'string':
    case 'boolean':
      return schema.format !== undefined
    default:
      return false
  }
})
