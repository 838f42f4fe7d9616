/** What mutating and validating webhooks share: whether to call one, calling it, and what its failure means. */

import type { AdmissionRequest } from '../../api/admission.ts'
import { quote } from '../../api/golang/quote.ts'
import type { JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError, badRequest, forbidden, internalError } from '../../api/status-error.ts'
import { schemaForKind } from '../../catalog/catalog.ts'
import { type Authorize, authorizerValue, resourceCheckValue } from '../../cel/library/authorizer.ts'
import type { Activation } from '../../cel/program.ts'
import { structValue } from '../../cel/struct-values.ts'
import type { Value } from '../../cel/values.ts'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import { SideTable } from '../../lib/memo.ts'
import type { Attributes, Trace } from '../../lib/tracer.ts'
import type { Cluster } from '../cluster.ts'
import { ConditionContext, judgeConditions } from '../matching/match-conditions.ts'
import { reviewNamespace, reviewRequest } from '../matching/review-request.ts'
import type { ServedForm } from '../matching/rules.ts'
import { matchesNamespace, matchesObject } from '../matching/selectors.ts'
import type { AdmissionObserver, WebhookOutcome } from '../observer.ts'
import { admissionReview, InvalidAnswer, type ReviewAnswer, readAnswer, type VersionedObjects } from './review.ts'
import type { Webhook, WebhookCandidate } from './webhook.ts'
import type { WebhookClient } from './webhook-client.ts'

export interface DispatchDependencies {
  readonly cluster: Cluster
  readonly client: WebhookClient
  readonly clock: Clock
  /** Absent: calls are not traced. */
  readonly trace?: Trace | undefined
  /** Absent: not counted. */
  readonly observer?: AdmissionObserver | undefined
}

/** Calling the webhook failed; whether that fails the request is the webhook's policy. */
export class CallFailure extends Error {
  readonly webhook: string
  /** How the failure is counted. */
  readonly code: number

  constructor(webhook: string, why: string, code = 400) {
    super(why)
    this.webhook = webhook
    this.code = code
  }

  toApiError(): ApiError {
    return internalError(`failed calling webhook ${quote(this.webhook)}: ${this.message}`)
  }
}

/** The values of `authorizer` for the user of a request. */
export function authorizerActivation(cluster: Cluster, request: AdmissionRequest): Readonly<Record<string, Value>> {
  const authorize: Authorize = async (attributes) => cluster.authorize(attributes)
  const { resource, subresource, name, user } = request
  const about = {
    group: resource.group,
    resource: resource.resource,
    subresource,
    namespace: reviewNamespace(request),
    name,
  }
  return {
    authorizer: authorizerValue(user, authorize),
    'authorizer.requestResource': resourceCheckValue(user, authorize, about),
  }
}

/** Both objects as expressions see them. */
export function objectActivation({ object, oldObject }: VersionedObjects, { kind }: ServedForm): Activation {
  const schema = schemaForKind(kind)
  const seen = (json: KubeObject | undefined): JsonValue | Value =>
    json === undefined ? null : schema === undefined ? json : structValue(json, schema)
  return { object: seen(object), oldObject: seen(oldObject) }
}

/** A request, and its objects in the form that a webhook wants. */
export interface ReviewSubject {
  readonly request: AdmissionRequest
  objectsIn(form: ServedForm): Promise<VersionedObjects>
}

interface ConditionFacts {
  readonly activation: Activation
  readonly context: ConditionContext
}

/** What the conditions of all webhooks see of a request, by the form in which they see it. */
const knownFacts = new SideTable<AdmissionRequest, Map<string, Promise<ConditionFacts>>>()

function conditionFacts(cluster: Cluster, asked: ReviewSubject, form: ServedForm): Promise<ConditionFacts> {
  const known = knownFacts.getOrMake(asked.request, () => new Map())
  const { kind, resource } = form
  const key = `${kind.group}/${kind.version}/${kind.kind}/${resource.version}/${resource.resource}`
  let facts = known.get(key)
  if (facts === undefined) {
    facts = makeConditionFacts(cluster, asked, form)
    known.set(key, facts)
  }
  return facts
}

async function makeConditionFacts(cluster: Cluster, asked: ReviewSubject, form: ServedForm): Promise<ConditionFacts> {
  const objects = await asked.objectsIn(form)
  const { request } = asked
  const activation: Activation = {
    ...objectActivation(objects, form),
    request: reviewRequest(request, form),
    namespaceObject: null,
    ...authorizerActivation(cluster, request),
  }
  return { activation, context: new ConditionContext() }
}

