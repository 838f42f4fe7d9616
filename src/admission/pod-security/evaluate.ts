/**
 * Which checks a level of a version consists of, and what a pod violates of them.
 * Mirrors k8s.io/pod-security-admission/policy: NewEvaluator.
 */
import { servedMinor } from '../../api/release.ts'
import type { PodLike, Violation } from './check.ts'
import { securityChecks } from './checks.ts'
import type { LevelVersion } from './policy.ts'

type Checks = readonly ((pod: PodLike) => Violation | undefined)[]

const known = new Map<string, Checks>()

/** The newest version of the standards that a release knows, and the latest: versions beyond it read as it. */
export function newestStandard(gate: (name: string) => boolean): number {
  if (gate('release:userNamespaceStandards')) return 35
  return gate('ProbeHostPodSecurityStandards') ? 34 : servedMinor
}

function checksOf({ level, minor }: LevelVersion, newest: number): Checks {
  if (level === 'privileged') return []
  const version = Math.min(minor ?? newest, newest)
  const key = `${level}/${version}`
  let checks = known.get(key)
  if (checks === undefined) {
    const active = securityChecks.flatMap((each) => {
      if (each.level === 'restricted' && level === 'baseline') return []
      const check = each.versions.findLast(([since]) => since <= version)?.[1]
      return check === undefined ? [] : [{ ...each, check }]
    })
    const overridden = new Set(active.map(({ overrides }) => overrides))
    checks = active.filter(({ id }) => !overridden.has(id)).map(({ check }) => check)
    known.set(key, checks)
  }
  return checks
}

export function violationsOf(policy: LevelVersion, pod: PodLike, newest: number): Violation[] {
  return checksOf(policy, newest).flatMap((check) => check(pod) ?? [])
}

export const formatViolations = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ')
