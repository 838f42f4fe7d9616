/**
 * Runs declared rules beside the written ones. The written ones count, and every difference is reported, until the
 * declared ones take over (`DeclarativeValidationTakeover`): then they replace what the written ones say of the same.
 * Only writes of the object itself are looked at, not those of its subresources.
 * Mirrors k8s.io/apiserver/pkg/registry/rest: CompareDeclarativeErrorsAndEmitMismatches.
 */
import { limitErrors } from '../api/error-limit.ts'
import { type FieldError, fieldErrorWith, internal } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import type { KubeObject } from '../api/object.ts'
import { reasonOf } from '../lib/fault.ts'
import type { Strategy, WriteContext } from '../registry/strategy.ts'
import { evaluateRules, type FieldRules } from './declared-rules.ts'

export interface DeclaredRuleReports {
  /** The two kinds of rules disagree. */
  mismatch(detail: string): void
  /** The declared rules could not be evaluated. */
  failure(detail: string): void
}

interface Services {
  readonly declaredRules: DeclaredRuleReports
  gate(name: string): boolean
}

/** Marks what a written rule found as something that a declared rule finds as well. */
export const alsoDeclared = (error: FieldError, origin?: string): FieldError =>
  fieldErrorWith(error, { declared: true, ...(origin === undefined ? {} : { origin }) })

export function withDeclaredRules(strategy: Strategy, rules: FieldRules | undefined, services: Services): Strategy {
  if (rules === undefined || !services.gate('DeclarativeValidation')) return strategy
  const takeover = services.gate('DeclarativeValidationTakeover')
  const joined = (written: FieldError[], object: KubeObject, { subresource = '' }: WriteContext): FieldError[] => {
    if (subresource !== '') return written
    const declared = evaluateSafely(object, rules, services.declaredRules, takeover)
    for (const detail of mismatches(written, declared, takeover)) services.declaredRules.mismatch(detail)
    return takeover ? [...written.filter((error) => error.declared !== true), ...declared] : written
  }
  return {
    ...strategy,
    validate: (object, context) => joined(strategy.validate?.(object, context) ?? [], object, context),
    validateUpdate: (object, old, context) =>
      joined(strategy.validateUpdate?.(object, old, context) ?? [], object, context),
  }
}

/** A failure must not fail the request, unless nothing else decides. */
function evaluateSafely(
  object: KubeObject,
  rules: FieldRules,
  reports: DeclaredRuleReports,
  takeover: boolean,
): FieldError[] {
  try {
    return limitErrors(() => evaluateRules(object, rules))
  } catch (error) {
    const detail = `panic during declarative validation: ${reasonOf(error)}`
    reports.failure(detail)
    return takeover ? [internal(FieldPath.root, detail)] : []
  }
}

const advice = {
  off: 'This difference should not affect system operation since hand written validation is authoritative.',
  on: 'Consider disabling the DeclarativeValidationTakeover feature gate to keep data persisted in etcd consistent with prior versions of Kubernetes.',
}

/** What one side found and the other did not. One written error may stand for several declared ones. */
function mismatches(written: readonly FieldError[], declared: readonly FieldError[], takeover: boolean): string[] {
  if (written.length === 0 && declared.length === 0) return []
  const described = (what: string, error: FieldError): string =>
    `Unexpected difference between hand written validation and declarative validation error results, ${what} error(s) found ${shown(error)}. ` +
    `This indicates an issue with declarative validation. ${takeover ? advice.on : advice.off}`
  const details: string[] = []
  let extra = declared
  for (const error of distinct(written)) {
    if (error.declared !== true) continue
    const rest = extra.filter((other) => !isSame(error, other))
    if (rest.length === extra.length) details.push(described('unmatched', error))
    extra = rest
  }
  return [...details, ...extra.map((error) => described('extra', error))]
}

const isSame = (a: FieldError, b: FieldError): boolean =>
  a.reason === b.reason && a.field === b.field && a.origin === b.origin

const shown = ({ reason, field, origin = '' }: FieldError): string =>
  `{Type=${JSON.stringify(reason)}, Field=${JSON.stringify(field)}, Origin=${JSON.stringify(origin)}}`

/** Kinds that check twice report twice. */
function distinct(errors: readonly FieldError[]): FieldError[] {
  const seen = new Map(errors.map((error) => [`${error.reason}\0${error.field}\0${error.message}`, error]))
  return [...seen.values()]
}
