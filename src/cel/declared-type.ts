/**
 * A structural type as expressions see it: its CEL type, the largest size a value of it can have in a request (which
 * cost estimates rest on), and how its JSON becomes a value. Everything is made when it is first asked for, so that
 * large and recursive types cost nothing.
 */
import type { JsonValue } from '../api/json.ts'
import type { Field, ListSchema, MapSchema, Schema } from '../schema/schema.ts'
import { escapeName, isReserved, unescapeName } from './escaping.ts'
import { adapterOf } from './json-values.ts'
import type { Type } from './types.ts'
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listType, mapType, STRING, structType, TIMESTAMP } from './types.ts'
import type { Value } from './values.ts'

/** The largest request that is accepted. */
const MAX_REQUEST = 3 * 1024 * 1024

/** Text of these formats is a value of another type; sizes are those of its JSON. */
const FORMATS: Readonly<Record<string, { type: Type; min: number; max: number }>> = {
  duration: { type: DURATION, min: 3, max: 32 },
  date: { type: TIMESTAMP, min: 12, max: 12 },
  'date-time': { type: TIMESTAMP, min: 21, max: 32 },
}

export interface DeclaredField {
  readonly jsonName: string
  readonly required: boolean
  readonly type: DeclaredType
}

export interface DeclareOptions {
  /** The name of the type, if the schema has none. */
  readonly name?: string
  /** A whole object lies here: it has `kind`, `apiVersion` and `metadata`. */
  readonly resourceRoot?: boolean
  /** Values are taken as the JSON they are, whatever the schema says. */
  readonly dynamicValues?: boolean
  /** The length of an int-or-string is bounded by its `maxLength`. */
  readonly boundedIntOrString?: boolean
}

/** A character takes up to four bytes. */
const maxBytes = (maxLength: number): bigint => BigInt(Math.max(0, maxLength)) * 4n

const stringSchema: Schema = { kind: 'string' }
const plainField = (name: string, schema: Schema): [string, Field] => [
  name,
  { name, schema, required: false, pointer: false, emit: false },
]
const objectMetaFields: ReadonlyMap<string, Field> = new Map([
  plainField('kind', stringSchema),
  plainField('apiVersion', stringSchema),
  plainField('metadata', {
    kind: 'object',
    name: undefined,
    fields: new Map([plainField('name', stringSchema), plainField('generateName', stringSchema)]),
    atomic: false,
    preserveUnknown: false,
    embedded: false,
  }),
])

/** Whether the schema of a custom object itself says what its kind, version and names are. */
function describesMeta(fields: ReadonlyMap<string, Field>): boolean {
  const metadata = fields.get('metadata')?.schema
  const isText = (of: ReadonlyMap<string, Field>, name: string): boolean => of.get(name)?.schema.kind === 'string'
  if (metadata?.kind !== 'object' || metadata.name !== undefined) return false
  return (
    isText(fields, 'kind') &&
    isText(fields, 'apiVersion') &&
    isText(metadata.fields, 'name') &&
    isText(metadata.fields, 'generateName')
  )
}

/** The text that OpenAPI knows the scalar as: a string with a format, or nothing. */
function formatOf(schema: Schema): string | undefined {
  switch (schema.kind) {
    case 'time':
    case 'micro-time':
      return 'date-time'
    case 'bytes':
      return 'byte'
    case 'string':
      return schema.format
    default:
      return undefined
  }
}

/** `additionalProperties: true`. */
const isOpen = (schema: Schema): boolean =>
  schema.kind === 'map' && schema.values.kind === 'any' && schema.values.closed === true

export class DeclaredType {
  readonly schema: Schema
  readonly #options: DeclareOptions
  #type: Type | undefined
  #fields: ReadonlyMap<string, DeclaredField> | undefined
  #byKey: Map<string, DeclaredField | undefined> | undefined
  #element: DeclaredType | undefined
  #minSize: number | undefined
  #adapt: ((json: JsonValue) => Value) | undefined

  constructor(schema: Schema, options: DeclareOptions = {}) {
    this.schema = schema
    this.#options = options
  }

  get name(): string {
    const { schema } = this
    return (schema.kind === 'object' ? schema.name : undefined) ?? this.#options.name ?? 'object'
  }

  /** The same type under another name, from which the names of the types within it follow. */
  named(name: string): DeclaredType {
    return new DeclaredType(this.schema, { ...this.#options, name })
  }

  /** A map of anything counts as an object without fields. */
  get isObject(): boolean {
    const { schema } = this
    return schema.kind === 'object' || (schema.kind === 'any' && schema.embedded === true) || isOpen(schema)
  }

  get isList(): boolean {
    return this.schema.kind === 'list'
  }

  get isMap(): boolean {
    return this.schema.kind === 'map' && !isOpen(this.schema)
  }

  /** Whether expressions may look at it: JSON without a structure is out of their sight, and so are properties of what has no type. */
  get isDeclared(): boolean {
    if (this.isList || this.isMap) return this.element!.isDeclared
    if (this.schema.kind === 'object' && this.schema.untyped === true) return false
    return this.schema.kind !== 'any' || this.isObject
  }

  get type(): Type {
    this.#type ??= this.#makeType()
    return this.#type
  }

  #makeType(): Type {
    switch (this.schema.kind) {
      case 'object':
        return this.#objectType()
      case 'any':
        return this.isObject ? this.#objectType() : DYN
      case 'list':
        return listType(this.element!.type)
      case 'map':
        return this.isMap ? mapType(STRING, this.element!.type) : this.#objectType()
      case 'integer':
        return INT
      case 'number':
        return DOUBLE
      case 'boolean':
        return BOOL
      case 'int-or-string':
        return DYN
      default: {
        const format = formatOf(this.schema)
        if (format === 'byte') return BYTES
        return format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format]!.type : STRING
      }
    }
  }

