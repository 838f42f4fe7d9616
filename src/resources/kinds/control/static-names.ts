/**
 * Names of webhooks and policies that are kept for those in files: nobody makes them by a request where files are read, and
 * elsewhere their makers are warned.
 * Mirrors pkg/apis/admissionregistration/validation: ValidateStaticSuffix, WarningsForStaticSuffix.
 */
import { type FieldError, invalid } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { Strategy, WriteContext } from '../../../registry/strategy.ts'

const suffix = '.static.k8s.io'
const why = `names ending with "${suffix}" are reserved for static manifest-based configurations and cannot be managed via the API`
const nameAt = FieldPath.of('metadata', 'name')

type Gate = WriteContext['gate']

const readsFiles = (gate: Gate): boolean => gate('ManifestBasedAdmissionControlConfig')

function errorsFor({ metadata: { name = '' } }: KubeObject, gate: Gate): FieldError[] {
  return readsFiles(gate) && name.endsWith(suffix) ? [invalid(nameAt, name, why)] : []
}

const warningsFor = ({ metadata: { name = '' } }: KubeObject, gate: Gate): string[] =>
  gate('release:staticNames') && name.endsWith(suffix) ? [`${nameAt}: ${why}`] : []

/** Of an update, whatever part of the object it is of. */
export const staticNameWarnings = (object: KubeObject, _old: KubeObject, { gate }: WriteContext): string[] =>
  warningsFor(object, gate)

export function withStaticNames<T extends KubeObject>(strategy: Strategy<T>): Strategy<T> {
  return {
    ...strategy,
    // What else a new object needs is looked at when it is valid.
    beginCreate: (draft, context) =>
      errorsFor(draft, context.gate).length > 0 ? undefined : strategy.beginCreate?.(draft, context),
    validateInTurns(object, old, context) {
      const found = strategy.validateInTurns?.(object, old, context) ?? []
      const more = old === undefined ? errorsFor(object, context.gate) : []
      if (more.length === 0) return found
      return found instanceof Promise ? found.then((errors) => [...errors, ...more]) : [...found, ...more]
    },
    warningsOnCreate: (object, { gate }) => (readsFiles(gate) ? [] : warningsFor(object, gate)),
    warningsOnUpdate: staticNameWarnings,
  }
}
