/** Compiles the validation rules of a definition when it is written, and adds up what they can cost. */

import { type FieldError, forbidden, internal, invalid, invalidAs } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import type { JsonObject } from '../../api/json.ts'
import { hasChange } from '../../api/release-changes.ts'
import { goRule } from '../../catalog/golang/schema.ts'
import type { JSONSchemaProps, ValidationRule } from '../../catalog/types/apiextensions-v1.ts'
import {
  DEFINITION_ESTIMATE_LIMIT,
  exceedsBudgetMessage,
  maxCardinality,
  multiplyCost,
  RULE_ESTIMATE_LIMIT,
} from '../../cel/budgets.ts'
import { DeclaredType } from '../../cel/declared-type.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { pushAll } from '../../lib/push-all.ts'
import { schemaFromOpenApi } from '../../schema/from-openapi.ts'
import { compileRule, type RuleEnvironments } from '../custom/compiled-rule.ts'
import type { SchemaOptions } from './schema-options.ts'
import { openApiTypes } from './validate-lists.ts'

/** A place in the schema as expressions see it. */
export interface RuleScope {
  /** Undefined where there are no rules, here and around. */
  readonly declared: DeclaredType | undefined
  readonly schema: JSONSchemaProps
  /** How often it can occur in one object; undefined when there is no bound. */
  readonly cardinality: bigint | undefined
}

type DeclaredScope = RuleScope & { readonly declared: DeclaredType }

/** A schema that has rules. */
export interface RulePlace {
  readonly schema: JSONSchemaProps
  readonly scope: RuleScope
  readonly at: FieldPath
  /** The part around it whose elements cannot be matched with their old selves. */
  readonly uncorrelated: FieldPath | undefined
}

const mostShown = 4
const selfType = 'selfType'

export class RuleChecker {
  readonly root: RuleScope
  readonly #environments: RuleEnvironments
  readonly #suppressCost: boolean
  readonly #boundedIntOrString: boolean
  #total = 0n
  #expensive: { readonly at: FieldPath; readonly cost: bigint }[] = []

  constructor(root: JSONSchemaProps, { environments, release }: SchemaOptions, suppressCost: boolean) {
    this.#boundedIntOrString = hasChange(release, 'boundedIntOrString')
    this.root = { declared: hasOwnRules(root) ? this.#declare(root, true) : undefined, schema: root, cardinality: 1n }
    this.#environments = environments
    this.#suppressCost = suppressCost
  }

  property(scope: RuleScope | undefined, name: string, schema: JSONSchemaProps): RuleScope | undefined {
    const found = scope?.declared?.properties.get(name)?.type
    return scope === undefined ? undefined : this.#below(scope, schema, found)
  }

  values(scope: RuleScope | undefined, schema: JSONSchemaProps): RuleScope | undefined {
    return scope === undefined ? undefined : this.#below(scope, schema, scope.declared?.element)
  }

  items(scope: RuleScope | undefined, schema: JSONSchemaProps): RuleScope | undefined {
    return scope === undefined ? undefined : this.#below(scope, schema, scope.declared?.element)
  }

  #below(parent: RuleScope, schema: JSONSchemaProps, found: DeclaredType | undefined): RuleScope {
    const most = maxElements(parent.schema)
    const { cardinality } = parent
    return {
      declared: this.#declaredBelow(parent, schema, found),
      schema,
      cardinality: cardinality === undefined || most === undefined ? undefined : multiplyCost(cardinality, most),
    }
  }

