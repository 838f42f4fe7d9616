/**
 * Reads the catalogue's text form of built-in types, lazily: a package's text is cut into types when one of them is
 * first asked for, and a type's fields are read on first access.
 *
 * The form, one type after another:
 *
 *     @PodSpec
 *     containers⇥[.Container]⇥re⇥Lname⇥Pmerge:name⇥#2
 *     restartPolicy⇥string⇥EAlways|Never|OnFailure⇥Tv1.RestartPolicy⇥#3
 *
 * `@name`, then marks: `K` a kind, `A` atomic, `U` union. A field: name, type (`[x]` list, `{x}` map, `.X` of the same
 * package), then marks: `r` required `p` pointer `e` emit; `L` list keys or `:topology`; `M` map topology; `P` patch
 * strategies and merge key; `E` enum; `D` default; `G` gates; `T` name in type errors; `#` Protobuf path and message.
 */
import type {
  AnySchema,
  Field,
  FieldPatch,
  ListSchema,
  ListTopology,
  ObjectSchema,
  ProtoField,
  ScalarSchema,
  Schema,
  UnionMarker,
} from '../schema/schema.ts'

export type TypeLookup = (name: string) => Schema

/** Where a type belongs. */
export interface TypeHome {
  readonly packageName: string
  /** Absent for the default release. */
  readonly release: number | undefined
  readonly lookup: TypeLookup
}

/** A built-in object type. Its fields are read from the text on first use. */
export class CatalogType implements ObjectSchema {
  readonly kind = 'object'
  readonly name: string
  readonly release: number | undefined
  readonly atomic: boolean
  readonly preserveUnknown = false
  readonly embedded = false
  /** It is a kind: objects of it carry `apiVersion` and `kind`. */
  readonly isKind: boolean
  readonly union?: UnionMarker
  readonly #lookup: TypeLookup
  #text: string
  #fields: ReadonlyMap<string, Field> | undefined

  constructor(text: string, { packageName, release, lookup }: TypeHome) {
    const end = text.includes('\n') ? text.indexOf('\n') : text.length
    const [name = '', ...marks] = text.slice(0, end).split('\t')
    this.name = `${packageName}.${name}`
    this.release = release
    this.isKind = marks.includes('K')
    this.atomic = marks.includes('A')
    const union = marks.find((mark) => mark.startsWith('U'))
    if (union !== undefined) this.union = parseUnion(union.slice(1))
    this.#text = text.slice(end + 1)
    this.#lookup = lookup
  }

  get fields(): ReadonlyMap<string, Field> {
    this.#fields ??= this.#readFields()
    return this.#fields
  }

  #readFields(): ReadonlyMap<string, Field> {
    const packageName = this.name.slice(0, this.name.lastIndexOf('.'))
    const fields = new Map<string, Field>()
    for (const line of this.#text.split('\n')) {
      if (line === '') continue
      const field = parseField(line, packageName, this.#lookup)
      fields.set(field.name, field)
    }
    this.#text = ''
    return fields
  }
}

function parseUnion(text: string): UnionMarker {
  const [discriminator = '', members = ''] = text.split(':')
  return { discriminator, members: Object.fromEntries(members.split(',').map((member) => member.split('='))) }
}

