/**
 * Runs declared rules beside the written ones. The written ones count, and every difference is reported, until the
 * declared ones take over (`DeclarativeValidationTakeover`): then they replace what the written ones say of the same.
 * Only writes of the object itself are looked at, not those of its subresources.
 * Mirrors k8s.io/apiserver/pkg/registry/rest: CompareDeclarativeErrorsAndEmitMismatches.
 */
import { limitErrors, RulesExit } from '../api/error-limit.ts'
import { type FieldError, fieldErrorWith, internal } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import type { KubeObject } from '../api/object.ts'
import { reasonOf } from '../lib/fault.ts'
import type { Strategy, WriteContext } from '../registry/strategy.ts'
import { evaluateRules, type FieldRules } from './declared-rules.ts'

export interface DeclaredRuleReports {
  /** The two kinds of rules disagree. `identifier` says about what: `replicationcontroller_create`. */
  mismatch(detail: string, identifier: string): void
  /** The declared rules could not be evaluated. */
  failure(detail: string, identifier: string): void
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
  const { gate, declaredRules: reports } = services
  const takeover = gate('DeclarativeValidationTakeover') && !gate('release:declaredByStrategy')
  const joined = (written: FieldError[], object: KubeObject, about: string): FieldError[] => {
    const declared = evaluateSafely(() => limitErrors(() => evaluateRules(object, rules)), {
      decides: takeover,
      failed: (detail) => reports.failure(detail, about),
    })
    for (const detail of mismatches(written, declared, takeover)) reports.mismatch(detail, about)
    return takeover ? [...written.filter((error) => error.declared !== true), ...declared] : written
  }
  return {
    ...strategy,
    validate: (object, context) => {
      const written = strategy.validate?.(object, context) ?? []
      return isWhole(context) ? joined(written, object, identifierOf(object, 'create')) : written
    },
    validateUpdate: (object, old, context) => {
      const written = strategy.validateUpdate?.(object, old, context) ?? []
      return isWhole(context) ? joined(written, object, identifierOf(object, 'update')) : written
    },
  }
}

const isWhole = ({ subresource = '' }: WriteContext): boolean => subresource === ''

/** What is validated, as metrics name it. Mirrors registry/rest: metricIdentifier. */
export const identifierOf = ({ kind = '' }: KubeObject, operation: 'create' | 'update', subresource = ''): string =>
  [kind.toLowerCase(), ...(subresource === '' ? [] : subresource.split('/')), operation].join('_')

/**
 * What rules find. A failure of theirs is told and must not fail the request, unless nothing else decides.
 * Mirrors registry/rest: panicSafeValidateFunc.
 */
export function evaluateSafely(
  rules: () => FieldError[],
  { decides, failed }: { readonly decides: boolean; readonly failed: (detail: string) => void },
): FieldError[] {
  try {
    return rules()
  } catch (error) {
    if (error instanceof RulesExit) throw error
    const detail = `panic during declarative validation: ${reasonOf(error)}`
    failed(detail)
    return decides ? [internal(FieldPath.root, detail)] : []
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
