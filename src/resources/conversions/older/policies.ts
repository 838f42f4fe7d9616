/** Disruption budgets, flow control, webhooks, certificate requests: the same fields, read or filled in otherwise. */
import { equalJson, type JsonObject, type JsonValue } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { defaultSigner } from '../../kinds/access/certificate-signing-request/default-signer.ts'
import {
  annotated,
  annotationsOf,
  changed,
  changedItems,
  filled,
  type OlderConversion,
  objectAt,
  objectsAt,
  put,
  renamed,
  withOlderSpec,
} from './parts.ts'

// ---- disruption budgets: an empty selector means nothing in one version and everything in the other ---------------

const budgetLabel = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'
const anyLabel = (operator: string): JsonObject => ({ matchExpressions: [{ key: budgetLabel, operator }] })
const nothing = anyLabel('Exists')
const everything = anyLabel('DoesNotExist')

const isEmpty = (selector: JsonValue | undefined): boolean =>
  selector !== undefined &&
  selector !== null &&
  Object.values(selector).every((part) => Object.keys(part ?? {}).length === 0)

/** The label stands for one thing, and is never combined with others. */
function withoutBudgetLabel(selector: JsonObject): JsonObject {
  const kept = objectsAt(selector, 'matchExpressions').filter(({ key }) => key !== budgetLabel)
  if (kept.length === objectsAt(selector, 'matchExpressions').length) return selector
  return put(selector, 'matchExpressions', kept.length === 0 ? undefined : kept)
}

export const disruptionBudgetConversion: OlderConversion = {
  toHub: (budget) =>
    withOlderSpec(budget, (spec) =>
      changed(spec, 'selector', (selector) => {
        if (isEmpty(selector)) return nothing
        return equalJson(selector, everything) ? {} : withoutBudgetLabel(selector)
      }),
    ),
  fromHub: (budget) =>
    withOlderSpec(budget, (spec) =>
      changed(spec, 'selector', (selector) => {
        if (isEmpty(selector)) return everything
        return equalJson(selector, nothing) ? {} : selector
      }),
    ),
}

/** A budget of today with that label among others, as it is kept. */
export function cleanBudget(budget: JsonObject): JsonObject {
  const selector = objectAt(objectAt(budget, 'spec'), 'selector')
  if (objectsAt(selector, 'matchExpressions').every(({ key }) => key !== budgetLabel)) return budget
  return changed(budget, 'spec', (spec) =>
    changed(spec, 'selector', (given) => (equalJson(given, nothing) ? given : withoutBudgetLabel(given))),
  )
}

// ---- flow control ------------------------------------------------------------------------------------------------

const zeroKey = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'
const standardShares = 30

const changeLimited = (level: KubeObject, change: (limited: JsonObject) => JsonObject): KubeObject =>
  withOlderSpec(level, (spec) => changed(spec, 'limited', change))

/** Before `v1` zero shares could not be expressed, but the newer field had to survive: hence the annotation. */
export const priorityLevelConversion: OlderConversion = {
  toHub: (level) => annotated(level, zeroKey, undefined),
  fromHub(level) {
    const { limited } = objectAt(level, 'spec')
    const isZero = limited !== undefined && objectAt({ limited }, 'limited')['nominalConcurrencyShares'] === 0
    return isZero ? annotated(level, zeroKey, annotationsOf(level)[zeroKey] ?? '') : level
  },
  defaults: (level) =>
    annotationsOf(level)[zeroKey] === undefined
      ? changeLimited(level, (limited) => positive(limited, 'nominalConcurrencyShares'))
      : level,
}

const positive = (limited: JsonObject, key: string): JsonObject =>
  (limited[key] ?? 0) === 0 ? { ...limited, [key]: standardShares } : limited

export const assuredSharesConversion: OlderConversion = {
  toHub: (level) =>
    changeLimited(level, (limited) => renamed(limited, 'assuredConcurrencyShares', 'nominalConcurrencyShares')),
  fromHub: (level) =>
    changeLimited(level, (limited) => renamed(limited, 'nominalConcurrencyShares', 'assuredConcurrencyShares')),
  defaults: (level) => changeLimited(level, (limited) => positive(limited, 'assuredConcurrencyShares')),
}

// ---- webhooks ----------------------------------------------------------------------------------------------------

export const webhookDefaults: OlderConversion = {
  defaults: (configuration) =>
    changedItems(configuration, 'webhooks', (webhook) => {
      const given = filled(webhook, {
        failurePolicy: 'Ignore',
        matchPolicy: 'Exact',
        sideEffects: 'Unknown',
        timeoutSeconds: 30,
      })
      const { admissionReviewVersions: versions } = given
      return Array.isArray(versions) && versions.length > 0 ? given : { ...given, admissionReviewVersions: ['v1beta1'] }
    }) as KubeObject,
}

