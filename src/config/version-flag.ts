/**
 * `--version`: `true` and `raw` print the version and end, `vX.Y.Z…` is reported in place of the server's own: the same
 * release, with another suffix.
 * Mirrors k8s.io/component-base/version: ValidateDynamicVersion.
 */
import { servedRelease } from '../api/release.ts'
import { ConfigError } from './config-error.ts'
import { parseGoBool } from './go-values.ts'

export function readVersionFlag(text: string): string {
  if (text === 'raw') return text
  if (!text.startsWith('v')) return String(parseGoBool(text))
  if (text === servedRelease) return text
  const parsed = /^v(\d+\.\d+\.\d+)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/.exec(text)
  if (parsed === null) throw new ConfigError(`could not parse ${JSON.stringify(text)} as version`)
  if (`v${parsed[1]}` === servedRelease) return text
  throw new ConfigError(
    `version ${JSON.stringify(text)} must match major/minor/patch of default version ${JSON.stringify(servedRelease)}`,
  )
}
