/**
 * SubjectAccessReview, SelfSubjectAccessReview and LocalSubjectAccessReview: checked, put to the authorizer, answered.
 * The result is the status of the review; the object is never stored.
 */

import { limitErrorsOf } from '../../api/error-limit.ts'
import { type FieldError, invalidAs, invalid as invalidField, quote, required } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { fieldSelectorInSteps, fieldSelectorRequirements } from '../../api/field-selector.ts'
import { goJson } from '../../api/golang/json-text.ts'
import { GoLiteral, goNull } from '../../api/golang/literal.ts'
import { goStruct } from '../../api/golang/struct.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { LabelSelectorExpression } from '../../api/label-selector.ts'
import { labelSelectorInSteps } from '../../api/label-selector-text.ts'
import { validateFieldExpression, validateLabelExpression } from '../../api/label-selector-validation.ts'
import { listInSteps } from '../../api/large-values.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { printedMetadata } from '../../api/printed-metadata.ts'
import type { RequestAttributes, SelectorRequirement } from '../../api/request-attributes.ts'
import { eachItem, rulesInSteps } from '../../api/rules-in-steps.ts'
import { invalid } from '../../api/status-error.ts'
import type { UserInfo } from '../../api/user.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { inTurns, type Steps } from '../../lib/in-turns.ts'
import { pushAll } from '../../lib/push-all.ts'
import type { Authorizer } from '../authorizer.ts'
import { userOfSpec } from './user-info.ts'

export type ReviewKind = 'SubjectAccessReview' | 'SelfSubjectAccessReview' | 'LocalSubjectAccessReview'

export interface AccessReviewQuestion {
  readonly kind: ReviewKind
  /** The review as decoded; version v1beta1 already in the fields of v1. */
  readonly review: JsonObject
  /** Who asks: the subject of a SelfSubjectAccessReview. */
  readonly requestor: UserInfo
  /** Asked once the question was found good. */
  readonly admit: () => Awaitable<void>
}

/** The status of the review. Throws a 422 when the question is not well formed. */
export async function evaluateAccessReview(
  { kind, review, requestor, admit }: AccessReviewQuestion,
  authorizer: Authorizer,
): Promise<JsonObject> {
  const spec = isJsonObject(review['spec']) ? review['spec'] : {}
  const rules = (): FieldError[] => [...validateSpec(spec, kind), ...validateMetadata(review, spec, kind)]
  const errors = await inTurns(limitErrorsOf(rulesInSteps(rules)))
  if (errors.length > 0) throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', errors)
  await admit()
  const user = kind === 'SelfSubjectAccessReview' ? requestor : userOfSpec(spec)
  const { attributes, problems } = await inTurns(attributesOf(spec, user))
  const decision = await authorizer.authorize(attributes)
  const evaluationError = [...(decision.error === undefined ? [] : [decision.error]), ...problems].join('; ')
  return {
    allowed: decision.verdict === 'allow',
    ...(decision.verdict === 'deny' ? { denied: true } : {}),
    ...(decision.reason === '' ? {} : { reason: decision.reason }),
    ...(evaluationError === '' ? {} : { evaluationError }),
  }
}

const specPath = FieldPath.of('spec')

function validateSpec(spec: JsonObject, kind: ReviewKind): FieldError[] {
  const errors: FieldError[] = []
  const resource = objectIn(spec, 'resourceAttributes')
  const path = objectIn(spec, 'nonResourceAttributes')
  if (resource && path) {
    errors.push(
      invalidDump(
        specPath.child('nonResourceAttributes'),
        path,
        'cannot be specified in combination with resourceAttributes',
      ),
    )
  }
  if (!resource && !path) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    errors.push(invalidAs(specPath.child('resourceAttributes'), () => goNull, detail))
  }
  if (kind !== 'SelfSubjectAccessReview' && !hasSubject(spec)) {
    errors.push(invalidField(specPath.child('user'), '', 'at least one of user or group must be specified'))
  }
  if (resource) {
    const at = specPath.child('resourceAttributes')
    pushAll(errors, validateSelector(resource, 'fieldSelector', at, validateFieldExpression))
    pushAll(errors, validateSelector(resource, 'labelSelector', at, validateLabelExpression))
  }
  return errors
}

const hasSubject = ({ user, groups }: JsonObject): boolean =>
  (typeof user === 'string' && user !== '') || (Array.isArray(groups) && groups.length > 0)

const objectIn = (parent: JsonObject, key: string): JsonObject | undefined =>
  isJsonObject(parent[key]) ? parent[key] : undefined

/** The reference prints this struct in Go's way. */
function invalidDump(at: FieldPath, { path, verb }: JsonObject, detail: string): FieldError {
  const text = (value: JsonValue | undefined): GoLiteral => {
    const given = String(value ?? '')
    return new GoLiteral(quote(given), () => goJson(given))
  }
  const members = { Path: text(path), Verb: text(verb) }
  return invalidAs(at, () => goStruct('authorization.NonResourceAttributes', members), detail)
}

function validateSelector(
  attributes: JsonObject,
  name: string,
  parent: FieldPath,
  check: typeof validateFieldExpression,
): FieldError[] {
  const selector = objectIn(attributes, name)
  if (!selector) return []
  const at = parent.child(name)
  const raw = typeof selector['rawSelector'] === 'string' ? selector['rawSelector'] : ''
  const requirements = Array.isArray(selector['requirements']) ? selector['requirements'] : []
  const errors: FieldError[] = []
  if (raw !== '' && requirements.length > 0) {
    errors.push(invalidField(at.child('rawSelector'), raw, 'may not specified at the same time as requirements'))
  }
  if (raw === '' && requirements.length === 0) {
    errors.push(required(at.child('requirements'), `when ${at} is specified, requirements or rawSelector is required`))
  }
  // Operators that are not known here may be known to newer clients: they are taken, and narrow nothing.
  const options = { allowUnknownOperator: true }
  eachItem(errors, requirements, (found, item, i) => {
    if (isJsonObject(item)) pushAll(found, check(expressionOf(item), at.child('requirements').index(i), options))
  })
  return errors
}

