/**
 * Runtime classes: a handler that never changes, and what it adds to pods.
 * Mirrors pkg/apis/node/validation: ValidateRuntimeClass, ValidateRuntimeClassUpdate.
 * Mirrors pkg/registry/node/runtimeclass: strategy.
 */

import { type FieldError, invalid, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { checkDns1123Label } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import { duplicateAs, goToleration } from '../../../../catalog/golang/pod-syntax.ts'
import type { Toleration } from '../../../../catalog/types/core-v1.ts'
import type { Overhead, Scheduling } from '../../../../catalog/types/node-v1.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { addMessages, checkLabels, type Errors } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { validateTolerations } from '../../pods/pod-spec.ts'
import { validateRequirements } from '../../pods/resource-requirements.ts'

type RuntimeClass = KubeObject & { handler: string; overhead?: Overhead; scheduling?: Scheduling }

export const runtimeClassRules = (): KindRules<RuntimeClass> => ({
  strategy: {
    validateMetadata: (metadata) => metadata.validate({ anyFinalizer: true }),
    validateMetadataUpdate: (metadata) => [
      ...metadata.validate({ anyFinalizer: true }),
      ...metadata.validateUpdate({ anyFinalizer: true }),
    ],
    validate,
    validateUpdate: (object, old, context) => [
      ...validate(object, context),
      ...(object.handler === old.handler
        ? []
        : [invalid(FieldPath.of('handler'), object.handler ?? '', 'field is immutable')]),
    ],
  },
})

function validate({ handler = '', overhead, scheduling }: RuntimeClass, { gate }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const handlerAt = FieldPath.of('handler')
  if (handler === '' && gate('release:requiredAlone')) errors.push(required(handlerAt))
  else addMessages(errors, handlerAt, handler, checkDns1123Label(handler))
  if (overhead?.podFixed !== undefined) {
    const requirements = { limits: overhead.podFixed }
    validateRequirements(errors, requirements, FieldPath.of('overhead'), {
      level: 'container',
      claims: [],
      anyHugePages: false,
    })
  }
  if (scheduling !== undefined) validateScheduling(errors, scheduling, gate('release:tolerationPath'))
  return errors
}

/** The reference names the tolerations twice in their path, until it does not. */
function validateScheduling(errors: Errors, { nodeSelector, tolerations = [] }: Scheduling, once: boolean): void {
  const at = FieldPath.of('scheduling')
  checkLabels(errors, nodeSelector, at.child('nodeSelector'))
  const list = at.child('tolerations')
  const comparisons = { comparesTolerations: false, knowsComparisons: once }
  validateTolerations(errors, tolerations, once ? list : list.child('tolerations'), comparisons)
  const seen = new Set<string>()
  eachItem(errors, tolerations, (errors, toleration, i) => {
    const identity = identityOf(toleration)
    if (seen.has(identity)) errors.push(duplicateAs(list.index(i), () => goToleration(toleration)))
    seen.add(identity)
  })
}

const identityOf = ({ key = '', operator = '', value = '', effect = '' }: Toleration): string =>
  JSON.stringify([key, operator, value, effect])
