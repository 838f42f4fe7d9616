/** The condition of definitions that keep unknown fields and whose schemas are not structural. */

import { invalid } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { aggregate } from '../../api/status-error.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import type { Definition } from './definition.ts'
import type { DefinitionCondition } from './definition-rules.ts'
import { unsupportedKeyword, validateStructural } from './validate-structural.ts'

/** Definitions that prune cannot be written without a structure: only the others need a look. */
export function nonStructuralCondition({ spec }: Definition): DefinitionCondition | undefined {
  if (spec.preserveUnknownFields !== true) return undefined
  const errors = (spec.versions ?? []).flatMap(({ schema }, i) => {
    const root = schema?.openAPIV3Schema
    const at = FieldPath.of('spec', 'versions').index(i).child('schema', 'openAPIV3Schema')
    if (root === undefined) return []
    const unsupported = unsupportedKeyword(root)
    return unsupported === undefined ? runToEnd(validateStructural(root, at)) : [invalid(at, '', unsupported)]
  })
  const pruning = invalid(FieldPath.of('spec', 'preserveUnknownFields'), true, 'must be false')
  return {
    type: 'NonStructuralSchema',
    status: 'True',
    reason: 'Violations',
    message: aggregate([pruning, ...errors]),
  }
}
