/** The order in which nodes are tried: zone by zone in turn, so that the first few are spread. Mirrors pkg/scheduler/backend/cache: nodeTree. */

import type { Node } from '../objects.ts'
import { labelValue, nameOf } from './objects.ts'

export class NodeTree {
  /** Names by zone, in the order in which they came. */
  readonly #zones = new Map<string, Set<string>>()
  #order: readonly string[] | undefined

  add(node: Node): void {
    const zone = zoneOf(node)
    const names = this.#zones.get(zone) ?? new Set<string>()
    names.add(nameOf(node))
    this.#zones.set(zone, names)
    this.#order = undefined
  }

  remove(node: Node): void {
    const zone = zoneOf(node)
    const names = this.#zones.get(zone)
    names?.delete(nameOf(node))
    if (names?.size === 0) this.#zones.delete(zone)
    this.#order = undefined
  }

  update(old: Node, node: Node): void {
    if (zoneOf(old) === zoneOf(node)) return
    this.remove(old)
    this.add(node)
  }

  /** The same list until nodes come, go or move. */
  get order(): readonly string[] {
    this.#order ??= interleaved([...this.#zones.values()].map((names) => [...names]))
    return this.#order
  }
}

function interleaved(lists: readonly (readonly string[])[]): string[] {
  const longest = lists.reduce((most, list) => Math.max(most, list.length), 0)
  const order: string[] = []
  for (let i = 0; i < longest; i++) {
    for (const list of lists) {
      const name = list[i]
      if (name !== undefined) order.push(name)
    }
  }
  return order
}

/** Region and zone. Mirrors component-helpers/node/topology: GetZoneKey. */
function zoneOf({ metadata: { labels } }: Node): string {
  const either = (current: string, older: string): string =>
    labelValue(labels, current) ?? labelValue(labels, older) ?? ''
  const zone = either('topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone')
  const region = either('topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region')
  return `${region}:\0:${zone}`
}
