/** Devices that pods claim are found, and reserved for them. Mirrors plugins/dynamicresources. */

import { equalJson } from '../../../api/json.ts'
import type { AllocationResult } from '../../../catalog/types/resource-v1beta1.ts'
import { reasonOf } from '../../../lib/fault.ts'
import { SideTable } from '../../../lib/memo.ts'
import type { Writer } from '../../framework/writer.ts'
import type { Pod, ResourceClaim } from '../../objects.ts'
import { action, type QueueingHint } from '../cluster-events.ts'
import type { ClaimTracker } from '../devices/claim-tracker.ts'
import { DeviceAllocator } from '../devices/device-allocator.ts'
import { choicesOf, fullName } from '../devices/device-requests.ts'
import { DeviceSelectors } from '../devices/device-selectors.ts'
import { type NodePredicate, nodeSelector } from '../node-selector.ts'
import { isControlledBy, nameOf, namespaceOf, schedulingKey, uidOf } from '../objects.ts'
import type { ClusterView, FilterRun, Plugin } from '../plugin.ts'
import type { PodInfo } from '../pod-info.ts'
import { failure, type Status, unresolvable } from '../status.ts'

const name = 'DynamicResources'
const finalizer = 'resource.kubernetes.io/delete-protection'
const group = 'resource.k8s.io'
const cannotAllocate = unresolvable(name, 'cannot allocate all claims')
const unavailable = unresolvable(name, 'resourceclaim not available on the node')

export interface DynamicResourcesOptions {
  readonly view: ClusterView
  readonly tracker: ClaimTracker
  readonly writer: Writer
  /** Work beside that of the cycle. */
  track(work: Promise<void>): void
}

/** A claim of the pod that cannot be used yet: why. */
class ClaimError extends Error {
  override readonly name = 'ClaimError'
}

export function dynamicResourcesPlugin(options: DynamicResourcesOptions): Plugin {
  const { tracker } = options
  const selectors = new DeviceSelectors()
  const runs = new SideTable<FilterRun, DeviceRun>()
  /** Pods of cycles that came as far as this plugin. */
  const reached = new SideTable<PodInfo, true>()
  return {
    name,
    events: [
      { resource: 'Node', actions: action.add | action.updateNodeLabel },
      { resource: 'ResourceClaim', actions: action.add | action.update, hint: afterClaimChange(tracker) },
      {
        resource: 'Pod',
        actions: action.updatePodGeneratedClaim,
        hint: (pod, { object }) =>
          object !== undefined && uidOf(object) === uidOf(pod) && isReady(object as Pod, tracker) === undefined,
      },
      { resource: 'DeviceClass', actions: action.add | action.update },
      { resource: 'ResourceSlice', actions: action.add | action.update },
    ],
    preEnqueue(pod) {
      const wrong = isReady(pod, tracker)
      return wrong === undefined ? undefined : unresolvable(name, wrong)
    },
    preFilter(info) {
      reached.set(info, true)
      const claims = readClaims(info.pod, tracker)
      if (typeof claims === 'string') return unresolvable(name, claims)
      if (claims.length === 0) return undefined
      const wrong = wrongClaims(claims, options)
      if (wrong !== undefined) return wrong
      const state = new DeviceRun(info, claims, { ...options, selectors })
      const run = state.filterRun()
      runs.set(run, state)
      return run
    },
    postFilter(info, run) {
      if ((info.pod.spec.resourceClaims ?? []).length === 0) return ''
      // In the words of the reference: it finds nothing of its own in the cycle, and nothing is preempted either.
      if (!reached.has(info)) throw new Error('not found')
      const state = run === undefined ? undefined : runs.get(run)
      return state === undefined ? 'no new claims to deallocate' : state.deallocate()
    },
  }
}

/** Undefined where all claims of the pod are there. */
function isReady(pod: Pod, tracker: ClaimTracker): string | undefined {
  const claims = readClaims(pod, tracker)
  return typeof claims === 'string' ? claims : undefined
}

function readClaims(pod: Pod, tracker: ClaimTracker): ResourceClaim[] | string {
  try {
    return claimsOf(pod, tracker)
  } catch (error) {
    if (error instanceof ClaimError) return error.message
    throw error
  }
}

