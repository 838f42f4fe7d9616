/**
 * What is wrong with a policy's expressions when the types of the objects are known: warnings for its author.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/policy/validating: TypeChecker.
 */

import type { GroupVersionKind } from '../../api/group-version.ts'
import type { JsonObject } from '../../api/json.ts'
import { newestRelease } from '../../api/release-facts.ts'
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
  /** The types of a resource's objects, where they are served; a resource without a group may be one of any. */
  ofResource(group: string, version: string, resource: string): readonly KnownType[]
  ofKind(apiVersion: string, kind: string): DeclaredType | undefined
}

/** Types that one policy is checked against. */
const maxTypes = 10

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Rules with a star in their groups or versions name no type, nor do stars and subresources among the resources. */
function typesOf({ matchConstraints }: PolicySpec, finder: TypeFinder): KnownType[] {
  const found = new Map<string, KnownType>()
  for (const { apiGroups = [], apiVersions = [], resources = [] } of matchConstraints?.resourceRules ?? []) {
    if ([...apiGroups, ...apiVersions].some((part) => part.includes('*'))) continue
    const named = resources.filter((resource) => !/[*/]/.test(resource)).sort(byText)
    const ofRule = [...apiGroups].sort(byText).flatMap((group) =>
      [...apiVersions].sort(byText).flatMap((version) => {
        return named.flatMap((resource) => finder.ofResource(group, version, resource))
      }),
    )
    for (const known of ofRule.slice(0, maxTypes)) found.set(kindText(known.kind), known)
    if (ofRule.length >= maxTypes) break
  }
  return [...found.values()].sort(
    ({ kind: a }, { kind: b }) => byText(a.group, b.group) || byText(a.version, b.version) || byText(a.kind, b.kind),
  )
}

const kindText = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}, Kind=${kind}`

export function expressionWarnings(spec: PolicySpec, finder: TypeFinder): JsonObject[] {
  const types = typesOf(spec, finder)
  const { paramKind } = spec
  const paramsType =
    paramKind === undefined ? undefined : finder.ofKind(paramKind.apiVersion ?? '', paramKind.kind ?? '')
  const checkers = types.map(({ kind, type }) => {
    const variables = new Map<string, Type>()
    const environment = admissionEnvironment(storedExpressions(newestRelease), {
      params: paramsType !== undefined,
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

function expressionsOf({ validations = [] }: PolicySpec): { field: string; expression: string }[] {
  return validations.flatMap(({ expression, messageExpression = '' }, i) => [
    { field: `spec.validations[${i}].expression`, expression },
    ...(messageExpression === ''
      ? []
      : [{ field: `spec.validations[${i}].messageExpression`, expression: messageExpression }]),
  ])
}
