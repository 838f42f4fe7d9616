/**
 * Faults: errors that the runtime throws because of a bug. Their texts ("Cannot read properties of undefined") are for the
 * log and never for a client.
 */

const runtimeErrors = [TypeError, RangeError, ReferenceError, SyntaxError, URIError, EvalError, AggregateError]

export const isFault = (error: unknown): boolean => runtimeErrors.some((type) => error instanceof type)

/** What clients hear of a fault. */
export const faultMessage = 'this request met a fault of the server, look in its logs for details'

/** What an error says, as far as a client may hear it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return faultMessage
  return isFault(error) ? faultMessage : error.message
}
