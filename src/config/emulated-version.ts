/**
 * Which release the server behaves as: `--emulated-version` may ask for another than the default one, from a floor, the oldest
 * release that is described, to the newest one that there are facts of. Gates, served APIs and rules
 * follow it; `/version` shows it.
 */
import { servedMajor, servedMinor } from '../api/release.ts'
import { newestRelease } from '../api/release-facts.ts'
import { ConfigError, throwConfigErrors } from './config-error.ts'

export interface MinorVersion {
  readonly major: number
  readonly minor: number
}

export interface EffectiveVersion {
  /** The default release, or a later one where that is emulated. */
  readonly binary: MinorVersion
  readonly emulation: MinorVersion
  readonly minCompatibility: MinorVersion
}

const byDefault: MinorVersion = { major: servedMajor, minor: servedMinor }
/** What the program could be at most. */
const newest: MinorVersion = { major: servedMajor, minor: newestRelease }
const floor: MinorVersion = { major: 1, minor: 16 }
/** The first release that the reference can emulate. It is not compatible with anything before it. */
const compatibilityFloor: MinorVersion = { major: 1, minor: 31 }
/** How many releases a server may look back. */
const compatibleReleases = 3

export function parseMinorVersion(text: string): MinorVersion | undefined {
  const [, major, minor] = /^v?(\d+)\.(\d+)$/.exec(text) ?? []
  return minor === undefined ? undefined : { major: Number(major), minor: Number(minor) }
}

export function compareReleases(a: MinorVersion, b: MinorVersion): number {
  return a.major - b.major || a.minor - b.minor
}

export function formatRelease({ major, minor }: MinorVersion): string {
  return `${major}.${minor}`
}

/**
 * Reads the values of `--emulated-version` and `--min-compatibility-version`: `1.32` or `kube=1.32`. Unless it is given, a server stays
 * compatible with the release before its own. Mirrors k8s.io/component-base/compatibility.
 */
export function resolveEffectiveVersion(values: readonly string[], oldest: readonly string[] = []): EffectiveVersion {
  const emulation = readVersion(values) ?? byDefault
  const previous = { major: emulation.major, minor: emulation.minor - 1 }
  const least = compareReleases(emulation, compatibilityFloor) < 0 ? floor : compatibilityFloor
  const given = readVersion(oldest)
  const errors: string[] = []
  if (!isBetween(emulation, floor, newest)) {
    errors.push(
      `emulation version ${formatRelease(emulation)} is not between [${formatRelease(floor)}, ${formatRelease(newest)}.0]`,
    )
  }
  const lowest = given === undefined ? floor : { major: emulation.major, minor: emulation.minor - compatibleReleases }
  const minCompatibility = given ?? latest(previous, least)
  if (!isBetween(minCompatibility, lowest, emulation)) {
    errors.push(
      `minCompatibilityVersion version ${formatRelease(minCompatibility)} is not between [${formatRelease(lowest)}, ${formatRelease(emulation)}]`,
    )
  }
  throwConfigErrors(errors)
  return { binary: latest(byDefault, emulation), emulation, minCompatibility }
}

/** The version that the values say; undefined when there are none. */
function readVersion(values: readonly string[]): MinorVersion | undefined {
  let read: MinorVersion | undefined
  for (const value of values) {
    const [component, text] = value.includes('=') ? splitPair(value) : ['kube', value]
    const version = parseVersion(component, text)
    if (component !== 'kube') throw new ConfigError(`component not registered: ${component}`)
    if (read !== undefined) {
      throw new ConfigError(`duplicate version flag, kube=${formatRelease(read)} and kube=${formatRelease(version)}`)
    }
    read = version
  }
  return read
}

/** Mirrors apimachinery/pkg/util/version: Parse. */
function parseVersion(component: string, text: string): MinorVersion {
  const [, numbers] = /^\s*v?(\d+(?:\.\d+)*)/.exec(text) ?? []
  if (numbers === undefined) throw new ConfigError(`could not parse ${JSON.stringify(text)} as version`)
  const [major, minor, patch = 0] = numbers.split('.').map(Number)
  if (major === undefined || minor === undefined)
    throw new ConfigError(`illegal version string ${JSON.stringify(text)}`)
  if (patch !== 0) throw new ConfigError(`patch version not allowed, got: ${component}=${numbers}`)
  return { major, minor }
}

function splitPair(value: string): [string, string] {
  const at = value.indexOf('=')
  return [value.slice(0, at).trim(), value.slice(at + 1).trim()]
}

function isBetween(version: MinorVersion, low: MinorVersion, high: MinorVersion): boolean {
  return compareReleases(version, low) >= 0 && compareReleases(version, high) <= 0
}

function latest(a: MinorVersion, b: MinorVersion): MinorVersion {
  return compareReleases(a, b) >= 0 ? a : b
}
