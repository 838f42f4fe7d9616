/**
 * The one model of a structural type, for built-in kinds (made from the catalogue) and custom ones (made from a
 * definition's OpenAPI schema). A schema is immutable; `fields`, `items` and `values` may be lazy getters, so that a
 * type costs nothing until its first access, and types may refer to themselves.
 *
 * From a schema are compiled, on first use: decoder, defaulter, pruner, validator, topology lookups, Protobuf mapping.
 */
import type { JsonValue } from '../api/json.ts'

export type Schema = ObjectSchema | MapSchema | ListSchema | ScalarSchema | AnySchema

/** What any node may carry. */
interface Node {
  /** `null` is a value of this type, and is kept. */
  readonly nullable?: boolean
  readonly default?: JsonValue
  /** The value rules of a custom type (bounds, patterns, alternatives, expressions). Built-in types have none. */
  readonly constraints?: Constraints
  /** A type that the schema language does not have: no value is of it. */
  readonly unknownType?: string
}

/** An object with named fields, in wire order. */
export interface ObjectSchema extends Node {
  readonly kind: 'object'
  /** The catalogue's name of a built-in type, such as `core.v1.Pod`; undefined for a custom type. */
  readonly name: string | undefined
  /** The minor number of the release that a type is of, or whose server has it; absent for the default one. */
  readonly release?: number | undefined
  readonly fields: ReadonlyMap<string, Field>
  /** One manager owns it whole. */
  readonly atomic: boolean
  /** Unknown fields are kept (`x-kubernetes-preserve-unknown-fields`). */
  readonly preserveUnknown: boolean
  /** A whole object of some kind lies here (`x-kubernetes-embedded-resource`). */
  readonly embedded: boolean
  /** It does not say to be an object (schemas without a structure): values of other types pass. */
  readonly untyped?: boolean
  /** Other keys are no business of pruning, and are refused (`additionalProperties: false`). */
  readonly refusesOthers?: boolean
  /** Which field goes with which value of the discriminator, where the type says so. */
  readonly union?: UnionMarker
}

export interface UnionMarker {
  readonly discriminator: string
  /** Field name → value of the discriminator. */
  readonly members: Readonly<Record<string, string>>
}

/** An object with any keys and values of one type. */
export interface MapSchema extends Node {
  readonly kind: 'map'
  readonly values: Schema
  readonly atomic: boolean
  /** The type states `granular` or `atomic` itself. */
  readonly declared?: boolean
}

export type ListTopology = 'atomic' | 'set' | 'map'

export interface ListSchema extends Node {
  readonly kind: 'list'
  readonly items: Schema
  /** As server-side apply sees it. */
  readonly topology: ListTopology
  /** The key fields of an associative list; empty otherwise. */
  readonly keys: readonly string[]
  /** The type states its topology; without it `atomic` is assumed. */
  readonly declared?: boolean
}

export type ScalarKind =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'int-or-string'
  | 'quantity'
  /** RFC 3339, UTC, whole seconds. */
  | 'time'
  /** RFC 3339, UTC, six digits of a second. */
  | 'micro-time'
  /** A Go duration string such as `1m30s`. */
  | 'duration'
  /** Base64 text in JSON. */
  | 'bytes'

export interface ScalarSchema extends Node {
  readonly kind: ScalarKind
  /** `int32`, `int64`, `double`, or a string format of a custom type. */
  readonly format?: string
  readonly enum?: readonly JsonValue[]
}

/** Any JSON: raw extensions, `fieldsV1`, and the parts of custom types that say nothing. */
export interface AnySchema extends Node {
  readonly kind: 'any'
  /** The catalogue's name of a built-in type, such as `machinery.runtime.RawExtension`. */
  readonly name?: string
  /** A whole object of some kind lies here. */
  readonly embedded?: boolean
  /** Objects found here lose all their keys when pruned (`additionalProperties: true`). */
  readonly closed?: boolean
  /** Of a value whose type is unknown. */
  readonly format?: string
  /** Objects found here, bare or in a list, are of this type (`JSONSchemaPropsOrArray` and its like). */
  readonly object?: ObjectSchema
}

export interface Field {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  /** Absent and zero are distinct. Without it a zero value counts as absent (built-in types only). */
  readonly pointer: boolean
  /** The key is written even when its value is zero: `creationTimestamp: null`, `status: {}`. */
  readonly emit: boolean
  /** How a strategic merge patch treats the field. */
  readonly patch?: FieldPatch
  /** What a type error calls the field's type, where the schema does not say: `v1.RestartPolicy`. */
  readonly goType?: string
  readonly proto?: ProtoField
  /** What the field declares about lists or maps although its type is neither: OpenAPI shows it, nothing else minds. */
  readonly declaredType?: { readonly list?: string; readonly map?: string }
  /** The feature gates that the field belongs to. */
  readonly gates?: readonly string[]
}

export interface FieldPatch {
  readonly strategies: readonly ('merge' | 'replace' | 'retainKeys')[]
  readonly mergeKey?: string
}

export interface ProtoField {
  /** The field number; two numbers when the field lies in an embedded message. */
  readonly path: readonly number[]
  /** The Protobuf scalar type, or the catalogue's name of the message. */
  readonly type: string
  readonly shape: 'single' | 'repeated' | 'map'
}

/** The value rules of a custom type, as OpenAPI words them. */
export interface Constraints {
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly enum?: readonly JsonValue[]
  /** Keys that must be there; they need not be declared as fields. */
  readonly required?: readonly string[]
  readonly allOf?: readonly ValueRules[]
  readonly anyOf?: readonly ValueRules[]
  readonly oneOf?: readonly ValueRules[]
  readonly not?: ValueRules
  readonly rules?: readonly ExpressionRule[]
}

/** A schema inside `allOf`, `anyOf`, `oneOf` or `not`: it restricts values and describes no structure. */
export interface ValueRules extends Omit<Constraints, 'rules'> {
  readonly type?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly properties?: Readonly<Record<string, ValueRules>>
  readonly additionalProperties?: ValueRules | boolean
  readonly items?: ValueRules
}

/** One entry of `x-kubernetes-validations`. */
export interface ExpressionRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}