function claimsOf(pod: Pod, { claims }: ClaimTracker): ResourceClaim[] {
  const found: ResourceClaim[] = []
  for (const { name: own, resourceClaimName, resourceClaimTemplateName } of pod.spec.resourceClaims ?? []) {
    const status = pod.status?.resourceClaimStatuses?.find((each) => each.name === own)
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      throw new ClaimError(
        `pod "${schedulingKey(pod)}", spec.resourceClaim "${own}": none of the supported fields are set`,
      )
    }
    if (resourceClaimName === undefined && status === undefined) {
      throw new ClaimError(`pod "${schedulingKey(pod)}": ResourceClaim not created yet`)
    }
    const claimName = resourceClaimName ?? status?.resourceClaimName
    // The controller found that none is needed.
    if (claimName === undefined) continue
    const claim = claims.get(namespaceOf(pod), claimName)
    if (claim === undefined) throw new ClaimError(`resourceclaim.resource.k8s.io "${claimName}" not found`)
    if (claim.metadata.deletionTimestamp !== undefined) {
      throw new ClaimError(`resourceclaim "${claimName}" is being deleted`)
    }
    if (resourceClaimName === undefined && !isControlledBy(claim, pod)) {
      const owned = `was not created for pod ${schedulingKey(pod)} (pod is not owner)`
      throw new ClaimError(`ResourceClaim ${schedulingKey(claim)} ${owned}`)
    }
    found.push(claim)
  }
  return found
}

