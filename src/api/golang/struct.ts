/**
 * Structs, pointers and maps in Go's own syntax (`%#v`), as the reference's messages print them. Pointers inside a struct
 * are addresses there, which mean nothing; they all have the same one here.
 */
import type { JsonValue } from '../json.ts'
import { sortedKeysOf } from '../key-lists.ts'
import { goJson } from './json-text.ts'
import { GoLiteral, goOf, jsonOf, type RenderedValue } from './literal.ts'
import { quote } from './quote.ts'
import { firstItems, quotedItems, quotedJson } from './quoted-items.ts'

const address = '0xc000000000'

/** `T{A:1, B:"x"}` from the printed fields in the order of the struct. */
export function goStruct(type: string, fields: Readonly<Record<string, RenderedValue>>): GoLiteral {
  const members = Object.entries(fields)
  const member = isTagged(type) ? taggedMember(type) : namedMember
  const go = `${type}{${members.map(([name, value]) => `${name}:${goOf(value)}`).join(', ')}}`
  return new GoLiteral(go, (release) =>
    jsonObject(members.flatMap(([name, value]) => member([name, jsonOf(value, release)]))),
  )
}

/** Internal types have no tags: members have the names of their fields, and are all there. Those of the machinery have. */
const isTagged = (type: string): boolean => type.startsWith('v1.')

type Member = readonly [name: string, json: string]

const namedMember = (member: Member): Member[] => [member]

/** Types with tags leave out what is empty, but for what is required. */
const taggedMember =
  (type: string) =>
  ([name, json]: Member): Member[] => {
    const key = name.charAt(0).toLowerCase() + name.slice(1)
    const isEmpty = json === 'null' || json === '""' || json === '[]' || json === '{}'
    return isEmpty && !isRequiredMember(type, key) ? [] : [[key, json]]
  }

/** Members that JSON has though they are empty, of the types with tags that messages show. */
const requiredMembers: ReadonlySet<string> = new Set([
  'v1.LabelSelectorRequirement.key',
  'v1.LabelSelectorRequirement.operator',
  'v1.OwnerReference.apiVersion',
  'v1.OwnerReference.kind',
  'v1.OwnerReference.name',
  'v1.OwnerReference.uid',
])

export const isRequiredMember = (type: string, key: string): boolean => requiredMembers.has(`${type}.${key}`)

const jsonObject = (members: readonly Member[]): string =>
  `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`

/** A pointer that is a field of a struct. `json`: what it points to, where that is no scalar. */
export function goPointer(type: string, value: unknown, json?: (release: number) => string): GoLiteral {
  if (value === undefined || value === null) return new GoLiteral(`(*${type})(nil)`, 'null')
  return new GoLiteral(`(*${type})(${address})`, json ?? (() => quotedJson(value as JsonValue)))
}

export function goStringMap(map: Readonly<Record<string, string>> | undefined): GoLiteral {
  if (map === undefined) return new GoLiteral('map[string]string(nil)', 'null')
  const keys = sortedKeysOf(map)
  const members = quotedItems(keys, (key) => `${quote(key)}:${quote(map[key] ?? '')}`)
  const json = (): string => goJson(Object.fromEntries(firstItems(keys).map((key) => [key, map[key] ?? ''])))
  return new GoLiteral(`map[string]string{${members}}`, json)
}
