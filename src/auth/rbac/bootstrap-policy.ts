/** The roles and bindings that every cluster starts with, as objects. Missing rules and subjects are put back at start. */

import { equalJson, isJsonObject, type JsonArray, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ReleaseGates } from '../../api/release-facts.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import {
  type BindingData,
  clusterRoleBindingData,
  clusterRoleData,
  type RoleData,
  roleBindingData,
  roleData,
} from './bootstrap-policy-data.ts'
import { controllerRules } from './controller-role-data.ts'
import { covers } from './escalation.ts'
import { policyOfRelease } from './release-policy.ts'
import { type PolicyRule, rulesOf } from './rule.ts'

const apiGroup = 'rbac.authorization.k8s.io'
const apiVersion = `${apiGroup}/v1`
const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate'

export interface BootstrapPolicy {
  readonly clusterRoles: readonly KubeObject[]
  readonly clusterRoleBindings: readonly KubeObject[]
  readonly roles: readonly KubeObject[]
  readonly roleBindings: readonly KubeObject[]
}

/** Whether a feature gate is on. */
export type Gate = (name: string) => boolean

/** `later`: of a release after the default one. */
export function bootstrapPolicy(gate: Gate, later?: ReleaseGates): BootstrapPolicy {
  if (later !== undefined) return policyOfRelease(later.release, (role) => rulesOfOtherGates(role, later))
  const controllers = Object.entries(controllerRules)
  const clusterRoles = [
    ...clusterRoleData,
    ...controllers.map(([name, rules]) => ({ name: `system:controller:${name}`, rules })),
  ].flatMap((data) => roleWithGates(data, gate))
  const known = new Set(clusterRoles.map(({ name }) => `ClusterRole/${name}`))
  return {
    clusterRoles: clusterRoles.map((data) => roleObject('ClusterRole', data)),
    clusterRoleBindings: [
      ...clusterRoleBindingData,
      ...controllers.map(([name]) => ({
        name: `system:controller:${name}`,
        role: `ClusterRole/system:controller:${name}`,
        subjects: [`ServiceAccount/kube-system/${name}`],
      })),
    ]
      .filter(({ role }) => known.has(role))
      .map((data) => bindingObject('ClusterRoleBinding', data)),
    roles: roleData.map((data) => roleObject('Role', data)),
    roleBindings: roleBindingData.map((data) => bindingObject('RoleBinding', data)),
  }
}

/** What the Node authorizer lets every node do: the rules of the ClusterRole `system:node`. */
export function nodeRoleRules(gate: Gate, later?: ReleaseGates): readonly PolicyRule[] {
  if (later !== undefined) {
    const [role] = bootstrapPolicy(gate, later).clusterRoles.filter(({ metadata }) => metadata.name === 'system:node')
    return rulesOf({ rules: role?.['rules'] })
  }
  const role = clusterRoleData.find(({ name }) => name === 'system:node')
  return rulesOf({ rules: rulesWithGates(role?.rules ?? [], gate).map(parseRule) })
}

/** The rules of a cluster role whose gates are on although they are off by default. */
function rulesOfOtherGates(role: string, { gate, byDefault }: ReleaseGates): JsonObject[] {
  const rules =
    clusterRoleData.find(({ name }) => name === role)?.rules ?? controllerRules[role.split(':')[2] ?? ''] ?? []
  const usual = new Set(rulesWithGates(rules, byDefault))
  return rulesWithGates(rules, gate)
    .filter((rule) => !usual.has(rule))
    .map(parseRule)
}

function roleWithGates(data: RoleData, gate: Gate): RoleData[] {
  const rules = rulesWithGates(data.rules, gate)
  return rules.length === 0 && data.rules.length > 0 ? [] : [{ ...data, rules }]
}

function rulesWithGates(rules: readonly string[], gate: Gate): string[] {
  return rules.flatMap((text) => {
    const [, gates, rule] = /^([A-Za-z+]+): (.*)$/.exec(text) ?? []
    if (gates === undefined || rule === undefined) return [text]
    return gates.split('+').every(gate) ? [rule] : []
  })
}

function metadata(data: RoleData | BindingData, labels: readonly string[]): KubeObject['metadata'] {
  return {
    name: data.name,
    ...(data.namespace ? { namespace: data.namespace } : {}),
    labels: {
      'kubernetes.io/bootstrapping': 'rbac-defaults',
      ...Object.fromEntries(labels.map((label) => [label, 'true'])),
    },
    annotations: { [autoUpdate]: 'true' },
  }
}

function roleObject(kind: string, data: RoleData): KubeObject {
  const aggregationRule = data.aggregates && {
    clusterRoleSelectors: data.aggregates.map((label) => ({ matchLabels: { [label]: 'true' } })),
  }
  return {
    apiVersion,
    kind,
    metadata: metadata(data, data.labels ?? []),
    rules: data.rules.map(parseRule),
    ...(aggregationRule ? { aggregationRule } : {}),
  }
}

const list = (text: string | undefined): string[] => (text ?? '').split(',')

