/** The write rules of typed objects (built-in kinds). */

import { equalSemantic } from '../../api/json.ts'
import { canonicalize } from '../../schema/canonicalize.ts'
import type { WriteRules } from './write-rules.ts'

export const typedWrites: WriteRules = {
  prepareNew: () => undefined,
  refusedAs: ({ hub }) => hub,
  // An explicit empty list or map is none.
  equal: equalSemantic,
  resettingVersion: () => '',
  ownDraft: ({ schema }, object, current) => canonicalize(object, schema, { baseline: current }),
}
