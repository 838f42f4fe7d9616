/** `--release 1.N` of commands: of those that look at files, where none is given it is the default one; of those that serve, it may be several. */
import { defaultRelease, newestRelease } from '../api/release-facts.ts'
import { ConfigError } from '../config/config-error.ts'
import { formatRelease, parseMinorVersion } from '../config/emulated-version.ts'

/** The first release that a server can behave as. */
const oldestServed = 16

export const releaseArgument = (text: string | boolean | undefined): number =>
  text === undefined ? defaultRelease : minorOf(String(text), 0)

/** `1.34,1.36`, as they are given; an error in any of them is reported before anything runs. */
export function servedReleases(text: string): readonly string[] {
  const releases = text.split(',').map((each) => each.trim())
  const known = new Set<number>()
  for (const release of releases) {
    const minor = minorOf(release, oldestServed)
    if (known.has(minor)) throw new ConfigError(`--release has 1.${minor} twice`)
    known.add(minor)
  }
  return releases
}

function minorOf(text: string, oldest: number): number {
  if (text === '') throw new ConfigError(`--release needs a release such as 1.${defaultRelease}`)
  const version = parseMinorVersion(text)
  const isOne = version !== undefined && formatRelease(version) === `1.${version.minor}`
  if (isOne && version.minor >= oldest && version.minor <= newestRelease) return version.minor
  const range = `from 1.${oldest} to 1.${newestRelease}`
  throw new ConfigError(`--release must be a release such as 1.${defaultRelease}, ${range}, not ${text}`)
}
