/**
 * The rules of conditions in the shape that newer kinds share.
 * Mirrors k8s.io/apimachinery/pkg/apis/meta/v1/validation: ValidateConditions.
 */
import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { checkQualifiedName, isLongerThan, patternMessage } from '../../api/names.ts'
import type { Condition } from '../../catalog/types/meta-v1.ts'

const statuses = ['False', 'True', 'Unknown']
const maxReasonBytes = 1024
const maxMessageBytes = 32 * 1024

const reasonPattern = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?'
const reasonMessage = patternMessage(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reasonPattern,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
)
const reasonFormat = new RegExp(`^${reasonPattern}$`)

export function validateConditions(conditions: readonly Condition[], at: FieldPath): FieldError[] {
  const types = new Set<string>()
  return conditions.flatMap((condition, i) => {
    const repeated = types.has(condition.type)
    types.add(condition.type)
    return [
      ...(repeated ? [duplicate(at.index(i).child('type'), condition.type)] : []),
      ...validateCondition(condition, at.index(i)),
    ]
  })
}

function validateCondition(condition: Condition, at: FieldPath): FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition
  const errors = checkQualifiedName(type).map((text) => invalid(at.child('type'), type, text))
  if (!statuses.includes(status)) errors.push(notSupported(at.child('status'), status, statuses))
  if (observedGeneration < 0) {
    errors.push(invalid(at.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero'))
  }
  if (lastTransitionTime == null) errors.push(required(at.child('lastTransitionTime'), 'must be set'))
  if (reason === '') errors.push(required(at.child('reason'), 'must be set'))
  else if (!reasonFormat.test(reason)) errors.push(invalid(at.child('reason'), reason, reasonMessage))
  if (isLongerThan(reason, maxReasonBytes)) errors.push(tooLong(at.child('reason'), maxReasonBytes))
  if (isLongerThan(message, maxMessageBytes)) errors.push(tooLong(at.child('message'), maxMessageBytes))
  return errors
}