function wrongClaims(claims: readonly ResourceClaim[], { view, tracker }: DynamicResourcesOptions): Status | undefined {
  for (const claim of claims) {
    if (claim.status?.allocation !== undefined) continue
    if (tracker.isPending(claim)) {
      return unresolvable(name, `resource claim ${schedulingKey(claim)} is in the process of being allocated`)
    }
    const wrong = wrongRequests(claim, view)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function wrongRequests(claim: ResourceClaim, view: ClusterView): Status | undefined {
  for (const { name: own, alternatives } of choicesOf(claim)) {
    for (const request of alternatives) {
      if (request.parent !== '' && !view.gate('DRAPrioritizedList')) {
        const off = 'has subrequests, but the DRAPrioritizedList feature is disabled'
        return unresolvable(name, `resource claim ${schedulingKey(claim)}, request ${own}: ${off}`)
      }
      const { deviceClassName } = request
      const which = `request ${fullName(request)}`
      if (deviceClassName === '') return failure(name, `${which}: unsupported request type`)
      if (view.listers.deviceClasses.get('', deviceClassName) === undefined) {
        return unresolvable(name, `${which}: device class ${deviceClassName} does not exist`)
      }
    }
  }
  return undefined
}

const afterClaimChange =
  (tracker: ClaimTracker): QueueingHint =>
  (pod, change) => {
    const old = change.old as ResourceClaim | undefined
    const claim = change.object as ResourceClaim
    const claims = readClaims(pod, tracker)
    if (typeof claims === 'string') return false
    if (old?.status?.allocation !== undefined && claim.status?.allocation === undefined) return true
    if (!claims.some((each) => uidOf(each) === uidOf(claim))) return false
    return old === undefined || !equalJson(old.status, claim.status)
  }

interface RunOptions extends DynamicResourcesOptions {
  readonly selectors: DeviceSelectors
}

const isReservedFor = (pod: Pod, { status }: ResourceClaim): boolean =>
  status?.reservedFor?.some(({ uid }) => uid === uidOf(pod)) ?? false

class DeviceRun {
  readonly #pod: Pod
  readonly #claims: readonly ResourceClaim[]
  readonly #options: RunOptions
  readonly #toAllocate: readonly ResourceClaim[]
  readonly #places: readonly (NodePredicate | undefined)[]
  readonly #allocator: DeviceAllocator | undefined
  readonly #allocations = new Map<string, readonly AllocationResult[]>()
  /** Claims whose devices some node could not reach. */
  readonly #unreachable = new Set<ResourceClaim>()

  constructor({ pod }: PodInfo, claims: readonly ResourceClaim[], options: RunOptions) {
    this.#pod = pod
    this.#claims = claims
    this.#options = options
    this.#toAllocate = claims.filter(({ status }) => status?.allocation === undefined)
    this.#places = claims.map(({ status }) => {
      const selector = status?.allocation?.nodeSelector
      return selector === undefined ? undefined : nodeSelector(selector)
    })
    this.#allocator = this.#toAllocate.length === 0 ? undefined : this.#newAllocator()
  }

  #newAllocator(): DeviceAllocator {
    const { view, tracker, selectors } = this.#options
    return new DeviceAllocator({
      claims: this.#toAllocate,
      classes: view.listers.deviceClasses,
      slices: view.listers.resourceSlices.list(),
      selectors,
      gate: (gate) => view.gate(gate),
      isAllocated: (id) => tracker.isAllocated(id),
    })
  }

  filterRun(): FilterRun {
    return {
      filter: (node) => {
        const unreachable = this.#claims.filter((_, i) => this.#places[i]?.(node) === false)
        try {
          const found = this.#allocator?.allocate(node)
          if (this.#allocator !== undefined && found === undefined) return cannotAllocate
          if (found !== undefined) this.#allocations.set(node.name, found)
        } catch (error) {
          return failure(name, reasonOf(error))
        }
        for (const claim of unreachable) this.#unreachable.add(claim)
        return unreachable.length > 0 ? unavailable : undefined
      },
      reserve: (node) => this.#reserve(node),
      unreserve: () => this.#unreserve(),
      preBind: (node) => this.#preBind(node),
    }
  }

  #reserve(node: string): Status | undefined {
    if (this.#allocator === undefined) return undefined
    const found = this.#allocations.get(node)
    if (found === undefined) return failure(name, 'claim allocation not found for node')
    for (const [i, claim] of this.#toAllocate.entries())
      this.#options.tracker.assume(claim, found[i] ?? { devices: {} })
    return undefined
  }

  #unreserve(): void {
    const { tracker, track } = this.#options
    for (const claim of this.#claims) {
      if (tracker.settle(claim)) tracker.claims.restore(claim)
      const current = tracker.claims.get(namespaceOf(claim), nameOf(claim))
      if (current?.status?.allocation !== undefined && isReservedFor(this.#pod, current)) track(this.#release(current))
    }
  }

  async #preBind(node: string): Promise<void> {
    for (const claim of this.#claims) {
      if (isReservedFor(this.#pod, claim)) continue
      const index = this.#toAllocate.indexOf(claim)
      const allocation = index < 0 ? undefined : this.#allocations.get(node)?.[index]
      await this.#writeClaim(claim, allocation)
    }
  }

  /** The finalizer first: what is allocated must be freed before it goes. */
  async #writeClaim(claim: ResourceClaim, allocation: AllocationResult | undefined): Promise<void> {
    const { writer, tracker } = this.#options
    const target = { namespace: namespaceOf(claim), name: nameOf(claim) }
    const pod = { resource: 'pods', name: nameOf(this.#pod), uid: uidOf(this.#pod) }
    try {
      if (allocation !== undefined) {
        await writer.update<ResourceClaim>(group, 'resourceclaims', target, (current) => {
          const finalizers = current.metadata.finalizers ?? []
          if (finalizers.includes(finalizer)) return undefined
          return { ...current, metadata: { ...current.metadata, finalizers: [...finalizers, finalizer] } }
        })
      }
      const status = { ...target, subresource: 'status' }
      const written = await writer.update<ResourceClaim>(group, 'resourceclaims', status, (current) => {
        checkUnchanged(current, claim, allocation !== undefined)
        const reservedFor = [...(current.status?.reservedFor ?? []), pod]
        const given = allocation === undefined ? {} : { allocation }
        return { ...current, status: { ...current.status, ...given, reservedFor } }
      })
      tracker.set(written)
    } finally {
      tracker.settle(claim)
    }
  }

  async #release(claim: ResourceClaim): Promise<void> {
    const target = { namespace: namespaceOf(claim), name: nameOf(claim), subresource: 'status' }
    await this.#options.writer.update<ResourceClaim>(group, 'resourceclaims', target, (current) => {
      const reservedFor = (current.status?.reservedFor ?? []).filter(({ uid }) => uid !== uidOf(this.#pod))
      return { ...current, status: { ...current.status, reservedFor } }
    })
  }

  /** A claim that no other pod uses is given up where its devices are out of reach; another node may be better. */
  async deallocate(): Promise<string> {
    for (const claim of this.#unreachable) {
      const users = claim.status?.reservedFor ?? []
      if (!users.every(({ uid }) => uid === uidOf(this.#pod)) || users.length > 1) continue
      const target = { namespace: namespaceOf(claim), name: nameOf(claim), subresource: 'status' }
      await this.#options.writer.update<ResourceClaim>(group, 'resourceclaims', target, (current) => {
        const { allocation: _, reservedFor: __, ...status } = current.status ?? {}
        return { ...current, status }
      })
      return 'deallocation of ResourceClaim completed'
    }
    return 'still not schedulable'
  }
}

function checkUnchanged(current: ResourceClaim, claim: ResourceClaim, allocates: boolean): void {
  if (current.metadata.deletionTimestamp !== undefined || uidOf(current) !== uidOf(claim)) {
    throw new Error(`claim ${schedulingKey(claim)} got deleted in the meantime`)
  }
  if (allocates && current.status?.allocation !== undefined) {
    throw new Error(`claim ${schedulingKey(claim)} got allocated elsewhere in the meantime`)
  }
}
