/**
 * Controller revisions: data that never changes, numbered.
 * Mirrors pkg/apis/apps/validation: ValidateControllerRevisionCreate, ValidateControllerRevisionUpdate.
 * Mirrors pkg/registry/apps/controllerrevision: strategy.
 */

import { invalid, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { goRawExtension } from '../../../../api/golang/value.ts'
import { equalJson, isJsonObject, type JsonValue } from '../../../../api/json.ts'
import { jsonText } from '../../../../api/json-text.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { ControllerRevision } from '../../../../catalog/types/apps-v1.ts'
import { type Errors, immutableMessage, negativeMessage } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'

type Revision = ControllerRevision & KubeObject

const dataPath = FieldPath.of('data')

export function controllerRevisionRules(): KindRules<Revision> {
  return {
    strategy: {
      validateMetadataUpdate: (metadata) => [...metadata.validateUpdate(), ...metadata.validate()],
      validate({ data, revision }) {
        const errors: Errors = []
        validateNumber(errors, revision)
        if (data === undefined || data === null) errors.push(required(dataPath, 'data is mandatory'))
        else if (!isJsonObject(data)) errors.push(required(dataPath, 'data must be a valid JSON object'))
        return errors
      },
      validateUpdate({ data, revision }, old) {
        const errors: Errors = []
        validateNumber(errors, revision)
        if (!equalText(data, old.data)) errors.push(invalidAs(dataPath, () => goRawExtension(data), immutableMessage))
        return errors
      },
    },
  }
}

/** The reference compares the bytes: other orders of keys are other data. */
const equalText = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  a === b || (equalJson(a, b) && jsonText(a ?? null) === jsonText(b ?? null))

function validateNumber(errors: Errors, revision: number): void {
  if (revision < 0) errors.push(invalid(FieldPath.of('revision'), revision, negativeMessage))
}
