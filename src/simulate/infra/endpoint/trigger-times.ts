/**
 * The time of the change that made a service's endpoints change, which they carry as an annotation.
 * Mirrors k8s.io/endpointslice/util: TriggerTimeTracker.
 */
import type { Pod, Service } from '../../objects.ts'
import { readyCondition } from './service-pods.ts'

interface Seen {
  readonly service: string
  readonly pods: ReadonlyMap<string, string>
}

export class TriggerTimes {
  readonly #seen = new Map<string, Seen>()

  /** Of the changes since the last call, the earliest; undefined when none is known. RFC 3339 texts sort by time. */
  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#seen.get(key)
    const times = new Map<string, string>()
    let earliest: string | undefined
    const consider = (time: string, last: string | undefined) => {
      if (last !== undefined && time <= last) return
      if (earliest === undefined || time < earliest) earliest = time
    }
    for (const pod of pods) {
      const time = readyCondition(pod)?.lastTransitionTime
      if (!time) continue
      const name = pod.metadata.name ?? ''
      times.set(name, time)
      consider(time, before?.pods.get(name))
    }
    const created = service.metadata.creationTimestamp ?? ''
    consider(created, before?.service)
    this.#seen.set(key, { service: created, pods: times })
    return before === undefined ? created : earliest
  }

  forget(key: string): void {
    this.#seen.delete(key)
  }
}

/** The annotations with this trigger time, or without one. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  name: string,
  time: string | undefined,
): Record<string, string> {
  const { [name]: _, ...others } = annotations ?? {}
  return time === undefined ? others : { ...others, [name]: time }
}
