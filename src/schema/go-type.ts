/** How type errors name a type: `v1.PodSpec`, `[]v1.Container`, `map[string]string`, `int32`. */
import type { Schema } from './schema.ts'

/** `name` is the name that the field gives its type, if it gives one; elements of it are named after it. */
export function schemaGoType(schema: Schema, name?: string): string {
  if (name !== undefined) return name
  switch (schema.kind) {
    case 'object':
      return structName(schema.name)
    case 'list':
      return `[]${schemaGoType(schema.items)}`
    case 'map':
      return `map[string]${schemaGoType(schema.values)}`
    case 'any':
      return structName(schema.name)
    default:
      return scalarNames[schema.kind] ?? schema.format ?? schema.kind
  }
}

/** The name of the elements of a list or map whose own name is given: `[]v1.OperationType` → `v1.OperationType`. */
export function elementGoType(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  if (name.startsWith('[]')) return name.slice(2)
  return name.startsWith('map[') ? name.slice(name.indexOf(']') + 1) : undefined
}

/** `PodSpec`: the struct's own name, as it stands before the path in `Go struct field PodSpec.spec.containers`. */
export function structTypeName(name: string | undefined): string {
  return name === undefined ? '' : name.slice(name.lastIndexOf('.') + 1)
}

function structName(name: string | undefined): string {
  return name === undefined ? 'map[string]interface {}' : name.split('.').slice(-2).join('.')
}

const scalarNames: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'bool',
  number: 'float64',
  bytes: '[]uint8',
  quantity: 'resource.Quantity',
  time: 'v1.Time',
  'micro-time': 'v1.MicroTime',
  duration: 'v1.Duration',
  'int-or-string': 'intstr.IntOrString',
}
