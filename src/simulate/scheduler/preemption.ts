/**
 * Makes room for a pod that fits nowhere by deleting pods of lower priority. Victims are deleted beside the scheduling of
 * other pods; the pod itself waits until the last of them is. Mirrors plugins/defaultpreemption and framework/preemption,
 * with the gate SchedulerAsyncPreemption.
 */
import { isJsonObject } from '../../api/json.ts'
import { formatTime, instantOfMillis } from '../../api/time.ts'
import type { EventRecorder } from '../framework/recorder.ts'
import type { Writer } from '../framework/writer.ts'
import type { Pod } from '../objects.ts'
import { type Cycle, cloneRuns } from './cycle.ts'
import { Diagnosis } from './diagnosis.ts'
import { nameOf, namespaceOf, nominatedNodeOf, uidOf } from './objects.ts'
import type { ClusterView, Plugin } from './plugin.ts'
import { withSchedulingCondition } from './pod-condition.ts'
import type { PodInfo } from './pod-info.ts'
import type { SchedulingQueue } from './queue/scheduling-queue.ts'
import { type Status, unresolvable } from './status.ts'
import { budgetOf, leastHarm, type PreemptionCandidate, selectVictims } from './victims.ts'

const name = 'DefaultPreemption'
const notHelpful = unresolvable('', 'Preemption is not helpful for scheduling')
const preempting = unresolvable(name, 'waiting for the preemption for this pod to be finished')

/** Of many nodes that could do, so many are looked at. */
const minCandidatePercentage = 10
const minCandidates = 100

export interface PreemptionOptions {
  readonly view: ClusterView
  readonly writer: Writer
  readonly recorder: EventRecorder
  queue(): SchedulingQueue
  /** Counts work, and lets others have their turn when there was much. */
  spend(units: number): Promise<void> | undefined
  /** Deletions under way are work that is not done. */
  track(work: Promise<void>): void
}

export interface PostFilterResult {
  /** The node that the pod waits for: '' for none any more, undefined: as before. */
  readonly nominated: string | undefined
  /** Why no room was made; '' where it was. */
  readonly message: string
}

export class Preemption {
  readonly #options: PreemptionOptions
  readonly #preempting = new Set<string>()

  constructor(options: PreemptionOptions) {
    this.#options = options
  }

  get plugin(): Plugin {
    return { name, preEnqueue: (pod) => (this.#preempting.has(uidOf(pod)) ? preempting : undefined) }
  }

  async preempt(cycle: Cycle): Promise<PostFilterResult> {
    const { view } = this.#options
    const pod = view.listers.pods.get(cycle.info.namespace, nameOf(cycle.info.pod)) ?? cycle.info.pod
    const refusal = this.#ineligible(pod, cycle)
    if (refusal !== undefined) return { nominated: undefined, message: `preemption: ${refusal}` }
    const { candidates, diagnosis } = await this.#candidates(cycle)
    const best = leastHarm(candidates, view.clock.now())
    if (best === undefined) {
      diagnosis.absent = notHelpful
      return { nominated: '', message: `preemption: ${diagnosis.message(view.nodes.length)}` }
    }
    this.#options.track(this.#evict(best, pod))
    return { nominated: best.node, message: '' }
  }

  #ineligible(pod: Pod, { info, diagnosis }: Cycle): string | undefined {
    if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.'
    const nominated = nominatedNodeOf(pod)
    if (nominated === '' || diagnosis.codeOf(nominated) === 'UnschedulableAndUnresolvable') return undefined
    const pods = this.#options.view.node(nominated)?.pods.values() ?? []
    for (const other of pods) {
      if (other.priority < info.priority && isBeingPreempted(other.pod)) {
        return 'not eligible due to a terminating pod on the nominated node.'
      }
    }
    return undefined
  }

  async #candidates(cycle: Cycle): Promise<{ candidates: readonly PreemptionCandidate[]; diagnosis: Diagnosis }> {
    const { view } = this.#options
    const diagnosis = new Diagnosis()
    const nodes = cycle.diagnosis.nodesWith('Unschedulable', view.nodes)
    if (nodes.length === 0) return { candidates: [], diagnosis }
    const budgets = view.listers.disruptionBudgets.list().map(budgetOf)
    const wanted = candidatesToFind(nodes.length)
    const offset = Math.floor(view.clock.random(cycle.stream) * nodes.length)
    const candidates: PreemptionCandidate[] = []
    const violating: PreemptionCandidate[] = []
    for (let i = 0; i < nodes.length; i++) {
      if (candidates.length > 0 && candidates.length + violating.length >= wanted) break
      const node = view.node(nodes[(offset + i) % nodes.length] ?? '')
      if (node === undefined) continue
      const outcome = selectVictims(node.clone(), cloneRuns(cycle.runs), { cycle, budgets, now: view.clock.now() })
      if (isStatus(outcome)) diagnosis.reject(node.name, outcome)
      else if (outcome.violations === 0) candidates.push(outcome)
      else violating.push(outcome)
      const pause = this.#options.spend(node.pods.size + 1)
      if (pause !== undefined) await pause
    }
    return { candidates: [...candidates, ...violating], diagnosis }
  }

