/**
 * Built-in types as OpenAPI schemas, in either version of the format. Version 2 knows no defaults and no alternatives;
 * version 3 wraps references so that a default and a description may stand beside them.
 */
import type { GroupVersionKind } from '../../api/group-version.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { TypeCatalog } from '../../catalog/catalog.ts'
import type { ApiCatalog } from '../../catalog/releases.ts'
import type { Field, ObjectSchema, Schema } from '../../schema/schema.ts'
import { builtInName } from './definition-names.ts'
import { fieldDescription, typeDescription } from './descriptions.ts'

export type Dialect = 'v2' | 'v3'

const scalarTypes: Readonly<Record<string, string>> = {
  quantity: 'machinery.api.resource.Quantity',
  'int-or-string': 'machinery.util.intstr.IntOrString',
  time: 'meta.v1.Time',
  'micro-time': 'meta.v1.MicroTime',
}

/** Collects the definitions that a document needs: whatever is referred to is defined, once. */
export class TypeDefinitions {
  readonly #dialect: Dialect
  readonly #kinds: ReadonlyMap<string, readonly GroupVersionKind[]>
  readonly #enums: boolean
  readonly #types: TypeCatalog
  readonly #definitions = new Map<string, JsonObject>()
  readonly #pending: string[] = []

  /** `kinds`: the group, version and kind of the types that are objects by themselves, by the catalogue's name. */
  constructor(
    dialect: Dialect,
    kinds: ReadonlyMap<string, readonly GroupVersionKind[]>,
    { enums, catalog }: { readonly enums: boolean; readonly catalog: ApiCatalog },
  ) {
    this.#dialect = dialect
    this.#kinds = kinds
    this.#enums = enums
    this.#types = catalog.types
  }

  /** The name of a kind's type; undefined where it has none. */
  nameOf(kind: GroupVersionKind): string | undefined {
    return this.#types.schemaForKind(kind)?.name
  }

  /** A reference to a built-in type, which will be defined. */
  reference(typeName: string): JsonObject {
    const name = builtInName(typeName)
    if (!this.#definitions.has(name)) {
      this.#definitions.set(name, {})
      this.#pending.push(typeName)
    }
    return this.referenceTo(name)
  }

  /** A reference to a definition by its name in the document. */
  referenceTo(name: string): JsonObject {
    return { $ref: `#/${this.#dialect === 'v2' ? 'definitions' : 'components/schemas'}/${name}` }
  }

  /** Adds a definition that is not built in. */
  define(name: string, definition: JsonObject): void {
    this.#definitions.set(name, definition)
  }

  /** A reference with something to say beside it. */
  describedReference(typeName: string, more: JsonObject): JsonObject {
    const reference = this.reference(typeName)
    return this.#dialect === 'v2' ? { ...more, ...reference } : { ...more, allOf: [reference] }
  }

