/** Many field errors as one text: `[a, b]`, or the only one without brackets. */
import type { FieldError } from '../../api/field-error.ts'
import { servedMinor } from '../../api/release.ts'
import { errorsAtRelease } from '../../api/release-wordings.ts'
import { aggregate } from '../../api/status-error.ts'
import { ConfigurationDecodeError } from './decoder.ts'
import { ConfigFileError } from './versioned-document.ts'

interface Report {
  readonly prefix?: string
  /** The minor number of the release in whose words errors are. */
  readonly release?: number
}

export function throwFieldErrors(
  file: string,
  errors: readonly FieldError[],
  { prefix = '', release = servedMinor }: Report = {},
): void {
  if (errors.length > 0) throw new ConfigFileError(file, prefix + aggregate(errorsAtRelease(errors, release)))
}

/** Runs a decoding, and names the file in what goes wrong. */
export function decoding<T>(file: string, prefix: string, decode: () => T): T {
  try {
    return decode()
  } catch (error) {
    if (error instanceof ConfigurationDecodeError) throw new ConfigFileError(file, prefix + error.message)
    throw error
  }
}
