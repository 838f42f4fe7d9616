/** What is wrong with flags or configuration files. The command prints the message and gives up. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Throws when there is anything in the list; several are worded as the reference does: `[first, second]`. */
export function throwConfigErrors(messages: readonly string[]): void {
  const distinct = [...new Set(messages)]
  if (distinct.length === 1) throw new ConfigError(distinct[0])
  if (distinct.length > 1) throw new ConfigError(`[${distinct.join(', ')}]`)
}

/** Errors of `read`, which reads what the user gave, become a `ConfigError` of their message. */
export function asConfigError<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof Error ? new ConfigError(error.message) : error
  }
}
