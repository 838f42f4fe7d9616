/** A schema compiled into what is checked of its values; alternatives (anyOf and its like) compile into the same. */

import { compileOnce } from '../lib/memo.ts'
import type { Constraints, Schema, ValueRules } from './schema.ts'

/** What one part of a type demands, whether it comes from a structural schema or from inside of an alternative. */
export interface Rules {
  readonly types: readonly string[]
  readonly nullable: boolean
  /** Empty when there is none, or none that is known. */
  readonly format: string
  readonly constraints: Omit<Constraints, 'rules'>
  readonly properties: ReadonlyMap<string, Rules>
  /** False forbids keys that are not properties. */
  readonly additional: Rules | boolean
  readonly items: Rules | undefined
  /** The keys by which elements of a list are matched with their old selves. */
  readonly listKeys: readonly string[]
  readonly alternatives: Alternatives | undefined
}

export interface Alternatives {
  readonly anyOf: readonly Rules[]
  readonly oneOf: readonly Rules[]
  readonly allOf: readonly Rules[]
  readonly not: Rules | undefined
}

const none: ReadonlyMap<string, Rules> = new Map()

export const compiledRules = compileOnce('schema-rules', compileSchema)

const typeNames: Readonly<Record<string, readonly string[]>> = {
  object: ['object'],
  map: ['object'],
  list: ['array'],
  any: [],
  'int-or-string': ['integer', 'string'],
}

/** What `additionalProperties: true` says, which is no schema. */
const isAnything = (values: Schema): boolean => values.kind === 'any' && values.closed === true

function additionalOf(schema: Schema): Rules | boolean {
  if (schema.kind === 'map') return isAnything(schema.values) || compiledRules(schema.values)
  return schema.kind !== 'object' || schema.refusesOthers !== true
}

function typesOf(schema: Schema): readonly string[] {
  if (schema.unknownType !== undefined) return [schema.unknownType]
  if (schema.kind === 'object' && schema.untyped === true) return []
  return typeNames[schema.kind] ?? [schema.kind]
}

function compileSchema(schema: Schema): Rules {
  const constraints = schema.constraints ?? {}
  const properties = new Map<string, Rules>()
  if (schema.kind === 'object') {
    for (const field of schema.fields.values()) properties.set(field.name, compiledRules(field.schema))
  }
  return {
    types: typesOf(schema),
    nullable: schema.nullable === true,
    format: 'format' in schema && schema.format !== undefined ? schema.format : '',
    constraints,
    properties,
    additional: additionalOf(schema),
    items: schema.kind === 'list' ? compiledRules(schema.items) : undefined,
    listKeys: schema.kind === 'list' ? schema.keys : [],
    alternatives: compileAlternatives(constraints),
  }
}

function compileValueRules(source: ValueRules): Rules {
  const { type, format, nullable, properties, additionalProperties, items } = source
  const entries = Object.entries(properties ?? {}).map(([key, inner]) => [key, valueRules(inner)] as const)
  return {
    types: type === undefined || type === '' ? [] : [type],
    nullable: nullable === true,
    format: format ?? '',
    constraints: source,
    properties: entries.length === 0 ? none : new Map(entries),
    additional:
      typeof additionalProperties === 'object' ? valueRules(additionalProperties) : additionalProperties !== false,
    items: items === undefined ? undefined : valueRules(items),
    listKeys: [],
    alternatives: compileAlternatives(source),
  }
}

const valueRules = compileOnce('value-rules', compileValueRules)

function compileAlternatives({ anyOf, oneOf, allOf, not }: Omit<Constraints, 'rules'>): Alternatives | undefined {
  if (anyOf === undefined && oneOf === undefined && allOf === undefined && not === undefined) return undefined
  return {
    anyOf: (anyOf ?? []).map(valueRules),
    oneOf: (oneOf ?? []).map(valueRules),
    allOf: (allOf ?? []).map(valueRules),
    not: not === undefined ? undefined : valueRules(not),
  }
}
