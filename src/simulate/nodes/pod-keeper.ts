/**
 * The kubelets of the simulated nodes: every pod that is bound to one is brought through its life, with as few writes as its
 * statuses that last. What a pod's runtime knows is kept while the pod is there, and made anew from its status where it is not.
 */
import { equalJson } from '../../api/json.ts'
import { ApiError } from '../../api/status-error.ts'
import type { Controller } from '../../controllers/controller.ts'
import type { SimulationContext } from '../framework/context.ts'
import type { Index, Informer, InformerChange } from '../framework/informer.ts'
import { keyOf, type Reconciler, reconciler, splitKey } from '../framework/reconciler.ts'
import type { Node, Pod } from '../objects.ts'
import type { KubeletClients } from './kubelet-actors.ts'
import { nodeAddress } from './node-object.ts'
import { PodAddresses } from './pod-addresses.ts'
import { PodAdmission } from './pod-admission.ts'
import { adoptedRun } from './pod-life/adopt.ts'
import { type Advanced, advance } from './pod-life/advance.ts'
import type { PodRun } from './pod-life/pod-run.ts'
import { podStatus } from './pod-life/pod-status.ts'
import { wantsResize } from './pod-life/resize.ts'
import { type PodPattern, podMatches } from './script/pod-pattern.ts'
import { scriptAnnotation } from './script/pod-script.ts'
import type { ActiveScript, PodScripts } from './script/pod-scripts.ts'

export interface PodKeeperOptions {
  readonly scripts: PodScripts
  readonly kubelets: KubeletClients
  /** The node of a name, if its kubelet is simulated and works. */
  readonly working: (node: string) => Node | undefined
  /** Whether another component writes the status of pods. */
  readonly isStaged: () => boolean
  /** Called for every pod that is gone, by its uid. */
  readonly onGone: (uid: string) => void
}

interface Kept {
  readonly run: PodRun
  readonly wakeAt: number
  /** Of the state that this was made for; another one is looked at. */
  readonly version: string | undefined
  readonly scripts: number
}

const byNode: Index<Pod> = { name: 'node', keys: ({ spec }) => [spec.nodeName] }
const byAddress: Index<Pod> = {
  name: 'address',
  keys: ({ spec, status }) => (spec.hostNetwork === true ? [] : [status?.podIP]),
}
const concurrency = 16

export class PodKeeper implements Controller {
  readonly #context: SimulationContext
  readonly #options: PodKeeperOptions
  readonly #pods: Informer<Pod>
  readonly #queue: Reconciler
  readonly #kept = new Map<string, Kept>()
  readonly #addresses = new PodAddresses()
  readonly #admission: PodAdmission
  readonly #ends: (() => void)[]
  /** Of those who follow a pod, by its uid. */
  readonly #listeners = new Map<string, Set<() => void>>()
  #scriptChanges = 0
  /** Pods whose resize waits for room, by uid: their keys. */
  readonly #deferred = new Map<string, string>()

