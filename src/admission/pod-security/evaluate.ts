/** Which checks a level of a version consists of, and what a pod violates of them. */
import { servedMinor } from '../../api/release.ts'
import type { PodLike, Violation } from './check.ts'
import { securityChecks } from './checks.ts'
import type { LevelVersion } from './policy.ts'

type Checks = readonly ((pod: PodLike) => Violation | undefined)[]

/** Versions beyond this read as the latest. */
const latestMinor: number = servedMinor
const known = new Map<string, Checks>()

function checksOf({ level, minor }: LevelVersion): Checks {
  if (level === 'privileged') return []
  const version = Math.min(minor ?? latestMinor, latestMinor)
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

export function violationsOf(policy: LevelVersion, pod: PodLike): Violation[] {
  return checksOf(policy).flatMap((check) => check(pod) ?? [])
}

export const formatViolations = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ')
