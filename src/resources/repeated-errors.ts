/**
 * Errors of an update that a kind's rules report more than once are counted: they are a fault of the rules, not of the object.
 * Mirrors k8s.io/apiserver/pkg/registry/rest: RecordDuplicateValidationErrors.
 */
import type { FieldError } from '../api/field-error.ts'
import type { MetricSet } from '../lib/metrics.ts'
import type { Strategy } from '../registry/strategy.ts'

interface Services {
  gate(name: string): boolean
  readonly metrics?: MetricSet
}

export function withRepeatCounts(strategy: Strategy, { gate, metrics }: Services): Strategy {
  const { validateUpdate } = strategy
  if (validateUpdate === undefined || metrics === undefined || !gate('release:countsRepeatedErrors')) return strategy
  const repeats = metrics.counter('apiserver_validation_duplicate_validation_error_total')
  return {
    ...strategy,
    validateUpdate(object, old, context) {
      const errors = validateUpdate(object, old, context)
      const repeated = countRepeats(errors)
      if (repeated > 0) repeats.add(repeated)
      return errors
    },
  }
}

const countRepeats = (errors: readonly FieldError[]): number =>
  errors.length < 2 ? 0 : errors.length - new Set(errors.map(({ field, message }) => `${field}\0${message}`)).size
