/** The gates by which the facts of a later release, which are with the gates as by default, are adapted to the options. */
import { isLaterRelease, type ReleaseGates } from '../api/release-facts.ts'
import { resolveFeatureGates } from './feature-gates.ts'
import type { ServerOptions } from './server-options.ts'

/** Undefined for the default release and those before it. */
export function releaseGates({ version: { emulation }, featureGates }: ServerOptions): ReleaseGates | undefined {
  if (!isLaterRelease(emulation.minor)) return undefined
  const defaults = resolveFeatureGates(new Map(), emulation)
  return {
    release: emulation.minor,
    gate: (name) => featureGates.enabled(name),
    byDefault: (name) => defaults.enabled(name),
  }
}
