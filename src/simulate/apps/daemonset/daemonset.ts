/**
 * A pod on every node that a DaemonSet is for.
 * Mirrors pkg/controller/daemon: DaemonSetsController.
 */

import { equalJson } from '../../../api/json.ts'
import { selectorOfObject } from '../../../api/label-selector.ts'
import type { ControllerRevision, DaemonSet } from '../../../catalog/types/apps-v1.ts'
import type { Node, Pod } from '../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../lib/push-all.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { followOwned } from '../../framework/follow-owned.ts'
import { claimObjects, controllerReference } from '../../framework/owners.ts'
import {
  createPod,
  deletePod,
  isNamespaceTerminating,
  type PodControl,
  podFromTemplate,
  slowStart,
} from '../../framework/pod-control.ts'
import { byController, isFinished, isTerminating, nextAvailability, orphansOf } from '../../framework/pods.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import {
  type HistoryOptions,
  ownRevisions,
  presentRevision,
  RevisionCollision,
  revisionHashLabel,
  truncateHistory,
} from '../history/controller-revisions.ts'
import { type DaemonFacts, daemonStatus, daemonTemplate, planPods, planUpdate, targetNode } from './daemon-plan.ts'

const kind = 'DaemonSet'
const burst = 250
const firstBackoffMs = 1000
const maxBackoffMs = 900_000
/** Failures that are remembered; the oldest go first. */
const maxFailures = 10_000

const selectorOf = ({ spec }: DaemonSet) => selectorOfObject(spec.selector as Parameters<typeof selectorOfObject>[0])

