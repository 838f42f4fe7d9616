/** The validations of a policy, compiled once for each version of it. */

import { BOOL, NULL, STRING } from '../../cel/types.ts'
import { type CompiledExpression, PolicyExpressions } from './expressions.ts'
import type { Policy, PolicySpec } from './policy-objects.ts'

export interface CompiledValidation {
  readonly expression: string
  readonly program: CompiledExpression
  readonly message: string
  readonly messageProgram: CompiledExpression | undefined
  readonly messageExpression: string
  readonly reason: string
}

export class CompiledPolicy {
  readonly expressions: PolicyExpressions
  readonly validations: readonly CompiledValidation[]
  readonly auditAnnotations: readonly { key: string; expression: string; program: CompiledExpression }[]
  readonly failOpen: boolean

  constructor({ spec }: Policy) {
    this.expressions = new PolicyExpressions(spec)
    this.validations = (spec.validations ?? []).map((each) => this.#validation(each))
    this.auditAnnotations = (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      expression: valueExpression,
      program: this.expressions.compile(valueExpression, { authorizer: true }, [STRING, NULL]),
    }))
    this.failOpen = spec.failurePolicy === 'Ignore'
  }

  #validation(each: NonNullable<PolicySpec['validations']>[number]): CompiledValidation {
    const { expression, message = '', messageExpression = '', reason = 'Invalid' } = each
    return {
      expression,
      program: this.expressions.compile(expression, { authorizer: true }, [BOOL]),
      message: message.trim(),
      messageExpression,
      messageProgram: messageExpression === '' ? undefined : this.expressions.compile(messageExpression, {}, [STRING]),
      reason,
    }
  }
}
