/**
 * Validating webhooks: all that match are asked at once; the first that says no, in their order, decides.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/validating: validatingDispatcher.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { whenReady } from '../../lib/awaitable.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import {
  CallFailure,
  callWebhook,
  type DispatchDependencies,
  observeCall,
  type ReviewSubject,
  shouldCall,
  type WebhookCall,
} from './dispatch.ts'
import { denialOf, sharedObjects } from './review.ts'
import type { WebhookCandidate, WebhookIndex } from './webhook.ts'

const failedOpen = 'failed-open.validating.webhook.admission.k8s.io/round_0_index_'

export function validatingWebhooks(dependencies: DispatchDependencies, index: WebhookIndex): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    handles: (shape) => index.handles(shape),
    validate: (request) =>
      whenReady(index.candidates(request), (candidates) =>
        candidates.length === 0 ? undefined : askAll(dependencies, candidates, request),
      ),
  }
}

async function askAll(
  dependencies: DispatchDependencies,
  candidates: readonly WebhookCandidate[],
  request: AdmissionRequest,
): Promise<void> {
  const asked: ReviewSubject = { request, objectsIn: (form) => sharedObjects(request, form) }
  const calls: { candidate: WebhookCandidate; call: WebhookCall }[] = []
  for (const candidate of candidates) {
    if (!(await shouldCall(dependencies, candidate, asked, 'validating'))) continue
    calls.push({ candidate, call: { request, objects: await asked.objectsIn(candidate.form) } })
  }
  const outcomes = await Promise.all(
    calls.map(({ candidate, call }, index) => ask(dependencies, candidate, { ...call, index })),
  )
  for (const outcome of outcomes) if (outcome !== undefined) throw outcome
}

/** The error, if the webhook or its failure refuses the request. */
async function ask(
  dependencies: DispatchDependencies,
  candidate: WebhookCandidate,
  call: WebhookCall & { readonly index: number },
): Promise<Error | undefined> {
  const { webhook } = candidate
  // Among those that are asked; that of a mutating webhook is among all that there are.
  const { request, index } = call
  try {
    await observeCall(dependencies, { webhook, request, type: 'validating' }, async () => {
      const answer = await callWebhook(dependencies, candidate, call, false)
      if (!answer.allowed) throw denialOf(webhook.name, answer.status)
    })
    return undefined
  } catch (error) {
    if (!(error instanceof CallFailure)) return error as Error
    if (!webhook.failOpen) return error.toApiError()
    request.annotate(failedOpen + index, webhook.name)
    return undefined
  }
}
