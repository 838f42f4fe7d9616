/** Semantic versions as semver.org spells them: `1.2.3-beta.1+build`. Their three numbers and what comes before a release are captured. */
const number = '(0|[1-9]\\d*)'
const preRelease = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)'
const build = '[0-9A-Za-z-]+'

export const semanticVersion: RegExp = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${preRelease}(?:\\.${preRelease})*))?(?:\\+${build}(?:\\.${build})*)?$`,
)

export interface SemanticVersion {
  readonly numbers: readonly bigint[]
  /** What comes before the release. */
  readonly pre: readonly string[]
}

/** Undefined for what is no version. */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const [, major = '', minor = '', patch = '', before = ''] = semanticVersion.exec(text) ?? []
  const numbers = [major, minor, patch]
  const pre = before === '' ? [] : before.split('.')
  if (major === '' || ![...numbers, ...pre.filter(isNumber)].every(fits)) return undefined
  return { numbers: numbers.map(BigInt), pre }
}

const isNumber = (part: string): boolean => /^\d+$/.test(part)
const fits = (digits: string): boolean => digits.length <= 20 && BigInt(digits) < 2n ** 64n

/** What comes before a release is less than it; of two such, the parts are compared. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const [i, part] of a.numbers.entries()) {
    const other = b.numbers[i] ?? 0n
    if (part !== other) return part < other ? -1 : 1
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length)
  for (const [i, part] of a.pre.entries()) {
    const other = b.pre[i]
    if (other === undefined) return 1
    if (part !== other) return comparePart(part, other)
  }
  return a.pre.length < b.pre.length ? -1 : 0
}

function comparePart(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [isNumber(a), isNumber(b)]
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1
  return (aIsNumber ? BigInt(a) < BigInt(b) : a < b) ? -1 : 1
}