  #objectType(): Type {
    return structType(this.name, (name) => this.field(name)?.type.type)
  }

  /** Items of a list, values of a map. */
  get element(): DeclaredType | undefined {
    if (this.#element || (!this.isList && !this.isMap)) return this.#element
    const schema = this.isList ? (this.schema as ListSchema).items : (this.schema as MapSchema).values
    this.#element = this.#child(schema, this.isList ? '@idx' : '@elem')
    return this.#element
  }

  #child(schema: Schema, name: string): DeclaredType {
    const embedded = (schema.kind === 'object' || schema.kind === 'any') && schema.embedded === true
    return new DeclaredType(schema, {
      name: `${this.isObject ? this.name : (this.#options.name ?? '')}.${name}`,
      resourceRoot: embedded,
      ...(this.#options.dynamicValues && { dynamicValues: true }),
      ...(this.#options.boundedIntOrString && { boundedIntOrString: true }),
    })
  }

  /** All properties by their names in JSON, also those that expressions cannot see. */
  get properties(): ReadonlyMap<string, DeclaredField> {
    this.#fields ??= this.#makeFields()
    return this.#fields
  }

  #makeFields(): ReadonlyMap<string, DeclaredField> {
    const fields = new Map<string, DeclaredField>()
    const own = this.schema.kind === 'object' ? this.schema.fields : new Map<string, Field>()
    const needsMeta = this.#options.resourceRoot === true && !this.#isBuiltIn && !describesMeta(own)
    const all = needsMeta ? new Map([...own, ...objectMetaFields]) : own
    for (const [jsonName, field] of all) {
      let type: DeclaredType | undefined
      const make = (): DeclaredType => this.#child(field.schema, escapeName(jsonName) ?? jsonName)
      fields.set(jsonName, {
        jsonName,
        required: field.required,
        get type(): DeclaredType {
          type ??= make()
          return type
        },
      })
    }
    return fields
  }

  get #isBuiltIn(): boolean {
    return this.schema.kind === 'object' && this.schema.name !== undefined
  }

  /** The field that an expression names so, if it may. */
  field(name: string): DeclaredField | undefined {
    const found = this.keyed(name)
    if (!found?.type.isDeclared) return undefined
    const escaped = escapeName(found.jsonName)
    return escaped === name || (isReserved(name) && escaped === `__${name}__`) ? found : undefined
  }

  /** The property that a key of the value stands for. */
  keyed(key: string): DeclaredField | undefined {
    this.#byKey ??= new Map()
    if (this.#byKey.has(key)) return this.#byKey.get(key)
    const jsonName = unescapeName(key)
    const found = jsonName === undefined ? undefined : this.properties.get(jsonName)
    if (found) this.#byKey.set(key, found)
    return found
  }

  /** The most items, properties or bytes that a value of a request can have. */
  get maxElements(): bigint {
    const { schema } = this
    const { constraints } = schema
    switch (schema.kind) {
      case 'list':
        return BigInt(constraints?.maxItems ?? Math.floor((MAX_REQUEST - 2) / (this.element!.minSize + 1)))
      case 'map':
        if (!this.isMap) return 0n
        return BigInt(constraints?.maxProperties ?? Math.floor((MAX_REQUEST - 2) / (this.element!.minSize + 6)))
      case 'object':
      case 'any':
      case 'integer':
      case 'number':
      case 'boolean':
        return 0n
      case 'int-or-string':
        return this.#options.boundedIntOrString && constraints?.maxLength !== undefined
          ? maxBytes(constraints.maxLength)
          : BigInt(MAX_REQUEST - 2)
      default:
        return this.#maxText()
    }
  }

  #maxText(): bigint {
    const format = formatOf(this.schema)
    const { constraints } = this.schema
    const known = format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
    if (known) return BigInt(known.max)
    if (constraints?.maxLength !== undefined) {
      return format === 'byte' ? BigInt(Math.max(0, constraints.maxLength)) : maxBytes(constraints.maxLength)
    }
    const choices = ('enum' in this.schema ? this.schema.enum : undefined) ?? constraints?.enum ?? []
    if (choices.length === 0 || format === 'byte') return BigInt(MAX_REQUEST - 2)
    const lengths = choices.map((choice) => (typeof choice === 'string' ? Buffer.byteLength(choice) : 0))
    return BigInt(Math.max(...lengths))
  }

  /** The fewest bytes of JSON that a value takes. */
  get minSize(): number {
    if (this.#minSize === undefined) {
      // What a recursive type finds while its own size is being added up.
      this.#minSize = 2
      this.#minSize = this.#computeMinSize()
    }
    return this.#minSize
  }

  #computeMinSize(): number {
    const { schema } = this
    switch (schema.kind) {
      case 'object':
      case 'any':
        return this.isObject ? this.#objectMinSize() : 1
      case 'integer':
      case 'number':
      case 'int-or-string':
        return 1
      case 'boolean':
        return 4
      default: {
        const format = formatOf(schema)
        return format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format]!.min : 2
      }
    }
  }

  #objectMinSize(): number {
    let size = 2
    for (const { jsonName, required, type } of this.properties.values()) {
      if (!required || !type.isDeclared || type.schema.default !== undefined) continue
      size += Buffer.byteLength(jsonName) + type.minSize + 4
    }
    return size
  }

  /** The value of a JSON that the type describes; what does not fit is an error inside the value. */
  adapt(json: JsonValue): Value {
    this.#adapt ??= adapterOf(this, this.#options.dynamicValues === true)
    return this.#adapt(json)
  }
}
