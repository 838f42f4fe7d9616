/**
 * CSI storage capacities: of one class and one topology, for good.
 * Mirrors pkg/apis/storage/validation: ValidateCSIStorageCapacity, ValidateCSIStorageCapacityUpdate.
 * Mirrors pkg/registry/storage/csistoragecapacity: csiStorageCapacityStrategy.
 */

import { hasErrors } from '../../../../api/error-limit.ts'
import { type FieldError, invalid } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { keysOf } from '../../../../api/key-lists.ts'
import { validateLabelSelector } from '../../../../api/label-selector-validation.ts'
import { checkSubdomainName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { Quantity } from '../../../../api/quantity.ts'
import { goSelector, invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { LabelSelector } from '../../../../catalog/types/meta-v1.ts'
import { addMessages, type Errors, immutableMessage, negativeMessage } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { deprecatedLabels } from '../../pods/pod-warnings.ts'

type StorageCapacity = KubeObject & {
  nodeTopology?: LabelSelector
  storageClassName: string
  capacity?: string
  maximumVolumeSize?: string
}

const root = FieldPath.root
const topologyAt = root.child('nodeTopology')

export const csiStorageCapacityRules = (): KindRules<StorageCapacity> => ({
  strategy: {
    validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
    validate: (object) => validate(object, false),
    validateUpdate: (object, old) => [
      ...validate(
        object,
        hasErrors(() => validateLabelSelector(old.nodeTopology, topologyAt)),
      ),
      ...validateChange(object, old),
    ],
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
  },
})

function validate({ nodeTopology, storageClassName = '', capacity }: StorageCapacity, anyValue: boolean): FieldError[] {
  const errors: Errors = validateLabelSelector(nodeTopology, topologyAt, { allowInvalidLabelValue: anyValue })
  addMessages(errors, root.child('storageClassName'), storageClassName, checkSubdomainName(storageClassName))
  if (capacity !== undefined && Quantity.parse(capacity).sign() < 0) {
    errors.push(invalid(root.child('capacity'), capacity, negativeMessage))
  }
  return errors
}

function validateChange(object: StorageCapacity, old: StorageCapacity): FieldError[] {
  const errors: FieldError[] = []
  if (!equalSemantic(object.nodeTopology, old.nodeTopology)) {
    errors.push(invalidAs(topologyAt, () => goSelector(object.nodeTopology), immutableMessage))
  }
  if (object.storageClassName !== old.storageClassName) {
    errors.push(invalid(root.child('storageClassName'), object.storageClassName ?? '', immutableMessage))
  }
  return errors
}

const messageOf = (label: string): string | undefined =>
  Object.hasOwn(deprecatedLabels, label) ? deprecatedLabels[label] : undefined

function warnings({ nodeTopology }: StorageCapacity): string[] {
  const { matchExpressions = [], matchLabels = {} } = nodeTopology ?? {}
  return [
    ...matchExpressions.flatMap(({ key }, i) => {
      const message = messageOf(key)
      return message === undefined ? [] : [`nodeTopology.matchExpressions[${i}].key: ${key} is ${message}`]
    }),
    ...keysOf(matchLabels).flatMap((label) => {
      const message = messageOf(label)
      return message === undefined ? [] : [`nodeTopology.matchLabels.${label}: ${message}`]
    }),
  ]
}
