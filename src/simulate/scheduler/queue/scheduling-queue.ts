/**
 * Pods without a node. Those that may be tried are active, by priority; those that something changed for since they were
 * rejected back off for a while, unless nothing else is to do; the others are unschedulable, until an event that a plugin
 * that rejected them waits for, or for five minutes. Mirrors pkg/scheduler/backend/queue: PriorityQueue, with the gates
 * SchedulerQueueingHints and SchedulerPopFromBackoffQ.
 *
 * Bounds: each pod that exists is in at most one of the queues. An event is weighed for so many pods in one go; `proceed` goes
 * on with the others. Of events that wait for that there are at most `maxMoves`: more become one that all pods are tried after.
 */

import type { Clock } from '../../../lib/clock.ts'
import { pushAll } from '../../../lib/push-all.ts'
import type { Pod } from '../../objects.ts'
import { action, type ClusterEvent, podChanges, type Registration, registrationMatches } from '../cluster-events.ts'
import { nominatedNodeOf, priorityOf, schedulingKey, uidOf } from '../objects.ts'
import type { Plugin } from '../plugin.ts'
import { schedulingGates } from '../plugins/scheduling-gates.ts'
import { PodInfo, type PodInfoOptions } from '../pod-info.ts'
import { KeyedHeap } from './keyed-heap.ts'
import { Nominator } from './nominator.ts'
import { backoffEnd, backoffWindowMs, endsBackoffBefore, isBackingOff, isBefore, type QueuedPod } from './queued-pod.ts'

const maxUnschedulableMs = 300_000
const flushIntervalMs = 30_000
/** A pod that failed so few times most likely lost a race: it counts as work that is not done. */
const soonAttempts = 3

export interface QueueOptions {
  readonly clock: Pick<Clock, 'now' | 'setTimeout'>
  readonly plugins: readonly Plugin[]
  readonly pods: PodInfoOptions
  /** The pod as the server has it now. */
  current(pod: Pod): Pod | undefined
  /** There is something to pop. */
  onReady(): void
}

/** Pods that an event is weighed for in one go: some milliseconds. */
const movesAtOnce = 500
const maxMoves = 1000

/** An event, and the pods that it is not weighed for yet. */
interface Move {
  readonly event: ClusterEvent
  readonly concerns: ((queued: QueuedPod) => boolean) | undefined
  /** Those that were rejected later know of it. */
  readonly before: number
  readonly pods: Iterator<QueuedPod>
}

interface Waiting {
  readonly plugin: string
  readonly hint: Registration['hint']
}

const keyOfQueued = ({ info }: QueuedPod): string => info.key

export class SchedulingQueue {
  readonly nominator: Nominator
  readonly #options: QueueOptions
  readonly #active = new KeyedHeap<QueuedPod>(keyOfQueued, isBefore)
  readonly #backoff = new KeyedHeap<QueuedPod>(keyOfQueued, endsBackoffBefore)
  /** Of pods that no plugin rejected: these are never tried early. */
  readonly #errorBackoff = new KeyedHeap<QueuedPod>(keyOfQueued, endsBackoffBefore)
  readonly #unschedulable = new Map<string, QueuedPod>()
  /** Which plugins wait for an event, by its resource and actions. */
  readonly #waiting = new Map<string, readonly Waiting[]>()
  /** The pod that is being tried, and what happened meanwhile. */
  #inFlight: { readonly uid: string; readonly events: ClusterEvent[] } | undefined
  readonly #moves: Move[] = []
  #sequence = 0
  #cancelBackoff: (() => void) | undefined
  #cancelFlush: (() => void) | undefined

  constructor(options: QueueOptions) {
    this.#options = options
    this.nominator = new Nominator((pod) => {
      const current = options.current(pod)
      return current !== undefined && (current.spec.nodeName ?? '') === ''
    })
  }

  /** Nothing is to be tried, now or very soon. */
  get isIdle(): boolean {
    const failing = this.#errorBackoff.peek()
    return !this.hasReady && (failing === undefined || !failing.hasFailed || failing.attempts > soonAttempts)
  }

  /** Whether what happens in the cluster matters to a pod. */
  get isWatching(): boolean {
    return this.#unschedulable.size > 0 || this.#inFlight !== undefined
  }

  get hasReady(): boolean {
    return this.#active.size > 0 || this.#backoff.size > 0 || this.#moves.length > 0
  }

  /** A pod that has no node. */
  add(pod: Pod): void {
    this.#enqueueNew(pod)
  }

