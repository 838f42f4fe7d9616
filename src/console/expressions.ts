/** `/console/v1/expressions`: an expression, what it sees, its value, type and cost: as rules of custom resources and policies have it. */
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../api/json.ts'
import type { RequestContext } from '../api/request-context.ts'
import { badRequest, notFound } from '../api/status-error.ts'
import { type ComposedVariable, ComposedVariables } from '../cel/composed-variables.ts'
import { DeclaredType } from '../cel/declared-type.ts'
import { display } from '../cel/display.ts'
import { type CompileFailure, storedExpressions } from '../cel/environment.ts'
import { admissionEnvironment, validationRuleEnvironment } from '../cel/environments.ts'
import { toJson } from '../cel/json-values.ts'
import { type Authorize, authorizerValue, resourceCheckValue } from '../cel/library/authorizer.ts'
import {
  type Activation,
  DecisionCache,
  estimateProgramCost,
  evaluateAsync,
  type FinalResult,
  type Program,
  sizesBelow,
} from '../cel/program.ts'
import { DYN, formatType, type Type } from '../cel/types.ts'
import type { Value } from '../cel/values.ts'
import { TimeSlice } from '../lib/in-turns.ts'
import { schemaFromOpenApi } from '../schema/from-openapi.ts'
import { answerJson, readJsonBody } from './answers.ts'
import { Query } from './query.ts'
import type { Endpoint } from './services.ts'

export interface ExpressionServices {
  /** Asked by expressions that use `authorizer`. */
  readonly authorize: Authorize
  /** A custom resource definition that the user may get. Throws a 403 or a 404. */
  readonly definition: (context: RequestContext, name: string) => Promise<JsonObject>
}

const maxBodyBytes = 3 * 1024 * 1024
const maxExpressionLength = 16 * 1024
const maxVariables = 100
/** What one expression may cost, as in the server. */
const costLimit = 1_000_000
/** A longer value is not sent. */
const maxShownLength = 256 * 1024
const names = [
  'for',
  'expression',
  'schema',
  'definition',
  'version',
  'path',
  'object',
  'oldObject',
  'params',
  'request',
  'namespaceObject',
  'variables',
  'validate',
]

export const expressionsEndpoint = (services: ExpressionServices): Endpoint => ({
  path: '/console/v1/expressions',
  methods: {
    async POST(context) {
      new Query(context, [])
      const body = await readJsonBody(context, maxBodyBytes)
      const unknown = Object.keys(body).find((name) => !names.includes(name))
      if (unknown !== undefined) throw badRequest(`unknown member ${JSON.stringify(unknown)}`)
      const subject = await subjectOf(context, services, body)
      answerJson(context, await evaluated(subject, body['validate'] === true))
    },
  },
})

/** A compiled expression and what it sees. */
interface Subject {
  readonly compiled: ReturnType<ReturnType<typeof storedExpressions>['compile']>
  readonly activation: Activation
  /** Of a rule, whose cost is estimated. */
  readonly self: DeclaredType | undefined
  /** Undefined where there are none. */
  readonly variables: ComposedVariables | undefined
  readonly decisions: DecisionCache
}

async function subjectOf(context: RequestContext, services: ExpressionServices, body: JsonObject): Promise<Subject> {
  const expression = textOf(body, 'expression')
  switch (body['for']) {
    case 'rule':
      return ruleSubject(expression, body, await schemaOf(context, services, body))
    case 'policy':
      return policySubject(context, services, expression, body)
    default:
      throw badRequest('for must be "rule" or "policy"')
  }
}

function textOf(body: JsonObject, name: string): string {
  const text = ownValue(body, name)
  if (typeof text !== 'string' || text.trim() === '') throw badRequest(`${name} must be a text`)
  if (text.length > maxExpressionLength) throw badRequest(`${name} is longer than ${maxExpressionLength} characters`)
  return text
}

function ruleSubject(expression: string, body: JsonObject, schema: JsonObject): Subject {
  const isRoot = !Array.isArray(body['path']) || body['path'].length === 0
  let self: DeclaredType
  let compiled: Subject['compiled']
  try {
    self = new DeclaredType(schemaFromOpenApi(schema), { name: 'selfType', resourceRoot: isRoot })
    compiled = validationRuleEnvironment(storedExpressions(), self).compile(expression)
  } catch (error) {
    throw badRequest(`the schema cannot be used: ${(error as Error).message}`)
  }
  const { object = null, oldObject } = body
  const activation = { self: object, ...(oldObject === undefined ? {} : { oldSelf: oldObject }) }
  return { compiled, activation, self, variables: undefined, decisions: new DecisionCache() }
}

async function schemaOf(context: RequestContext, services: ExpressionServices, body: JsonObject): Promise<JsonObject> {
  const { schema } = body
  const whole = schema === undefined ? await definedSchema(context, services, body) : schema
  if (!isJsonObject(whole)) throw badRequest('schema must be an object')
  const path = body['path'] ?? []
  if (!Array.isArray(path)) throw badRequest('path must be a list of names')
  return path.reduce<JsonObject>((at, key) => below(at, key), whole)
}

