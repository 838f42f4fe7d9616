/**
 * FlowSchema: which requests go to which priority level.
 * Mirrors pkg/apis/flowcontrol/validation: ValidateFlowSchema, ValidateFlowSchemaUpdate,
 * ValidateFlowSchemaStatusUpdate.
 * Mirrors pkg/registry/flowcontrol/flowschema: flowSchemaStrategy, flowSchemaStatusStrategy.
 */

import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { RenderedValue } from '../../../../api/golang/literal.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { checkLabelName, checkSubdomainName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import {
  goStrings,
  goStruct,
  goStructs,
  invalidAs,
  notSupportedAs,
  podSyntaxPointer,
  podSyntaxText,
} from '../../../../catalog/golang/pod-syntax.ts'
import type {
  FlowSchemaSpec,
  FlowSchemaStatus,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../../../catalog/types/flowcontrol-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { keepAllMetadata } from '../../../checks/status-metadata.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { mandatorySchemas } from '../mandatory-flows.ts'

type FlowSchema = KubeObject & { spec: FlowSchemaSpec; status: FlowSchemaStatus }

const specPath = FieldPath.of('spec')
const maxPrecedence = 10_000
const subjectKinds = ['Group', 'ServiceAccount', 'User']
const distinguishers = ['ByNamespace', 'ByUser']
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']

function validateSchema({ metadata, spec, status }: FlowSchema): FieldError[] {
  const name = metadata.name ?? ''
  const fixed = mandatorySchemas.get(name)
  const changed = fixed !== undefined && !equalSemantic(spec, fixed)
  return [
    ...validateSpec(name, spec),
    ...(changed ? [invalidAs(specPath, () => goSpec(spec), `spec of '${name}' must equal the fixed value`)] : []),
    ...validateStatus(status),
  ]
}

function validateSpec(name: string, spec: FlowSchemaSpec): FieldError[] {
  const { matchingPrecedence, distinguisherMethod, priorityLevelConfiguration, rules = [] } = spec
  const errors: FieldError[] = []
  const at = specPath.child('matchingPrecedence')
  if (matchingPrecedence <= 0) errors.push(invalid(at, matchingPrecedence, 'must be a positive value'))
  if (matchingPrecedence > maxPrecedence) {
    errors.push(invalid(at, matchingPrecedence, `must not be greater than ${maxPrecedence}`))
  }
  if (matchingPrecedence === 1 && name !== 'exempt') {
    errors.push(invalid(at, matchingPrecedence, "only the schema named 'exempt' may have matchingPrecedence 1"))
  }
  if (distinguisherMethod !== undefined && !distinguishers.includes(distinguisherMethod.type)) {
    const shown = goStruct('flowcontrol.FlowDistinguisherMethod', { Type: podSyntaxText(distinguisherMethod.type) })
    errors.push(notSupportedAs(specPath.child('distinguisherMethod', 'type'), () => shown, distinguishers))
  }
  const level = priorityLevelConfiguration.name
  const levelAt = specPath.child('priorityLevelConfiguration', 'name')
  if (level === '') errors.push(required(levelAt, 'must reference a priority level'))
  else for (const message of checkSubdomainName(level)) errors.push(invalid(levelAt, level, message))
  return [...errors, ...rules.flatMap((rule, i) => validateRules(rule, specPath.child('rules').index(i)))]
}

function validateRules(rule: PolicyRulesWithSubjects, at: FieldPath): FieldError[] {
  const { resourceRules = [], nonResourceRules = [] } = rule
  const subjects = rule.subjects ?? []
  const errors =
    subjects.length === 0
      ? [required(at.child('subjects'), 'subjects must contain at least one value')]
      : subjects.flatMap((subject, i) => validateSubject(subject, at.child('subjects').index(i)))
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.push(required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty'))
  }
  return [
    ...errors,
    ...resourceRules.flatMap((item, i) => validateResourceRule(item, at.child('resourceRules').index(i))),
    ...nonResourceRules.flatMap((item, i) => validateNonResourceRule(item, at.child('nonResourceRules').index(i))),
  ]
}

/** The field that each kind of subject uses; the others must not be there. */
const subjectFields = [
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
] as const

function validateSubject(subject: Subject, at: FieldPath): FieldError[] {
  if (!subjectKinds.includes(subject.kind)) return [notSupported(at.child('kind'), subject.kind, subjectKinds)]
  const errors: FieldError[] = []
  for (const [kind, field] of subjectFields) {
    if (kind === subject.kind) pushAll(errors, validateNamed(subject, kind, field, at.child(field)))
  }
  for (const [kind, field] of subjectFields) {
    if (kind === subject.kind || subject[field] === undefined) continue
    errors.push(forbidden(at.child(field), `${field} is forbidden when subject kind is not '${kind}'`))
  }
  return errors
}

function validateNamed(
  subject: Subject,
  kind: string,
  field: 'serviceAccount' | 'user' | 'group',
  at: FieldPath,
): FieldError[] {
  const named = subject[field]
  if (named === undefined) return [required(at, `${field} is required when subject kind is '${kind}'`)]
  const errors: FieldError[] = []
  if (named.name === '') errors.push(required(at.child('name')))
  if (subject.serviceAccount === undefined || field !== 'serviceAccount') return errors
  const { name, namespace } = subject.serviceAccount
  if (name !== '' && name !== '*') {
    for (const message of checkSubdomainName(name)) errors.push(invalid(at.child('name'), name, message))
  }
  if (namespace === '') errors.push(required(at.child('namespace'), 'must specify namespace for service account'))
  else for (const message of checkLabelName(namespace)) errors.push(invalid(at.child('namespace'), namespace, message))
  return errors
}

function validateVerbs(given: readonly string[] | null, at: FieldPath): FieldError[] {
  const list = given ?? []
  if (list.length === 0) return [required(at, 'verbs must contain at least one value')]
  if (list.includes('*')) {
    return list.length === 1
      ? []
      : [invalidAs(at, () => goStrings(list), "if '*' is present, must not specify other verbs")]
  }
  return list.every((verb) => verbs.includes(verb)) ? [] : [notSupportedAs(at, () => goStrings(list), verbs)]
}

function validateList(given: readonly string[] | null, at: FieldPath, one: string, many: string): FieldError[] {
  const list = given ?? []
  if (list.length === 0) return [required(at, `resource rules must supply at least one ${one}`)]
  if (list.length === 1 || !list.includes('*')) return []
  return [invalidAs(at, () => goStrings(list), `if '*' is present, must not specify other ${many}`)]
}

function validateResourceRule(rule: ResourcePolicyRule, at: FieldPath): FieldError[] {
  const namespaces = rule.namespaces ?? []
  const namespacesAt = at.child('namespaces')
  const errors = [
    ...validateVerbs(rule.verbs, at.child('verbs')),
    ...validateList(rule.apiGroups, at.child('apiGroups'), 'api group', 'api groups'),
    ...validateList(rule.resources, at.child('resources'), 'resource', 'resources'),
  ]
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    const why = 'resource rules that are not cluster scoped must supply at least one namespace'
    errors.push(required(namespacesAt, why))
  } else if (namespaces.includes('*')) {
    if (namespaces.length > 1) {
      const why = "if '*' is present, must not specify other namespaces"
      errors.push(invalidAs(namespacesAt, () => goStrings(namespaces), why))
    }
  } else {
    const intro = "each member of this list must be '*' or a DNS-1123 label; "
    eachItem(errors, namespaces, (errors, name, i) => {
      for (const message of checkLabelName(name)) errors.push(invalid(namespacesAt.index(i), name, intro + message))
    })
  }
  return errors
}

