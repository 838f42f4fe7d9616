/** Flags of V8 that are set while the process runs. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { engineFeatures, usesFeature } from './features.ts'

/** What runs often is compiled sooner than usual: not while starting, when hardly anything runs often. */
export function lowerTierUpThreshold(): void {
  if (usesFeature(engineFeatures.tierUp)) setFlagsFromString('--interrupt-budget=20000')
}

/** By how much the heap may grow before it is collected; undefined: as V8 likes. */
export function setHeapGrowth(percent: number | undefined): void {
  if (usesFeature(engineFeatures.heapGrowth)) setFlagsFromString(`--heap-growing-percent=${percent ?? 0}`)
}

type Collect = (options?: { readonly type: 'minor' }) => void

/** Collects garbage now, where that can be asked for. V8 exposes it with `--expose-gc`, in contexts created afterwards. */
export function collectGarbage(type: 'minor' | 'major'): void {
  if (!usesFeature(engineFeatures.collections)) return
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('typeof gc === "function" ? gc : undefined') as Collect | undefined
  setFlagsFromString('--no-expose-gc')
  // The engine of Node 20 knows no other type, and takes any other option for a wish for a minor collection.
  if (type === 'minor') gc?.({ type })
  else gc?.()
}
