/** Values as messages show them. */
import { formatDouble } from './numbers.ts'
import { formatCelDuration, formatTimestamp } from './time.ts'
import type { Value } from './values.ts'

export function display(value: Value): string {
  if (typeof value !== 'object') return String(value)
  if (value === null) return 'null'
  switch (value.kind) {
    case 'error':
      return value.message
    case 'double':
      return formatDouble(value.value)
    case 'uint':
      return value.value.toString()
    case 'bytes':
      return `[${Array.from(value.data).join(' ')}]`
    case 'timestamp':
      return formatTimestamp(value)
    case 'duration':
      return formatCelDuration(value)
    case 'type':
      return value.type.name
    case 'optional':
      return value.value === undefined ? 'optional.none()' : `optional(${display(value.value)})`
    case 'list':
      return `[${Array.from({ length: value.length }, (_, i) => display(value.at(i))).join(', ')}]`
    case 'map':
      return `{${value
        .keys()
        .map((key) => `${display(key)}: ${display(value.find(key)!)}`)
        .join(', ')}}`
    case 'opaque':
      return value.type.name
  }
}
