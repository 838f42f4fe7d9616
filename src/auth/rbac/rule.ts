/**
 * One rule of a role: which verbs on which resources, or on which paths. How a rule is written is data from strangers;
 * how it is matched is here, once, for the RBAC and the Node authorizer.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { trimTrailing } from '../../lib/trim-trailing.ts'

export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

const strings = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []

/** The rules of a Role or ClusterRole as stored; missing lists are empty. */
export function rulesOf(role: JsonObject): readonly PolicyRule[] {
  const rules = role['rules']
  if (!Array.isArray(rules)) return []
  return rules.filter(isJsonObject).map((rule) => ({
    verbs: strings(rule['verbs']),
    apiGroups: strings(rule['apiGroups']),
    resources: strings(rule['resources']),
    resourceNames: strings(rule['resourceNames']),
    nonResourceURLs: strings(rule['nonResourceURLs']),
  }))
}

const hasOrAll = (list: readonly string[], wanted: string): boolean => list.includes('*') || list.includes(wanted)

/** What of a request a rule does not cover. */
export type RuleGap = 'verb' | 'group' | 'resource' | 'name' | 'path'

/** Nothing when the rule allows it. A rule about resources says nothing of paths, nor the other way round. */
export function ruleGaps(rule: PolicyRule, attributes: RequestAttributes): RuleGap[] {
  const gaps: RuleGap[] = []
  if (!hasOrAll(rule.verbs, attributes.verb)) gaps.push('verb')
  if (!attributes.isResourceRequest) {
    if (!rule.nonResourceURLs.some((pattern) => urlMatches(pattern, attributes.path))) gaps.push('path')
    return gaps
  }
  if (!hasOrAll(rule.apiGroups, attributes.apiGroup)) gaps.push('group')
  if (!resourceMatches(rule.resources, attributes.resource, attributes.subresource)) gaps.push('resource')
  if (rule.resourceNames.length > 0 && !rule.resourceNames.includes(attributes.name)) gaps.push('name')
  return gaps
}

export function ruleAllows(rule: PolicyRule, attributes: RequestAttributes): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false
  if (!attributes.isResourceRequest) return rule.nonResourceURLs.some((pattern) => urlMatches(pattern, attributes.path))
  return (
    hasOrAll(rule.apiGroups, attributes.apiGroup) &&
    resourceMatches(rule.resources, attributes.resource, attributes.subresource) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(attributes.name))
  )
}

// `*` is everything, `*/scale` the subresource of everything; `pods` does not cover `pods/log`.
function resourceMatches(patterns: readonly string[], resource: string, subresource: string): boolean {
  if (patterns.includes('*')) return true
  if (subresource === '') return patterns.includes(resource)
  return patterns.includes(`${resource}/${subresource}`) || patterns.includes(`*/${subresource}`)
}

/** Paths are compared as they were sent: nothing is decoded or cleaned, so an encoded slash never equals a plain one. */
function urlMatches(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true
  return pattern.endsWith('*') && path.startsWith(trimTrailing(pattern, '*'))
}
