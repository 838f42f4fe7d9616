import { expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { Definition } from './definition.ts'
import { nonStructuralCondition } from './non-structural.ts'

const definition = (preserveUnknownFields: boolean, openAPIV3Schema?: JsonObject): Definition =>
  ({
    spec: {
      preserveUnknownFields,
      versions: [{ name: 'v1', ...(openAPIV3Schema === undefined ? {} : { schema: { openAPIV3Schema } }) }],
    },
  }) as unknown as Definition

const pruning = 'spec.preserveUnknownFields: Invalid value: true: must be false'
const root = 'spec.versions[0].schema.openAPIV3Schema'

// As kube-apiserver v1.33 says of definitions that were stored as v1beta1.
it.each<[string, Definition, string | undefined]>([
  ['prunes', definition(false, { properties: { a: {} } }), undefined],
  ['has no schema', definition(true), pruning],
  ['is structural', definition(true, { type: 'object' }), pruning],
  [
    'names no types',
    definition(true, { properties: { a: {} } }),
    `[${pruning}, ${root}.properties[a].type: Required value: must not be empty for specified object fields, ${root}.type: Required value: must not be empty at the root]`,
  ],
])('a definition that %s', (_, given, message) => {
  const condition = nonStructuralCondition(given)
  expect(condition?.message).toBe(message)
  if (message !== undefined) expect(condition).toMatchObject({ type: 'NonStructuralSchema', status: 'True' })
})
