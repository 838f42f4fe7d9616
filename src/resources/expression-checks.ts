/** Compiles the expressions of webhooks, policies and device selectors, to report what is wrong with them. */
import { type DeviceSelectorScope, deviceSelectorEnvironment, isTooComplexSelector } from '../cel/device-selector.ts'
import { type Environment, type ExpressionScope, newExpressionsAt, storedExpressions } from '../cel/environment.ts'
import { admissionEnvironment } from '../cel/environments.ts'
import { mutationTypes } from '../cel/mutation-types.ts'
import { ANY, BOOL, DYN, isExactType, listType, NULL, STRING, type Type, typeToString } from '../cel/types.ts'
import type {
  ExpressionChecker,
  ExpressionOptions,
  ExpressionProblem,
  ExpressionResult,
} from './kinds/control/expressions.ts'
import type { CheckDeviceSelector } from './kinds/devices/device-checks.ts'

const struct = (name: string): Type => mutationTypes.find(name) ?? DYN

const resultTypes: Readonly<Record<ExpressionResult, readonly Type[]>> = {
  bool: [BOOL],
  string: [STRING],
  'string-or-null': [STRING, NULL],
  anything: [ANY, DYN],
  configuration: [struct('Object')],
  'json-patch': [listType(struct('JSONPatch'))],
}

export function expressionChecker(composed: boolean, scope: ExpressionScope): ExpressionChecker {
  const variables = new Map<string, Type>()
  const environmentFor = ({ params, authorizer, stored, result }: ExpressionOptions): Environment =>
    admissionEnvironment(stored ? storedExpressions(scope.release) : newExpressionsAt(scope), {
      params,
      authorizer,
      patches: result === 'configuration' || result === 'json-patch',
      ...(composed ? { variables } : {}),
    })
  const compile = (expression: string, options: ExpressionOptions) =>
    environmentFor(options).compile(expression, { expectedTypes: resultTypes[options.result] })
  return {
    check: (expression, options) => problemOf(compile(expression, options)),
    declare(name, expression, options) {
      const compiled = compile(expression, options)
      variables.set(name, compiled.ok ? compiled.program.tree.type : DYN)
      return problemOf(compiled)
    },
  }
}

export const deviceSelectorCheck =
  (scope: DeviceSelectorScope): CheckDeviceSelector =>
  (expression, stored) => {
    const compiled = deviceSelectorEnvironment(stored, scope).compile(expression)
    const { resultType } = compiled.ok ? compiled.program : compiled
    const expected = scope.lists === true ? [BOOL, ANY, DYN] : [BOOL, ANY]
    if (resultType !== undefined && !expected.some((type) => isExactType(resultType, type))) {
      return { detail: `must evaluate to bool or the unknown type, not ${typeToString(resultType)}`, internal: false }
    }
    if (!compiled.ok) return problemOf(compiled)
    return isTooComplexSelector(compiled.program) ? 'too-complex' : undefined
  }

function problemOf(compiled: ReturnType<Environment['compile']>): ExpressionProblem | undefined {
  if (compiled.ok) return undefined
  switch (compiled.reason) {
    case 'compile':
      return { detail: `compilation failed: ${compiled.message}`, internal: false }
    case 'result-type':
      return { detail: compiled.message, internal: false }
    case 'program':
      return { detail: `program instantiation failed: ${compiled.message}`, internal: true }
  }
}