/** Selectors and conditions, in the order of what they cost. */
export async function shouldCall(
  { cluster, observer }: DispatchDependencies,
  { webhook, form }: WebhookCandidate,
  asked: ReviewSubject,
  type: 'admit' | 'validating',
): Promise<boolean> {
  const { request } = asked
  if (!matchesObject(webhook.objectSelector, request)) return false
  if (!(await matchesNamespace(cluster, webhook.namespaceSelector, request))) return false
  if (webhook.conditions.length === 0) return true
  const { activation, context } = await conditionFacts(cluster, asked, form)
  const owner = { observer, name: webhook.name, kind: 'webhook', type, operation: request.operation } as const
  const judged = judgeConditions(webhook.conditions, activation, context, owner)
  const result = judged instanceof Promise ? await judged : judged
  if ('matches' in result) return result.matches
  if (webhook.failOpen) return false
  throw forbidden(request.resource, request.name, result.error)
}

export interface WebhookCall {
  readonly request: AdmissionRequest
  /** In the form that the webhook wants. */
  readonly objects: VersionedObjects
}

/** Throws a CallFailure, or an ApiError for a dry run that the webhook cannot take part in. */
export async function callWebhook(
  { client, clock, trace }: DispatchDependencies,
  { webhook, form }: WebhookCandidate,
  { request, objects }: WebhookCall,
  mutating: boolean,
): Promise<ReviewAnswer> {
  if (request.dryRun && webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook ${quote(webhook.name)} does not support dry run`)
  }
  const version = webhook.reviewVersion
  if (version === undefined) {
    throw new CallFailure(
      webhook.name,
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    )
  }
  const uid = clock.uuid()
  const review = admissionReview(request, form, { objects, uid, version })
  let answered: Awaited<ReturnType<WebhookClient['call']>>
  try {
    const call = () => client.call(webhook.client, review, webhook.timeoutSeconds)
    answered = await (trace === undefined ? call() : trace(spanName(mutating), spanAttributes(webhook, request), call))
  } catch (error) {
    throw new CallFailure(webhook.name, `failed to call webhook: ${reasonOf(error)}`)
  }
  try {
    const answer = readAnswer(answered, { uid, version, mutating })
    for (const [key, value] of Object.entries(answer.auditAnnotations))
      request.annotate(`${webhook.name}/${key}`, value)
    for (const warning of answer.warnings) request.warn(warning)
    return answer
  } catch (error) {
    if (!(error instanceof InvalidAnswer)) throw error
    throw new CallFailure(webhook.name, `received invalid webhook response: ${error.message}`, 503)
  }
}

/** Calls a webhook, and reports the outcome to the observer. */
export async function observeCall<T>(
  { observer }: DispatchDependencies,
  about: { readonly webhook: Webhook; readonly request: AdmissionRequest; readonly type: 'admit' | 'validating' },
  ask: () => Promise<T>,
): Promise<T> {
  const begin = performance.now()
  const { webhook, request, type } = about
  const observe = (outcome: Pick<WebhookOutcome, 'rejection' | 'code' | 'failedOpen'>): void => {
    const ms = performance.now() - begin
    request.waited?.(type === 'admit' ? 'mutating-webhook' : 'validating-webhook', ms)
    observer?.webhookAsked({
      webhook: webhook.name,
      operation: request.operation,
      type,
      seconds: ms / 1000,
      ...outcome,
    })
  }
  try {
    const result = await ask()
    observe({ rejection: undefined, code: 200, failedOpen: false })
    return result
  } catch (error) {
    if (error instanceof CallFailure) {
      const { code } = error
      observe({ rejection: webhook.failOpen ? undefined : 'calling_webhook_error', code, failedOpen: webhook.failOpen })
    } else if (error instanceof ApiError && error.code < 500) {
      observe({ rejection: 'no_error', code: error.code, failedOpen: false })
    } else {
      observe({ rejection: 'apiserver_internal_error', code: 0, failedOpen: false })
    }
    throw error
  }
}

const spanName = (mutating: boolean): string => `Call ${mutating ? 'mutating' : 'validating'} webhook`

function spanAttributes({ name }: Webhook, { operation, resource, subresource }: AdmissionRequest): Attributes {
  return { webhook: name, operation, resource: resource.resource, subresource }
}
