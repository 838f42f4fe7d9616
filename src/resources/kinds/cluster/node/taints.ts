/**
 * What keeps pods away from a node.
 * Mirrors pkg/apis/core/validation: validateNodeTaints.
 */

import { type FieldError, invalid, ofNamedText, type Quoted, quotingError } from '../../../../api/field-error.ts'
import type { FieldPath } from '../../../../api/field-path.ts'
import { writingOf } from '../../../../api/given-writing.ts'
import { GoLiteral } from '../../../../api/golang/literal.ts'
import { goDateField } from '../../../../api/golang/time.ts'
import { checkLabelValue, checkQualifiedName } from '../../../../api/names.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import { goStruct, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type { Taint } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { addMessages, type Errors, requireOneOf } from '../../../checks/checks.ts'

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** Taints are unique by key and effect. */
export function validateTaints(errors: Errors, taints: readonly Taint[], at: FieldPath): void {
  const seen = new Set<string>()
  eachItem(errors, taints, (errors, taint, i) => {
    const { key = '', value = '', effect } = taint
    const itemAt = at.index(i)
    addMessages(errors, itemAt.child('key'), key, checkQualifiedName(key))
    const problems = checkLabelValue(value)
    if (problems.length > 0) errors.push(invalid(itemAt.child('value'), value, problems.join(';')))
    const found: FieldError[] = []
    requireOneOf(found, effect, effects, itemAt, 'effect')
    // `metadata.taints` is the path of the reference, which leads to no field.
    pushAll(errors, found.map(ofNamedText))
    const identity = `${effect} ${key}`
    if (seen.has(identity)) errors.push(duplicateTaint(taint, itemAt))
    seen.add(identity)
  })
}

function duplicateTaint(taint: Taint, at: FieldPath): FieldError {
  const { key, value, effect, timeAdded } = taint
  const shown: Quoted = () =>
    goStruct('core.Taint', {
      Key: podSyntaxText(key),
      Value: podSyntaxText(value),
      Effect: podSyntaxText(effect),
      TimeAdded:
        timeAdded == null ? new GoLiteral('<nil>', 'null') : goDateField(timeAdded, writingOf(taint, 'timeAdded')),
    })
  return quotingError(
    'FieldValueDuplicate',
    at,
    shown,
    (text) => `Duplicate value: ${text}: taints must be unique by key and effect pair`,
  )
}
