/** Writes of built-in kinds. */

import { canonicalize } from '../../schema/canonicalize.ts'
import type { WriteRules } from './write-rules.ts'

export const typedWrites: WriteRules = {
  prepareNew: () => undefined,
  refusedAs: ({ hub }) => hub,
  hasOwners: () => true,
  resettingVersion: () => '',
  ownDraft: ({ schema }, object, current) => canonicalize(object, schema, { baseline: current }),
}
