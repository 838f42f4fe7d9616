/**
 * Kinds whose update rules repeated those of a new object: a cause came twice. Later releases check once
 * (`api/release-changes.ts`, `checkedOnce`).
 */
import type { FieldError } from '../api/field-error.ts'
import { isCheckedOnce, keepsMetadataChecks } from '../api/release-changes.ts'
import type { MetadataCalls } from '../registry/metadata-checks.ts'
import type { Strategy } from '../registry/strategy.ts'

export function withSingleChecks(strategy: Strategy, kind: string, release: number): Strategy {
  if (!isCheckedOnce(release, kind)) return strategy
  const { validateMetadataUpdate, validateUpdate, validateInTurns } = strategy
  return {
    ...strategy,
    ...(validateMetadataUpdate === undefined || keepsMetadataChecks(kind)
      ? {}
      : { validateMetadataUpdate: (metadata, object) => validateMetadataUpdate(withoutFirst(metadata), object) }),
    ...(validateUpdate === undefined
      ? {}
      : { validateUpdate: (object, old, context) => distinct(validateUpdate(object, old, context)) }),
    ...(validateInTurns === undefined
      ? {}
      : {
          validateInTurns(object, old, context) {
            const found = validateInTurns(object, old, context)
            if (old === undefined) return found
            return found instanceof Promise ? found.then(distinct) : distinct(found)
          },
        }),
  }
}

/** The metadata of a new object is not checked at the first call. */
function withoutFirst(metadata: MetadataCalls): MetadataCalls {
  let isFirst = true
  return {
    validate(rules) {
      if (!isFirst) return metadata.validate(rules)
      isFirst = false
      return []
    },
    validateUpdate: (rules) => metadata.validateUpdate(rules),
  }
}

/** The rules of the update come last, and are those that stay. */
function distinct(errors: FieldError[]): FieldError[] {
  if (errors.length < 2) return errors
  const keyOf = ({ reason, field, message }: FieldError): string => `${reason}\0${field}\0${message}`
  const last = new Map(errors.map((error, i) => [keyOf(error), i]))
  return errors.filter((error, i) => last.get(keyOf(error)) === i)
}
