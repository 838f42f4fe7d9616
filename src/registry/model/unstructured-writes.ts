/** The write rules of unstructured objects (custom resources). */

import { parseGroupVersion } from '../../api/group-version.ts'
import { cloneJson, equalJson, type JsonObject } from '../../api/json.ts'
import { isAboutDuplicates, validateConfig } from '../../patch/apply/validate-config.ts'
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
  const parts =
    subresource === ''
      ? version.resetFields
      : Object.keys(object).filter((key) => key !== 'metadata' && key !== 'status')
  return parts.every((name) => {
    const schema = version.schema.fields.get(name)?.schema
    const value = object[name]
    if (schema === undefined || value === undefined || value === current?.[name]) return true
    // Of equal elements only the first one is owned.
    return validateConfig(schema, value as JsonObject).errors.every(isAboutDuplicates)
  })
}
