/** Semantic versions. */
import { countWork, WORK } from '../evaluation.ts'
import type { Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { BOOL, INT, STRING, structType } from '../types.ts'
import type { Opaque, Value } from '../values.ts'
import { CelError, errorOr, toInt } from '../values.ts'
import type { Library } from './library.ts'

const SEMVER = structType('kubernetes.Semver')

interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  /** Numbers as numbers, words as words. */
  readonly preRelease: readonly (bigint | string)[]
}

class VersionError extends Error {}

class SemverValue implements Opaque {
  readonly kind = 'opaque'
  readonly type = SEMVER
  readonly version: Version
  constructor(version: Version) {
    this.version = version
  }
  equals(other: Value): Value {
    return other instanceof SemverValue ? compareVersions(this.version, other.version) === 0 : errorOr(other)
  }
}

const NAMES = ['Major', 'Minor', 'Patch']
const WORD = /^[0-9A-Za-z-]+$/
const UINT64 = 2n ** 64n
const MAX_DIGITS = 20

function readNumber(text: string, i: number): bigint {
  const name = NAMES[i]!
  if (!/^\d*$/.test(text))
    throw new VersionError(`Invalid character(s) found in ${name.toLowerCase()} number "${text}"`)
  if (text.length > 1 && text.startsWith('0')) {
    throw new VersionError(`${name} number must not contain leading zeroes "${text}"`)
  }
  if (text === '') throw new VersionError('strconv.ParseUint: parsing "": invalid syntax')
  return readUint(text)
}

function readUint(text: string): bigint {
  const value = text.length > MAX_DIGITS ? UINT64 : BigInt(text)
  if (value >= UINT64) throw new VersionError(`strconv.ParseUint: parsing "${text}": value out of range`)
  return value
}

function parseVersion(text: string): Version {
  countWork(text.length * WORK.versionCharacter)
  if (text === '') throw new VersionError('Version string empty')
  const parts = text.split('.')
  if (parts.length < 3) throw new VersionError('No Major.Minor.Patch elements found')
  const major = readNumber(parts[0]!, 0)
  const minor = readNumber(parts[1]!, 1)
  const rest = parts.slice(2).join('.')
  const plus = rest.indexOf('+')
  const beforeBuild = plus < 0 ? rest : rest.slice(0, plus)
  const dash = beforeBuild.indexOf('-')
  const patch = readNumber(dash < 0 ? beforeBuild : beforeBuild.slice(0, dash), 2)
  const preRelease =
    dash < 0
      ? []
      : beforeBuild
          .slice(dash + 1)
          .split('.')
          .map(readPreRelease)
  if (plus >= 0)
    rest
      .slice(plus + 1)
      .split('.')
      .forEach(checkBuild)
  return { numbers: [major, minor, patch], preRelease }
}

/** Throws where the text is no version. */
export const semverValue = (text: string): Opaque => new SemverValue(parseVersion(text))

function readPreRelease(text: string): bigint | string {
  if (text === '') throw new VersionError('Prerelease is empty')
  if (/^\d+$/.test(text)) {
    if (text.length > 1 && text.startsWith('0')) {
      throw new VersionError(`Numeric PreRelease version must not contain leading zeroes "${text}"`)
    }
    return readUint(text)
  }
  if (!WORD.test(text)) throw new VersionError(`Invalid character(s) found in prerelease "${text}"`)
  return text
}

function checkBuild(text: string): void {
  if (text === '') throw new VersionError('Build meta data is empty')
  if (!WORD.test(text)) throw new VersionError(`Invalid character(s) found in build meta data "${text}"`)
}

/** Takes a `v`, leading zeros and missing numbers. */
function normalize(text: string): string {
  const parts = splitThree(text.startsWith('v') ? text.slice(1) : text)
  const trimmed = parts.map((part) => {
    if (part.length <= 1) return part
    const bare = part.replace(/^0+/, '')
    return bare === '' || !/^\d/.test(bare) ? `0${bare}` : bare
  })
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1)!)) {
    throw new VersionError('short version cannot contain PreRelease/Build meta data')
  }
  while (trimmed.length < 3) trimmed.push('0')
  return trimmed.join('.')
}

/** At the first two points only. */
function splitThree(text: string): string[] {
  const parts = text.split('.')
  return parts.length <= 3 ? parts : [parts[0]!, parts[1]!, parts.slice(2).join('.')]
}

function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < 3; i++) {
    if (a.numbers[i]! !== b.numbers[i]!) return a.numbers[i]! < b.numbers[i]! ? -1 : 1
  }
  if (a.preRelease.length === 0 || b.preRelease.length === 0) {
    return Math.sign(b.preRelease.length - a.preRelease.length)
  }
  for (let i = 0; i < Math.min(a.preRelease.length, b.preRelease.length); i++) {
    const order = comparePreRelease(a.preRelease[i]!, b.preRelease[i]!)
    if (order !== 0) return order
  }
  return Math.sign(a.preRelease.length - b.preRelease.length)
}

function comparePreRelease(a: bigint | string, b: bigint | string): number {
  if (a === b) return 0
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1
  return a < b ? -1 : 1
}

function read(text: Value, normalized: Value): Version | CelError {
  try {
    return parseVersion(normalized === true ? normalize(text as string) : (text as string))
  } catch (error) {
    if (error instanceof VersionError) return new CelError(error.message)
    throw error
  }
}

const parse: Implementation = (a, b) => {
  const version = read(a, b)
  return version instanceof CelError ? version : new SemverValue(version)
}
const isValid: Implementation = (a, b) => !(read(a, b) instanceof CelError)
const of = (value: Value): Version => (value as SemverValue).version
const part =
  (i: 0 | 1 | 2): Implementation =>
  (a) =>
    toInt(BigInt.asIntN(64, of(a).numbers[i]))

export const semverLibrary: Library = {
  functions: [
    declareFunction('semver', {
      overloads: [
        ['string_to_semver', [STRING], SEMVER, parse],
        ['string_bool_to_semver', [STRING, BOOL], SEMVER, parse],
      ],
    }),
    declareFunction('isSemver', {
      overloads: [
        ['is_semver_string', [STRING], BOOL, isValid],
        ['is_semver_string_bool', [STRING, BOOL], BOOL, isValid],
      ],
    }),
    declareFunction('isGreaterThan', {
      members: [['semver_is_greater_than', [SEMVER, SEMVER], BOOL, (a, b) => compareVersions(of(a), of(b)) === 1]],
    }),
    declareFunction('isLessThan', {
      members: [['semver_is_less_than', [SEMVER, SEMVER], BOOL, (a, b) => compareVersions(of(a), of(b)) === -1]],
    }),
    declareFunction('compareTo', {
      members: [['semver_compare_to', [SEMVER, SEMVER], INT, (a, b) => compareVersions(of(a), of(b))]],
    }),
    declareFunction('major', { members: [['semver_major', [SEMVER], INT, part(0)]] }),
    declareFunction('minor', { members: [['semver_minor', [SEMVER], INT, part(1)]] }),
    declareFunction('patch', { members: [['semver_patch', [SEMVER], INT, part(2)]] }),
  ],
}