  /** The pod is tried again when its last victim is gone; at once where that fails. */
  async #evict({ node, victims }: PreemptionCandidate, pod: Pod): Promise<void> {
    const last = victims.at(-1)
    this.#preempting.add(uidOf(pod))
    try {
      await this.#clearNominations(node, pod)
      await Promise.all(victims.slice(0, -1).map((victim) => this.#evictOne(victim, pod, node)))
      this.#preempting.delete(uidOf(pod))
      if (last !== undefined) await this.#evictOne(last, pod, node)
    } catch {
      this.#preempting.delete(uidOf(pod))
      this.#options.queue().activate(pod)
    }
  }

  async #evictOne({ pod: victim }: PodInfo, pod: Pod, node: string): Promise<void> {
    const { writer, recorder, view } = this.#options
    const target = { namespace: namespaceOf(victim), name: nameOf(victim) }
    const now = formatTime(instantOfMillis(view.clock.now()))
    const message = `${pod.spec.schedulerName ?? ''}: preempting to accommodate a higher priority pod`
    const reason = 'PreemptionByScheduler'
    await writer.update<Pod>('', 'pods', { ...target, subresource: 'status' }, (current) =>
      uidOf(current) === uidOf(victim)
        ? withSchedulingCondition(current, { type: 'DisruptionTarget', status: 'True', reason, message }, now)
        : undefined,
    )
    await writer.delete('', 'pods', target)
    const text = `Preempted by pod ${uidOf(pod)} on node ${node}`
    const details = { type: 'Normal', reason: 'Preempted', action: 'Preempting', message: text, related: pod } as const
    recorder.event(victim, details)
  }

  /** Pods of lower priority that wait for the node would wait in vain. */
  async #clearNominations(node: string, pod: Pod): Promise<void> {
    const priority = pod.spec.priority ?? 0
    const lower = this.#options
      .queue()
      .nominator.podsFor(node)
      .filter((other) => other.priority < priority)
    await Promise.all(lower.map(({ pod: other }) => this.#clearNomination(other)))
  }

  async #clearNomination(pod: Pod): Promise<void> {
    const target = { namespace: namespaceOf(pod), name: nameOf(pod), subresource: 'status' }
    await this.#options.writer.update<Pod>('', 'pods', target, (current) => {
      if (nominatedNodeOf(current) === '') return undefined
      const { nominatedNodeName: _, ...status } = current.status ?? {}
      return { ...current, status }
    })
  }
}

const isStatus = (outcome: PreemptionCandidate | Status): outcome is Status =>
  isJsonObject(outcome) && 'code' in outcome

function isBeingPreempted({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp === undefined) return false
  const condition = status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  return condition?.status === 'True' && condition.reason === 'PreemptionByScheduler'
}

function candidatesToFind(nodes: number): number {
  return Math.min(Math.max(Math.trunc((nodes * minCandidatePercentage) / 100), minCandidates), nodes)
}
