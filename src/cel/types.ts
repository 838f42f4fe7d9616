/**
 * The types that the checker reasons about. A type is immutable; the simple ones are shared instances, so `===` is a
 * fast first test, but equality is `isExactType`. An object type carries a lookup of its fields instead of a name in a
 * global registry: two environments never share state.
 */
export type TypeKind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'param'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'uint'

export interface Type {
  readonly kind: TypeKind
  /** The name that `type(x)` shows and that messages use. */
  readonly name: string
  readonly params: readonly Type[]
  /** A wrapper of a primitive: `null` is assignable to it. */
  readonly nullable?: boolean
  /** The type of a field of an object type, undefined where there is no such field; absent where fields are unheard of. */
  readonly field?: (name: string) => Type | undefined
}

const none: readonly Type[] = []
const simple = (kind: TypeKind, name: string = kind): Type => ({ kind, name, params: none })

export const ANY = simple('any', 'google.protobuf.Any')
export const BOOL = simple('bool')
export const BYTES = simple('bytes')
export const DOUBLE = simple('double')
export const DURATION = simple('duration', 'google.protobuf.Duration')
export const DYN = simple('dyn')
export const ERROR = simple('error', '!error!')
export const INT = simple('int')
export const NULL = simple('null', 'null_type')
export const STRING = simple('string')
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp')
export const TYPE = simple('type')
export const UINT = simple('uint')

export const listType = (element: Type): Type => ({ kind: 'list', name: 'list', params: [element] })
export const mapType = (key: Type, value: Type): Type => ({ kind: 'map', name: 'map', params: [key, value] })
export const typeType = (of: Type): Type => ({ kind: 'type', name: 'type', params: [of] })
export const typeParam = (name: string): Type => ({ kind: 'param', name, params: none })
export const opaqueType = (name: string, ...params: Type[]): Type => ({ kind: 'opaque', name, params })
export const optionalType = (of: Type): Type => opaqueType('optional_type', of)
export const nullableType = (of: Type): Type => ({ ...of, nullable: true })

/** Without a lookup of fields it is a type of values that expressions only hand to functions. */
export function structType(name: string, field?: (name: string) => Type | undefined): Type {
  return { kind: 'struct', name, params: none, ...(field && { field }) }
}

export const LIST_OF_DYN = listType(DYN)

export const isDyn = (type: Type): boolean => type.kind === 'dyn' || type.kind === 'any'
export const isDynOrError = (type: Type): boolean => isDyn(type) || type.kind === 'error'
const isOptional = (type: Type): boolean => type.kind === 'opaque' && type.name === 'optional_type'

/** The type inside an optional, undefined for any other type. */
export function unwrapOptional(type: Type): Type | undefined {
  return isOptional(type) ? (type.params[0] ?? DYN) : undefined
}

function sameType(a: Type, b: Type, paramNames: boolean): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || a.params.length !== b.params.length) return false
  if ((paramNames || a.kind !== 'param') && a.name !== b.name) return false
  return a.params.every((param, i) => sameType(param, b.params[i]!, paramNames))
}

export const isExactType = (a: Type, b: Type): boolean => sameType(a, b, true)
/** Equal but for the names of type parameters. */
export const isEquivalentType = (a: Type, b: Type): boolean => sameType(a, b, false)

/** Whether a value of `from` may stand where `to` is asked for, without unifying type parameters. */
export function isAssignableType(to: Type, from: Type): boolean {
  if (to === from || isDyn(to) || to.kind === 'param') return true
  if (to.nullable && from.kind === 'null') return true
  if (to.kind !== from.kind || to.name !== from.name || to.params.length !== from.params.length) return false
  return to.params.every((param, i) => isAssignableType(param, from.params[i]!))
}

const declaredName = (type: Type): string => (type.nullable ? `wrapper(${type.name})` : type.name)

/** As messages of the checker show a type. */
export function formatType(type: Type): string {
  if (type.kind === 'any' || type.kind === 'duration' || type.kind === 'timestamp' || type.kind === 'null') {
    return type.kind
  }
  if (type.kind === 'error' || type.kind === 'param') return type.name
  if (type.params.length === 0) return declaredName(type)
  return `${type.name}(${type.params.map(formatType).join(', ')})`
}

/** As messages about a result's type show it: the names of values' types. */
export function typeToString(type: Type): string {
  if (type.params.length === 0) return declaredName(type)
  return `${declaredName(type)}(${type.params.map(typeToString).join(', ')})`
}

export function formatSignature(args: readonly Type[], member: boolean): string {
  const shown = args.map(formatType)
  if (!member) return `(${shown.join(', ')})`
  return `${shown[0] ?? ''}.(${shown.slice(1).join(', ')})`
}

/** The type parameters that occur in the types. */
export function typeParamsOf(types: readonly Type[], into: Set<string> = new Set()): Set<string> {
  for (const type of types) {
    if (type.kind === 'param') into.add(type.name)
    else if (type.params.length > 0) typeParamsOf(type.params, into)
  }
  return into
}
