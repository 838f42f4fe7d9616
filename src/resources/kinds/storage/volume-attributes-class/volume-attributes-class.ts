/**
 * Volume attributes classes: fixed once made.
 * Mirrors pkg/apis/storage/validation: ValidateVolumeAttributesClass, ValidateVolumeAttributesClassUpdate.
 * Mirrors pkg/registry/storage/volumeattributesclass: volumeAttributesClassStrategy.
 */

import { type FieldError, forbidden, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalJson } from '../../../../api/json.ts'
import { keysOf } from '../../../../api/key-lists.ts'
import type { KubeObject } from '../../../../api/object.ts'
import type { Errors } from '../../../checks/checks.ts'
import { repeatedCheck } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { validateParameters, validateProvisioner } from '../class-fields.ts'

type AttributesClass = KubeObject & { driverName: string; parameters?: Record<string, string> }

const root = FieldPath.root

export const volumeAttributesClassRules = (): KindRules<AttributesClass> => ({
  strategy: {
    validateMetadataUpdate: (metadata) => [
      ...metadata.validate(),
      ...metadata.validateUpdate(),
      ...metadata.validate(),
    ],
    validate,
    // The whole class is checked before what must not change, and after it.
    validateUpdate(object, old, context) {
      const errors = validate(object)
      const repeated = repeatedCheck(context, 'storage.k8s.io/VolumeAttributesClass', errors)
      return [...repeated, ...validateChange(object, old), ...errors]
    },
  },
  returnsDeleted: true,
})

function validate({ driverName = '', parameters }: AttributesClass): FieldError[] {
  const errors: Errors = []
  validateProvisioner(errors, driverName, root.child('driverName'))
  validateParameters(errors, parameters, root.child('parameters'))
  if (keysOf(parameters ?? {}).length === 0) {
    errors.push(required(root.child('parameters'), 'must contain at least one key/value pair'))
  }
  return errors
}

const validateChange = (object: AttributesClass, old: AttributesClass): FieldError[] =>
  (['driverName', 'parameters'] as const).flatMap((key) =>
    equalJson(object[key], old[key]) ? [] : [forbidden(root.child(key), `updates to ${key} are forbidden.`)],
  )
