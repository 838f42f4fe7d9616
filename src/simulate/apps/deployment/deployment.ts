/**
 * Brings the ReplicaSets of a Deployment to what it asks for: one a template, resized step by step.
 * Mirrors pkg/controller/deployment: DeploymentController.
 */

import { quote } from '../../../api/golang/quote.ts'
import { equalJson } from '../../../api/json.ts'
import { selectorOfObject } from '../../../api/label-selector.ts'
import { ApiError } from '../../../api/status-error.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../../catalog/types/apps-v1.ts'
import type { Pod } from '../../../catalog/types/core-v1.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { followOwned } from '../../framework/follow-owned.ts'
import type { Index } from '../../framework/informer.ts'
import { claimObjects, controllerOf } from '../../framework/owners.ts'
import { isNamespaceTerminating } from '../../framework/pod-control.ts'
import { byController, isFinished } from '../../framework/pods.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Writer } from '../../framework/writer.ts'
import {
  conditionOf,
  deadlineCheck,
  deploymentStatus,
  hasDeadline,
  isComplete,
  pausedConditions,
  type RolloutFacts,
  rolloutStatus,
  withDeploymentCondition,
  withDeploymentStatus,
} from './deployment-status.ts'
import { newReplicaSet } from './new-replica-set.ts'
import {
  findNewSet,
  lastRevision,
  maxRevision,
  newSetAnnotations,
  parseRevision,
  revisionAnnotation,
  revisionOf,
  rollbackAnnotation,
  rolledBackAnnotations,
  sameTemplate,
  sizeAnnotations,
  withoutHash,
} from './revisions.ts'
import {
  annotatedCount,
  desiredReplicasAnnotation,
  isActiveSet,
  newSetSize,
  type Resize,
  replicasOf,
  rollingDownsizes,
  scaleSizes,
} from './rollout.ts'

const apiVersion = 'apps/v1'
const kind = 'Deployment'

/** ReplicaSets by the uid of their controller; those without one by their namespace. */
const setsByController: Index<ReplicaSet> = {
  name: 'controller',
  keys: (set) => [controllerOf(set)?.uid ?? `/${set.metadata.namespace}`],
}

const selectorOf = ({ spec }: Deployment) => selectorOfObject(spec.selector as Parameters<typeof selectorOfObject>[0])

export const deployment: SimulatedController = {
  name: 'deployment-controller',
  start(context) {
    const deployments = context.informer<Deployment>('apps', 'deployments')
    const sets = context.informer<ReplicaSet>('apps', 'replicasets')
    const rollouts = new Rollouts(context)
    const queue = reconciler(context, { name: 'deployment', reconcile: (key) => rollouts.reconcile(key) })
    const add = (key: string): void => queue.add(key)
    const endings = [
      deployments.subscribe(({ object }) => add(keyOf(object))),
      followOwned({ owned: sets, owners: deployments, kind, selectorOf, add }),
      // A recreation goes on when the last old pod is gone.
      context.informer<Pod>('', 'pods').subscribe(({ type, object }) => {
        if (type === 'ADDED' || (type === 'MODIFIED' && !isFinished(object))) return
        const owner = controllerOf(object)
        const set = owner?.kind === 'ReplicaSet' ? sets.get(object.metadata.namespace ?? '', owner.name) : undefined
        const reference = set === undefined ? undefined : controllerOf(set)
        if (reference?.kind !== kind) return
        const found = deployments.get(object.metadata.namespace ?? '', reference.name)
        if (found?.spec.strategy?.type === 'Recreate') add(keyOf(found))
      }),
    ]
    return {
      stop() {
        for (const end of endings) end()
        return queue.stop()
      },
    }
  },
}

/** One Deployment while it is reconciled: what was written so far, and what its status will be. */
interface Round {
  deployment: Deployment
  newSet: ReplicaSet | undefined
  olds: ReplicaSet[]
}

class Rollouts {
  readonly #context: SimulationContext
  readonly #writer: Writer
  readonly #recorder: EventRecorder

  constructor(context: SimulationContext) {
    this.#context = context
    this.#writer = context.writer('deployment-controller')
    this.#recorder = context.recorder('deployment-controller')
  }

