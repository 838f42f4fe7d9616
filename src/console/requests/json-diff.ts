/** How one JSON value differs from another, as a JSON patch (RFC 6902). Parts that both share by reference are not looked into. */
import { equalJson, isJsonObject, type JsonValue } from '../../api/json.ts'

export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
  readonly value?: JsonValue
}

/** More operations than this are one that replaces the whole. */
const maxOperations = 200

export function jsonDiff(before: JsonValue | undefined, after: JsonValue | undefined): PatchOperation[] {
  const operations: PatchOperation[] = []
  if (before === undefined || after === undefined) {
    return after === undefined ? [] : [{ op: 'add', path: '', value: after }]
  }
  compare(before, after, '', operations)
  return operations.length > maxOperations ? [{ op: 'replace', path: '', value: after }] : operations
}

function compare(before: JsonValue, after: JsonValue, path: string, found: PatchOperation[]): void {
  if (before === after || found.length > maxOperations) return
  if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, found)
  else if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of Object.keys(before)) {
      if (!Object.hasOwn(after, key)) found.push({ op: 'remove', path: `${path}/${escaped(key)}` })
    }
    for (const key of Object.keys(after)) {
      const inner = `${path}/${escaped(key)}`
      const value = after[key] as JsonValue
      if (Object.hasOwn(before, key)) compare(before[key] as JsonValue, value, inner, found)
      else found.push({ op: 'add', path: inner, value })
    }
  } else if (!equalJson(before, after)) found.push({ op: 'replace', path, value: after })
}

/** What both lists begin and end with stays; in between items are compared by their places. */
function compareLists(before: JsonValue[], after: JsonValue[], path: string, found: PatchOperation[]): void {
  let start = 0
  const shorter = Math.min(before.length, after.length)
  while (start < shorter && equalJson(before[start], after[start])) start++
  let end = 0
  while (end < shorter - start && equalJson(before[before.length - 1 - end], after[after.length - 1 - end])) end++
  const [goes, comes] = [before.length - start - end, after.length - start - end]
  const both = Math.min(goes, comes)
  for (let i = start; i < start + both; i++) {
    compare(before[i] as JsonValue, after[i] as JsonValue, `${path}/${i}`, found)
  }
  for (let i = start + goes - 1; i >= start + both && found.length <= maxOperations; i--) {
    found.push({ op: 'remove', path: `${path}/${i}` })
  }
  for (let i = start + both; i < start + comes && found.length <= maxOperations; i++) {
    found.push({ op: 'add', path: `${path}/${i}`, value: after[i] as JsonValue })
  }
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')
