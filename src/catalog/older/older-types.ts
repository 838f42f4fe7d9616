/** Makes the text of a type that only older API versions have, from its package's edits and what it is derived from. */
import { packages } from '../data/packages.ts'
import { type OlderPackage, olderPackages } from './older-packages.ts'

/** The text of a type as `parse-type.ts` reads it; undefined when no older package has it. */
export function olderTypeText(packageName: string, type: string): string | undefined {
  const older = olderPackages.get(packageName)
  return older === undefined ? undefined : textIn(older, type)
}

/** The packages that an older one has its types from; none for a package of today. */
export const derivedFrom = (packageName: string): readonly string[] => olderPackages.get(packageName)?.from ?? []

function textIn({ from, kinds, text }: OlderPackage, type: string): string | undefined {
  const own = typesOf(text).get(type)
  const whole = own === undefined || isEdit(own) ? baseText(from, type) : own
  if (whole === undefined) return undefined
  if (/^\w+\t(.*\t)?K(\t|$|\n)/.test(whole) && !kinds.includes(type.replace(/List$/, ''))) return undefined
  return own !== undefined && isEdit(own) ? edited(whole, own) : whole
}

function baseText(from: readonly string[], type: string): string | undefined {
  for (const packageName of from) {
    const text = packages.get(packageName)
    const found = text === undefined ? olderTypeText(packageName, type) : typesOf(text).get(type)
    if (found !== undefined) return found
  }
  return undefined
}

const cut = new Map<string, ReadonlyMap<string, string>>()

function typesOf(text: string): ReadonlyMap<string, string> {
  const known = cut.get(text)
  if (known !== undefined) return known
  const types = new Map<string, string>()
  for (const type of text.slice(1).split('\n@')) types.set(/^\w*/.exec(type)?.[0] ?? '', type)
  cut.set(text, types)
  return types
}

const isEdit = (text: string): boolean => /^\w+\t~/.test(text)

function edited(base: string, edits: string): string {
  const [head = '', ...lines] = base.trimEnd().split('\n')
  for (const edit of edits.trimEnd().split('\n').slice(1)) applyEdit(lines, edit)
  return [head, ...lines, ''].join('\n')
}

function applyEdit(lines: string[], edit: string): void {
  const [, removed] = /^-(\w+)$/.exec(edit) ?? []
  if (removed !== undefined) {
    lines.splice(indexOf(lines, removed), 1)
    return
  }
  const [, place = '', operator = '', name = ''] = /^(\w+)([>+]?)(\w*)\t/.exec(edit) ?? []
  const line = operator === '' ? edit : edit.slice(place.length + 1)
  const at = indexOf(lines, place)
  if (operator === '+') lines.splice(at + 1, 0, line)
  else lines[at] = line
  if (operator !== '' && name === '') throw new Error(`the edit ${edit} names no field`)
}

function indexOf(lines: readonly string[], field: string): number {
  const at = lines.findIndex((line) => line.startsWith(`${field}\t`))
  if (at < 0) throw new Error(`an older type edits the field ${field}, which is not there`)
  return at
}
