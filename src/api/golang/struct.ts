/**
 * Structs, pointers and maps in Go's own syntax (`%#v`), as the reference's messages print them. Pointers inside a struct
 * are addresses there, which mean nothing; they all have the same one here.
 */
import { quote } from './quote.ts'

const address = '0xc000000000'

/** `T{A:1, B:"x"}` from the printed fields in the order of the struct. */
export const goStruct = (type: string, fields: Readonly<Record<string, string>>): string =>
  `${type}{${Object.entries(fields)
    .map(([name, value]) => `${name}:${value}`)
    .join(', ')}}`

/** A pointer that is a field of a struct. */
export const goPointer = (type: string, value: unknown): string =>
  `(*${type})(${value === undefined || value === null ? 'nil' : address})`

export function goStringMap(map: Readonly<Record<string, string>> | undefined): string {
  if (map === undefined) return 'map[string]string(nil)'
  const members = Object.keys(map)
    .sort()
    .map((key) => `${quote(key)}:${quote(map[key] ?? '')}`)
  return `map[string]string{${members.join(', ')}}`
}
