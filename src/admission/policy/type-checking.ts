/** What is wrong with a policy's expressions when the types of the objects are known: warnings for its author. */
import { formatGroupVersion, type GroupVersionKind } from '../../api/group-version.ts'
import type { JsonObject } from '../../api/json.ts'
import type { DeclaredType } from '../../cel/declared-type.ts'
import { storedExpressions } from '../../cel/environment.ts'
import { admissionEnvironment } from '../../cel/environments.ts'
import { DYN, type Type } from '../../cel/types.ts'
import type { PolicySpec } from './policy-objects.ts'

export interface KnownType {
  readonly kind: GroupVersionKind
  readonly type: DeclaredType
}

export interface TypeFinder {
  /** The type of a resource's objects, where both are served. */
  ofResource(group: string, version: string, resource: string): KnownType | undefined
  ofKind(apiVersion: string, kind: string): DeclaredType | undefined
}

/** Types that one policy is checked against. */
const maxTypes = 10

/** Rules with a star name no type. */
function typesOf({ matchConstraints }: PolicySpec, finder: TypeFinder): KnownType[] {
  const found = new Map<string, KnownType>()
  for (const { apiGroups = [], apiVersions = [], resources = [] } of matchConstraints?.resourceRules ?? []) {
    for (const group of apiGroups) {
      for (const version of apiVersions) {
        for (const resource of resources) {
          const known = [group, version, resource].some((part) => part.includes('*'))
            ? undefined
            : finder.ofResource(group, version, resource)
          if (known !== undefined && found.size < maxTypes) found.set(kindText(known.kind), known)
        }
      }
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, known]) => known)
}

const kindText = (kind: GroupVersionKind): string => `${formatGroupVersion(kind)}, Kind=${kind.kind}`

export function expressionWarnings(spec: PolicySpec, finder: TypeFinder): JsonObject[] {
  const types = typesOf(spec, finder)
  const { paramKind } = spec
  const paramsType = paramKind === undefined ? undefined : finder.ofKind(paramKind.apiVersion, paramKind.kind)
  const checkers = types.map(({ kind, type }) => {
    const variables = new Map<string, Type>()
    const environment = admissionEnvironment(storedExpressions(), {
      params: paramKind !== undefined,
      authorizer: true,
      variables,
      object: type,
      ...(paramsType === undefined ? {} : { paramsType }),
    })
    for (const { name, expression } of spec.variables ?? []) {
      const compiled = environment.compile(expression)
      variables.set(name, compiled.ok ? compiled.program.resultType : DYN)
    }
    return { kind: kindText(kind), environment }
  })
  return expressionsOf(spec).flatMap(({ field, expression }) => {
    const messages = checkers.flatMap(({ kind, environment }) => {
      const compiled = environment.compile(expression)
      return compiled.ok ? [] : [`${kind}: ${compiled.message}\n`]
    })
    return messages.length === 0 ? [] : [{ fieldRef: field, warning: messages.join('\n') }]
  })
}

function expressionsOf({ validations = [], variables = [] }: PolicySpec): { field: string; expression: string }[] {
  return [
    ...variables.map(({ expression }, i) => ({ field: `spec.variables[${i}].expression`, expression })),
    ...validations.flatMap(({ expression, messageExpression = '' }, i) => [
      { field: `spec.validations[${i}].expression`, expression },
      ...(messageExpression === ''
        ? []
        : [{ field: `spec.validations[${i}].messageExpression`, expression: messageExpression }]),
    ]),
  ]
}
