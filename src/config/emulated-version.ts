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

/** Reads the flag's values: `1.32` or `kube=1.32`; the last one counts. */
export function resolveEffectiveVersion(values: readonly string[]): EffectiveVersion {
  let emulation = byDefault
  for (const value of values) {
    const [component, text] = value.includes('=') ? splitPair(value) : ['kube', value]
    if (component !== 'kube') throw new ConfigError(`component not registered: ${component}`)
    emulation = parseEmulation(text)
  }
  const previous = { major: emulation.major, minor: emulation.minor - 1 }
  const minCompatibility = latest(
    previous,
    compareReleases(emulation, compatibilityFloor) < 0 ? floor : compatibilityFloor,
  )
  const errors: string[] = []
  if (!isBetween(emulation, floor, newest)) {
    errors.push(
      `emulation version ${formatRelease(emulation)} is not between [${formatRelease(floor)}, ${formatRelease(newest)}.0]`,
    )
  }
  if (compareReleases(minCompatibility, emulation) > 0) {
    errors.push(
      `minCompatibilityVersion version ${formatRelease(minCompatibility)} is not between [${formatRelease(floor)}, ${formatRelease(emulation)}]`,
    )
  }
  throwConfigErrors(errors)
  return { binary: latest(byDefault, emulation), emulation, minCompatibility }
}

function parseEmulation(text: string): MinorVersion {
  const version = parseMinorVersion(text)
  if (version !== undefined) return version
  if (/^v?\d+\.\d+\.\d+/.test(text)) throw new ConfigError(`patch version not allowed, got: kube=${text}`)
  throw new ConfigError(`illegal version string ${JSON.stringify(text)}`)
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
