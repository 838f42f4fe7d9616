/**
 * What the simulated container runtime knows of a pod: immutable data with exact times, from which the status is made. It can
 * be made anew from a status, with the second as its resolution, so that nothing is lost when it is.
 */
import type { ResourceRequirements } from '../../../catalog/types/core-v1.ts'

export interface Terminated {
  readonly exitCode: number
  readonly reason: string
  readonly message?: string | undefined
  readonly signal?: number | undefined
  readonly startedAt: number
  readonly finishedAt: number
}

/** What happens at the end of a wait. */
type AfterWait = 'run' | 'pull-back-off' | 'pull' | 'restart' | 'create'

export type ContainerState =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'waiting'
      readonly reason: string
      readonly message?: string | undefined
      readonly until: number
      readonly next: AfterWait
    }
  | { readonly kind: 'running'; readonly startedAt: number }
  | ({ readonly kind: 'exited' } & Terminated)

export interface ContainerRun {
  readonly state: ContainerState
  readonly restarts: number
  readonly last?: Terminated | undefined
  /** The last delay before a restart, and when it was over. */
  readonly backOff?: { readonly ms: number; readonly since: number } | undefined
  readonly pullBackOffMs?: number | undefined
  readonly pullError?: string | undefined
  /** It got SIGTERM. */
  readonly isStopping?: boolean | undefined
  /** What it runs with. */
  readonly resources?: ResourceRequirements | undefined
}

export type StopCause = 'delete' | 'completed' | 'deadline' | 'eviction' | 'phase'

export interface PodStop {
  readonly cause: StopCause
  readonly at: number
  readonly graceMs: number
  readonly message?: string | undefined
}

export interface PendingResize {
  readonly reason: 'Deferred' | 'Infeasible'
  readonly message: string
}

export interface PodRun {
  readonly startTime: number
  /** Undefined until the sandbox has its network. */
  readonly ip: string | undefined
  readonly containers: ReadonlyMap<string, ContainerRun>
  /** Main containers may run. */
  readonly isInitialized: boolean
  readonly stop?: PodStop | undefined
  /** Nothing of it runs any more, nor ever will. */
  readonly isEnded: boolean
  /** Why containers do not have what their spec asks for now. */
  readonly pendingResize?: PendingResize | undefined
  /** Refused by the kubelet before it began. */
  readonly rejection?: { readonly reason: string; readonly message: string } | undefined
}

export const idle: ContainerRun = { state: { kind: 'idle' }, restarts: 0 }

export const newRun = (startTime: number, ip: string | undefined): PodRun => ({
  startTime,
  ip,
  containers: new Map(),
  isInitialized: false,
  isEnded: false,
})
