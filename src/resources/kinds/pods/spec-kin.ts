/**
 * The pods of a workload have the same specification but for the node that they are on. Of those the rules are asked once,
 * and then they know them by the parts that they share.
 */
import { isStable } from '../../../api/stable-part.ts'
import type { Container, PodSpec } from '../../../catalog/types/core-v1.ts'

/** So many specifications with the same containers are told apart. */
const maxKin = 4

const known = new WeakMap<readonly Container[], PodSpec[]>()

/** The specification that stands for all that differ from it in the node alone; undefined for one that is not shared. */
export function specKin(spec: PodSpec): PodSpec | undefined {
  const { containers } = spec
  if (!containers || !isStable(containers)) return undefined
  let kin = known.get(containers)
  if (kin === undefined) {
    kin = []
    known.set(containers, kin)
  }
  const found = kin.find((other) => isKin(spec, other))
  if (found !== undefined) return found
  const made = { ...spec }
  kin.unshift(made)
  if (kin.length > maxKin) kin.pop()
  return made
}

type Members = Readonly<Record<string, unknown>>

/** By identity: parts that are not shared are never the same. */
function isKin(spec: PodSpec, other: PodSpec): boolean {
  const [a, b] = [spec as unknown as Members, other as unknown as Members]
  let more = 0
  for (const name in a) {
    if (name === 'nodeName') continue
    if (a[name] !== b[name]) return false
    more++
  }
  for (const name in b) if (name !== 'nodeName') more--
  return more === 0
}