export const daemonSet: SimulatedController = {
  name: 'daemonset-controller',
  start(context) {
    const sets = context.informer<DaemonSet>('apps', 'daemonsets')
    const pods = context.informer<Pod>('', 'pods')
    context.informer('apps', 'controllerrevisions')
    const daemons = new Daemons(context)
    const queue = reconciler(context, { name: 'daemonset', reconcile: (key) => daemons.reconcile(key) })
    const add = (key: string): void => queue.add(key)
    const endings = [
      sets.subscribe(({ object }) => add(keyOf(object))),
      followOwned({ owned: pods, owners: sets, kind, selectorOf, add }),
      context.informer<Node>('', 'nodes').subscribe(({ type, object, old }) => {
        const isSame =
          type === 'MODIFIED' &&
          equalJson(old?.metadata.labels, object.metadata.labels) &&
          equalJson(old?.spec.taints, object.spec.taints)
        if (!isSame) for (const set of sets.list()) add(keyOf(set))
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

class Daemons {
  readonly #context: SimulationContext
  readonly #control: PodControl
  /** When a failed pod of a set was last removed from a node, and how long the next one stays. */
  readonly #failures = new Map<string, { readonly at: number; readonly delay: number }>()

  constructor(context: SimulationContext) {
    this.#context = context
    this.#control = {
      writer: context.writer('daemon-set-controller'),
      recorder: context.recorder('daemonset-controller'),
    }
  }

  async reconcile(key: string): Promise<{ requeueAfter: number } | undefined> {
    const { namespace, name } = splitKey(key)
    const set = this.#context.informer<DaemonSet>('apps', 'daemonsets').get(namespace, name)
    if (set === undefined) return undefined
    if (equalJson(set.spec.selector as never, {})) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.'
      this.#control.recorder.event(set, { type: 'Warning', reason: 'SelectingAll', message })
      return undefined
    }
    if (set.metadata.deletionTimestamp !== undefined) return undefined
    const options = this.#historyOptions(set)
    const revisions = await ownRevisions(this.#context, options)
    const current = await this.#presentRevision(options, revisions)
    const hash = current.metadata.labels?.[revisionHashLabel] ?? ''
    const waits: number[] = []
    try {
      pushAll(waits, await this.#manage(await this.#facts(set, hash)))
      const { create, remove } = planUpdate(await this.#facts(set, hash))
      await this.#apply(set, hash, { create, remove })
      const all = await this.#claim(set)
      const live = new Set(all.map(({ metadata }) => metadata.labels?.[revisionHashLabel] ?? ''))
      const isDead = ({ metadata }: ControllerRevision): boolean =>
        metadata.name !== current.metadata.name && !live.has(metadata.labels?.[revisionHashLabel] ?? '')
      await truncateHistory(options, revisions.filter(isDead))
    } finally {
      await this.#writeStatus(await this.#facts(set, hash))
    }
    const pods = [...(await this.#facts(set, hash)).pods.values()].flat()
    const wait = nextAvailability(pods, set.spec.minReadySeconds ?? 0, this.#context.clock.now())
    if (wait !== undefined) waits.push(wait)
    return waits.length === 0 ? undefined : { requeueAfter: Math.min(...waits) }
  }

  #historyOptions(owner: DaemonSet): HistoryOptions {
    return { owner, kind, selector: selectorOf(owner), writer: this.#control.writer, hashLabel: revisionHashLabel }
  }

  async #presentRevision(options: HistoryOptions, revisions: readonly ControllerRevision[]) {
    try {
      return await presentRevision(options, revisions)
    } catch (error) {
      if (error instanceof RevisionCollision) await this.#noteCollision(options.owner as DaemonSet)
      throw error
    }
  }

  async #noteCollision({ metadata }: DaemonSet): Promise<void> {
    const { namespace = '', name = '' } = metadata
    const target = { namespace, name, subresource: 'status' }
    await this.#control.writer.update<DaemonSet>('apps', 'daemonsets', target, (current) => ({
      ...current,
      status: { ...current.status, collisionCount: (current.status.collisionCount ?? 0) + 1 },
    }))
  }

  #claim(owner: DaemonSet): Promise<Pod[]> {
    const pods = this.#context.informer<Pod>('', 'pods')
    const own = pods.byIndex(byController, owner.metadata.uid ?? '')
    const orphans = pods.byIndex(byController, orphansOf(owner.metadata.namespace ?? ''))
    const { writer } = this.#control
    const claim = {
      owner,
      apiVersion: 'apps/v1',
      kind,
      selector: selectorOf(owner),
      writer,
      group: '',
      resource: 'pods',
    }
    return claimObjects(claim, [...own, ...orphans])
  }

  async #facts(set: DaemonSet, hash: string): Promise<DaemonFacts> {
    const pods = new Map<string, Pod[]>()
    for (const pod of await this.#claim(set)) {
      const node = targetNode(pod)
      if (node === undefined || (isFinished(pod) && isTerminating(pod))) continue
      pods.set(node, [...(pods.get(node) ?? []), pod])
    }
    const nodes = this.#context.informer<Node>('', 'nodes').list()
    return { set, nodes, pods, hash, now: this.#context.clock.now() }
  }

  /** Resolves with how long to wait until failed pods may be removed. */
  async #manage(facts: DaemonFacts): Promise<number[]> {
    const { create, remove, ended } = planPods(facts)
    const waits: number[] = []
    const doomed = [...remove]
    for (const { pod, node } of ended) {
      const wait = pod.status.phase === 'Failed' ? this.#failureWait(facts.set, node) : 0
      if (wait > 0) waits.push(wait)
      else {
        this.#tellEnded(facts.set, pod, node)
        doomed.push(pod)
      }
    }
    await this.#apply(facts.set, facts.hash, { create, remove: doomed })
    return waits
  }

  #failureWait({ metadata, status }: DaemonSet, node: string): number {
    const key = `${metadata.uid}/${status.observedGeneration ?? 0}/${node}`
    const now = this.#context.clock.now()
    const known = this.#failures.get(key)
    const left = known === undefined ? 0 : known.at + known.delay - now
    if (left > 0) return left
    // What has been quiet for long begins anew.
    const isQuiet = known === undefined || now - known.at > 2 * maxBackoffMs
    const delay = isQuiet ? firstBackoffMs : Math.min(known.delay * 2, maxBackoffMs)
    this.#failures.delete(key)
    this.#failures.set(key, { at: now, delay })
    const [oldest] = this.#failures.keys()
    if (this.#failures.size > maxFailures && oldest !== undefined) this.#failures.delete(oldest)
    return 0
  }

  #tellEnded(set: DaemonSet, { metadata, status }: Pod, node: string): void {
    const what = `daemon pod ${metadata.namespace}/${metadata.name} on node ${node}`
    const event =
      status.phase === 'Failed'
        ? ({
            type: 'Warning',
            reason: 'FailedDaemonPod',
            message: `Found failed ${what}, will try to kill it`,
          } as const)
        : ({
            type: 'Normal',
            reason: 'SucceededDaemonPod',
            message: `Found succeeded ${what}, will try to delete it`,
          } as const)
    this.#control.recorder.event(set, event)
  }

  async #apply(
    set: DaemonSet,
    hash: string,
    { create, remove }: { readonly create: readonly string[]; readonly remove: readonly Pod[] },
  ): Promise<void> {
    const reference = controllerReference(set, 'apps/v1', kind)
    const creating = slowStart(Math.min(create.length, burst), async (i) => {
      const pod = podFromTemplate(daemonTemplate(set, hash, create[i] ?? ''), set, reference)
      try {
        await createPod(this.#control, set, pod)
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error
      }
    })
    const deleting = remove.slice(0, burst).map((pod) => deletePod(this.#control, set, pod))
    const results = await Promise.allSettled([creating, ...deleting])
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  async #writeStatus(facts: DaemonFacts): Promise<void> {
    const { namespace = '', name = '', uid } = facts.set.metadata
    const target = { namespace, name, subresource: 'status' }
    await this.#control.writer.update<DaemonSet>('apps', 'daemonsets', target, (current) => {
      if (current.metadata.uid !== uid) return undefined
      const set = { ...facts.set, status: current.status }
      return { ...current, status: daemonStatus({ ...facts, set }) }
    })
  }
}