function validateNonResourceRule(rule: NonResourcePolicyRule, at: FieldPath): FieldError[] {
  const urls = rule.nonResourceURLs ?? []
  const urlsAt = at.child('nonResourceURLs')
  const errors = validateVerbs(rule.verbs, at.child('verbs'))
  if (urls.length === 0) return [...errors, required(urlsAt, 'nonResourceURLs must contain at least one value')]
  if (!urls.includes('*')) return [...errors, ...urls.flatMap((url, i) => validatePath(url, urlsAt.index(i)))]
  if (urls.length === 1) return errors
  return [
    ...errors,
    invalidAs(urlsAt, () => goStrings(urls), "if '*' is present, must not specify other non-resource URLs"),
  ]
}

function validatePath(path: string, at: FieldPath): FieldError[] {
  const wrong = (why: string): FieldError[] => [invalid(at, path, why)]
  if (path === '') return wrong('must not be empty')
  if (path === '/') return []
  if (!path.startsWith('/')) return wrong('must start with slash')
  if (path.includes(' ')) return wrong('must not contain white-space')
  if (path.includes('//')) return wrong('must not contain double slash')
  const stars = path.split('*').length - 1
  return stars > 1 || (stars === 1 && !path.endsWith('/*')) ? wrong('wildcard can only do suffix matching') : []
}

