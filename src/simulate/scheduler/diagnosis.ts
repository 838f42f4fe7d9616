/** Why a pod fits no node, in the words of the reference. Mirrors pkg/scheduler/framework: Diagnosis, FitError. */
import { type RejectionCode, type Status, statusMessage, unresolvable } from './status.ts'

const notTried = unresolvable('')

export class Diagnosis {
  /** What plugins said about each node that was tried. */
  readonly statuses = new Map<string, Status>()
  /** Of every other node. */
  absent: Status = notTried
  /** Rejected the pod, on a node or as such: events that these wait for make it be tried again. */
  readonly plugins = new Set<string>()
  preFilterMessage = ''
  postFilterMessage = ''

  reject(node: string, status: Status): void {
    this.statuses.set(node, status)
    this.addPlugin(status)
  }

  addPlugin({ plugin }: Status): void {
    if (plugin !== '') this.plugins.add(plugin)
  }

  codeOf(node: string): Status['code'] {
    return (this.statuses.get(node) ?? this.absent).code
  }

  /** Names, of all that there are, with this code. */
  nodesWith(code: RejectionCode, all: readonly { readonly name: string }[]): string[] {
    return all.filter(({ name }) => this.codeOf(name) === code).map(({ name }) => name)
  }

  /** `0/3 nodes are available: 2 Insufficient cpu, 1 node(s) were unschedulable. …` */
  message(total: number): string {
    const head = `0/${total} nodes are available:`
    const reasons = this.preFilterMessage === '' ? this.#histogram(total) : this.preFilterMessage
    return [head, reasons === '' ? '' : `${reasons}.`, this.postFilterMessage].filter((part) => part !== '').join(' ')
  }

  #histogram(total: number): string {
    const counts = new Map<string, number>()
    const count = ({ reasons }: Status, nodes: number): void => {
      for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes)
    }
    for (const status of this.statuses.values()) count(status, 1)
    if (this.statuses.size < total) count(this.absent, total - this.statuses.size)
    const lines = [...counts].map(([reason, nodes]) => `${nodes} ${reason}`)
    return lines.sort(byCodePoint).join(', ')
  }
}

const byCodePoint = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const preFilterFailed = (diagnosis: Diagnosis, status: Status): void => {
  diagnosis.absent = status
  diagnosis.preFilterMessage = statusMessage(status)
  diagnosis.addPlugin(status)
}
