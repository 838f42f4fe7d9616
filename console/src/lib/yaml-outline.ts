// Where the fields of a YAML text are: by line, from indentation alone, so that it works while a line is being typed.
import type { Path } from './yaml-lines.ts'

export interface OutlineLine {
  /** From 0. */
  readonly line: number
  readonly path: Path
  /** Columns of the key within the line. */
  readonly from: number
  readonly to: number
}

interface Level {
  readonly indent: number
  readonly step: string | number
}

/** One entry for each key and each item of a list. Block style, as it is written here; flow style is one value. */
export function outline(text: string): OutlineLine[] {
  const found: OutlineLine[] = []
  let stack: Level[] = []
  let literal = -1
  text.split('\n').forEach((raw, line) => {
    const indent = raw.length - raw.trimStart().length
    if (raw.trim() === '' || (literal >= 0 && indent > literal)) return
    literal = -1
    if (raw.trimStart().startsWith('#')) return
    stack = lineEntries(raw, { line, indent, stack, found })
    if (/[|>][+-]?\d?\s*$/.test(raw)) literal = stack.at(-1)?.indent ?? indent
  })
  return found
}

interface LineContext {
  readonly line: number
  readonly indent: number
  readonly stack: readonly Level[]
  readonly found: OutlineLine[]
}

const keyPattern = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s:#"'[\]{}][^:#]*?)\s*:(?=\s|$)/

/** A line may open several levels: `- - name: x`. Returns the levels that are open after it. */
function lineEntries(raw: string, { line, indent, stack: before, found }: LineContext): Level[] {
  let column = indent
  let stack = [...before]
  const push = (level: Level, to: number) => {
    stack.push(level)
    found.push({ line, path: stack.map(({ step }) => step), from: level.indent, to })
  }
  while (/^-(\s|$)/.test(raw.slice(column))) {
    const at = column
    // An item of the list at this column follows the one before it; keys deeper than it are closed.
    const sibling = stack.find((level) => level.indent === at && typeof level.step === 'number')
    stack = stack.filter((level) => level.indent < at || (level.indent === at && typeof level.step === 'string'))
    push({ indent: at, step: sibling === undefined ? 0 : Number(sibling.step) + 1 }, at + 1)
    column += 1 + (/^-(\s*)/.exec(raw.slice(column))?.[1]?.length ?? 0)
  }
  const key = keyPattern.exec(raw.slice(column))
  if (key === null) return stack
  stack = stack.filter((level) => level.indent < column)
  push({ indent: column, step: unquote(key[1] as string) }, column + (key[1] as string).length)
  return stack
}

function unquote(key: string): string {
  if (key.startsWith('"')) {
    try {
      return JSON.parse(key) as string
    } catch {
      return key
    }
  }
  return key.startsWith("'") ? key.slice(1, -1).replaceAll("''", "'") : key
}

const samePath = (a: Path, b: Path): boolean => a.length === b.length && a.every((step, index) => step === b[index])

/** The line that shows a path, or the closest part around it that has one. */
export function lineOf(lines: readonly OutlineLine[], path: Path): OutlineLine | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const part = path.slice(0, length)
    const found = lines.find((line) => samePath(line.path, part))
    if (found !== undefined) return found
  }
  return undefined
}

/** A field as errors name it, `spec.containers[0].image`, `.spec.ports[port=80]`, `data[a.b]`, as a path of the object. */
export function parseFieldPath(text: string, object: unknown): Path {
  const path: (string | number)[] = []
  let value = object as Record<string | number, unknown> | undefined
  for (const [, name, bracket] of text.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    const step = name ?? bracketStep(bracket ?? '', value)
    path.push(step)
    value = value?.[step] as typeof value
  }
  return path
}

function bracketStep(bracket: string, value: unknown): string | number {
  if (/^\d+$/.test(bracket)) return Number(bracket)
  if (!Array.isArray(value)) return bracket.replace(/^"(.*)"$/, '$1')
  const wanted = bracket.split(',').map((part) => part.split('='))
  const unquoted = (each: string | undefined) => (each ?? '').replace(/^"(.*)"$/, '$1')
  const index = value.findIndex((item) => wanted.every(([key = '', text]) => String(item?.[key]) === unquoted(text)))
  return index < 0 ? bracket : index
}

/** The path that a new key at a place would have its siblings at: what completion offers members of. */
export function parentAt(text: string, line: number, column: number): Path {
  const raw = text.split('\n')[line] ?? ''
  const probe = `${raw.slice(0, column).replace(/[^\s-].*$/, '')}x:`
  const dashes = /^\s*(-\s+)*/.exec(raw.slice(0, column))?.[0] ?? ''
  const lines = text.split('\n').slice(0, line)
  const found = outline([...lines, dashes === '' ? probe : `${dashes}x:`].join('\n'))
  return found.at(-1)?.path.slice(0, -1) ?? []
}