  async reconcile(key: string): Promise<{ requeueAfter: number } | undefined> {
    const { namespace, name } = splitKey(key)
    const found = this.#context.informer<Deployment>('apps', 'deployments').get(namespace, name)
    if (found === undefined) return undefined
    if (equalJson(found.spec.selector as never, {})) return this.#refuseEmptySelector(found)
    const sets = await this.#claim(found)
    const newSet = findNewSet(found, sets)
    const round: Round = { deployment: found, newSet, olds: sets.filter((set) => set !== newSet) }
    if (found.metadata.deletionTimestamp !== undefined) return this.#writeStatus(round, deploymentStatus)
    const conditions = pausedConditions(found, this.#time())
    if (conditions !== undefined) round.deployment = withDeploymentStatus(found, { conditions: [...conditions] })
    if (found.spec.paused) return this.#scale(round)
    if (/^-?\d{1,15}$/.test(found.metadata.annotations?.[rollbackAnnotation] ?? '')) return this.#rollBack(round)
    if (this.#isResized(round)) return this.#scale(round)
    if (found.spec.strategy?.type === 'Recreate') return this.#recreate(round)
    return this.#roll(round)
  }

  #time(): string {
    return formatTime(instantOfMillis(this.#context.clock.now()))
  }

  async #refuseEmptySelector(found: Deployment): Promise<undefined> {
    const message = 'This deployment is selecting all pods. A non-empty selector is required.'
    this.#recorder.event(found, { type: 'Warning', reason: 'SelectingAll', message })
    const { generation = 0 } = found.metadata
    if ((found.status.observedGeneration ?? 0) >= generation) return
    await this.#update(withDeploymentStatus(found, { observedGeneration: generation }))
  }

  #claim(owner: Deployment): Promise<ReplicaSet[]> {
    const sets = this.#context.informer<ReplicaSet>('apps', 'replicasets')
    const own = sets.byIndex(setsByController, owner.metadata.uid ?? '')
    const orphans = sets.byIndex(setsByController, `/${owner.metadata.namespace}`)
    const selector = selectorOf(owner)
    const claim = { owner, apiVersion, kind, selector, writer: this.#writer, group: 'apps', resource: 'replicasets' }
    return claimObjects(claim, [...own, ...orphans])
  }

  /** Whether only the number of replicas changed since sets were last resized. */
  #isResized({ deployment: { spec }, newSet, olds }: Round): boolean {
    return [...olds, ...(newSet === undefined ? [] : [newSet])].filter(isActiveSet).some((set) => {
      const desired = annotatedCount(set, desiredReplicasAnnotation)
      return desired !== undefined && desired !== spec.replicas
    })
  }

  async #scale(round: Round): Promise<{ requeueAfter: number } | undefined> {
    await this.#followRevision(round)
    for (const resize of scaleSizes(round.deployment, round.newSet, round.olds)) await this.#resize(round, resize)
    if (round.deployment.spec.paused) await this.#cleanUp(round)
    return this.#writeStatus(round, deploymentStatus)
  }

