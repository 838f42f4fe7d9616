import { aggregateText } from '../api/aggregate-text.ts'

/** What is wrong with flags or configuration files. The command prints the message and gives up. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Throws when there is anything in the list; several are worded as the reference does: `[first, second]`. */
export function throwConfigErrors(messages: readonly string[]): void {
  if (messages.length > 0) throw new ConfigError(aggregateText(messages))
}

/** Errors of `read`, which reads what the user gave, become a `ConfigError` of their message. */
export function asConfigError<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof Error ? new ConfigError(error.message) : error
  }
}
