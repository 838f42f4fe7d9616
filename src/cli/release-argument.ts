/** `--release 1.N` of the commands that look at files: the minor number; that of the default release where none is given. */
import { defaultRelease, newestRelease } from '../api/release-facts.ts'
import { ConfigError } from '../config/config-error.ts'
import { formatRelease, parseMinorVersion } from '../config/emulated-version.ts'

export function releaseArgument(text: string | boolean | undefined): number {
  if (text === undefined) return defaultRelease
  const version = parseMinorVersion(String(text))
  if (version === undefined || formatRelease(version) !== `1.${version.minor}` || version.minor > newestRelease) {
    throw new ConfigError(`--release must be a release such as 1.${defaultRelease}, not ${text}`)
  }
  return version.minor
}