/** The marks of a field, by their letter. */
interface Marks {
  L?: string
  M?: string
  P?: string
  E?: string
  D?: string
  G?: string
  T?: string
  '#'?: string
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

function parseField(line: string, packageName: string, lookup: TypeLookup): Field {
  const cells = line.split('\t')
  const type = absolute(cells[1] ?? '', packageName)
  const marks: Marks = {}
  let flags = ''
  for (let i = 2; i < cells.length; i++) {
    const cell = cells[i] ?? ''
    const letter = cell.charAt(0)
    if (letter === 'r' || letter === 'p' || letter === 'e') flags = cell
    else marks[letter as keyof Marks] = cell.slice(1)
  }
  const field: Mutable<Field> = {
    name: cells[0] ?? '',
    schema: parseSchema(type, marks, lookup),
    required: flags.includes('r'),
    pointer: flags.includes('p'),
    emit: flags.includes('e'),
  }
  const declared = strayTopology(type, marks)
  if (declared !== undefined) field.declaredType = declared
  if (marks.P !== undefined) field.patch = parsePatch(marks.P)
  if (marks.G !== undefined) field.gates = marks.G.split(',')
  if (marks.T !== undefined) field.goType = marks.T
  if (marks['#'] !== undefined) field.proto = parseProto(marks['#'], type, packageName)
  return field
}

function strayTopology(type: string, { L: list, M: map }: Marks): Field['declaredType'] {
  if (list !== undefined && !type.startsWith('[')) return { list: list.slice(1) }
  return map !== undefined && !type.startsWith('{') ? { map } : undefined
}

/** `[.Container]` of `core.v1` is `[core.v1.Container]`. */
function absolute(type: string, packageName: string): string {
  const dot = type.indexOf('.')
  const isRelative = dot === 0 || (dot > 0 && (type.charAt(dot - 1) === '[' || type.charAt(dot - 1) === '{'))
  return isRelative ? type.slice(0, dot) + packageName + type.slice(dot) : type
}

function parsePatch(text: string): FieldPatch {
  const [strategies = '', mergeKey] = text.split(':')
  return {
    strategies: strategies.split(',') as FieldPatch['strategies'],
    ...(mergeKey === undefined ? {} : { mergeKey }),
  }
}

const protoScalars: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'bool',
  'integer:int32': 'int32',
  'integer:int64': 'int64',
  'string:byte': 'bytes',
  'number:double': 'double',
}

function parseProto(text: string, type: string, packageName: string): ProtoField {
  const [path = '', message] = text.split(':')
  const base = type.replace(/[[\]{}]/g, '')
  return {
    path: path.split('.').map(Number),
    type: message === undefined ? (protoScalars[base] ?? base) : absolute(message, packageName),
    // A wrapper message stands for the inner list, so `{[string]}` is a map of messages and `[string]` is a single one.
    shape: type.startsWith('{') ? 'map' : type.startsWith('[') && message === undefined ? 'repeated' : 'single',
  }
}

function parseSchema(type: string, marks: Marks, lookup: TypeLookup): Schema {
  if (type.startsWith('[')) return listSchema(parseSchema(type.slice(1, -1), marks, lookup), marks.L)
  if (type.startsWith('{')) {
    const topology = marks.M
    // An enum is of the values.
    const values = parseSchema(type.slice(1, -1), marks.E === undefined ? noMarks : { E: marks.E }, lookup)
    return { kind: 'map', values, atomic: topology === 'atomic', ...(topology === undefined ? {} : { declared: true }) }
  }
  const scalar = scalarSchemas[type]
  if (scalar !== undefined) return withMarks(scalar, marks)
  const found = lookup(type)
  return found.kind === 'object' && marks.M !== undefined ? owned(found, marks.M === 'atomic') : found
}

/** A type as a field has it that says itself whether one manager owns it whole. */
function owned(schema: ObjectSchema, atomic: boolean): ObjectSchema {
  const { kind, name, release, preserveUnknown, embedded } = schema
  return {
    kind,
    name,
    release,
    atomic,
    preserveUnknown,
    embedded,
    get fields() {
      return schema.fields
    },
  }
}

const noMarks: Marks = {}

function listSchema(items: Schema, mark: string | undefined): ListSchema {
  if (mark === undefined) return { kind: 'list', items, topology: 'atomic', keys: [] }
  if (mark.startsWith(':')) {
    return { kind: 'list', items, topology: mark.slice(1) as ListTopology, keys: [], declared: true }
  }
  return { kind: 'list', items, topology: 'map', keys: mark.split(','), declared: true }
}

/** A scalar of its own when the field adds an enum or a default; otherwise the shared one. */
function withMarks(scalar: ScalarSchema | AnySchema, marks: Marks): Schema {
  const values = marks.E
  const fallback = marks.D
  if (scalar.kind === 'any' || (values === undefined && fallback === undefined)) return scalar
  return {
    ...scalar,
    ...(values === undefined ? {} : { enum: values.split('|') }),
    ...(fallback === undefined ? {} : { default: JSON.parse(fallback) }),
  }
}

const scalarSchemas: Readonly<Record<string, ScalarSchema | AnySchema>> = {
  string: { kind: 'string' },
  boolean: { kind: 'boolean' },
  'integer:int32': { kind: 'integer', format: 'int32' },
  'integer:int64': { kind: 'integer', format: 'int64' },
  'number:double': { kind: 'number', format: 'double' },
  'string:byte': { kind: 'bytes' },
  any: { kind: 'any' },
}
