/** The order of versions: stable before beta before alpha, newer before older, and anything else last, by name. */

interface Parsed {
  readonly major: number
  readonly stage: number
  readonly minor: number
}

const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1 }

function parse(version: string): Parsed | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version)
  if (match === null) return undefined
  const [, major, stage, minor] = match
  return { major: Number(major), stage: stage === undefined ? 2 : (stages[stage] ?? 0), minor: Number(minor ?? 0) }
}

/** Negative when `a` is the more preferred one. */
export function compareVersions(a: string, b: string): number {
  const [one, two] = [parse(a), parse(b)]
  if (one === undefined || two === undefined) {
    if (one !== undefined) return -1
    if (two !== undefined) return 1
    return a < b ? -1 : a > b ? 1 : 0
  }
  return two.stage - one.stage || two.major - one.major || two.minor - one.minor
}
