/** The audit policy file. */

import type { AuditLevel, AuditPolicy, AuditStage } from '../../api/audit-policy.ts'
import { type FieldError, invalid, notSupported, required } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { hasChange } from '../../api/release-changes.ts'
import { booleanDecoder, listDecoder, optional, stringDecoder, struct } from './decoder.ts'
import { decoding, throwFieldErrors } from './field-problems.ts'
import { ConfigFileError, decodeDocument } from './versioned-document.ts'

const decoder = struct('v1.Policy', {
  metadata: optional(struct('v1.ObjectMeta', { name: stringDecoder, creationTimestamp: optional(stringDecoder) })),
  rules: listDecoder(
    struct('v1.PolicyRule', {
      level: stringDecoder,
      users: listDecoder(stringDecoder),
      userGroups: listDecoder(stringDecoder),
      verbs: listDecoder(stringDecoder),
      resources: listDecoder(
        struct('v1.GroupResources', {
          group: stringDecoder,
          resources: listDecoder(stringDecoder),
          resourceNames: listDecoder(stringDecoder),
        }),
      ),
      namespaces: listDecoder(stringDecoder),
      nonResourceURLs: listDecoder(stringDecoder),
      omitStages: listDecoder(stringDecoder),
      omitManagedFields: optional(booleanDecoder),
    }),
  ),
  omitStages: listDecoder(stringDecoder),
  omitManagedFields: booleanDecoder,
})

type Decoded = (typeof decoder)['absent']

const levels: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse']
const stages: readonly AuditStage[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic']

const isLevel = (text: string): text is AuditLevel => levels.some((level) => level === text)
const isStage = (text: string): text is AuditStage => stages.some((stage) => stage === text)

/** Throws a ConfigFileError. */
/** `release`: the minor number of the one that is emulated. */
export function readAuditPolicy(text: string, file: string, release: number): AuditPolicy {
  const prefix = `loading audit policy file: failed decoding: `
  const kind = { kind: 'Policy', apiVersions: ['audit.k8s.io/v1'], decoder }
  const policy = decoding(file, prefix, () => decodeDocument(text, kind))
  const knownGroup = hasChange(release, 'auditGroupWildcard') ? '*' : ''
  throwFieldErrors(file, validate(policy, knownGroup), { prefix: 'loading audit policy file: ' })
  if (policy.rules.length === 0) {
    throw new ConfigFileError(file, `loading audit policy file: loaded illegal policy with 0 rules from file ${file}`)
  }
  return {
    omitStages: policy.omitStages.filter(isStage),
    omitManagedFields: policy.omitManagedFields,
    rules: policy.rules.map((rule) => ({
      ...rule,
      level: isLevel(rule.level) ? rule.level : 'None',
      omitStages: rule.omitStages.filter(isStage),
    })),
  }
}

/** `knownGroup`: a group that is none of the API, and is allowed. */
function validate(policy: Decoded, knownGroup: string): FieldError[] {
  const rules = FieldPath.of('rules')
  return [
    ...validateStages(policy.omitStages, FieldPath.of('omitStages')),
    ...policy.rules.flatMap((rule, i) => validateRule(rule, rules.index(i), knownGroup)),
  ]
}

function validateStages(listDecoder: readonly string[], at: FieldPath): FieldError[] {
  return listDecoder.flatMap((stage, i) => (isStage(stage) ? [] : [notSupported(at.index(i), stage, stages)]))
}

function validateRule(rule: Decoded['rules'][number], at: FieldPath, knownGroup: string): FieldError[] {
  const errors: FieldError[] = []
  if (rule.level === '') errors.push(required(at.child('level')))
  else if (!isLevel(rule.level)) errors.push(notSupported(at.child('level'), rule.level, levels))
  rule.nonResourceURLs.forEach((url, i) => {
    const where = at.child('nonResourceURLs').index(i)
    if (url === '*') return
    if (!url.startsWith('/')) {
      errors.push(invalid(where, url, "non-resource URL rules must begin with a '/' character"))
    }
    if (url.slice(0, -1).includes('*')) {
      errors.push(invalid(where, url, "non-resource URL wildcards '*' must be the final character of the rule"))
    }
  })
  rule.resources.forEach(({ group, resources, resourceNames }, i) => {
    const where = at.child('resources').index(i)
    if (
      group !== '' &&
      group !== knownGroup &&
      !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(group)
    ) {
      errors.push(invalid(where.child('group'), group, 'must be a DNS subdomain'))
    }
    if (resourceNames.length > 0 && resources.length === 0) {
      const why = 'using resourceNames requires at least one resource'
      errors.push(invalid(where.child('resourceNames'), [...resourceNames], why))
    }
  })
  if (rule.nonResourceURLs.length > 0 && (rule.resources.length > 0 || rule.namespaces.length > 0)) {
    const why = 'rules cannot apply to both regular resources and non-resource URLs'
    errors.push(invalid(at.child('nonResourceURLs'), [...rule.nonResourceURLs], why))
  }
  return [...errors, ...validateStages(rule.omitStages, at.child('omitStages'))]
}
