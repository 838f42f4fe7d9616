/** The tokens of the YAML scanner, and the errors of scanner and parser. */
export interface Mark {
  readonly index: number
  readonly line: number
  readonly column: number
}

export type TokenType =
  | 'stream-end'
  | 'directive'
  | 'document-start'
  | 'document-end'
  | 'block-seq-start'
  | 'block-map-start'
  | 'block-end'
  | 'flow-seq-start'
  | 'flow-seq-end'
  | 'flow-map-start'
  | 'flow-map-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar'

export interface YamlToken {
  readonly type: TokenType
  readonly start: Mark
  /** Text of a scalar, name of an anchor or alias, text of a tag. */
  readonly text: string
  /** A scalar without quotes, whose text decides what it is. */
  readonly plain: boolean
}

/** What is wrong with the text. The line is reported as the reference reports it, which depends on who found the mistake. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

const where = (line: number): string => (line === 0 ? '' : `line ${line}: `)

export function scannerError(problem: string, at: Mark, context?: Mark): YamlError {
  return new YamlError(`yaml: ${where(at.line > 0 ? at.line + 1 : (context?.line ?? 0))}${problem}`)
}

export function parserError(problem: string, at: Mark, context?: Mark): YamlError {
  return new YamlError(`yaml: ${where(at.line > 0 ? at.line : (context?.line ?? 0))}${problem}`)
}

/** Collections inside collections. */
export const maxDepth = 1000

export const tooDeep = (): YamlError => new YamlError(`yaml: exceeded max depth of ${maxDepth}`)
