/**
 * Eviction: a delete that asks the pod's disruption budget first. A pod that does not serve anybody needs no budget; one
 * that does spends one disruption of it, noted in the budget's status before the pod goes.
 * Mirrors pkg/registry/core/pod/storage: EvictionREST.
 */

import { invalid as invalidField } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { equalJson } from '../../../api/json.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { selectorInSteps } from '../../../api/label-selector.ts'
import type { KubeObject } from '../../../api/object.ts'
import { objectNotFound } from '../../../api/object-key.ts'
import { ApiError, badRequest, conflict, forbidden, invalid, unknownError } from '../../../api/status-error.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import { serverUser } from '../../../api/user.ts'
import { typesAt } from '../../../catalog/catalog.ts'
import type { PodObject } from '../../../catalog/pod-object.ts'
import type { Condition } from '../../../catalog/types/meta-v1.ts'
import type { Eviction, PodDisruptionBudget } from '../../../catalog/types/policy-v1.ts'
import { inTurns, type Steps } from '../../../lib/in-turns.ts'
import { remove } from '../../../registry/delete.ts'
import type { DeleteOptions } from '../../../registry/delete-options.ts'
import { freshCache } from '../../../registry/fresh-cache.ts'
import { manageUpdatedFields } from '../../../registry/managed-fields.ts'
import type { Registry } from '../../../registry/registry.ts'
import type { Strategy } from '../../../registry/strategy.ts'
import type { ActionRequest, ActionSubresource } from '../../../registry/subresource.ts'
import { update } from '../../../registry/update.ts'
import type { WriteRequest } from '../../../registry/write-request.ts'
import type { KindServices } from '../../kind-rules.ts'
import { successStatus, withoutAdmission, writeRequestOf } from './pod-action.ts'
import { hasReadyCondition, withNewPodCondition } from './pod-conditions.ts'

type Budget = PodDisruptionBudget & KubeObject

/** Conflicts before giving up on a pod that keeps changing. */
const maxAttempts = 20
/** Evictions that the budget's controller has not seen yet. */
const maxDisruptedPods = 2000

const refusal = "Cannot evict pod as it would violate the pod's disruption budget."
const budgetResource = { group: 'policy', resource: 'poddisruptionbudget' }

export function evictionAction(services: KindServices, podStatus: Strategy<PodObject>): ActionSubresource {
  const kind = { group: 'policy', version: 'v1', kind: 'Eviction' }
  return {
    type: 'action',
    kind,
    otherVersions: ['policy/v1beta1'],
    schema: typesAt(services.release).typeSchema('policy.v1.Eviction'),
    async create(request) {
      const eviction = request.body as Eviction & KubeObject
      if (eviction.metadata.name !== request.name) {
        throw badRequest('name in URL does not match name in Eviction object')
      }
      const given = (eviction.deleteOptions ?? {}) as DeleteOptions
      if (given.ignoreStoreReadErrorWithClusterBreakingPotential) {
        const at = FieldPath.of('deleteOptions', 'ignoreStoreReadErrorWithClusterBreakingPotential')
        const why = 'can not be set for pod eviction, try after removing the option'
        throw invalid(kind, request.name, [invalidField(at, true, why)])
      }
      checkDryRuns(request, given.dryRun ?? [])
      await request.admit(eviction)
      const dryRun = request.dryRun || (given.dryRun ?? []).length > 0
      await new Evictor(services, podStatus, { ...request, dryRun }, given).run()
      return successStatus(201)
    },
  }
}

/** The query and the body may both ask for a dry run, but not for different ones. Mirrors eviction.go: propagateDryRun. */
function checkDryRuns({ options }: ActionRequest, own: readonly string[]): void {
  const asked = (options['dryRun'] ?? []) as readonly string[]
  if (asked.length === 0 || own.length === 0 || equalJson([...asked], [...own])) return
  const both = `[${asked.join(' ')}] and [${own.join(' ')}]`
  throw unknownError(`Non-matching dry-run options in request and content: ${both}`)
}

class Evictor {
  readonly #services: KindServices
  readonly #podStatus: Strategy<PodObject>
  readonly #request: ActionRequest
  readonly #options: DeleteOptions
  readonly #pods: Registry

  constructor(services: KindServices, podStatus: Strategy<PodObject>, request: ActionRequest, options: DeleteOptions) {
    this.#services = services
    this.#podStatus = podStatus
    this.#request = request
    this.#options = options
    this.#pods = services.registry('', 'pods')
  }

