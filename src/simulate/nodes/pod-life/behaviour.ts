/** What a container does: the answers that a script gives to the questions of the simulated kubelet. All times are milliseconds. */
import type { Container } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import type { ContainerRole } from './pod.ts'

export interface ContainerExit {
  /** By the clock. */
  readonly at: number
  readonly exitCode: number
  /** `Completed` or `Error` by the exit code unless given. */
  readonly reason?: string | undefined
  readonly message?: string | undefined
  readonly signal?: number | undefined
  /** The liveness or startup probe failed with this text, and the container was killed for it. */
  readonly probe?: { readonly type: 'Liveness' | 'Startup'; readonly output: string } | undefined
}

export interface ContainerBehaviour {
  /** How long its image takes to pull; with an error it never is. */
  readonly pullMs: number
  readonly pullError?: string | undefined
  /** From the image to the running container. */
  readonly startMs: number
  /** The container cannot be made: the text of the runtime's error. */
  readonly startError?: string | undefined
  /** Further time until its probes succeed, beside what they say themselves. */
  readonly readyMs: number
  /** When and how it ends by itself; undefined: never. */
  readonly exit?: ContainerExit | undefined
  /** Time from SIGTERM to its end, and its exit code then. */
  readonly stopMs: number
  readonly stopExitCode: number
  /** Its readiness probe fails. */
  readonly isUnready?: boolean | undefined
  /** When that changes by itself. */
  readonly readinessChangesAt?: number | undefined
}

export interface ContainerInstance {
  readonly pod: Pod
  readonly container: Container
  readonly role: ContainerRole
  readonly restarts: number
  /** Undefined before it runs. */
  readonly startedAt: number | undefined
  readonly now: number
}

/** The kubelet was short of something and chose this pod. */
export interface Eviction {
  readonly at: number
  readonly message: string
}

export interface Behaviours {
  container(instance: ContainerInstance): ContainerBehaviour
  eviction?(pod: Pod, now: number): Eviction | undefined
}

const foreverMs = Number.POSITIVE_INFINITY

/** Everything succeeds at once; containers whose pod ends with them end at once, too. */
export function plainBehaviour({ role, pod, startedAt }: ContainerInstance): ContainerBehaviour {
  const runsOn = role === 'sidecar' || role === 'ephemeral' || (role === 'main' && restartPolicyOf(pod) === 'Always')
  return {
    pullMs: 0,
    startMs: 0,
    readyMs: 0,
    stopMs: 0,
    stopExitCode: 0,
    ...(runsOn ? {} : { exit: { at: startedAt ?? foreverMs, exitCode: 0 } }),
  }
}

export const restartPolicyOf = ({ spec }: Pod): string => spec.restartPolicy ?? 'Always'
