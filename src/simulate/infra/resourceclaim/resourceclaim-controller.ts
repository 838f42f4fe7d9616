/** Mirrors pkg/controller/resourceclaim: Controller. */
import type { PodResourceClaim } from '../../../catalog/types/core-v1.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Index, Informer } from '../../framework/informer.ts'
import { keyOf, type Reconciler, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Writer } from '../../framework/writer.ts'
import type { Pod, ResourceClaim, ResourceClaimTemplate } from '../../objects.ts'
import { messageOf } from '../common/api-errors.ts'
import { runningController } from '../common/running-controller.ts'
import {
  allocationFinalizer,
  canBeReserved,
  claimFromTemplate,
  claimNameOf,
  isClaimOwnedBy,
  isPodDone,
  isReservedFor,
  podClaimAnnotation,
  releasedStatus,
} from './claim-steps.ts'

const group = 'resource.k8s.io'
const claims = 'resourceclaims'

const podsByResourceClaim: Index<Pod> = {
  name: 'resource claim',
  keys: (pod) =>
    (pod.spec?.resourceClaims ?? []).map((claim) => {
      const found = claimNameOf(pod, claim)
      return found.type === 'named' ? `${pod.metadata.namespace ?? ''}/${found.name}` : undefined
    }),
}

const claimsByOwner: Index<ResourceClaim> = {
  name: 'owner',
  keys: ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter(({ kind, controller }) => controller && kind === 'Pod')
      .map(({ uid }) => uid),
}

export const resourceClaimController: SimulatedController = {
  name: 'resourceclaim-controller',
  start: (context) => new ResourceClaims(context).start(),
}

class ResourceClaims {
  readonly #pods: Informer<Pod>
  readonly #claims: Informer<ResourceClaim>
  readonly #templates: Informer<ResourceClaimTemplate>
  readonly #writer: Writer
  readonly #recorder: EventRecorder
  readonly #podQueue: Reconciler
  readonly #claimQueue: Reconciler

  constructor(context: SimulationContext) {
    this.#pods = context.informer<Pod>('', 'pods')
    this.#claims = context.informer<ResourceClaim>(group, claims)
    this.#templates = context.informer<ResourceClaimTemplate>(group, 'resourceclaimtemplates')
    this.#writer = context.writer('resource-claim-controller')
    this.#recorder = context.recorder('resource_claim')
    this.#podQueue = reconciler(context, { name: 'resource_claim', reconcile: (key) => this.#syncPod(key) })
    this.#claimQueue = reconciler(context, { name: 'resource_claims', reconcile: (key) => this.#syncClaim(key) })
  }

