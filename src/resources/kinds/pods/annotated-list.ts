/**
 * Lists that annotations hold as JSON, from before there were fields for them. The reference reads them into its own
 * types, whose fields have names in any case; so does this, and reports what does not fit in the same words.
 */

import { readJson, unmarshalTypeError } from '../../../api/golang/json.ts'
import { isJsonObject, type JsonValue, jsonTypeName } from '../../../api/json.ts'

export interface ListedType<Item> {
  /** `core.Toleration`. */
  readonly name: string
  /** By the name of the wire: the name and the type of the reference's field. Texts but for `int64`. */
  readonly fields: { readonly [K in keyof Item & string]?: readonly [name: string, type: string] }
}

/** A text: what is wrong with the annotation. */
export function readAnnotatedList<Item extends object>(text: string, type: ListedType<Item>): Item[] | string {
  const read = readJson(text)
  if (typeof read === 'string') return read
  const { value } = read
  if (value === null) return []
  if (!Array.isArray(value)) return unmarshalTypeError(jsonTypeName(value), `value of type []${type.name}`)
  const items: Item[] = []
  // The reader goes on after the first thing that does not fit, and reports that one.
  let problem: string | undefined
  for (const each of value) {
    if (isJsonObject(each)) {
      const item = {} as Record<string, JsonValue>
      for (const [key, member] of Object.entries(each)) problem ??= readMember(item, key, member ?? null, type)
      items.push(item as Item)
    } else if (each === null) items.push({} as Item)
    else problem ??= unmarshalTypeError(jsonTypeName(each), `value of type ${type.name}`)
  }
  return problem ?? items
}

function readMember<Item>(
  item: Record<string, JsonValue>,
  key: string,
  value: JsonValue,
  { name, fields }: ListedType<Item>,
): string | undefined {
  const known = fields as Readonly<Record<string, readonly [name: string, type: string]>>
  const wire = Object.keys(known).find((each) => each.toLowerCase() === key.toLowerCase())
  const [field, type] = (wire === undefined ? undefined : known[wire]) ?? []
  if (wire === undefined || field === undefined || type === undefined || value === null) return undefined
  const fits = type === 'int64' ? Number.isInteger(value) : typeof value === 'string'
  if (fits) {
    item[wire] = value
    return undefined
  }
  const shown = type === 'int64' && typeof value === 'number' ? `number ${value}` : jsonTypeName(value)
  return unmarshalTypeError(shown, `struct field ${name.replace(/^.*\./, '')}.${field} of type ${type}`)
}
