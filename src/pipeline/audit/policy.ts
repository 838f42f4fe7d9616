/** Which rule of the audit policy a request falls under, and what that means for its events. */
import type { AuditLevel, AuditPolicy, AuditResources, AuditRule, AuditStage } from '../../api/audit-policy.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { trimTrailing } from '../../lib/trim-trailing.ts'

export interface AuditDecision {
  readonly level: AuditLevel
  readonly omitStages: ReadonlySet<AuditStage>
  readonly omitManagedFields: boolean
}

/** The first rule that matches decides; a request that matches none is not recorded. */
export function auditDecision(policy: AuditPolicy, attributes: RequestAttributes): AuditDecision {
  const rule = policy.rules.find((candidate) => ruleMatches(candidate, attributes))
  return {
    level: rule?.level ?? 'None',
    omitStages: new Set([...policy.omitStages, ...(rule?.omitStages ?? [])]),
    omitManagedFields: rule?.omitManagedFields ?? policy.omitManagedFields,
  }
}

const listed = (list: readonly string[], value: string): boolean => list.length === 0 || list.includes(value)

function ruleMatches(rule: AuditRule, attributes: RequestAttributes): boolean {
  const { user, verb } = attributes
  if (!listed(rule.users, user.name) || !listed(rule.verbs, verb)) return false
  if (rule.userGroups.length > 0 && !user.groups.some((group) => rule.userGroups.includes(group))) return false
  if (rule.namespaces.length > 0 || rule.resources.length > 0) return matchesResource(rule, attributes)
  if (rule.nonResourceURLs.length === 0) return true
  return !attributes.isResourceRequest && rule.nonResourceURLs.some((pattern) => pathMatches(pattern, attributes.path))
}

function pathMatches(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true
  return pattern.endsWith('*') && path.startsWith(trimTrailing(pattern, '*'))
}

function matchesResource(rule: AuditRule, attributes: RequestAttributes): boolean {
  if (!attributes.isResourceRequest || !listed(rule.namespaces, attributes.namespace)) return false
  return rule.resources.length === 0 || rule.resources.some((resources) => covers(resources, attributes))
}

/** Policies of releases that do not know it are refused when they are read. */
const anyGroup = '*'

function covers({ group, resources, resourceNames }: AuditResources, attributes: RequestAttributes): boolean {
  const { apiGroup, resource, subresource, name } = attributes
  if (group !== apiGroup && group !== anyGroup) return false
  if (resources.length === 0) return true
  if (!listed(resourceNames, name)) return false
  const combined = subresource === '' ? resource : `${resource}/${subresource}`
  return resources.some(
    (pattern) =>
      pattern === '*' ||
      pattern === combined ||
      pattern === `${resource}/*` ||
      (subresource !== '' && pattern === `*/${subresource}`),
  )
}