  update(old: Pod, pod: Pod): void {
    const events = podChanges(new PodInfo(old, this.#options.pods), new PodInfo(pod, this.#options.pods))
    if (this.#inFlight?.uid === uidOf(pod)) {
      pushAll(this.#inFlight.events, events)
      return
    }
    const key = schedulingKey(pod)
    for (const heap of [this.#active, this.#backoff, this.#errorBackoff]) {
      const queued = heap.get(key)
      if (queued === undefined) continue
      queued.info = queued.info.updated(pod)
      heap.set(queued)
      this.nominator.update(old, queued.info)
      return
    }
    const queued = this.#unschedulable.get(key)
    if (queued === undefined) this.#enqueueNew(pod)
    else this.#updateUnschedulable(queued, { old, pod }, events)
  }

  delete(pod: Pod): void {
    this.nominator.remove(uidOf(pod))
    const key = schedulingKey(pod)
    this.#active.delete(key)
    this.#backoff.delete(key)
    this.#errorBackoff.delete(key)
    this.#unschedulable.delete(key)
  }

  /** The next pod to try; `done` or `reject` must follow. */
  pop(): QueuedPod | undefined {
    this.#flushBackoff()
    const queued = this.#active.pop() ?? this.#backoff.pop()
    if (queued === undefined) return undefined
    queued.attempts++
    queued.plugins.clear()
    this.#inFlight = { uid: queued.info.uid, events: [] }
    return queued
  }

  /** The pod that was popped needs no more. */
  done(uid: string): undefined {
    if (this.#inFlight?.uid === uid) this.#inFlight = undefined
    return undefined
  }

  /** The pod that was popped was not placed: it waits for what its plugins wait for, or for its back-off. */
  reject(queued: QueuedPod): void {
    const events = this.#inFlight?.uid === queued.info.uid ? this.#inFlight.events : []
    this.done(queued.info.uid)
    const { key } = queued.info
    if (this.#active.get(key) ?? this.#backoff.get(key) ?? this.#errorBackoff.get(key)) return
    queued.timestamp = this.#options.clock.now()
    queued.sequence = this.#sequence++
    const isWorth = queued.plugins.size === 0 || events.some((event) => this.#isWorthTrying(queued, event))
    if (isWorth) this.#requeue(queued)
    else this.#park(queued)
  }

  /** Something happened. `concerns` narrows it to some pods. */
  move(event: ClusterEvent, concerns?: (pod: Pod) => boolean): void {
    this.#inFlight?.events.push(event)
    if (event.resource === 'Node' && event.actions === action.add) this.#activateNodeless()
    if (this.#unschedulable.size === 0) return
    if (event.resource !== '*' && this.#waitingFor(event).length === 0) return
    this.#move(event, concerns === undefined ? undefined : ({ info }) => concerns(info.pod))
  }

  /** Goes on with events that concern more pods than one go takes. How many it was weighed for: 0 when nothing is left. */
  proceed(): number {
    const [first] = this.#moves
    if (first === undefined) return 0
    const { weighed, isDone } = this.#weigh(first)
    if (isDone && this.#moves[0] === first) this.#moves.shift()
    return Math.max(weighed, 1)
  }

  #move(event: ClusterEvent, concerns: Move['concerns']): void {
    const move = { event, concerns, before: this.#sequence, pods: this.#unschedulable.values() }
    // In their order.
    if (this.#moves.length === 0 && this.#weigh(move).isDone) return
    const isTooMany = this.#moves.length >= maxMoves
    if (isTooMany) this.#moves.length = 0
    this.#moves.push(
      isTooMany
        ? { ...move, event: { resource: '*', actions: 0 }, concerns: undefined, pods: this.#unschedulable.values() }
        : move,
    )
    this.#options.onReady()
  }

  /** A pod that is rejected anew comes last among those that are visited, and is passed over. */
  #weigh({ event, concerns, before, pods }: Move): { readonly weighed: number; readonly isDone: boolean } {
    for (let weighed = 0; weighed < movesAtOnce; weighed++) {
      const { value: queued, done } = pods.next()
      if (done === true) return { weighed, isDone: true }
      if (queued.sequence >= before) continue
      if (concerns === undefined || concerns(queued)) this.#moveIfWorth(queued, event)
    }
    return { weighed: movesAtOnce, isDone: false }
  }

  /** To be tried at once, whatever rejected it. */
  activate(pod: Pod): void {
    const key = schedulingKey(pod)
    const queued = this.#unschedulable.get(key) ?? this.#backoff.get(key) ?? this.#errorBackoff.get(key)
    if (queued !== undefined) this.#activate(queued)
    else if (this.#inFlight?.uid === uidOf(pod)) this.#inFlight.events.push({ resource: '*', actions: 0, object: pod })
  }

  stop(): void {
    this.#cancelBackoff?.()
    this.#cancelFlush?.()
  }

  /** Pods that there was no node at all for: the reference has them wait for their back-off, without effect. */
  #activateNodeless(): void {
    const waiting = [...this.#errorBackoff.values()].filter(({ hasFailed }) => !hasFailed)
    for (const queued of waiting) this.#activate(queued)
  }

  #enqueueNew(pod: Pod): void {
    const info = new PodInfo(pod, this.#options.pods)
    const timestamp = this.#options.clock.now()
    const sequence = this.#sequence++
    const plugins = new Set<string>()
    const queued = { info, timestamp, sequence, attempts: 0, plugins, isGated: false, hasFailed: false }
    if (this.#activate(queued)) this.nominator.nominate(info)
  }

  #updateUnschedulable(
    queued: QueuedPod,
    { old, pod }: { readonly old: Pod; readonly pod: Pod },
    events: readonly ClusterEvent[],
  ): void {
    queued.info = queued.info.updated(pod)
    this.nominator.update(old, queued.info)
    if (events.some((event) => this.#isWorthTrying(queued, event))) this.#requeue(queued)
  }

  #moveIfWorth(queued: QueuedPod, event: ClusterEvent): void {
    // Only a change of the pod itself takes its gates away.
    if (isHeld(queued)) return
    if (this.#isWorthTrying(queued, event)) this.#requeue(queued)
  }

  #isWorthTrying(queued: QueuedPod, event: ClusterEvent): boolean {
    if (queued.plugins.size === 0) return true
    if (event.resource === '*') return event.object === undefined || uidOf(event.object) === queued.info.uid
    const { old, object } = event
    return this.#waitingFor(event).some(
      ({ plugin, hint }) =>
        queued.plugins.has(plugin) && (hint === undefined || hint(queued.info.pod, { old, object })),
    )
  }

  #waitingFor(event: ClusterEvent): readonly Waiting[] {
    const key = `${event.resource} ${event.actions}`
    const known = this.#waiting.get(key)
    if (known !== undefined) return known
    const waiting = this.#options.plugins.flatMap(({ name, events = [] }) =>
      events
        .filter((registration) => registrationMatches(registration, event))
        .map(({ hint }): Waiting => ({ plugin: name, hint })),
    )
    this.#waiting.set(key, waiting)
    return waiting
  }

  #requeue(queued: QueuedPod): void {
    if (isBackingOff(queued, this.#options.clock.now())) this.#backOff(queued)
    else this.#activate(queued)
  }

  /** Whether it may be tried. */
  #activate(queued: QueuedPod): boolean {
    if (!this.#passesGates(queued)) return false
    this.#take(queued)
    this.#active.set(queued)
    this.#options.onReady()
    return true
  }

  #backOff(queued: QueuedPod): void {
    if (!this.#passesGates(queued)) return
    this.#take(queued)
    if (queued.plugins.size > 0) {
      this.#backoff.set(queued)
      this.#options.onReady()
      return
    }
    this.#errorBackoff.set(queued)
    this.#armBackoff()
  }

  #passesGates(queued: QueuedPod): boolean {
    queued.isGated = false
    for (const { name, preEnqueue } of this.#options.plugins) {
      if (preEnqueue?.(queued.info.pod) === undefined) continue
      queued.isGated = true
      queued.plugins.add(name)
      this.#take(queued)
      this.#park(queued)
      return false
    }
    return true
  }

  /** From wherever it is. */
  #take({ info: { key } }: QueuedPod): void {
    this.#unschedulable.delete(key)
    this.#backoff.delete(key)
    this.#errorBackoff.delete(key)
  }

  #park(queued: QueuedPod): void {
    queued.sequence = this.#sequence++
    this.#unschedulable.set(queued.info.key, queued)
    if (!isHeld(queued)) this.#armFlush()
  }

  #flushBackoff(): void {
    const now = this.#options.clock.now()
    for (const heap of [this.#backoff, this.#errorBackoff]) {
      for (let first = heap.peek(); first !== undefined && !isBackingOff(first, now); first = heap.peek()) {
        heap.pop()
        this.#active.set(first)
      }
    }
  }

  #armBackoff(): void {
    const first = this.#errorBackoff.peek()
    if (first === undefined || this.#cancelBackoff !== undefined) return
    const wait = backoffEnd(first) + backoffWindowMs - this.#options.clock.now()
    this.#cancelBackoff = this.#options.clock.setTimeout(
      () => {
        this.#cancelBackoff = undefined
        this.#flushBackoff()
        if (this.hasReady) this.#options.onReady()
        this.#armBackoff()
      },
      Math.max(wait, 0),
    )
  }

  #armFlush(): void {
    if (this.#cancelFlush !== undefined) return
    const oldest = [...this.#unschedulable.values()]
      .filter((queued) => !isHeld(queued))
      .reduce((least, { timestamp }) => Math.min(least, timestamp), Number.POSITIVE_INFINITY)
    if (oldest === Number.POSITIVE_INFINITY) return
    const wait = Math.max(oldest + maxUnschedulableMs - this.#options.clock.now() + 1, flushIntervalMs)
    this.#cancelFlush = this.#options.clock.setTimeout(() => {
      this.#cancelFlush = undefined
      this.#flushUnschedulable()
      this.#armFlush()
    }, wait)
  }

  #flushUnschedulable(): void {
    const limit = this.#options.clock.now() - maxUnschedulableMs
    this.#move({ resource: '*', actions: 0 }, ({ timestamp }) => timestamp < limit)
  }
}

/** By gates of its own, until these are taken away. */
const isHeld = ({ isGated, plugins }: QueuedPod): boolean => isGated && plugins.has(schedulingGates)

/** Pods that a pod with this priority keeps from a node that it waits for. */
export const ofNoHigherPriority =
  (priority: number) =>
  (pod: Pod): boolean =>
    priorityOf(pod) <= priority

/** The pod had a claim to a node, and has it no more. */
export const lostNomination = (old: Pod, pod: Pod): boolean =>
  nominatedNodeOf(old) !== '' && nominatedNodeOf(old) !== nominatedNodeOf(pod)