  async #roll(round: Round): Promise<{ requeueAfter: number } | undefined> {
    const newSet = await this.#ensureNewSet(round)
    if (newSet === undefined) return undefined
    const { deployment: target, olds } = round
    const size = replicasOf(newSet)
    const wanted = size > replicasOf(target) ? replicasOf(target) : newSetSize(target, size, olds)
    if (size !== replicasOf(target) && wanted !== size) {
      await this.#resize(round, { set: newSet, replicas: wanted })
      return this.#writeStatus(round, rolloutStatus)
    }
    const downsizes = rollingDownsizes(target, newSet, olds)
    for (const resize of downsizes) await this.#resize(round, resize)
    if (downsizes.length === 0 && isComplete(target, target.status)) await this.#cleanUp(round)
    return this.#writeStatus(round, rolloutStatus)
  }

  /** All old pods go before the first new one comes. */
  async #recreate(round: Round): Promise<{ requeueAfter: number } | undefined> {
    await this.#followRevision(round)
    const active = round.olds.filter(isActiveSet)
    for (const set of active) await this.#resize(round, { set, replicas: 0 })
    if (active.length > 0 || this.#hasOldPods(round)) return this.#writeStatus(round, rolloutStatus)
    const newSet = await this.#ensureNewSet(round)
    if (newSet === undefined) return undefined
    await this.#resize(round, { set: newSet, replicas: replicasOf(round.deployment) })
    if (isComplete(round.deployment, round.deployment.status)) await this.#cleanUp(round)
    return this.#writeStatus(round, rolloutStatus)
  }

  #hasOldPods({ olds }: Round): boolean {
    const pods = this.#context.informer<Pod>('', 'pods')
    return olds.some(
      ({ status, metadata }) =>
        status.replicas > 0 || pods.byIndex(byController, metadata.uid ?? '').some((pod) => !isFinished(pod)),
    )
  }

  /** The set of the present template, with its place in history; undefined when its name was taken by another. */
  async #ensureNewSet(round: Round): Promise<ReplicaSet | undefined> {
    if (round.newSet === undefined) await this.#createSet(round)
    else await this.#followRevision(round)
    return round.newSet
  }

  async #followRevision(round: Round): Promise<void> {
    const { newSet, olds } = round
    if (newSet === undefined) return
    const { minReadySeconds } = round.deployment.spec
    const revision = maxRevision(olds) + 1n
    round.newSet = await this.#writer.update<ReplicaSet>('apps', 'replicasets', nameOf(newSet), (current) => {
      const annotations = newSetAnnotations(round.deployment, current.metadata.annotations ?? {}, revision)
      const { minReadySeconds: _, ...spec } = current.spec
      return {
        ...current,
        metadata: { ...current.metadata, annotations: { ...annotations } },
        spec: { ...spec, ...(minReadySeconds === undefined ? {} : { minReadySeconds }) },
      }
    })
    this.#noteRevision(round, round.newSet.metadata.annotations?.[revisionAnnotation] ?? '')
    if (!hasDeadline(round.deployment) || conditionOf(round.deployment.status.conditions, 'Progressing')) return
    this.#noteProgress(round, 'FoundNewReplicaSet', `Found new replica set ${quote(newSet.metadata.name ?? '')}`)
  }

  async #createSet(round: Round): Promise<void> {
    const { deployment: owner, olds } = round
    const revision = maxRevision(olds) + 1n
    const set = newReplicaSet(owner, revision, newSetSize(owner, 0, olds))
    const { replicas = 0 } = set.spec
    const { name: setName = '' } = set.metadata
    const isNew = await this.#createOrFind(round, set)
    if (round.newSet === undefined) return
    if (isNew && replicas > 0) this.#tellScale(owner, setName, 0, replicas)
    this.#noteRevision(round, String(revision))
    if (!isNew || !hasDeadline(owner)) return
    this.#noteProgress(round, 'NewReplicaSetCreated', `Created new replica set ${quote(setName)}`)
  }

  /** True when it was created. The name may be taken by the same set, which is found, or by another: then another name follows. */
  async #createOrFind(round: Round, set: ReplicaSet): Promise<boolean> {
    const { deployment: owner } = round
    const { name = '', namespace = '' } = set.metadata
    try {
      round.newSet = await this.#writer.create('apps', 'replicasets', set)
      return true
    } catch (error) {
      if (!(error instanceof ApiError) || isNamespaceTerminating(error)) throw error
      if (error.status.reason !== 'AlreadyExists') {
        await this.#tellFailure(round, `Failed to create new replica set ${quote(name)}: ${error.message}`)
        throw error
      }
    }
    const taken = this.#context.informer<ReplicaSet>('apps', 'replicasets').get(namespace, name)
    const isOurs = taken !== undefined && controllerOf(taken)?.uid === owner.metadata.uid
    if (isOurs && sameTemplate(owner.spec.template, taken.spec.template)) {
      round.newSet = taken
      return false
    }
    await this.#update(withDeploymentStatus(owner, { collisionCount: (owner.status.collisionCount ?? 0) + 1 }))
    return false
  }

  async #tellFailure(round: Round, message: string): Promise<void> {
    const reason = 'ReplicaSetCreateError'
    if (hasDeadline(round.deployment)) {
      this.#noteProgress(round, reason, message, 'False')
      await this.#update(round.deployment)
    }
    this.#recorder.event(round.deployment, { type: 'Warning', reason, message })
  }

  #noteRevision(round: Round, revision: string): void {
    const { metadata } = round.deployment
    const annotations = { ...metadata.annotations, [revisionAnnotation]: revision }
    round.deployment = { ...round.deployment, metadata: { ...metadata, annotations } }
  }

  #noteProgress(round: Round, reason: string, message: string, status = 'True'): void {
    const conditions = withDeploymentCondition(round.deployment.status.conditions ?? [], {
      type: 'Progressing',
      status,
      reason,
      message,
      lastUpdateTime: this.#time(),
    })
    round.deployment = withDeploymentStatus(round.deployment, { conditions: [...conditions] })
  }

  async #resize(round: Round, { set, replicas }: Resize): Promise<void> {
    const before = replicasOf(set)
    const annotations = sizeAnnotations(round.deployment)
    const resized = await this.#writer.update<ReplicaSet>('apps', 'replicasets', nameOf(set), (current) => ({
      ...current,
      metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, ...annotations } },
      spec: { ...current.spec, replicas },
    }))
    if (round.newSet?.metadata.uid === set.metadata.uid) round.newSet = resized
    else round.olds = round.olds.map((old) => (old.metadata.uid === set.metadata.uid ? resized : old))
    if (before !== replicas) this.#tellScale(round.deployment, set.metadata.name ?? '', before, replicas)
  }

  #tellScale(owner: Deployment, set: string, from: number, to: number): void {
    const message = `Scaled ${from < to ? 'up' : 'down'} replica set ${set} from ${from} to ${to}`
    this.#recorder.event(owner, { type: 'Normal', reason: 'ScalingReplicaSet', message })
  }

  /** Only so many old sets are kept, the newest. */
  async #cleanUp({ deployment: { spec }, olds }: Round): Promise<void> {
    const limit = spec.revisionHistoryLimit ?? 2 ** 31 - 1
    const alive = olds.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const surplus = alive.length - limit
    if (surplus <= 0) return
    for (const set of alive.sort((a, b) => (revisionOf(a) < revisionOf(b) ? -1 : 1)).slice(0, surplus)) {
      const isSeen = (set.metadata.generation ?? 0) <= (set.status.observedGeneration ?? 0)
      if (set.status.replicas !== 0 || replicasOf(set) !== 0 || !isSeen) continue
      await this.#writer.delete('apps', 'replicasets', nameOf(set))
    }
  }

  /** Takes the template of an older revision, as the annotation of `kubectl rollout undo` of old asks. */
  async #rollBack(round: Round): Promise<undefined> {
    await this.#ensureNewSet(round)
    const { deployment: owner, newSet, olds } = round
    const all = newSet === undefined ? olds : [...olds, newSet]
    const asked = parseRevision(owner.metadata.annotations?.[rollbackAnnotation] ?? '') ?? 0n
    const revision = asked === 0n ? lastRevision(all) : asked
    const set = revision === 0n ? undefined : all.find((each) => revisionOf(each) === revision)
    const isSame = set !== undefined && sameTemplate(set.spec.template, owner.spec.template)
    const recordEvent = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
      this.#recorder.event(owner, { type, reason, message })
    const which = asked === 0n && revision === 0n ? 'last revision' : 'the revision to rollback to'
    if (set === undefined) recordEvent('Warning', 'DeploymentRollbackRevisionNotFound', `Unable to find ${which}.`)
    else if (isSame) {
      const message = `The rollback revision contains the same template as current deployment ${quote(owner.metadata.name ?? '')}`
      recordEvent('Warning', 'DeploymentRollbackTemplateUnchanged', message)
    }
    await this.#writer.update<Deployment>('apps', 'deployments', nameOf(owner), (current) => {
      const { [rollbackAnnotation]: _, ...annotations } = current.metadata.annotations ?? {}
      if (set === undefined || isSame) return { ...current, metadata: { ...current.metadata, annotations } }
      const metadata = { ...current.metadata, annotations: { ...rolledBackAnnotations(current, set) } }
      return { ...current, metadata, spec: { ...current.spec, template: withoutHash(set.spec.template) } }
    })
    if (set === undefined || isSame) return
    recordEvent(
      'Normal',
      'DeploymentRollback',
      `Rolled back deployment ${quote(owner.metadata.name ?? '')} to revision ${revision}`,
    )
  }

  async #writeStatus(
    round: Round,
    statusOf: (facts: RolloutFacts) => DeploymentStatus,
  ): Promise<{ requeueAfter: number } | undefined> {
    const { clock, gate } = this.#context
    const countsTerminating = gate('DeploymentReplicaSetTerminatingReplicas')
    const status = statusOf({ ...round, countsTerminating, now: clock.now(), time: this.#time() })
    const written = await this.#update({ ...round.deployment, status })
    if (statusOf !== rolloutStatus) return undefined
    const wait = deadlineCheck(written, written.status, clock.now())
    return wait === undefined ? undefined : { requeueAfter: wait }
  }

  /** Writes the status and the revision's annotation. */
  #update({ metadata, status }: Deployment): Promise<Deployment> {
    const target = { ...nameOf({ metadata }), subresource: 'status' }
    const revision = metadata.annotations?.[revisionAnnotation]
    return this.#writer.update<Deployment>('apps', 'deployments', target, (current) => {
      if (current.metadata.uid !== metadata.uid) return undefined
      const annotations =
        revision === undefined ? undefined : { ...current.metadata.annotations, [revisionAnnotation]: revision }
      return {
        ...current,
        metadata: { ...current.metadata, ...(annotations === undefined ? {} : { annotations }) },
        status,
      }
    })
  }
}

const nameOf = ({ metadata }: Pick<ReplicaSet, 'metadata'>) => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
})
