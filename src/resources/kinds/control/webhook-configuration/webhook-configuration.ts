/**
 * ValidatingWebhookConfiguration and MutatingWebhookConfiguration. What older servers let pass may stay in an object
 * that has it already, but may not come into one that is clean.
 * Mirrors pkg/apis/admissionregistration/validation: ValidateValidatingWebhookConfiguration,
 * ValidateValidatingWebhookConfigurationUpdate, ValidateMutatingWebhookConfiguration,
 * ValidateMutatingWebhookConfigurationUpdate.
 * Mirrors pkg/registry/admissionregistration/validatingwebhookconfiguration: validatingWebhookConfigurationStrategy.
 * Mirrors pkg/registry/admissionregistration/mutatingwebhookconfiguration: mutatingWebhookConfigurationStrategy.
 */

import { hasErrors, limitErrorsOf } from '../../../../api/error-limit.ts'
import { duplicate, type FieldError, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalJson, type JsonValue } from '../../../../api/json.ts'
import { validateLabelSelector } from '../../../../api/label-selector-validation.ts'
import { checkDns1035Label, validateFullyQualifiedName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { eachItem, rulesInSteps, withEachItem } from '../../../../api/rules-in-steps.ts'
import { validateClientConfig } from '../../../../api/webhook-client-config.ts'
import { goStrings, invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { MutatingWebhook, ValidatingWebhook } from '../../../../catalog/types/admissionregistration-v1.ts'
import { inTurns, type Steps } from '../../../../lib/in-turns.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import type { ExpressionChecker } from '../expressions.ts'
import {
  failurePolicies,
  matchPolicies,
  reinvocationPolicies,
  validateMatchConditions,
  validateOneOf,
  validateRule,
} from '../match-rules.ts'
import { withStaticNames } from '../static-names.ts'

type Webhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>
type Configuration = KubeObject & { webhooks?: Webhook[] }

const olderVersion = 'admissionregistration.k8s.io/v1beta1'
const webhooksPath = FieldPath.of('webhooks')
const reviewVersions = ['v1', 'v1beta1']
const harmless = ['None', 'NoneOnDryRun']
const sideEffects = ['None', 'NoneOnDryRun', 'Some', 'Unknown']

interface Checks {
  readonly checker: ExpressionChecker
  readonly strictColons: boolean
}

interface Options extends Checks {
  readonly ignoreConditions: boolean
  readonly noSideEffects: boolean
  readonly knownReviewVersion: boolean
  readonly uniqueNames: boolean
  readonly anySelectorValue: boolean
  readonly knownExpressions: ReadonlySet<string>
}

function optionsFor(checks: Checks, webhooks: readonly Webhook[], old: readonly Webhook[] | undefined): Options {
  const before = old ?? []
  const selectors = before.flatMap(({ namespaceSelector, objectSelector }) => [namespaceSelector, objectSelector])
  const conditions = before.flatMap(({ matchConditions = [] }) => matchConditions)
  return {
    ...checks,
    ignoreConditions: old !== undefined && sameConditions(webhooks, old),
    noSideEffects: before.every((webhook) => harmless.includes(webhook.sideEffects ?? '')),
    knownReviewVersion: before.every(
      ({ admissionReviewVersions: versions }) =>
        (versions ?? []).length === 0 || (versions ?? []).some((version) => reviewVersions.includes(version)),
    ),
    uniqueNames: new Set(before.map(({ name }) => name)).size === before.length,
    anySelectorValue: selectors.some((selector) => hasErrors(() => validateLabelSelector(selector, webhooksPath))),
    knownExpressions: new Set(conditions.map(({ expression }) => expression)),
  }
}

function sameConditions(webhooks: readonly Webhook[], old: readonly Webhook[]): boolean {
  return (
    webhooks.length === old.length &&
    webhooks.every(({ matchConditions }, i) =>
      equalJson(matchConditions as JsonValue | undefined, old[i]?.matchConditions as JsonValue | undefined),
    )
  )
}

function* validated(
  checks: Checks,
  webhooks: readonly Webhook[],
  old: readonly Webhook[] | undefined,
): Steps<FieldError[]> {
  const options = yield* rulesInSteps(() => optionsFor(checks, webhooks, old))
  return yield* validateConfiguration(webhooks, options)
}

function* validateConfiguration(webhooks: readonly Webhook[], options: Options): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [i, webhook] of webhooks.entries()) {
    yield
    const at = webhooksPath.index(i)
    pushAll(errors, yield* validateWebhook(webhook, at, options))
    const versions = webhook.admissionReviewVersions ?? []
    const versionsAt = at.child('admissionReviewVersions')
    pushAll(errors, yield* rulesInSteps(() => validateReviewVersions(versions, versionsAt, options)))
    if (!options.uniqueNames || webhook.name === '') continue
    if (names.has(webhook.name)) errors.push(duplicate(at.child('name'), webhook.name))
    names.add(webhook.name)
  }
  return errors
}

