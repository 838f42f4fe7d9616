/** A FlowSchema as the server goes by it: which requests it takes, and what makes two of them one flow. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { RequestInfo } from '../../api/request-info.ts'
import type { UserInfo } from '../../api/user.ts'

export interface FlowSchema {
  readonly name: string
  /** Empty for a mandatory one that has no object yet. */
  readonly uid: string
  readonly precedence: number
  readonly level: string
  readonly distinguisher: 'ByUser' | 'ByNamespace' | undefined
  readonly rules: readonly FlowRule[]
}

export interface FlowRule {
  readonly subjects: readonly FlowSubject[]
  readonly resources: readonly ResourceRule[]
  readonly paths: readonly PathRule[]
}

export type FlowSubject =
  | { readonly kind: 'User' | 'Group'; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string }

interface ResourceRule {
  readonly verbs: Names
  readonly groups: Names
  readonly resources: Names
  readonly clusterScope: boolean
  readonly namespaces: Names
}

interface PathRule {
  readonly verbs: Names
  readonly paths: readonly string[]
}

/** Undefined: all of them. */
type Names = ReadonlySet<string> | undefined

export function readFlowSchema({ metadata, spec }: KubeObject): FlowSchema {
  const fields = isJsonObject(spec) ? spec : {}
  const level = fields['priorityLevelConfiguration']
  const method = fields['distinguisherMethod']
  const type = isJsonObject(method) ? method['type'] : undefined
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    precedence: Number(fields['matchingPrecedence'] ?? 1000),
    level: isJsonObject(level) ? text(level['name']) : '',
    distinguisher: type === 'ByUser' || type === 'ByNamespace' ? type : undefined,
    rules: objects(fields['rules']).map(readRule),
  }
}

function readRule(rule: JsonObject): FlowRule {
  return {
    subjects: objects(rule['subjects']).flatMap(readSubject),
    resources: objects(rule['resourceRules']).map((resource) => ({
      verbs: names(resource['verbs']),
      groups: names(resource['apiGroups']),
      resources: names(resource['resources']),
      clusterScope: resource['clusterScope'] === true,
      namespaces: names(resource['namespaces']),
    })),
    paths: objects(rule['nonResourceRules']).map((path) => ({
      verbs: names(path['verbs']),
      paths: texts(path['nonResourceURLs']),
    })),
  }
}

function readSubject(subject: JsonObject): FlowSubject[] {
  const { kind } = subject
  if (kind === 'User' || kind === 'Group') {
    const named = subject[kind === 'User' ? 'user' : 'group']
    return isJsonObject(named) ? [{ kind, name: text(named['name']) }] : []
  }
  const account = subject['serviceAccount']
  if (kind !== 'ServiceAccount' || !isJsonObject(account)) return []
  return [{ kind, namespace: text(account['namespace']), name: text(account['name']) }]
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')
const texts = (value: JsonValue | undefined): string[] => (Array.isArray(value) ? value.map(text) : [])
const objects = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

/** A star stands for all only when it is alone. */
function names(value: JsonValue | undefined): Names {
  const given = texts(value)
  return given.length === 1 && given[0] === '*' ? undefined : new Set(given)
}

const has = (names: Names, name: string): boolean => names === undefined || names.has(name)

export function takesUser({ subjects }: FlowRule, user: UserInfo): boolean {
  return subjects.some((subject) => isSubject(subject, user))
}

const accountPrefix = 'system:serviceaccount:'

function isSubject(subject: FlowSubject, { name, groups }: UserInfo): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === '*' || subject.name === name
    case 'Group':
      return subject.name === '*' || groups.includes(subject.name)
    case 'ServiceAccount': {
      const prefix = `${accountPrefix}${subject.namespace}:`
      return subject.name === '*' ? name.startsWith(prefix) : name === prefix + subject.name
    }
  }
}

export function takesRequest({ resources, paths }: FlowRule, info: RequestInfo): boolean {
  return info.isResourceRequest
    ? resources.some((rule) => isResource(rule, info))
    : paths.some((rule) => has(rule.verbs, info.verb) && rule.paths.some((path) => isPath(path, info.path)))
}

function isResource(rule: ResourceRule, { verb, group, resource, subresource, namespace }: RequestInfo): boolean {
  if (!has(rule.verbs, verb) || !has(rule.groups, group)) return false
  if (!has(rule.resources, subresource === '' ? resource : `${resource}/${subresource}`)) return false
  return namespace === '' ? rule.clusterScope : has(rule.namespaces, namespace)
}

/** A path takes what is below it, with a star at its end or without. */
function isPath(rule: string, path: string): boolean {
  if (rule === '*' || rule === path) return true
  const prefix = rule.endsWith('*') ? rule.slice(0, -1) : rule
  return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
}

/** In the order in which they are tried. */
export function sortFlowSchemas(schemas: readonly FlowSchema[]): FlowSchema[] {
  return [...schemas].sort((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1))
}
