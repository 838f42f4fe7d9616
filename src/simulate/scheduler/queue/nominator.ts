/** Which pods wait for which node to become free for them. Mirrors pkg/scheduler/backend/queue: nominator. */

import type { Pod } from '../../objects.ts'
import { nominatedNodeOf } from '../objects.ts'
import type { PodInfo } from '../pod-info.ts'

const none: readonly PodInfo[] = []

export class Nominator {
  /** Whether the pod still exists and has no node. */
  readonly #isWaiting: (pod: Pod) => boolean
  readonly #byNode = new Map<string, Map<string, PodInfo>>()
  readonly #nodes = new Map<string, string>()

  constructor(isWaiting: (pod: Pod) => boolean) {
    this.#isWaiting = isWaiting
  }

  podsFor(node: string): readonly PodInfo[] {
    const pods = this.#byNode.get(node)
    return pods === undefined ? none : [...pods.values()]
  }

  /** To the node that is given, '' for none; or as the pod's own status has it. */
  nominate(info: PodInfo, node: string = nominatedNodeOf(info.pod)): void {
    this.remove(info.uid)
    if (node === '' || !this.#isWaiting(info.pod)) return
    this.#nodes.set(info.uid, node)
    const pods = this.#byNode.get(node) ?? new Map<string, PodInfo>()
    pods.set(info.uid, info)
    this.#byNode.set(node, pods)
  }

  /** A change of the pod that says nothing of a node leaves what was decided but is not written yet. */
  update(old: Pod, info: PodInfo): void {
    const isSilent = nominatedNodeOf(old) === '' && nominatedNodeOf(info.pod) === ''
    this.nominate(info, isSilent ? (this.#nodes.get(info.uid) ?? '') : undefined)
  }

  remove(uid: string): void {
    const node = this.#nodes.get(uid)
    if (node === undefined) return
    this.#nodes.delete(uid)
    const pods = this.#byNode.get(node)
    pods?.delete(uid)
    if (pods?.size === 0) this.#byNode.delete(node)
  }
}