  constructor(context: SimulationContext, options: PodKeeperOptions) {
    this.#context = context
    this.#options = options
    this.#pods = context.informer<Pod>('', 'pods')
    this.#admission = new PodAdmission({
      podLevelResources: context.gate('PodLevelResources'),
      inPlaceResize: context.gate('InPlacePodVerticalScaling'),
    })
    this.#queue = reconciler(context, {
      name: 'simulated-pods',
      concurrency,
      reconcile: (key) => this.#reconcile(key),
    })
    this.#ends = [
      this.#pods.subscribe((change) => this.#changed(change)),
      options.scripts.onChange((script) => this.#scriptChanged(script)),
    ]
  }

  /** Looks at the pods of a node again. */
  refreshNode(node: string): void {
    for (const pod of this.#pods.byIndex(byNode, node)) this.#queue.add(keyOf(pod))
  }

  refresh(): void {
    for (const pod of this.#pods.list()) if ((pod.spec.nodeName ?? '') !== '') this.#queue.add(keyOf(pod))
  }

  /** What runs in a pod. */
  runOf(pod: Pod): PodRun {
    return this.#kept.get(pod.metadata.uid ?? '')?.run ?? adoptedRun(pod, this.#context.clock.now())
  }

  get(namespace: string, name: string): Pod | undefined {
    return this.#pods.get(namespace, name)
  }

  /** The pod with this address that is not on the network of its node. */
  at(address: string): Pod | undefined {
    return this.#pods.byIndex(byAddress, address).find(({ spec }) => this.#options.working(spec.nodeName ?? ''))
  }

  /** Calls the listener after every look at the pod, and when it is gone. The result ends it. */
  onChange({ metadata }: Pod, listener: () => void): () => void {
    const uid = metadata.uid ?? ''
    const listeners = this.#listeners.get(uid) ?? new Set()
    listeners.add(listener)
    this.#listeners.set(uid, listeners)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(uid)
    }
  }

  /** The address of a pod, which it keeps. */
  addressFor(uid: string, node: string): string {
    return this.#addresses.of(uid) ?? this.#addresses.take(uid, this.#options.working(node)?.spec?.podCIDR)
  }

  /** The uids of the pods that match. */
  matching(pattern: PodPattern): string[] {
    return this.#pods
      .list()
      .filter((pod) => podMatches(pattern, pod))
      .map(({ metadata }) => metadata.uid ?? '')
  }

  /** The pods on simulated nodes that work. */
  all(namespace?: string): readonly Pod[] {
    return this.#pods.list(namespace).filter(({ spec }) => this.#options.working(spec.nodeName ?? '') !== undefined)
  }

  podsOn(node: string): readonly Pod[] {
    return this.#pods.byIndex(byNode, node)
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) end()
    await this.#queue.stop()
  }

  #changed({ type, object: pod }: InformerChange<Pod>): void {
    const { uid = '' } = pod.metadata
    if (type === 'DELETED') {
      this.#forget(uid)
      return
    }
    if ((pod.spec.nodeName ?? '') === '') return
    const address = pod.status?.podIP
    if (type === 'ADDED' && address !== undefined && pod.spec.hostNetwork !== true) this.#addresses.hold(uid, address)
    this.#queue.add(keyOf(pod))
  }

  #forget(uid: string): void {
    this.#addresses.release(uid)
    this.#deferred.delete(uid)
    this.#release(uid)
    this.#kept.delete(uid)
    this.#options.onGone(uid)
    this.#notify(uid)
  }

  #notify(uid: string): void {
    for (const listener of this.#listeners.get(uid) ?? []) listener()
  }

  #scriptChanged({ pattern }: ActiveScript): void {
    this.#scriptChanges++
    for (const pod of this.#pods.list()) {
      if ((pod.spec.nodeName ?? '') !== '' && podMatches(pattern, pod)) this.#queue.add(keyOf(pod))
    }
  }

  async #reconcile(key: string): Promise<{ requeueAfter: number } | undefined> {
    const { namespace, name } = splitKey(key)
    const pod = this.#pods.get(namespace, name)
    const node = pod === undefined ? undefined : this.#options.working(pod.spec.nodeName ?? '')
    if (pod === undefined || node === undefined || this.#options.isStaged()) return undefined
    const { uid = '', resourceVersion } = pod.metadata
    const known = this.#knownOf(pod)
    const now = this.#context.clock.now()
    const isSettled =
      known !== undefined &&
      known.version === resourceVersion &&
      known.wakeAt > now &&
      known.run.pendingResize === undefined &&
      known.scripts === this.#scriptChanges
    if (isSettled) return later(known.wakeAt, now)
    const run = this.#resized(pod, node, known?.run ?? this.#begin(pod, node, now))
    const advanced = advance(pod, run, { behaviours: this.#options.scripts, now })
    if (advanced.run.isEnded) this.#release(uid)
    const written = await this.#write(pod, node, advanced)
    if (this.#pods.get(namespace, name)?.metadata.uid === uid) this.#keep(uid, advanced, written)
    this.#recordEvents(pod, advanced, known === undefined)
    this.#notify(uid)
    if (advanced.run.isEnded && pod.metadata.deletionTimestamp !== undefined) await this.#remove(pod)
    return later(advanced.wakeAt, this.#context.clock.now())
  }

  /** Undefined as well where the pod was put back to an earlier state: what was known is of another future. */
  #knownOf({ metadata }: Pod): Kept | undefined {
    const known = this.#kept.get(metadata.uid ?? '')
    return Number(known?.version ?? 0) > Number(metadata.resourceVersion ?? 0) ? undefined : known
  }

  #keep(uid: string, { run, wakeAt }: Advanced, version: string | undefined): void {
    this.#kept.set(uid, { run, wakeAt, version, scripts: this.#scriptChanges })
  }

  #begin(pod: Pod, node: Node, now: number): PodRun {
    const adopted = adoptedRun(pod, now)
    if (adopted.isEnded) return adopted
    const isNew = pod.status?.startTime === undefined && pod.metadata.deletionTimestamp === undefined
    const rejection = isNew ? this.#admission.admit(pod, node) : this.#admission.adopt(pod, node)
    if (rejection !== undefined) return { ...adopted, rejection, isEnded: true }
    if (adopted.ip !== undefined) return adopted
    const { uid = '' } = pod.metadata
    const ip = pod.spec.hostNetwork === true ? nodeAddress(node) : this.addressFor(uid, pod.spec.nodeName ?? '')
    return { ...adopted, ip }
  }

  /** The kubelet gives containers other resources, or says why not. */
  #resized(pod: Pod, node: Node, run: PodRun): PodRun {
    const { uid = '' } = pod.metadata
    this.#deferred.delete(uid)
    if (run.isEnded || !wantsResize(pod, run)) return run.pendingResize === undefined ? run : withoutResize(run)
    const pendingResize = this.#admission.resize(pod, node)
    if (pendingResize === undefined) {
      this.#retryDeferred()
      return withoutResize(run)
    }
    if (pendingResize.reason === 'Deferred') this.#deferred.set(uid, keyOf(pod))
    return { ...run, pendingResize }
  }

  #release(uid: string): void {
    this.#admission.release(uid)
    this.#retryDeferred()
  }

  /** There may be room now. */
  #retryDeferred(): void {
    for (const key of this.#deferred.values()) this.#queue.add(key)
  }

  /**
   * The version that was written, or that needed nothing. Undefined where another client wrote since the pod was looked at (that it is
   * deleted, say): what was made of it is then not of the present state, which is looked at next.
   */
  async #write(pod: Pod, node: Node, { run }: Advanced): Promise<string | undefined> {
    const { namespace = '', name = '', uid, resourceVersion } = pod.metadata
    const { writer } = this.#options.kubelets.of(node.metadata.name ?? '')
    let isPresent = true
    const facts = { behaviours: this.#options.scripts, hostIP: nodeAddress(node), now: this.#context.clock.now() }
    try {
      const target = { namespace, name, subresource: 'status' }
      const written = await writer.update<Pod>('', 'pods', target, (current) => {
        isPresent = current.metadata.resourceVersion === resourceVersion
        if (current.metadata.uid !== uid) return undefined
        const status = podStatus(current, run, facts)
        return equalJson(status, current.status) ? undefined : { ...current, status }
      })
      return isPresent ? written.metadata.resourceVersion : undefined
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined
      throw error
    }
  }

  #recordEvents(pod: Pod, { run, events }: Advanced, isFirst: boolean): void {
    const { recorder } = this.#options.kubelets.of(pod.spec.nodeName ?? '')
    if (isFirst && run.rejection !== undefined) recorder.event(pod, { type: 'Warning', ...run.rejection })
    for (const { type, reason, message, fieldPath } of events) {
      recorder.event(pod, { type, reason, message, ...(fieldPath === undefined ? {} : { fieldPath }) })
    }
    const problem = isFirst ? this.#options.scripts.annotationProblem(pod) : undefined
    if (problem === undefined) return
    const message = `The annotation ${scriptAnnotation} is not understood: ${problem}`
    recorder.event(pod, { type: 'Warning', reason: 'InvalidScript', message })
  }

  async #remove(pod: Pod): Promise<void> {
    const { namespace = '', name = '', uid = '' } = pod.metadata
    const { writer } = this.#options.kubelets.of(pod.spec.nodeName ?? '')
    const options = { gracePeriodSeconds: 0, preconditions: { uid } }
    try {
      await writer.delete('', 'pods', { namespace, name }, options)
    } catch (error) {
      // Another pod has its name by now.
      if (!(error instanceof ApiError) || error.code !== 409) throw error
    }
  }
}

const withoutResize = ({ pendingResize: _, ...run }: PodRun): PodRun => run

const later = (wakeAt: number, now: number): { requeueAfter: number } | undefined =>
  wakeAt === Number.POSITIVE_INFINITY ? undefined : { requeueAfter: Math.max(wakeAt - now, 0) }
