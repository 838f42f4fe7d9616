/**
 * Interns pod specifications that differ in `nodeName` alone, as those of a workload's pods: what is a function of the rest is
 * memoized once for all of them.
 */

import { isInterned } from '../../../api/interned.ts'
import type { Container, PodSpec } from '../../../catalog/types/core-v1.ts'
import { SideTable } from '../../../lib/memo.ts'

/** Bound on specifications with the same containers. */
const maxVariants = 4

const variantsByContainers = new SideTable<readonly Container[], PodSpec[]>()

/** The representative of all specifications that differ in the node alone; undefined when the containers are not interned. */
export function internedSpec(spec: PodSpec): PodSpec | undefined {
  const { containers } = spec
  if (!containers || !isInterned(containers)) return undefined
  const variants = variantsByContainers.getOrMake(containers, () => [])
  const found = variants.find((other) => differsInNodeOnly(spec, other))
  if (found !== undefined) return found
  const made = { ...spec }
  variants.unshift(made)
  if (variants.length > maxVariants) variants.pop()
  return made
}

type Members = Readonly<Record<string, unknown>>

/** By identity: parts that are not interned are never equal. */
function differsInNodeOnly(spec: PodSpec, other: PodSpec): boolean {
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