  async run(): Promise<void> {
    const pod = await this.#evictUnguarded()
    if (pod === undefined) return
    const budgets = await this.#budgetsOf(pod)
    if (budgets.length > 1) {
      throw unknownError(
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      )
    }
    const [budget] = budgets
    const spends = budget !== undefined && !mayGoUnhealthy(pod, budget)
    if (budget !== undefined && spends) await this.#spend(budget)
    await this.#deleteGuarded(pod, budget !== undefined && !spends ? budget : undefined)
  }

  /** Evicts a pod that needs no budget; otherwise the pod as it is. */
  async #evictUnguarded(): Promise<PodObject | undefined> {
    const pinned = this.#options.preconditions?.resourceVersion !== undefined
    for (let attempt = 1; ; attempt++) {
      const pod = await this.#pod()
      if (!needsNoBudget(pod)) return pod
      try {
        await this.#delete(isEnding(pod) || pinned ? this.#options : this.#pinnedTo(pod))
        return undefined
      } catch (error) {
        const retry = error instanceof ApiError && error.code === 409 && !pinned && attempt < maxAttempts
        if (!retry) throw error
      }
    }
  }

  /** An unhealthy pod may go without spending the budget, as long as it does not become healthy meanwhile. */
  async #deleteGuarded(pod: PodObject, unspent: Budget | undefined): Promise<void> {
    const pinned = this.#options.preconditions?.resourceVersion !== undefined
    try {
      await this.#delete(unspent === undefined ? this.#options : this.#pinnedTo(pod))
    } catch (error) {
      const changed = error instanceof ApiError && error.code === 409
      if (unspent !== undefined && changed && !pinned) throw stillProcessing(unspent.metadata.name ?? '')
      throw error
    }
  }

  /** Read from the store: what the pod is pinned to must not be older than what its controller wrote. */
  async #pod(): Promise<PodObject> {
    const { namespace, name } = this.#request
    const pod = await this.#pods.storage.newest(`${namespace}/${name}`)
    if (pod === undefined) throw objectNotFound(this.#pods.definition, name)
    return pod.object() as PodObject
  }

  #pinnedTo({ metadata }: PodObject): DeleteOptions {
    const { resourceVersion = '' } = metadata
    return { ...this.#options, preconditions: { ...this.#options.preconditions, resourceVersion } }
  }

  async #budgetsOf({ metadata }: PodObject): Promise<Budget[]> {
    const registry = this.#services.registry('policy', 'poddisruptionbudgets')
    const [budgets] = await Promise.all([
      this.#services.objects('policy', 'poddisruptionbudgets'),
      freshCache(registry),
    ])
    const found: Budget[] = []
    for (const object of budgets.list(this.#request.namespace)) {
      const budget = object as Budget
      if (await inTurns(selects(budget, metadata.labels))) found.push(budget)
    }
    return found
  }

  /** Notes that the pod is about to go, and says why, before it is deleted. */
  async #delete(options: DeleteOptions): Promise<void> {
    let sent = options
    if (!this.#request.dryRun) {
      const written = await this.#markDisrupted(options)
      if (options.preconditions?.resourceVersion !== undefined) {
        const resourceVersion = written.metadata.resourceVersion ?? ''
        sent = { ...options, preconditions: { ...options.preconditions, resourceVersion } }
      }
    }
    await remove(withoutAdmission(this.#pods), sent, writeRequestOf(this.#pods, this.#request, ''))
  }

  async #markDisrupted({ preconditions = {} }: DeleteOptions): Promise<KubeObject> {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    } as const
    const apply = (current: KubeObject): KubeObject => {
      const pod = current as PodObject
      checkPreconditions(pod, preconditions)
      const conditions = withNewPodCondition(pod.status.conditions, condition, this.#services.clock.now())
      return { ...pod, metadata: { ...pod.metadata }, status: { ...pod.status, conditions } }
    }
    const change = { strategy: this.#podStatus as Strategy, apply }
    const { written } = await update(
      withoutAdmission(this.#pods),
      change,
      writeRequestOf(this.#pods, this.#request, 'status'),
    )
    return written.object()
  }

  /** Takes one disruption from the budget, checked against the budget as it is when the write takes effect. */
  async #spend(budget: Budget): Promise<void> {
    if (this.#request.dryRun) {
      checkBudget(budget, this.#services)
      return
    }
    const registry = this.#services.registry('policy', 'poddisruptionbudgets')
    const part = registry.definition.subresources.get('status')
    if (part?.type !== 'part') throw new Error('disruption budgets have a status')
    const request: WriteRequest = {
      ...writeRequestOf(registry, this.#request, 'status'),
      name: budget.metadata.name ?? '',
      user: serverUser,
      fieldManager: 'kube-apiserver',
    }
    const apply = (current: KubeObject): KubeObject => {
      checkBudget(current as Budget, this.#services)
      const next = disrupted(current as Budget, this.#request.name, this.#services.clock.now())
      return manageUpdatedFields(registry, current, next, request)
    }
    await update(registry, { strategy: part.strategy, apply }, request)
  }
}

const isEnding = ({ status, metadata }: PodObject): boolean =>
  status.phase === 'Succeeded' || status.phase === 'Failed' || metadata.deletionTimestamp !== undefined

const needsNoBudget = (pod: PodObject): boolean => isEnding(pod) || pod.status.phase === 'Pending'

function* selects({ spec }: Budget, labels: Record<string, string> | undefined): Steps<boolean> {
  try {
    return (yield* selectorInSteps(spec.selector)).matches(labels)
  } catch (error) {
    // A selector that cannot be read selects nothing.
    if (error instanceof ApiError) return false
    throw error
  }
}

/** Unhealthy pods may go while enough others are healthy, or always where the budget says so. */
function mayGoUnhealthy(pod: PodObject, { spec, status }: Budget): boolean {
  if (hasReadyCondition(pod.status)) return false
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  return status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0
}

function checkPreconditions({ metadata }: PodObject, wanted: NonNullable<DeleteOptions['preconditions']>): void {
  const resource = { group: '', resource: 'Pod' }
  const name = metadata.name ?? ''
  const { uid = '', resourceVersion = '' } = wanted
  if (uid !== '' && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ''}). The object might have been deleted and then recreated`
    throw conflict(resource, name, why)
  }
  if (resourceVersion !== '' && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`
    throw conflict(resource, name, why)
  }
}

function checkBudget({ metadata, status }: Budget, { gate }: KindServices): void {
  const name = metadata.name ?? ''
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw stillProcessing(name)
  if (status.disruptionsAllowed < 0) {
    throw forbidden(budgetResource, name, 'pdb disruptions allowed is negative')
  }
  if (keysOf(status.disruptedPods ?? {}).length > maxDisruptedPods) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'
    throw forbidden(budgetResource, name, why)
  }
  if (status.disruptionsAllowed > 0) return
  const why = gate('release:evictionReasons') ? reasonOf(status) : countsOf(status)
  throw tooMany(`The disruption budget ${name} ${why}`)
}

const countsOf = ({ desiredHealthy, currentHealthy }: Budget['status']): string =>
  `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`

/** The counts are not reported where the budget could not be worked out, or where they would allow it. */
function reasonOf(status: Budget['status']): string {
  const found = status.conditions?.find(({ type }) => type === 'DisruptionAllowed')
  const reported = found?.status === 'False' && found.message !== '' ? found : undefined
  const refusal = 'does not allow evicting pods currently'
  if (reported?.reason === 'SyncFailed') return `${refusal} because it failed sync: ${reported.message}`
  if (status.currentHealthy <= status.desiredHealthy) return countsOf(status)
  return reported === undefined ? refusal : `${refusal} (${reported.reason}): ${reported.message}`
}

const stillProcessing = (name: string): ApiError =>
  tooMany(`The disruption budget ${name} is still being processed by the server.`, 10)

function tooMany(cause: string, retryAfterSeconds = 0): ApiError {
  const details = { causes: [{ reason: 'DisruptionBudget', message: cause }], retryAfterSeconds }
  const headers = retryAfterSeconds > 0 ? { 'Retry-After': String(retryAfterSeconds) } : {}
  return new ApiError(
    { code: 429, reason: 'TooManyRequests', message: refusal, details },
    headers as Record<string, string>,
  )
}

/** The budget with one disruption less and the pod noted. */
function disrupted(budget: Budget, pod: string, now: number): Budget {
  const { status } = budget
  const time = formatTime(instantOfMillis(now))
  const disruptionsAllowed = status.disruptionsAllowed - 1
  const conditions = disruptionsAllowed === 0 ? exhausted(budget, time) : status.conditions
  return {
    ...budget,
    metadata: { ...budget.metadata },
    status: {
      ...status,
      disruptedPods: { ...status.disruptedPods, [pod]: time },
      disruptionsAllowed,
      ...(conditions === undefined ? {} : { conditions }),
    },
  }
}

function exhausted({ status }: Budget, time: string): Condition[] {
  const type = 'DisruptionAllowed'
  const all = [...(status.conditions ?? [])]
  const i = all.findIndex((condition) => condition.type === type)
  const old = all[i]
  const condition: Condition = {
    type,
    status: 'False',
    ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
    lastTransitionTime: old?.status === 'False' ? old.lastTransitionTime : time,
    reason: 'InsufficientPods',
    message: '',
  }
  if (i < 0) all.push(condition)
  else all[i] = condition
  return all
}
