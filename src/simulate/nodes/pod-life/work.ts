/** One advance of a pod to the present: what changes meanwhile, its events, and when there is something to do again. */

import type { Container } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import type { Behaviours, ContainerBehaviour } from './behaviour.ts'
import type { ContainerRole } from './pod.ts'
import { type ContainerRun, type ContainerState, idle, type PodRun } from './pod-run.ts'

export interface PodEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** The container that it is about. */
  readonly fieldPath?: string | undefined
}

export class PodWork {
  readonly pod: Pod
  readonly now: number
  readonly events: PodEvent[] = []
  readonly #behaviours: Behaviours
  readonly #containers: Map<string, ContainerRun>
  run: PodRun
  wakeAt: number = Number.POSITIVE_INFINITY

  constructor(pod: Pod, run: PodRun, { behaviours, now }: { behaviours: Behaviours; now: number }) {
    this.pod = pod
    this.run = run
    this.now = now
    this.#behaviours = behaviours
    this.#containers = new Map(run.containers)
  }

  container({ name }: Container): ContainerRun {
    return this.#containers.get(name) ?? idle
  }

  set({ name }: Container, change: Partial<ContainerRun>): void {
    this.#containers.set(name, { ...(this.#containers.get(name) ?? idle), ...change })
  }

  setState(container: Container, state: ContainerState): void {
    this.set(container, { state })
  }

  behaviour(container: Container, role: ContainerRole): ContainerBehaviour {
    const { state, restarts } = this.container(container)
    const startedAt = state.kind === 'running' ? state.startedAt : undefined
    return this.#behaviours.container({ pod: this.pod, container, role, restarts, startedAt, now: this.now })
  }

  eviction(): ReturnType<NonNullable<Behaviours['eviction']>> {
    return this.#behaviours.eviction?.(this.pod, this.now)
  }

  /** There is something to do at this time, if it is yet to come. */
  wake(at: number): void {
    if (at > this.now && at < this.wakeAt) this.wakeAt = at
  }

  recordEvent(type: PodEvent['type'], reason: string, message: string): void {
    this.events.push({ type, reason, message })
  }

  /** An event about one container. */
  tellOf(container: Container, role: ContainerRole, event: Omit<PodEvent, 'fieldPath'>): void {
    this.events.push({ ...event, fieldPath: `spec.${listOf[role]}{${container.name}}` })
  }

  finished(): PodRun {
    return { ...this.run, containers: this.#containers }
  }
}

const listOf: Record<ContainerRole, string> = {
  init: 'initContainers',
  sidecar: 'initContainers',
  main: 'containers',
  ephemeral: 'ephemeralContainers',
}
