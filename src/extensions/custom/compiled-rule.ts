/** One validation rule, compiled: its program, that of its message, and what it costs at worst. */
import type { DeclaredType } from '../../cel/declared-type.ts'
import type { Environment } from '../../cel/environment.ts'
import { validationRuleEnvironment } from '../../cel/environments.ts'
import { estimateProgramCost, type Program, sizesBelow } from '../../cel/program.ts'
import { BOOL, STRING } from '../../cel/types.ts'
import type { ExpressionRule } from '../../schema/schema.ts'

export interface CompiledRule {
  readonly rule: ExpressionRule
  readonly program?: Program
  /** Why the rule does not compile. */
  readonly error?: string
  readonly usesOldSelf: boolean
  readonly cost: bigint
  readonly message?: Program
  readonly messageError?: string
  readonly messageCost: bigint
}

/** Which expressions may use what only newer servers know: those that were there before. */
export interface RuleEnvironments {
  forRule(expression: string): Environment
  forMessage(expression: string): Environment
}

/** Undefined for a rule without an expression: reported elsewhere. */
export function compileRule(
  rule: ExpressionRule,
  self: DeclaredType,
  environments: RuleEnvironments,
): CompiledRule | undefined {
  if ((rule.rule ?? '').trim() === '') return undefined
  const options = { optionalOldSelf: rule.optionalOldSelf === true }
  const environment = validationRuleEnvironment(environments.forRule(rule.rule), self, options)
  const compiled = environment.compile(rule.rule, { expectedTypes: [BOOL] })
  const nothing = { rule, usesOldSelf: false, cost: 0n, messageCost: 0n }
  if (!compiled.ok) {
    if (compiled.reason === 'result-type') return { ...nothing, error: 'cel expression must evaluate to a bool' }
    const stage = compiled.reason === 'program' ? 'program instantiation failed' : 'compilation failed'
    return { ...nothing, error: `${stage}: ${compiled.message}` }
  }
  const { program } = compiled
  const sizes = sizesBelow(self)
  const base = {
    rule,
    program,
    usesOldSelf: program.variables.includes('oldSelf'),
    cost: estimateProgramCost(program, sizes).max,
    messageCost: 0n,
  }
  const expression = rule.messageExpression ?? ''
  if (expression === '') return base
  const messageEnvironment = validationRuleEnvironment(environments.forMessage(expression), self, options)
  const text = messageEnvironment.compile(expression, { expectedTypes: [STRING] })
  if (!text.ok) {
    if (text.reason === 'result-type') return { ...base, messageError: 'messageExpression must evaluate to a string' }
    const stage =
      text.reason === 'program' ? 'messageExpression instantiation failed' : 'messageExpression compilation failed'
    return { ...base, messageError: `${stage}: ${text.message}` }
  }
  return { ...base, message: text.program, messageCost: estimateProgramCost(text.program, sizes).max }
}