  /** All definitions by name, in alphabetical order. */
  finish(): ReadonlyMap<string, JsonObject> {
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
      this.#definitions.set(builtInName(next), this.#definition(next))
    }
    return new Map([...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #definition(typeName: string): JsonObject {
    const description = typeDescription(typeName, this.#types)
    const special = this.#specialDefinition(typeName)
    if (special !== undefined) return { description, ...special }
    const schema = this.#types.schemaOf(typeName)
    return schema.kind === 'object'
      ? { description, ...this.#object(typeName, schema) }
      : { description, ...this.#inline(schema) }
  }

  #specialDefinition(typeName: string): JsonObject | undefined {
    const isV2 = this.#dialect === 'v2'
    switch (typeName) {
      case 'machinery.api.resource.Quantity':
        return isV2 ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] }
      case 'machinery.util.intstr.IntOrString':
        return isV2
          ? { type: 'string', format: 'int-or-string' }
          : { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }
      case 'meta.v1.Time':
      case 'meta.v1.MicroTime':
        return { type: 'string', format: 'date-time' }
      case 'meta.v1.FieldsV1':
      case 'meta.v1.Patch':
      case 'machinery.runtime.RawExtension':
        return { type: 'object' }
      default:
        return undefined
    }
  }

  #object(typeName: string, schema: ObjectSchema): JsonObject {
    const properties: JsonObject = {}
    const required: string[] = []
    for (const field of schema.fields.values()) {
      properties[field.name] = this.#field(typeName, field)
      if (field.required) required.push(field.name)
    }
    const kinds = this.#kinds.get(typeName)
    return {
      type: 'object',
      ...(schema.fields.size === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(schema.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      ...(schema.union === undefined ? {} : { 'x-kubernetes-unions': [unionOf(schema.union)] }),
      ...(kinds === undefined ? {} : { 'x-kubernetes-group-version-kind': kinds.map((kind) => ({ ...kind })) }),
    }
  }

  #field(typeName: string, field: Field): JsonObject {
    const { schema, patch, pointer } = field
    const description = fieldDescription(typeName, field, this.#types)
    const marks: JsonObject = {
      ...(description === '' ? {} : { description }),
      ...topologyMarks(field),
      ...(patch === undefined ? {} : { 'x-kubernetes-patch-strategy': patch.strategies.join(',') }),
      ...(patch?.mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': patch.mergeKey }),
    }
    const referred = referredType(schema)
    if (referred !== undefined) {
      const fallback = !pointer && schema.kind === 'object' && this.#dialect === 'v3' ? { default: {} } : {}
      const beside = { ...marks, ...fallback }
      return Object.keys(beside).length === 0 ? this.reference(referred) : this.describedReference(referred, beside)
    }
    return { ...this.#inline(schema), ...this.#default(schema), ...marks }
  }

  #default(schema: Schema): JsonObject {
    return this.#dialect === 'v3' && schema.default !== undefined ? { default: schema.default } : {}
  }

  /** An element of a list or map: never absent, so it has a default in version 3. */
  #element(schema: Schema): JsonObject {
    const referred = referredType(schema)
    if (referred !== undefined) {
      if (this.#dialect === 'v2') return this.reference(referred)
      return schema.kind === 'object' ? this.describedReference(referred, { default: {} }) : this.reference(referred)
    }
    const zero = this.#dialect === 'v3' ? zeroOf(schema) : undefined
    return { ...this.#inline(schema), ...(zero === undefined ? {} : { default: zero }) }
  }

  #inline(schema: Schema): JsonObject {
    switch (schema.kind) {
      case 'object':
        return { type: 'object' }
      case 'list':
        return { type: 'array', items: this.#element(schema.items) }
      case 'map':
        return { type: 'object', additionalProperties: this.#element(schema.values) }
      case 'any':
        return {}
      case 'bytes':
        return { type: 'string', format: 'byte' }
      case 'integer':
      case 'number':
      case 'string':
      case 'boolean':
        return {
          type: schema.kind,
          ...(schema.format === undefined ? {} : { format: schema.format }),
          ...(schema.enum === undefined || !this.#enums ? {} : { enum: [...schema.enum] }),
        }
      default:
        return { type: 'string' }
    }
  }
}

/** The type that a field refers to by name; undefined for what is written out in place. */
function referredType(schema: Schema): string | undefined {
  if (schema.kind === 'object' || schema.kind === 'any') return schema.name
  return scalarTypes[schema.kind]
}

function topologyMarks({ schema, declaredType }: Field): JsonObject {
  if (declaredType?.list !== undefined) return { 'x-kubernetes-list-type': declaredType.list }
  if (declaredType?.map !== undefined) return { 'x-kubernetes-map-type': declaredType.map }
  if (schema.kind === 'list' && schema.declared) {
    return {
      'x-kubernetes-list-type': schema.topology,
      ...(schema.keys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': [...schema.keys] }),
    }
  }
  if (schema.kind === 'map' && schema.declared) {
    return { 'x-kubernetes-map-type': schema.atomic ? 'atomic' : 'granular' }
  }
  return {}
}

function unionOf({ discriminator, members }: NonNullable<ObjectSchema['union']>): JsonObject {
  return {
    ...(discriminator === '' ? {} : { discriminator }),
    'fields-to-discriminateBy': { ...members },
  }
}

function zeroOf({ kind }: Schema): JsonValue | undefined {
  switch (kind) {
    case 'string':
      return ''
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return false
    default:
      return undefined
  }
}
