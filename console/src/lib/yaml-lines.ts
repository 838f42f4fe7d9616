// An object as lines of YAML, each with the path of what it shows: what ownership and differences are drawn on.
import type { Json } from '../api/objects.ts'

export type Path = readonly (string | number)[]

export interface YamlLine {
  readonly indent: number
  /** `- ` in front of the first line of a list's item. */
  readonly dash: boolean
  readonly key: string | undefined
  readonly text: string
  readonly path: Path
  /** Whether the line opens a map or list that has lines of its own. */
  readonly opens: boolean
}

/** A path as text that no other path has. */
export const pointer = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

export function yamlLines(value: Json): YamlLine[] {
  const lines: YamlLine[] = []
  emit(lines, value, { path: [], indent: 0, dash: false })
  return lines
}

export const lineText = ({ indent, dash, key, text }: YamlLine): string =>
  `${' '.repeat(Math.max(0, indent - (dash ? 2 : 0)))}${dash ? '- ' : ''}${key === undefined ? '' : `${keyText(key)}:${text === '' ? '' : ' '}`}${text}`

interface Place {
  readonly path: Path
  readonly indent: number
  /** Whether the first line is that of a list's item. */
  readonly dash: boolean
}

function emit(lines: YamlLine[], value: Json, place: Place): void {
  if (Array.isArray(value) && value.length > 0) {
    value.forEach((item, index) => {
      const dash = { path: [...place.path, index], indent: place.indent + 2, dash: true }
      // A list within a list stands on one line.
      if (isBranch(item) && !Array.isArray(item)) emit(lines, item, dash)
      else scalar(lines, item, { ...dash, key: undefined })
    })
    return
  }
  if (!isBranch(value)) {
    scalar(lines, value, { ...place, key: undefined })
    return
  }
  Object.entries(value).forEach(([key, member], index) => {
    const path = [...place.path, key]
    const dash = place.dash && index === 0
    if (isBranch(member)) {
      lines.push({ indent: place.indent, dash, key, text: '', path, opens: true })
      emit(lines, member, { path, indent: Array.isArray(member) ? place.indent : place.indent + 2, dash: false })
    } else scalar(lines, member, { path, indent: place.indent, dash, key })
  })
}

const isBranch = (value: Json): boolean => typeof value === 'object' && value !== null && Object.keys(value).length > 0

function scalar(lines: YamlLine[], value: Json, place: Place & { readonly key: string | undefined }): void {
  const { path, indent, dash, key } = place
  if (typeof value === 'string' && value.includes('\n') && !/[^\P{Cc}\t\n]/u.test(value)) {
    const chomp = value.endsWith('\n') ? '' : '-'
    lines.push({ indent, dash, key, text: `|${chomp}`, path, opens: true })
    for (const line of value.replace(/\n$/, '').split('\n')) {
      lines.push({ indent: indent + 2, dash: false, key: undefined, text: line, path, opens: false })
    }
    return
  }
  lines.push({ indent, dash, key, text: scalarText(value), path, opens: false })
}

/** A list or map that is empty, a number, a string that cannot be taken for something else. */
function scalarText(value: Json): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null'
  return isPlain(value) ? value : JSON.stringify(value)
}

const reserved = /^(|~|null|true|false|yes|no|on|off|y|n|[-+]?[.\d].*|0x.*)$/i

const isPlain = (text: string): boolean =>
  /^[A-Za-z0-9_/.(<]\P{Cc}*$/u.test(text) && !reserved.test(text) && !/: |:$| #|\s$/.test(text) && text.length < 2000

const keyText = (key: string): string => (isPlain(key) && !key.includes(':') ? key : JSON.stringify(key))