  start() {
    const subscriptions = [
      this.#pods.subscribe(({ type, object }) => this.#onPod(object, type === 'DELETED')),
      this.#claims.subscribe(({ type, object }) => {
        if (type !== 'DELETED') this.#claimQueue.add(keyOf(object))
        for (const pod of this.#pods.byIndex(podsByResourceClaim, keyOf(object))) this.#onPod(pod, false)
      }),
      this.#templates.subscribe(({ type, namespace, name }) => {
        if (type !== 'ADDED') return
        for (const pod of this.#pods.list(namespace)) {
          const isMeant = pod.spec?.resourceClaims?.some((each) => each.resourceClaimTemplateName === name)
          if (isMeant === true) this.#onPod(pod, false)
        }
      }),
    ]
    return runningController(subscriptions, [this.#podQueue, this.#claimQueue])
  }

  #onPod(pod: Pod, isGone: boolean): void {
    const wanted = pod.spec?.resourceClaims ?? []
    if (wanted.length === 0) return
    if (isGone || isPodDone(pod)) {
      for (const key of podsByResourceClaim.keys(pod)) if (key !== undefined) this.#claimQueue.add(key)
    }
    if (!isGone && pod.metadata.deletionTimestamp === undefined) this.#podQueue.add(keyOf(pod))
  }

  async #syncPod(key: string): Promise<void> {
    const { namespace, name } = splitKey(key)
    const pod = this.#pods.get(namespace, name)
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
    const made = new Map<string, string>()
    for (const claim of pod.spec?.resourceClaims ?? []) {
      try {
        const created = await this.#ensure(pod, claim)
        if (created !== undefined) made.set(claim.name, created)
      } catch (error) {
        const message = `PodResourceClaim ${claim.name}: ${messageOf(error)}`
        this.#recorder.event(pod, { type: 'Warning', reason: 'FailedResourceClaimCreation', message })
        throw error
      }
    }
    if (made.size > 0) await this.#noteClaims(pod, made)
    if (pod.spec?.nodeName) await this.#reserve(pod)
  }

  /** The name of the claim that was made from a template, or found again; undefined when there is nothing to note. */
  async #ensure(pod: Pod, claim: PodResourceClaim): Promise<string | undefined> {
    const { namespace = '', uid = '' } = pod.metadata
    const known = claimNameOf(pod, claim)
    if (known.type === 'unneeded') return undefined
    if (known.type === 'named') {
      const found = this.#claims.get(namespace, known.name)
      if (found !== undefined && (!known.isOwned || isClaimOwnedBy(found, pod))) return undefined
    }
    const templateName = claim.resourceClaimTemplateName
    if (templateName === undefined) return undefined
    const existing = this.#claims
      .byIndex(claimsByOwner, uid)
      .find(({ metadata }) => metadata.annotations?.[podClaimAnnotation] === claim.name)
    if (existing !== undefined) return existing.metadata.name
    const template = this.#templates.get(namespace, templateName)
    if (template === undefined) {
      const missing = `resourceclaimtemplate.resource.k8s.io ${JSON.stringify(templateName)} not found`
      throw new Error(`resource claim template ${JSON.stringify(templateName)}: ${missing}`)
    }
    const created = await this.#writer.create<ResourceClaim>(
      group,
      claims,
      claimFromTemplate(pod, claim.name, template),
    )
    return created.metadata.name
  }

  async #noteClaims({ metadata }: Pod, made: ReadonlyMap<string, string>): Promise<void> {
    const { namespace = '', name = '' } = metadata
    const target = { namespace, name, subresource: 'status' }
    await this.#writer.apply<Pod>('', 'pods', target, {
      fieldManager: 'ResourceClaimController',
      configure(current) {
        const others = (current.status?.resourceClaimStatuses ?? []).filter((each) => !made.has(each.name))
        const added = [...made].map(([claim, resourceClaimName]) => ({ name: claim, resourceClaimName }))
        return { status: { resourceClaimStatuses: [...others, ...added] } }
      },
    })
  }

  /** A pod that is bound already gets what is allocated. */
  async #reserve(pod: Pod): Promise<void> {
    const { namespace = '', name = '', uid = '' } = pod.metadata
    for (const wanted of pod.spec?.resourceClaims ?? []) {
      const found = claimNameOf(pod, wanted)
      const claim = found.type === 'named' ? this.#claims.get(namespace, found.name) : undefined
      if (claim === undefined || isReservedFor(claim, pod) || !canBeReserved(claim)) continue
      const target = { namespace, name: claim.metadata.name ?? '', subresource: 'status' }
      await this.#writer.update<ResourceClaim>(group, claims, target, (current) =>
        isReservedFor(current, pod) || !canBeReserved(current)
          ? undefined
          : {
              ...current,
              status: {
                ...current.status,
                reservedFor: [...(current.status?.reservedFor ?? []), { resource: 'pods', name, uid }],
              },
            },
      )
    }
  }

  async #syncClaim(key: string): Promise<void> {
    const target = splitKey(key)
    const claim = this.#claims.get(target.namespace, target.name)
    if (claim === undefined) return
    const findPod = (name: string) => this.#pods.get(target.namespace, name)
    const current = await this.#writer.update<ResourceClaim>(
      group,
      claims,
      { ...target, subresource: 'status' },
      (each) => {
        const status = releasedStatus(each, findPod)
        return status === undefined ? undefined : { ...each, status }
      },
    )
    const isFree = (current.status?.reservedFor ?? []).length === 0
    const wasReleased = current.status?.allocation === undefined && claim.status?.allocation !== undefined
    const isGoing = current.metadata.deletionTimestamp !== undefined
    if (isFree && current.metadata.finalizers?.includes(allocationFinalizer) && (wasReleased || isGoing)) {
      await this.#writer.update<ResourceClaim>(group, claims, target, (each) => ({
        ...each,
        metadata: {
          ...each.metadata,
          finalizers: (each.metadata.finalizers ?? []).filter((finalizer) => finalizer !== allocationFinalizer),
        },
      }))
    }
    if (isFree) await this.#deleteIfDone(claim, findPod)
  }

  /** A claim that was made for a pod goes when the pod is done, even if the pod stays. */
  async #deleteIfDone(claim: ResourceClaim, findPod: (name: string) => Pod | undefined): Promise<void> {
    const owner = claim.metadata.ownerReferences?.find(({ controller, kind }) => controller === true && kind === 'Pod')
    const pod = owner === undefined ? undefined : findPod(owner.name)
    if (owner === undefined || pod === undefined || claim.metadata.deletionTimestamp !== undefined) return
    if (pod.metadata.uid === owner.uid && !isPodDone(pod)) return
    const { namespace = '', name = '' } = claim.metadata
    await this.#writer.delete(group, claims, { namespace, name })
  }
}
