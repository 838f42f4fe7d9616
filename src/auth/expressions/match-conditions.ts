/** Match conditions of webhook authorizers: expressions over `request`, the spec of a SubjectAccessReview. */
import { aggregateText } from '../../api/aggregate-text.ts'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { type Environment, storedExpressions, typedVariable } from '../../cel/environment.ts'
import { evaluateInSteps, type Program } from '../../cel/program.ts'
import { BOOL, listType, mapType, STRING, structType, type Type } from '../../cel/types.ts'
import { inTurns, type Steps } from '../../lib/in-turns.ts'
import type { MatchConditions } from '../authorization/webhook-authorizer.ts'

const struct = (name: string, fields: Readonly<Record<string, Type>>): Type =>
  structType(`kubernetes.${name}`, (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined))

const requirement = { key: STRING, operator: STRING, values: listType(STRING) }
const selector = (name: string, element: string): Type =>
  struct(name, { rawSelector: STRING, requirements: listType(struct(element, requirement)) })

const requestType = struct('SubjectAccessReviewSpec', {
  resourceAttributes: struct('ResourceAttributes', {
    namespace: STRING,
    verb: STRING,
    group: STRING,
    version: STRING,
    resource: STRING,
    subresource: STRING,
    name: STRING,
    fieldSelector: selector('FieldSelectorAttributes', 'FieldSelectorRequirement'),
    labelSelector: selector('LabelSelectorAttributes', 'LabelSelectorRequirement'),
  }),
  nonResourceAttributes: struct('NonResourceAttributes', { path: STRING, verb: STRING }),
  user: STRING,
  groups: listType(STRING),
  extra: mapType(STRING, listType(STRING)),
  uid: STRING,
})

export class MatchConditionCompiler {
  readonly #environment: Environment

  constructor(release?: number) {
    this.#environment = storedExpressions(release).extend({
      variables: new Map([['request', typedVariable(requestType)]]),
    })
  }

  /** What is wrong with a condition, if anything is. */
  check(expression: string): string | undefined {
    const compiled = this.#environment.compile(expression, { expectedTypes: [BOOL] })
    if (compiled.ok) return undefined
    return compiled.reason === 'compile' ? `compilation failed: ${compiled.message}` : compiled.message
  }

  /** All conditions as one; the first that is false decides, then an error, otherwise the request matches. */
  compile(expressions: readonly string[]): MatchConditions {
    const programs = expressions.map((expression) => {
      const compiled = this.#environment.compile(expression, { expectedTypes: [BOOL] })
      if (!compiled.ok) throw new Error(compiled.message)
      return compiled.program
    })
    return (spec) => inTurns(judge(programs, spec))
  }
}

function* judge(programs: readonly Program[], spec: JsonObject): Steps<boolean | { readonly error: string }> {
  const request = withDefaults(spec)
  const errors: string[] = []
  for (const program of programs) {
    const result = yield* evaluateInSteps(program, { request })
    if (result.kind === 'value' && result.value === false) return false
    if (result.kind === 'value') continue
    const why = result.kind === 'error' ? result.message : 'conditions cannot ask an authorizer'
    errors.push(`cel evaluation error: expression '${program.expression}' resulted in error: ${why}`)
  }
  return errors.length === 0 ? true : { error: aggregateText(errors) }
}

const plainAttributes = { namespace: '', verb: '', group: '', version: '', resource: '', subresource: '', name: '' }

/** Conditions see every plain field, also an empty one; only what kind of request it is shows by absence. */
function withDefaults(spec: JsonObject): JsonObject {
  const { resourceAttributes } = spec
  return {
    user: '',
    groups: [],
    uid: '',
    extra: {},
    ...spec,
    ...(isJsonObject(resourceAttributes) ? { resourceAttributes: { ...plainAttributes, ...resourceAttributes } } : {}),
  }
}