  /** What expressions cannot see through the parent stands for itself, but not below one that has no type. */
  #declaredBelow(
    { declared: parent }: RuleScope,
    schema: JSONSchemaProps,
    found: DeclaredType | undefined,
  ): DeclaredType | undefined {
    if (parent?.isDeclared === false) return parent
    if (parent === undefined && !hasOwnRules(schema)) return undefined
    const isUnknown = !isKnownType(schema)
    return (isUnknown ? undefined : found) ?? this.#declare(schema, schema['x-kubernetes-embedded-resource'] === true)
  }

  #declare(schema: JSONSchemaProps, resourceRoot: boolean): DeclaredType {
    return new DeclaredType(isKnownType(schema) ? schemaFromOpenApi(schema as JsonObject) : { kind: 'any' }, {
      name: selfType,
      resourceRoot,
      boundedIntOrString: this.#boundedIntOrString,
    })
  }

  /** One rule with each step: a definition may have thousands of them. */
  *check({ schema, scope, at: path, uncorrelated }: RulePlace): Steps<FieldError[]> {
    const at = path.child('x-kubernetes-validations')
    // Names begin anew at each schema that has rules: mirrors schema/cel/compilation.go: Compile.
    const declared = scope.declared?.named(selfType)
    if (declared?.isDeclared !== true) {
      const why = 'failed to construct type information for x-kubernetes-validations rules'
      return [internal(at, `internal error: ${why}: unable to convert structural schema to CEL declarations`)]
    }
    const errors: FieldError[] = []
    for (const [i, rule] of (schema['x-kubernetes-validations'] ?? []).entries()) {
      pushAll(errors, this.#checkRule(rule, { ...scope, declared }, at.index(i), uncorrelated))
      yield
    }
    return errors
  }

  #checkRule(
    rule: ValidationRule,
    scope: DeclaredScope,
    at: FieldPath,
    uncorrelated: FieldPath | undefined,
  ): FieldError[] {
    const compiled = compileRule(rule, scope.declared, this.#environments)
    if (compiled === undefined) return []
    const errors: FieldError[] = []
    const cost = multiplyCost(compiled.cost, scope.cardinality ?? maxCardinality(scope.declared))
    this.#observe(errors, 'rule', cost, at)
    if (compiled.error !== undefined) errors.push(aboutRule(at.child('rule'), rule, compiled.error))
    if (compiled.messageError !== undefined) {
      errors.push(aboutRule(at.child('messageExpression'), rule, compiled.messageError))
    } else if (compiled.message !== undefined) {
      this.#observe(errors, 'messageExpression', compiled.messageCost, at)
    }
    if (compiled.usesOldSelf && uncorrelated !== undefined) {
      const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`
      errors.push(invalid(at.child('rule'), rule.rule, text))
    } else if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
      const text = 'may not be set if oldSelf is not used in rule'
      errors.push(invalid(at.child('optionalOldSelf'), rule.optionalOldSelf, text))
    }
    return errors
  }

  #observe(errors: FieldError[], part: 'rule' | 'messageExpression', cost: bigint, at: FieldPath): void {
    const place = at.child(part)
    if (!this.#suppressCost && cost > RULE_ESTIMATE_LIMIT) {
      errors.push(forbidden(place, exceedsBudgetMessage(`estimated ${part} cost`, cost, RULE_ESTIMATE_LIMIT)))
    }
    this.#total += cost
    // What takes less than a hundredth of the limit is not to blame.
    if (cost < DEFINITION_ESTIMATE_LIMIT / 100n) return
    this.#expensive.push({ at: place, cost })
    this.#expensive.sort((a, b) => (a.cost < b.cost ? 1 : a.cost > b.cost ? -1 : 0))
    this.#expensive.length = Math.min(this.#expensive.length, mostShown)
  }

  totalErrors(at: FieldPath): FieldError[] {
    if (this.#total <= DEFINITION_ESTIMATE_LIMIT) return []
    const text = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [
      ...this.#expensive.map((expensive) => forbidden(expensive.at, text)),
      forbidden(at, exceedsBudgetMessage(what, this.#total, DEFINITION_ESTIMATE_LIMIT)),
    ]
  }
}

const hasOwnRules = (schema: JSONSchemaProps): boolean => (schema['x-kubernetes-validations']?.length ?? 0) > 0

/** A type that there is not is refused elsewhere; expressions do not see it. */
const isKnownType = ({ type = '' }: JSONSchemaProps): boolean => type === '' || openApiTypes.includes(type)

function maxElements(schema: JSONSchemaProps): bigint | undefined {
  const bound = (limit: number | undefined): bigint | undefined =>
    limit === undefined ? undefined : BigInt(Math.max(limit, 0))
  if (schema.type === 'array') return bound(schema.maxItems)
  if (schema.type !== 'object' || schema.additionalProperties === undefined) return 1n
  return bound(schema.maxProperties)
}

/** The reference shows the whole rule. */
const aboutRule = (at: FieldPath, rule: ValidationRule, text: string): FieldError =>
  invalidAs(at, () => goRule(rule), text)