/** Conditions of flow control objects, which have rules of their own. */
export function validateFlowConditions(conditions: readonly { readonly type?: string }[]): FieldError[] {
  const at = FieldPath.of('status', 'conditions')
  const types = new Set<string>()
  return conditions.flatMap(({ type = '' }, i) => {
    const errors: FieldError[] = []
    if (types.has(type)) errors.push(duplicate(at.index(i).child('type'), type))
    types.add(type)
    if (type === '') errors.push(required(at.index(i).child('type'), 'must not be empty'))
    return errors
  })
}

const validateStatus = ({ conditions = [] }: FlowSchemaStatus): FieldError[] => validateFlowConditions(conditions)

function goSpec({
  priorityLevelConfiguration,
  matchingPrecedence,
  distinguisherMethod,
  rules,
}: FlowSchemaSpec): RenderedValue {
  const type = (name: string): string => `flowcontrol.${name}`
  const subject = (value: Subject): RenderedValue =>
    goStruct(type('Subject'), {
      Kind: podSyntaxText(value.kind),
      User: podSyntaxPointer(type('UserSubject'), value.user),
      Group: podSyntaxPointer(type('GroupSubject'), value.group),
      ServiceAccount: podSyntaxPointer(type('ServiceAccountSubject'), value.serviceAccount),
    })
  const resourceRule = (rule: ResourcePolicyRule): RenderedValue =>
    goStruct(type('ResourcePolicyRule'), {
      Verbs: goStrings(rule.verbs ?? undefined),
      APIGroups: goStrings(rule.apiGroups ?? undefined),
      Resources: goStrings(rule.resources ?? undefined),
      ClusterScope: String(rule.clusterScope ?? false),
      Namespaces: goStrings(rule.namespaces ?? undefined),
    })
  const nonResourceRule = (rule: NonResourcePolicyRule): RenderedValue =>
    goStruct(type('NonResourcePolicyRule'), {
      Verbs: goStrings(rule.verbs ?? undefined),
      NonResourceURLs: goStrings(rule.nonResourceURLs ?? undefined),
    })
  return goStruct(type('FlowSchemaSpec'), {
    PriorityLevelConfiguration: goStruct(type('PriorityLevelConfigurationReference'), {
      Name: podSyntaxText(priorityLevelConfiguration.name),
    }),
    MatchingPrecedence: String(matchingPrecedence),
    DistinguisherMethod: podSyntaxPointer(type('FlowDistinguisherMethod'), distinguisherMethod),
    Rules: goStructs(type('PolicyRulesWithSubjects'), rules, (rule) =>
      goStruct(type('PolicyRulesWithSubjects'), {
        Subjects: goStructs(type('Subject'), rule.subjects ?? undefined, subject),
        ResourceRules: goStructs(type('ResourcePolicyRule'), rule.resourceRules, resourceRule),
        NonResourceRules: goStructs(type('NonResourcePolicyRule'), rule.nonResourceRules, nonResourceRule),
      }),
    ),
  })
}

export function flowSchemaRules(): KindRules<FlowSchema> {
  return {
    strategy: withStatus<FlowSchema>({
      generation: 'spec',
      validate: validateSchema,
      validateUpdate: validateSchema,
      validateMetadataUpdate: (metadata) => metadata.validate(),
    }),
    parts: {
      status: statusOnly<FlowSchema>({
        prepareForUpdate: keepAllMetadata,
        validateMetadataUpdate: () => [],
        validateUpdate: ({ status }) => validateStatus(status),
      }),
    },
  }
}
