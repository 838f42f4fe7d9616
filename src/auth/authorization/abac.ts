/**
 * Attribute based access control: a file with one policy as JSON on each line. Read once at start. A request is allowed
 * when any policy matches it.
 * Mirrors pkg/auth/authorizer/abac: PolicyList.
 */
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { UserInfo } from '../../api/user.ts'
import { type Authorizer, abstain, allow, type NonResourceRule, type ResourceRule } from '../authorizer.ts'

interface Policy {
  readonly user: string
  readonly group: string
  readonly readonly: boolean
  readonly apiGroup: string
  readonly resource: string
  readonly namespace: string
  readonly nonResourcePath: string
}

export class AbacAuthorizer implements Authorizer {
  readonly #policies: readonly Policy[]

  /** Throws an Error that names the file and the line when a line cannot be read. */
  constructor(text: string, file: string) {
    this.#policies = text.split('\n').flatMap((line, index) => {
      const trimmed = line.trim()
      return trimmed === '' || trimmed.startsWith('#') ? [] : [parsePolicy(trimmed, `${file}:${index + 1}`)]
    })
  }

  authorize(attributes: RequestAttributes) {
    const allowed = this.#policies.some((policy) => matches(policy, attributes))
    return allowed ? allow() : abstain('No policy matched.')
  }

  rulesFor(user: UserInfo, namespace: string) {
    const resourceRules: ResourceRule[] = []
    const nonResourceRules: NonResourceRule[] = []
    for (const policy of this.#policies.filter((candidate) => subjectMatches(candidate, user))) {
      const readVerbs = policy.readonly ? ['get', 'list', 'watch'] : ['*']
      if (policy.resource !== '' && (policy.namespace === '*' || policy.namespace === namespace)) {
        resourceRules.push({ verbs: readVerbs, apiGroups: [policy.apiGroup], resources: [policy.resource] })
      }
      if (policy.nonResourcePath !== '') {
        nonResourceRules.push({ verbs: readVerbs, nonResourceURLs: [policy.nonResourcePath] })
      }
    }
    return { resourceRules, nonResourceRules, incomplete: false }
  }
}

const versions: readonly unknown[] = ['abac.authorization.kubernetes.io/v1beta1', 'abac.authorization.kubernetes.io/v0']

function parsePolicy(line: string, where: string): Policy {
  const object = parseLine(line, where)
  const { apiVersion, kind } = object
  if (apiVersion === undefined && kind === undefined) return fromUnversioned(object)
  if (!versions.includes(apiVersion) || kind !== 'Policy') {
    throw new Error(
      `error reading policy file ${where}: no kind "${String(kind)}" is registered for version "${String(apiVersion)}"`,
    )
  }
  const spec = object['spec']
  return fromSpec(isJsonObject(spec) ? spec : {})
}

function parseLine(line: string, where: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line)
    if (isJsonObject(value)) return value
  } catch {
    // Reported below, with the place.
  }
  throw new Error(`error reading policy file ${where}: the line is not a JSON object`)
}

const text = (object: JsonObject, key: string): string => (typeof object[key] === 'string' ? String(object[key]) : '')

function fromSpec(spec: JsonObject): Policy {
  return {
    user: text(spec, 'user'),
    group: text(spec, 'group'),
    readonly: spec['readonly'] === true,
    apiGroup: text(spec, 'apiGroup'),
    resource: text(spec, 'resource'),
    namespace: text(spec, 'namespace'),
    nonResourcePath: text(spec, 'nonResourcePath'),
  }
}

/** Lines of the first format: what they leave out means everything, and everybody who is authenticated. */
function fromUnversioned(object: JsonObject): Policy {
  const policy = fromSpec(object)
  const everybody = policy.user === '' && policy.group === ''
  return {
    ...policy,
    ...(everybody || policy.user === '*' ? { user: '', group: 'system:authenticated' } : {}),
    apiGroup: '*',
    resource: policy.resource || '*',
    namespace: policy.namespace || '*',
    nonResourcePath: object['resource'] === undefined && object['namespace'] === undefined ? '*' : '',
  }
}

function subjectMatches(policy: Policy, user: UserInfo): boolean {
  if (policy.user === '' && policy.group === '') return false
  const userFits = policy.user === '' || policy.user === '*' || policy.user === user.name
  const groupFits = policy.group === '' || policy.group === '*' || user.groups.includes(policy.group)
  return userFits && groupFits
}

const readVerbs = new Set(['get', 'list', 'watch'])

function matches(policy: Policy, attributes: RequestAttributes): boolean {
  if (!subjectMatches(policy, attributes.user)) return false
  if (policy.readonly && !readVerbs.has(attributes.verb)) return false
  return attributes.isResourceRequest
    ? resourceFits(policy, attributes)
    : pathFits(policy.nonResourcePath, attributes.path)
}

const fits = (pattern: string, value: string): boolean => pattern === '*' || pattern === value

const resourceFits = (policy: Policy, { namespace, resource, apiGroup }: RequestAttributes): boolean =>
  fits(policy.namespace, namespace) && fits(policy.resource, resource) && fits(policy.apiGroup, apiGroup)

function pathFits(pattern: string, path: string): boolean {
  if (pattern === '') return false
  return fits(pattern, path) || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))
}
