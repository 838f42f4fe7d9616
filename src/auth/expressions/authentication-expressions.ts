/** Expressions of structured authentication: over the claims of a token, or over the user that was made of them. */
import type { JsonObject } from '../../api/json.ts'
import { type ExprNode, walk } from '../../cel/ast.ts'
import { type Environment, storedExpressions, typedVariable } from '../../cel/environment.ts'
import { toJson } from '../../cel/json-values.ts'
import type { Program as CelProgram } from '../../cel/program.ts'
import { BOOL, DYN, isExactType, listType, mapType, STRING, structType, type Type } from '../../cel/types.ts'
import { CostLimitExceeded } from '../../cel/values.ts'
import type { ClaimProgram, ExpressionCompiler } from '../jwt/claim-mapping.ts'

export type ExpressionFindings =
  | { readonly error: string }
  | { readonly error?: undefined; readonly usesEmail: boolean; readonly usesEmailVerified: boolean }

const extraType = mapType(STRING, listType(STRING))
const userFields: Readonly<Record<string, Type>> = {
  username: STRING,
  uid: STRING,
  groups: listType(STRING),
  extra: extraType,
}
const userType = structType('kubernetes.UserInfo', (name) =>
  Object.hasOwn(userFields, name) ? userFields[name] : undefined,
)

export class AuthenticationExpressions implements ExpressionCompiler {
  readonly #environments: Readonly<Record<'claims' | 'user', Environment>>

  /** `release`: all that it knows may be used, as configuration is nothing that an older server must read. */
  constructor(release?: number) {
    const base = storedExpressions(release)
    const withVariable = (name: string, type: Type): Environment =>
      base.extend({ variables: new Map([[name, typedVariable(type)]]) })
    this.#environments = {
      claims: withVariable('claims', mapType(STRING, DYN)),
      user: withVariable('user', userType),
    }
  }

  /** Whether an expression compiles; a rule must give a boolean, what a mapping gives shows only when it runs. */
  check(expression: string, over: 'claims' | 'user', rule: boolean): ExpressionFindings {
    const compiled = this.#environments[over].compile(expression)
    if (!compiled.ok) return { error: `compilation failed: ${compiled.message}` }
    const { program } = compiled
    if (rule && !isExactType(program.resultType, BOOL)) return { error: 'must evaluate to bool' }
    return {
      usesEmail: selectsClaim(program.tree, 'email'),
      usesEmailVerified: selectsClaim(program.tree, 'email_verified'),
    }
  }

  compile(expression: string, over: 'claims' | 'user'): ClaimProgram {
    const compiled = this.#environments[over].compile(expression)
    if (!compiled.ok) throw new Error(compiled.message)
    return (input) => evaluate(compiled.program, over, input)
  }
}

function evaluate(program: CelProgram, variable: string, input: JsonObject): ReturnType<ClaimProgram> {
  const result = program.evaluate({ [variable]: input })
  if (result.kind === 'value') return { value: toJson(result.value) }
  if (result.kind === 'error') return { error: result.message }
  // Claims are as short as a header: a search that takes long is refused, not waited for.
  if (result.kind === 'searching') return { error: new CostLimitExceeded().message }
  return { error: 'expressions over claims cannot ask an authorizer' }
}

const isClaims = (node: ExprNode | undefined): boolean => node?.kind === 'ident' && node.name === 'claims'

/** Whether the expression has `claims.FIELD`, `claims.?FIELD` or `has(claims.FIELD)` in it. */
function selectsClaim(tree: ExprNode, field: string): boolean {
  let found = false
  walk(tree, (node) => {
    if (node.kind === 'select') found ||= node.field === field && isClaims(node.operand)
    if (node.kind !== 'call' || node.name !== '_?._') return
    const [operand, name] = node.args
    found ||= isClaims(operand) && name?.kind === 'literal' && name.value === field
  })
  return found
}