function* validateWebhook(webhook: Webhook, at: FieldPath, options: Options): Steps<FieldError[]> {
  const { namespaceSelector, objectSelector, timeoutSeconds, matchConditions = [] } = webhook
  const selectorOptions = { allowInvalidLabelValue: options.anySelectorValue }
  const conditionOptions = { checker: options.checker, params: false, known: options.knownExpressions }
  const errors = yield* rulesInSteps(() => {
    const found = validateFullyQualifiedName(at.child('name'), webhook.name)
    eachItem(found, webhook.rules ?? [], (errors, rule, i) => {
      pushAll(errors, validateRule(rule, at.child('rules').index(i)))
    })
    pushAll(found, validateOneOf(webhook.failurePolicy, failurePolicies, at.child('failurePolicy')))
    pushAll(found, validateOneOf(webhook.matchPolicy, matchPolicies, at.child('matchPolicy')))
    pushAll(found, validateSideEffects(webhook.sideEffects, at.child('sideEffects'), options))
    if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1))
      found.push(
        invalid(at.child('timeoutSeconds'), timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'),
      )
    pushAll(found, validateLabelSelector(namespaceSelector, at.child('namespaceSelector'), selectorOptions))
    pushAll(found, validateLabelSelector(objectSelector, at.child('objectSelector'), selectorOptions))
    pushAll(found, validateOneOf(webhook.reinvocationPolicy, reinvocationPolicies, at.child('reinvocationPolicy')))
    pushAll(found, validateClientConfig(webhook.clientConfig, at.child('clientConfig'), options.strictColons))
    return found
  })
  if (!options.ignoreConditions)
    pushAll(errors, yield* validateMatchConditions(matchConditions, at.child('matchConditions'), conditionOptions))
  return errors
}

function validateSideEffects(
  value: string | null | undefined,
  at: FieldPath,
  { noSideEffects }: Options,
): FieldError[] {
  const allowed = noSideEffects ? harmless : sideEffects
  if (value === undefined || value === null) return [required(at, `must specify one of ${allowed.join(', ')}`)]
  return allowed.includes(value) ? [] : [notSupported(at, value, allowed)]
}

function validateReviewVersions(versions: readonly string[], at: FieldPath, options: Options): FieldError[] {
  if (versions.length === 0) return [required(at, `must specify one of ${reviewVersions.join(', ')}`)]
  const errors: FieldError[] = []
  const none = () => new Set<string>()
  const seen = withEachItem(errors, versions, none, (known, found: FieldError[], version, i) => {
    if (known.has(version)) {
      found.push(invalid(at.index(i), version, 'duplicate version'))
      return
    }
    known.add(version)
    for (const message of checkDns1035Label(version)) found.push(invalid(at.index(i), version, message))
  })
  if (options.knownReviewVersion && !reviewVersions.some((version) => seen.has(version))) {
    errors.push(invalidAs(at, () => goStrings(versions), `must include at least one of ${reviewVersions.join(', ')}`))
  }
  return errors
}

export function webhookConfigurationRules({ expressions, gate }: KindServices): KindRules<Configuration> {
  return {
    strategy: withStaticNames<Configuration>({
      validateMetadata: (metadata) => metadata.validate({ anyFinalizer: true }),
      validateMetadataUpdate: (metadata) => metadata.validate({ anyFinalizer: true }),
      generation: 'exact-spec',
      // The old version let pass what is wrong only today: there, a new object is as good as one that is there already.
      validateInTurns({ webhooks = [] }, old, { apiVersion }) {
        const known = old === undefined ? undefined : (old.webhooks ?? [])
        const before = apiVersion === olderVersion ? [...(known ?? []), ...webhooks] : known
        const checks = { checker: expressions(false), strictColons: gate('release:strictHostColons') }
        return inTurns(limitErrorsOf(validated(checks, webhooks, before)))
      },
    }),
  }
}