const expressionOf = ({ key, operator, values }: JsonObject): LabelSelectorExpression => ({
  key: typeof key === 'string' ? key : '',
  operator: typeof operator === 'string' ? operator : '',
  values: Array.isArray(values) ? values.map(String) : [],
})

function validateMetadata(review: JsonObject, spec: JsonObject, kind: ReviewKind): FieldError[] {
  const metadata = objectIn(review, 'metadata') ?? {}
  const { managedFields: _m, creationTimestamp: _c, namespace = '', ...rest } = metadata
  const errors: FieldError[] = []
  const isLocal = kind === 'LocalSubjectAccessReview'
  if (Object.keys(rest).length > 0 || (!isLocal && namespace !== '')) {
    const detail = `must be empty${isLocal ? ' except for namespace' : ''}`
    errors.push(invalidAs(FieldPath.of('metadata'), () => printedMetadata(metadata as ObjectMeta), detail))
  }
  if (!isLocal) return errors
  const resource = objectIn(spec, 'resourceAttributes')
  if (resource && (resource['namespace'] ?? '') !== namespace) {
    const at = specPath.child('resourceAttributes', 'namespace')
    errors.push(invalidField(at, resource['namespace'] ?? '', 'must match metadata.namespace'))
  }
  const path = objectIn(spec, 'nonResourceAttributes')
  if (path)
    errors.push(invalidDump(specPath.child('nonResourceAttributes'), path, 'disallowed on this kind of request'))
  return errors
}

interface Translated {
  readonly attributes: RequestAttributes
  /** Selectors that could not be read: the request is judged as if they were not there. */
  readonly problems: readonly string[]
}

function* attributesOf(spec: JsonObject, user: UserInfo): Steps<Translated> {
  const text = (object: JsonObject, key: string): string => (typeof object[key] === 'string' ? String(object[key]) : '')
  const base = {
    user,
    isResourceRequest: false,
    verb: '',
    path: '',
    apiGroup: '',
    apiVersion: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
  }
  const path = objectIn(spec, 'nonResourceAttributes')
  if (path) {
    const attributes = { ...base, verb: text(path, 'verb'), path: text(path, 'path') }
    return { attributes, problems: [] }
  }
  const resource = objectIn(spec, 'resourceAttributes') ?? {}
  const fields = yield* selectorOf(resource, 'fieldSelector', { parse: parseFields, isUsable: isUsableField })
  const labels = yield* selectorOf(resource, 'labelSelector', { parse: parseLabels, isUsable: isUsableLabel })
  return {
    attributes: {
      ...base,
      isResourceRequest: true,
      verb: text(resource, 'verb'),
      apiGroup: text(resource, 'group'),
      apiVersion: text(resource, 'version'),
      resource: text(resource, 'resource'),
      subresource: text(resource, 'subresource'),
      namespace: text(resource, 'namespace'),
      name: text(resource, 'name'),
      ...(fields.requirements.length > 0 ? { fieldSelector: fields.requirements } : {}),
      ...(labels.requirements.length > 0 ? { labelSelector: labels.requirements } : {}),
    },
    problems: [...fields.problems, ...labels.problems],
  }
}

interface ReadSelector {
  readonly requirements: readonly SelectorRequirement[]
  readonly problems: readonly string[]
}

function* parseFields(text: string): Steps<readonly SelectorRequirement[]> {
  return fieldSelectorRequirements(yield* fieldSelectorInSteps(text))
}

function* parseLabels(text: string): Steps<readonly SelectorRequirement[]> {
  const selector = yield* labelSelectorInSteps(text)
  yield* selector.prepareInSteps()
  return selector.toSelectorRequirements()
}

const labelOperators: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist'])
const isUsableLabel = ({ operator }: SelectorRequirement): boolean => labelOperators.has(operator)

/** Fields are only ever compared with one value. */
const isUsableField = ({ operator, values }: SelectorRequirement): boolean =>
  (operator === 'In' || operator === 'NotIn') && values.length === 1

interface SelectorReading {
  readonly parse: (text: string) => Steps<readonly SelectorRequirement[]>
  readonly isUsable: (requirement: SelectorRequirement) => boolean
}

/** What cannot be used is left out: the question is then about more, and never about less. */
function* selectorOf(attributes: JsonObject, name: string, { parse, isUsable }: SelectorReading): Steps<ReadSelector> {
  const selector = objectIn(attributes, name)
  if (!selector) return { requirements: [], problems: [] }
  const ignored = (how: string): string => `spec.resourceAttributes.${name} ${how} due to parse error`
  const raw = selector['rawSelector']
  if (typeof raw === 'string' && raw !== '') {
    try {
      return { requirements: yield* parse(raw), problems: [] }
    } catch {
      return { requirements: [], problems: [ignored('ignored')] }
    }
  }
  const items = Array.isArray(selector['requirements']) ? selector['requirements'].filter(isJsonObject) : []
  const all = yield* listInSteps(items, ({ key, operator, values }) => ({
    key: String(key ?? ''),
    operator: String(operator ?? ''),
    values: Array.isArray(values) ? values.map(String) : [],
  }))
  const requirements = all.filter(isUsable)
  if (requirements.length === all.length) return { requirements, problems: [] }
  return { requirements, problems: [ignored(requirements.length === 0 ? 'ignored' : 'partially ignored')] }
}