// ---- certificate requests ----------------------------------------------------------------------------------------

export const certificateRequestConversion: OlderConversion = {
  // A signer that is not named is not there: the newer version has it always.
  fromHub: (request) =>
    withOlderSpec(request, (spec) => (spec['signerName'] === '' ? put(spec, 'signerName', undefined) : spec)),
  defaults(request) {
    const signed = withOlderSpec(request, (spec) => {
      const usages = filled(spec, { usages: ['digital signature', 'key encipherment'] })
      return filled(usages, { signerName: defaultSigner(usages) })
    })
    return changed(signed, 'status', (status) =>
      changedItems(status, 'conditions', (condition) =>
        (condition['status'] ?? '') === '' ? { ...condition, status: 'True' } : condition,
      ),
    ) as KubeObject
  },
}

// ---- roles, runtime classes, pod security ------------------------------------------------------------------------

const rbacGroup = 'rbac.authorization.k8s.io'

function subjectToHub({ apiVersion, ...subject }: JsonObject): JsonObject {
  const { kind, name } = subject
  if (kind === 'ServiceAccount') return subject
  if (kind === 'User' && name === '*')
    return { ...subject, apiGroup: rbacGroup, kind: 'Group', name: 'system:authenticated' }
  if (kind === 'User' || kind === 'Group') return { ...subject, apiGroup: rbacGroup }
  const group = typeof apiVersion === 'string' && apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''
  return group === '' ? subject : { ...subject, apiGroup: group }
}

function subjectFromHub({ apiGroup, ...subject }: JsonObject): JsonObject {
  const { kind } = subject
  const group = typeof apiGroup === 'string' ? apiGroup : ''
  if (kind === 'ServiceAccount' && group === '') return { ...subject, apiVersion: 'v1' }
  if ((kind === 'User' || kind === 'Group') && group === rbacGroup)
    return { ...subject, apiVersion: `${rbacGroup}/v1alpha1` }
  return group === '' ? subject : { ...subject, apiVersion: `${group}/` }
}

export const alphaBindingConversion: OlderConversion = {
  toHub: (binding) => changedItems(binding, 'subjects', subjectToHub) as KubeObject,
  fromHub: (binding) => changedItems(binding, 'subjects', subjectFromHub) as KubeObject,
}

export const alphaRuntimeClassConversion: OlderConversion = {
  toHub({ spec: _, ...runtimeClass }) {
    const { runtimeHandler, overhead, scheduling } = objectAt({ spec: _ ?? {} }, 'spec')
    const flat = { ...runtimeClass, handler: runtimeHandler ?? '' } as KubeObject
    return put(put(flat, 'overhead', overhead), 'scheduling', scheduling)
  },
  fromHub({ handler, overhead, scheduling, ...runtimeClass }) {
    const spec: JsonObject = { runtimeHandler: handler ?? '' }
    return { ...runtimeClass, spec: put(put(spec, 'overhead', overhead), 'scheduling', scheduling) } as KubeObject
  },
}

export const podSecurityDefaults: OlderConversion = {
  defaults: (policy) => withOlderSpec(policy, (spec) => filled(spec, { allowPrivilegeEscalation: true })),
}

/** A list of groups under a singular name. */
export const reviewConversion: OlderConversion = {
  toHub: (review) => withOlderSpec(review, (spec) => renamed(spec, 'group', 'groups')),
  fromHub: (review) => withOlderSpec(review, (spec) => renamed(spec, 'groups', 'group')),
}

// ---- definitions: one version or several, and unknown fields are kept ---------------------------------------------

export const definitionDefaults: OlderConversion = {
  defaults: (definition) =>
    withOlderSpec(definition, (spec) => {
      const { version, versions } = spec
      const named = Array.isArray(versions) && versions.length > 0
      const only = (version ?? '') === '' ? [] : [{ name: version as JsonValue, served: true, storage: true }]
      const all = named ? versions : only
      const [first] = all
      const conversion = filled(objectAt(spec, 'conversion'), { strategy: 'None' })
      const isWebhook = conversion['strategy'] === 'Webhook'
      return filled(
        {
          ...put(spec, 'scope', spec['scope'] || 'Namespaced'),
          versions: all,
          conversion: isWebhook ? filled(conversion, { conversionReviewVersions: ['v1beta1'] }) : conversion,
        },
        { version: (first as JsonObject | undefined)?.['name'], preserveUnknownFields: true },
      )
    }),
}
