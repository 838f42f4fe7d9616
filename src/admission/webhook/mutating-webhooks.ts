/**
 * Mutating webhooks: asked one after the other, each sees what those before it made of the object. When one changed
 * it, those before it that ask for it are asked once more, after all plugins had another look.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/mutating: mutatingDispatcher.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { goJson } from '../../api/golang/json-text.ts'
import { quote } from '../../api/golang/quote.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError, internalError } from '../../api/status-error.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import { reasonOf } from '../../lib/fault.ts'
import { applyForeignPatch, readForeignPatch } from '../../patch/json-patch.ts'
import { PatchError } from '../../patch/patched-document.ts'
import type { EqualAdmitted } from '../patched-object.ts'
import type { AdmissionPlugin, Mutation, MutationPass } from '../plugin.ts'
import { CallFailure, callWebhook, type DispatchDependencies, observeCall, shouldCall } from './dispatch.ts'
import { denialOf, type ReviewAnswer, type VersionedObjects } from './review.ts'
import { type RestoreVersion, VersionedAttributes } from './versioned-attributes.ts'
import type { WebhookCandidate, WebhookIndex } from './webhook.ts'

export interface MutatingDependencies extends DispatchDependencies {
  /**
   * Reads what a patch made of the object that was sent: typed, defaulted, in its own version. Throws an Error that says
   * what is wrong, or an answer of its own.
   */
  readonly decode: (request: AdmissionRequest, object: JsonObject, sent: JsonObject) => Awaitable<KubeObject>
  readonly restoreVersion: RestoreVersion
  readonly equal: EqualAdmitted
  /** Reads JSON; throws an Error in the reference's words. */
  readonly parse: (text: string) => JsonValue
  /** Whether a patch that cannot be read is a failure to call the webhook. */
  readonly undecodablePatchFails?: boolean
}

const name = 'MutatingAdmissionWebhook'

export function mutatingWebhooks(dependencies: MutatingDependencies, index: WebhookIndex): AdmissionPlugin {
  return {
    name,
    handles: (shape) => index.handles(shape),
    mutate: (request, pass) =>
      whenReady(
        index.candidates(request),
        (candidates): Awaitable<Mutation> =>
          candidates.length === 0 ? undefined : askEach(dependencies, candidates, request, pass),
      ),
  }
}

/** Which webhooks were asked, and which are to be asked once more. */
class Memory {
  readonly asked = new Set<string>()
  readonly again = new Set<string>()
  last: KubeObject | undefined
  isPatched = false

  /** The object changed: those asked so far have not seen it as it is now. */
  onChange(): void {
    for (const id of this.asked) this.again.add(id)
    this.asked.clear()
  }
}

async function askEach(
  dependencies: MutatingDependencies,
  candidates: readonly WebhookCandidate[],
  first: AdmissionRequest,
  pass: MutationPass,
): Promise<Mutation> {
  const memory = pass.remember(name, () => new Memory())
  if (pass.round > 0 && !(await dependencies.equal(first, memory.last, first.object))) memory.onChange()
  const attributes = new VersionedAttributes(first, dependencies.restoreVersion, memory.isPatched)
  for (const candidate of candidates) {
    const { webhook } = candidate
    if (!(await shouldCall(dependencies, candidate, attributes, 'admit'))) continue
    if (pass.round > 0 && !memory.again.has(webhook.id)) continue
    if (await ask(dependencies, candidate, attributes, pass.round)) {
      memory.onChange()
      pass.repeat()
    }
    if (webhook.reinvocable) memory.asked.add(webhook.id)
  }
  const object = await attributes.restore()
  memory.last = object
  memory.isPatched = attributes.isPatched
  return object === first.object ? undefined : object
}

/** Asks the webhook and takes over what its patch makes. Whether that changed the object is the result. */
async function ask(
  dependencies: MutatingDependencies,
  candidate: WebhookCandidate,
  attributes: VersionedAttributes,
  round: number,
): Promise<boolean> {
  const { webhook, index } = candidate
  const { configuration, name: webhookName } = webhook
  const key = `round_${round}_index_${index}`
  let mutated = false
  const objects = await attributes.objectsIn(candidate.form)
  const { request } = attributes
  try {
    const object = await observeCall(dependencies, { webhook, request, type: 'admit' }, async () => {
      const answer = await callWebhook(dependencies, candidate, { request, objects }, true)
      if (!answer.allowed) throw denialOf(webhookName, answer.status)
      const onPatch = (patch: JsonValue): void => {
        const value = goJson({ configuration, webhook: webhookName, patch, patchType: 'JSONPatch' })
        request.annotate(`patch.webhook.admission.k8s.io/${key}`, value, 'Request')
      }
      return patched(dependencies, candidate, { answer, objects, request, onPatch })
    })
    mutated =
      object !== undefined && (attributes.hasExactTimes || !(await dependencies.equal(request, object, objects.object)))
    if (object !== undefined) attributes.change(object)
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    if (!webhook.failOpen) throw error.toApiError()
    request.annotate(`failed-open.mutation.webhook.admission.k8s.io/${key}`, webhookName)
  } finally {
    const value = goJson({ configuration, webhook: webhookName, mutated })
    request.annotate(`mutation.webhook.admission.k8s.io/${key}`, value)
  }
  return mutated
}

/** From 1.34 on. Mirrors admission/plugin/webhook/mutating: mutatingDispatcher.callAttrMutatingHook. */
function parsedPatch(parse: MutatingDependencies['parse'], webhook: string, text: string): JsonValue {
  try {
    const patch = parse(text)
    if (patch !== null) readForeignPatch(patch)
    return patch
  } catch (error) {
    throw new CallFailure(webhook, `received undecodable patch in webhook response: ${reasonOf(error)}`, 503)
  }
}

interface Answered {
  readonly answer: ReviewAnswer
  readonly objects: VersionedObjects
  readonly request: AdmissionRequest
  readonly onPatch: (patch: JsonValue) => void
}

async function patched(
  { decode, parse, undecodablePatchFails = false }: MutatingDependencies,
  { webhook }: WebhookCandidate,
  { answer, objects, request, onPatch }: Answered,
): Promise<KubeObject | undefined> {
  if (answer.patch === '') return undefined
  try {
    const patch = undecodablePatchFails ? parsedPatch(parse, webhook.name, answer.patch) : parse(answer.patch)
    if (patch === null) return undefined
    const { operations } = readForeignPatch(patch)
    if (operations.length === 0) return undefined
    if (objects.object === undefined) {
      throw new PatchError(
        `admission webhook ${quote(webhook.name)} attempted to modify the object, which is not supported for this operation`,
      )
    }
    if (answer.patchType !== 'JSONPatch') {
      throw new CallFailure(webhook.name, `unsupported patch type ${quote(answer.patchType)}`)
    }
    const result = applyForeignPatch(objects.object, patch)
    if (!isJsonObject(result)) throw new PatchError('the patch leaves no object')
    const decoded = await decode(request, result, objects.object)
    onPatch(patch)
    return decoded
  } catch (error) {
    if (error instanceof CallFailure || error instanceof ApiError) throw error
    throw internalError(reasonOf(error))
  }
}