function parseRule(text: string): JsonObject {
  const [verbs, second, resources, names] = text.split(' | ')
  if (resources === undefined) return { verbs: list(verbs), nonResourceURLs: list(second) }
  return {
    verbs: list(verbs),
    apiGroups: list(second),
    resources: list(resources),
    ...(names === undefined ? {} : { resourceNames: list(names) }),
  }
}

function bindingObject(kind: string, data: BindingData): KubeObject {
  const slash = data.role.indexOf('/')
  return {
    apiVersion,
    kind,
    metadata: metadata(data, []),
    ...(data.subjects.length > 0 ? { subjects: data.subjects.map(subject) } : {}),
    roleRef: { apiGroup, kind: data.role.slice(0, slash), name: data.role.slice(slash + 1) },
  }
}

function subject(text: string): JsonObject {
  const [kind = '', ...rest] = text.split('/')
  if (kind === 'ServiceAccount') return { kind, name: rest[1] ?? '', namespace: rest[0] ?? '' }
  return { kind, apiGroup, name: rest.join('/') }
}

/**
 * What a role or binding that is already there becomes at start: nothing is taken away, missing labels, annotations,
 * rules and subjects are added. Undefined when nothing is missing or the object opted out of updates.
 */
export function reconciledPolicy(existing: KubeObject, wanted: KubeObject): KubeObject | undefined {
  if (existing.metadata.annotations?.[autoUpdate] === 'false') return undefined
  const { labels, annotations } = existing.metadata
  const next: KubeObject = {
    ...existing,
    metadata: {
      ...existing.metadata,
      labels: { ...wanted.metadata.labels, ...labels },
      annotations: { ...wanted.metadata.annotations, ...annotations },
    },
  }
  if (isJsonObject(wanted['aggregationRule'])) next['aggregationRule'] = mergedSelectors(existing, wanted)
  else if (wanted['rules'] !== undefined) next['rules'] = mergedRules(existing, wanted)
  if (wanted['subjects'] !== undefined)
    next['subjects'] = union(asArray(existing['subjects']), asArray(wanted['subjects']))
  return equalJson(next, existing) ? undefined : next
}

/**
 * Some roles and bindings were split off others: where they are missing and those are there, they begin as these are.
 * Mirrors pkg/registry/rbac/rest: primeAggregatedClusterRoles and primeSplitClusterRoleBindings.
 */
export function primingSource(wanted: KubeObject) {
  const { kind, metadata } = wanted
  const { name = '' } = metadata
  if (kind === 'ClusterRoleBinding' && name === 'system:public-info-viewer') {
    return { name: 'system:discovery', make: (source: KubeObject) => splitBinding(source, wanted) }
  }
  const aggregated = kind === 'ClusterRole' ? /^system:aggregate-to-(admin|edit|view)$/.exec(name)?.[1] : undefined
  if (aggregated === undefined) return undefined
  return { name: aggregated, make: (source: KubeObject) => splitRole(source, wanted) }
}

function splitBinding(source: KubeObject, wanted: KubeObject): KubeObject {
  const { labels, annotations } = source.metadata
  const copy: KubeObject = {
    ...wanted,
    metadata: {
      name: wanted.metadata.name ?? '',
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
    subjects: asArray(source['subjects']),
  }
  return reconciledPolicy(copy, wanted) ?? copy
}

/** Undefined when the source aggregates already: it has no rules of its own. */
function splitRole(source: KubeObject, wanted: KubeObject): KubeObject | undefined {
  if (source['aggregationRule'] !== undefined) return undefined
  const { labels, annotations } = source.metadata
  const copy: KubeObject = {
    ...wanted,
    metadata: {
      name: wanted.metadata.name ?? '',
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
    rules: asArray(source['rules']),
  }
  return reconciledPolicy(copy, wanted) ?? copy
}

const asArray = (value: unknown): JsonArray => (Array.isArray(value) ? value : [])

const union = (first: JsonArray, second: JsonArray): JsonArray => [
  ...first,
  ...second.filter((item) => !first.some((known) => equalJson(known, item))),
]

function mergedSelectors(existing: KubeObject, wanted: KubeObject): JsonObject {
  const selectors = (object: KubeObject): JsonArray =>
    isJsonObject(object['aggregationRule']) ? asArray(object['aggregationRule']['clusterRoleSelectors']) : []
  return { clusterRoleSelectors: union(selectors(existing), selectors(wanted)) }
}

function mergedRules(existing: KubeObject, wanted: KubeObject): JsonArray {
  // As it is nearly always.
  if (equalJson(existing['rules'], wanted['rules'])) return asArray(existing['rules'])
  const missing = runToEnd(covers(rulesOf(existing), rulesOf(wanted))).missing
  return [...asArray(existing['rules']), ...missing.map(ruleObject)]
}

function ruleObject(rule: PolicyRule): JsonObject {
  const object: JsonObject = { verbs: [...rule.verbs] }
  for (const key of ['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const) {
    if (rule[key].length > 0) object[key] = [...rule[key]]
  }
  return object
}
