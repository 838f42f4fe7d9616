/** What the roles of a release after the default one depend on; undefined for the default release and those before it. */
import { isLaterRelease } from '../api/release-facts.ts'
import type { ReleaseGates } from '../auth/rbac/release-policy.ts'
import { resolveFeatureGates } from '../config/feature-gates.ts'
import type { ServerOptions } from '../config/server-options.ts'

export function releaseGates({ version: { emulation }, featureGates }: ServerOptions): ReleaseGates | undefined {
  if (!isLaterRelease(emulation.minor)) return undefined
  const defaults = resolveFeatureGates(new Map(), emulation)
  return {
    release: emulation.minor,
    gate: (name) => featureGates.enabled(name),
    byDefault: (name) => defaults.enabled(name),
  }
}
