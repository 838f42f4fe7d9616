/** Why the package could not read a document. It recurses, and says of a document that is too deep what the engine says. */
export function yamlProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.includes('Maximum call stack') ? 'exceeded max depth' : message
}
