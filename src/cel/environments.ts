/**
 * The environments of those who use expressions: rules of custom resources, admission policies and match conditions,
 * token claims, users, and requests to authorizers.
 */
import type { Field, Schema } from '../schema/schema.ts'
import { DeclaredType } from './declared-type.ts'
import type { Environment } from './environment.ts'
import { declaredVariable, typedVariable } from './environment.ts'
import { fromJson } from './json-values.ts'
import { AUTHORIZER, RESOURCE_CHECK } from './library/authorizer.ts'
import { jsonPatchLibrary } from './library/json-patch.ts'
import { mutationTypes } from './mutation-types.ts'
import type { VariableDeclaration } from './program.ts'
import type { Type } from './types.ts'
import { ANY, DYN, mapType, optionalType, STRING, structType } from './types.ts'
import { Optional } from './values.ts'

/** `self` and `oldSelf` of a validation rule. */
export function validationRuleEnvironment(
  base: Environment,
  self: DeclaredType,
  { optionalOldSelf = false }: { optionalOldSelf?: boolean } = {},
): Environment {
  const optional: VariableDeclaration = {
    type: optionalType(self.type),
    adapt: (bound) => (bound === null ? Optional.none : new Optional(self.adapt(bound))),
  }
  return base.extend({
    variables: new Map([
      ['self', declaredVariable(self)],
      ['oldSelf', optionalOldSelf ? optional : declaredVariable(self)],
    ]),
  })
}

const text: Schema = { kind: 'string' }
const texts: Schema = { kind: 'list', items: text, topology: 'atomic', keys: [] }
const textMap: Schema = { kind: 'map', values: text, atomic: false }
const time: Schema = { kind: 'time' }
const integer: Schema = { kind: 'integer' }

function object(name: string, fields: Readonly<Record<string, Schema>>): Schema {
  const all = Object.entries(fields).map(([key, schema]): [string, Field] => [
    key,
    { name: key, schema, required: false, pointer: false, emit: false },
  ])
  return { kind: 'object', name, fields: new Map(all), atomic: false, preserveUnknown: false, embedded: false }
}

const listOf = (items: Schema): Schema => ({ kind: 'list', items, topology: 'atomic', keys: [] })

const kindReference = object('kubernetes.GroupVersionKind', { group: text, version: text, kind: text })
const resourceReference = object('kubernetes.GroupVersionResource', { group: text, version: text, resource: text })
const userInfo = object('kubernetes.UserInfo', {
  username: text,
  uid: text,
  groups: texts,
  extra: { kind: 'map', values: texts, atomic: false },
})

/** Anything at all, but in sight of expressions. */
const anything: Schema = { kind: 'int-or-string' }

const admissionRequest = object('kubernetes.AdmissionRequest', {
  kind: kindReference,
  resource: resourceReference,
  subResource: text,
  requestKind: kindReference,
  requestResource: resourceReference,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo,
  dryRun: { kind: 'boolean' },
  options: anything,
})

const namespaceObject = object('kubernetes.Namespace', {
  metadata: object('kubernetes.NamespaceMetadata', {
    name: text,
    generateName: text,
    namespace: text,
    labels: textMap,
    annotations: textMap,
    UID: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: integer,
    deletionTimestamp: time,
    generation: integer,
    resourceVersion: text,
    finalizers: texts,
  }),
  spec: object('kubernetes.NamespaceSpec', { finalizers: texts }),
  status: object('kubernetes.NamespaceStatus', {
    conditions: listOf(
      object('kubernetes.NamespaceCondition', {
        status: text,
        type: text,
        lastTransitionTime: time,
        message: text,
        reason: text,
      }),
    ),
    phase: text,
  }),
})

/** Declared for the checker; the values are the JSON of the request as it is. */
const asItIs = (schema: Schema): VariableDeclaration =>
  declaredVariable(new DeclaredType(schema, { dynamicValues: true }))

export interface AdmissionVariables {
  readonly params?: boolean
  readonly authorizer?: boolean
  /** The types of composed variables that the expression may use as `variables.name`. */
  readonly variables?: ReadonlyMap<string, Type>
  /** The expression makes a patch: `Object{…}` and `JSONPatch{…}`. */
  readonly patches?: boolean
  /** The type of `object` and `oldObject` where it is known; else anything goes. */
  readonly object?: DeclaredType
  readonly paramsType?: DeclaredType
}

/** Admission policies, their match conditions, and those of webhooks. */
export function admissionEnvironment(base: Environment, options: AdmissionVariables = {}): Environment {
  const dyn = typedVariable(DYN)
  const known = (type: DeclaredType | undefined): VariableDeclaration =>
    type ? { type: type.type, adapt: fromJson } : dyn
  const variables = new Map<string, VariableDeclaration>([
    ['object', known(options.object)],
    ['oldObject', known(options.object)],
    ['request', asItIs(admissionRequest)],
    ['namespaceObject', asItIs(namespaceObject)],
  ])
  if (options.params) variables.set('params', known(options.paramsType))
  if (options.authorizer) {
    variables.set('authorizer', typedVariable(AUTHORIZER))
    variables.set('authorizer.requestResource', typedVariable(RESOURCE_CHECK))
  }
  const composed = options.variables
  if (composed) {
    const type = structType('kubernetes.variables', (name) => composed.get(name))
    variables.set('variables', typedVariable(type))
  }
  return base.extend({ variables, ...(options.patches && { structs: mutationTypes, libraries: [jsonPatchLibrary] }) })
}

/** Mapping and validation of the claims of a token. */
export const claimsEnvironment = (base: Environment): Environment =>
  base.extend({ variables: new Map([['claims', typedVariable(mapType(STRING, ANY))]]) })

/** Validation of the user that claims were mapped to. */
export const userEnvironment = (base: Environment): Environment =>
  base.extend({ variables: new Map([['user', asItIs(userInfo)]]) })

const selectorRequirement = object('kubernetes.SelectorRequirement', { key: text, operator: text, values: texts })
const selectorFields = { rawSelector: text, requirements: listOf(selectorRequirement) }

const accessReviewRequest = object('kubernetes.SubjectAccessReviewSpec', {
  resourceAttributes: object('kubernetes.ResourceAttributes', {
    namespace: text,
    verb: text,
    group: text,
    version: text,
    resource: text,
    subresource: text,
    name: text,
    fieldSelector: object('kubernetes.FieldSelectorAttributes', selectorFields),
    labelSelector: object('kubernetes.LabelSelectorAttributes', selectorFields),
  }),
  nonResourceAttributes: object('kubernetes.NonResourceAttributes', { path: text, verb: text }),
  user: text,
  groups: texts,
  extra: { kind: 'map', values: texts, atomic: false },
  uid: text,
})

/** Match conditions of an authorization webhook: `request` is the review that it would get. */
export const accessReviewEnvironment = (base: Environment): Environment =>
  base.extend({ variables: new Map([['request', asItIs(accessReviewRequest)]]) })
