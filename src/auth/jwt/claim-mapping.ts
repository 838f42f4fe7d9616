/**
 * From the claims of a verified token to a user: validation rules first, then name, groups, uid and extra by claim or by
 * expression, then rules about the user. Anything unexpected is an error: no defaults are guessed.
 */
import type { JwtAuthenticatorConfig, PrefixedClaimOrExpression } from '../../api/authentication-configuration.ts'
import { type JsonObject, type JsonValue, jsonTypeName, ownValue } from '../../api/json.ts'
import type { UserInfo } from '../../api/user.ts'
import { userToJson } from '../reviews/user-info.ts'

/** A compiled expression: a value, or an error. */
export type ClaimProgram = (input: JsonObject) => ProgramResult
export type ProgramResult = { readonly value: JsonValue; readonly error?: undefined } | { readonly error: string }

export interface ExpressionCompiler {
  /** Compiles an expression over the variable `claims` or `user`; throws when it does not compile. */
  compile(expression: string, over: 'claims' | 'user'): ClaimProgram
}

/** The claims do not make a user. The text is for logs. */
export class ClaimError extends Error {
  override readonly name = 'ClaimError'
}

type Mapping<T> = (claims: JsonObject) => T

/** A function from claims to a user; it throws a ClaimError. */
export function compileMapping(config: JwtAuthenticatorConfig, compiler: ExpressionCompiler): Mapping<UserInfo> {
  const { claimMappings, claimValidationRules, userValidationRules } = config
  const rules = claimValidationRules.map(({ claim, requiredValue, expression, message }) =>
    claim !== ''
      ? (claims: JsonObject) => requireClaim(claims, claim, requiredValue)
      : ruleCheck(compiler.compile(expression, 'claims'), { expression, message, what: 'claim validation expression' }),
  )
  const username = usernameMapping(claimMappings.username, compiler)
  const groups = groupsMapping(claimMappings.groups, compiler)
  const uid = uidMapping(claimMappings.uid, compiler)
  const extra = claimMappings.extra.map(({ key, valueExpression }) => {
    const program = compiler.compile(valueExpression, 'claims')
    return {
      key,
      values: (claims: JsonObject) => stringList(run(program, claims), `extra claim expression: ${valueExpression}`),
    }
  })
  const userRules = userValidationRules.map(({ expression, message }) =>
    ruleCheck(compiler.compile(expression, 'user'), { expression, message, what: 'user info validation rule' }),
  )
  return (claims) => {
    const name = username(claims)
    const memberships = groups(claims)
    for (const rule of rules) rule(claims)
    const id = uid(claims)
    const more = new Map<string, readonly string[]>()
    for (const { key, values } of extra) {
      const list = values(claims)
      if (list.length > 0) more.set(key, list)
    }
    const user: UserInfo = { name, ...(id === '' ? {} : { uid: id }), groups: memberships, extra: more }
    const seen = { username: name, uid: id, groups: [...memberships], extra: {}, ...userToJson(user) }
    for (const rule of userRules) rule(seen)
    return withCredentialId(user, claims)
  }
}

function withCredentialId(user: UserInfo, claims: JsonObject): UserInfo {
  const id = claims['jti']
  if (typeof id !== 'string' || id === '') return user
  const key = 'authentication.kubernetes.io/credential-id'
  return { ...user, extra: new Map([...user.extra, [key, [`JTI=${id}`]]]) }
}

function run(program: ClaimProgram, input: JsonObject): JsonValue {
  const result = program(input)
  if (result.error !== undefined) throw new ClaimError(`oidc: error evaluating expression: ${result.error}`)
  return result.value
}

function requireClaim(claims: JsonObject, claim: string, wanted: string): void {
  const value = ownValue(claims, claim)
  if (value === undefined) throw new ClaimError(`oidc: required claim ${claim} not present in ID token`)
  if (typeof value !== 'string')
    throw new ClaimError(
      `oidc: parse claim ${claim}: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type string`,
    )
  if (value !== wanted) {
    throw new ClaimError(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${wanted}`)
  }
}

const ruleCheck =
  (program: ClaimProgram, { expression, message, what }: { expression: string; message: string; what: string }) =>
  (input: JsonObject): void => {
    if (run(program, input) === true) return
    throw new ClaimError(`oidc: error evaluating ${what}: validation expression '${expression}' failed: ${message}`)
  }

function usernameMapping(
  { claim, prefix = '', expression }: PrefixedClaimOrExpression,
  compiler: ExpressionCompiler,
): Mapping<string> {
  if (expression !== '') {
    const program = compiler.compile(expression, 'claims')
    return (claims) => {
      const value = run(program, claims)
      if (typeof value !== 'string')
        throw new ClaimError('oidc: error evaluating username claim expression: expected string')
      if (value === '') throw new ClaimError('oidc: username claim expression evaluated to the empty string')
      return value
    }
  }
  return (claims) => {
    const value = ownValue(claims, claim)
    if (typeof value !== 'string') throw new ClaimError(`oidc: parse username claims "${claim}": it is not a string`)
    // An address that the issuer itself does not vouch for could be anybody's.
    if (claim === 'email' && claims['email_verified'] !== undefined && claims['email_verified'] !== true) {
      throw new ClaimError('oidc: email not verified')
    }
    return prefix + value
  }
}

function groupsMapping(
  { claim, prefix = '', expression }: PrefixedClaimOrExpression,
  compiler: ExpressionCompiler,
): Mapping<readonly string[]> {
  if (expression !== '') {
    const program = compiler.compile(expression, 'claims')
    return (claims) => stringList(run(program, claims), 'group claim expression')
  }
  if (claim === '') return () => []
  return (claims) => {
    const value = ownValue(claims, claim)
    if (value === undefined || value === null) return []
    const groups = typeof value === 'string' ? [value] : value
    if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string')) {
      throw new ClaimError(`oidc: parse groups claim "${claim}": it is neither a string nor a list of strings`)
    }
    return groups.map((group) => prefix + group)
  }
}

function uidMapping(
  { claim, expression }: { claim: string; expression: string },
  compiler: ExpressionCompiler,
): Mapping<string> {
  if (claim === '' && expression === '') return () => ''
  const program = expression === '' ? undefined : compiler.compile(expression, 'claims')
  return (claims) => {
    const value = program ? run(program, claims) : ownValue(claims, claim)
    if (typeof value !== 'string') throw new ClaimError('oidc: the uid is not a string')
    return value
  }
}

/** A text, a list of texts, or nothing; empty texts are left out. */
function stringList(value: JsonValue, what: string): string[] {
  if (value === null) return []
  const list = typeof value === 'string' ? [value] : value
  const isText = (item: JsonValue): item is string => typeof item === 'string'
  if (!Array.isArray(list) || !list.every(isText)) {
    throw new ClaimError(`oidc: error evaluating ${what}: expression must return a string or a list of strings`)
  }
  return list.filter((item) => item !== '')
}