function below(schema: JsonObject, key: JsonValue): JsonObject {
  const { properties, items, additionalProperties } = schema
  const found =
    key === '*'
      ? (items ?? additionalProperties)
      : typeof key === 'string' && isJsonObject(properties)
        ? ownValue(properties, key)
        : undefined
  if (!isJsonObject(found)) throw badRequest(`the schema has nothing at ${JSON.stringify(key)}`)
  return found
}

async function definedSchema(
  context: RequestContext,
  services: ExpressionServices,
  body: JsonObject,
): Promise<JsonValue | undefined> {
  const definition = await services.definition(context, textOf(body, 'definition'))
  const spec = isJsonObject(definition['spec']) ? definition['spec'] : {}
  const versions = Array.isArray(spec['versions']) ? spec['versions'].filter(isJsonObject) : []
  const wanted = body['version']
  const version = versions.find(({ name, storage }) => (wanted === undefined ? storage === true : name === wanted))
  if (version === undefined) throw notFound({ group: '', resource: 'versions' }, String(wanted))
  return isJsonObject(version['schema']) ? version['schema']['openAPIV3Schema'] : undefined
}

function policySubject(
  { user }: RequestContext,
  { authorize }: ExpressionServices,
  expression: string,
  body: JsonObject,
): Subject {
  const types = new Map<string, Type>()
  const hasParams = body['params'] !== undefined
  const environment = () =>
    admissionEnvironment(storedExpressions(), { params: hasParams, authorizer: true, variables: types })
  const variables = new Map<string, ComposedVariable>()
  for (const { name, expression: text } of variablesOf(body)) {
    const compiled = environment().compile(text)
    types.set(name, compiled.ok ? compiled.program.resultType : DYN)
    variables.set(name, compiled.ok ? compiled.program : { compileError: compiled.message })
  }
  const decisions = new DecisionCache()
  const { object = null, oldObject = null, params = null, request = {}, namespaceObject = null } = body
  const seen: Activation = {
    object,
    oldObject,
    request,
    namespaceObject,
    ...(hasParams ? { params } : {}),
    authorizer: authorizerValue(user, authorize),
    'authorizer.requestResource': resourceCheckValue(user, authorize, requestedResource(request)),
  }
  const composed = new ComposedVariables(variables, seen, { decisions, slice: new TimeSlice(), budget: costLimit })
  return {
    compiled: environment().compile(expression),
    activation: { ...seen, variables: composed as Value },
    self: undefined,
    variables: composed,
    decisions,
  }
}

function variablesOf(body: JsonObject): readonly { readonly name: string; readonly expression: string }[] {
  const given = body['variables'] ?? []
  if (!Array.isArray(given) || given.length > maxVariables) {
    throw badRequest(`variables must be a list of at most ${maxVariables}`)
  }
  return given.map((each) => {
    if (!isJsonObject(each)) throw badRequest('a variable is an object with name and expression')
    return { name: textOf(each, 'name'), expression: textOf(each, 'expression') }
  })
}

function requestedResource(request: JsonValue) {
  const fields = isJsonObject(request) ? request : {}
  const resource = isJsonObject(fields['resource']) ? fields['resource'] : {}
  const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')
  return {
    group: text(resource['group']),
    resource: text(resource['resource']),
    subresource: text(fields['subResource']),
    namespace: text(fields['namespace']),
    name: text(fields['name']),
  }
}

async function evaluated(subject: Subject, isOnlyCompiled: boolean): Promise<object> {
  const { compiled, activation, self, variables, decisions } = subject
  if (!compiled.ok) return { ok: false, errors: compileErrors(compiled) }
  const { program } = compiled
  const about = {
    type: formatType(program.resultType),
    costLimit,
    ...(self === undefined ? {} : { estimatedCost: estimateOf(program, self) }),
  }
  if (isOnlyCompiled) return { ok: true, ...about, errors: [] }
  const begin = performance.now()
  const result = await evaluateAsync(program, activation, { limit: costLimit, decisions })
  const durationMs = Math.round((performance.now() - begin) * 1000) / 1000
  const cost = result.cost + (variables?.takeCost() ?? 0)
  return { ...outcome(result), ...about, cost, durationMs }
}

function outcome(result: FinalResult): object {
  if (result.kind === 'error') return { ok: false, errors: [{ message: result.message, phase: 'evaluate' }] }
  const shown = display(result.value)
  if (shown.length > maxShownLength) return { ok: true, truncated: true, display: shown.slice(0, 1000), errors: [] }
  return { ok: true, ...jsonOf(result.value), display: shown, errors: [] }
}

/** Not every value has one: types and functions of libraries do not. */
function jsonOf(value: Value): { readonly value?: JsonValue } {
  try {
    return { value: toJson(value) }
  } catch {
    return {}
  }
}

const estimateOf = (program: Program, self: DeclaredType): object => {
  const { min, max } = estimateProgramCost(program, sizesBelow(self))
  return { min: Number(min), max: Number(max), limit: 10_000_000 }
}

function compileErrors({ issues, message }: CompileFailure): object[] {
  if (issues.length === 0) return [{ message, phase: 'compile' }]
  return issues.map(({ line, column, message: text }) => ({
    message: text,
    ...(line < 1 ? {} : { line, column: column + 1 }),
    phase: 'compile',
  }))
}
