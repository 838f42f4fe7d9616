/**
 * Validation rules with their outcomes, run-time costs and estimates (facts/cases/cel-rules.json).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import type { Field, ListTopology, Schema } from '../schema/schema.ts'
import { DeclaredType } from './declared-type.ts'
import { storedExpressions } from './environment.ts'
import { validationRuleEnvironment } from './environments.ts'
import type { Program } from './program.ts'
import { estimateProgramCost, sizesBelow } from './program.ts'
import { BOOL } from './types.ts'

const file = join(import.meta.dirname, '../../facts/cases/cel-rules.json')

interface Structural {
  readonly Type?: string
  readonly Properties?: Readonly<Record<string, Structural>> | null
  readonly Items?: Structural | null
  readonly AdditionalProperties?: { readonly Structural?: Structural | null } | null
  readonly Default?: { readonly Object: JsonValue }
  readonly Nullable?: boolean
  readonly XPreserveUnknownFields?: boolean
  readonly XEmbeddedResource?: boolean
  readonly XIntOrString?: boolean
  readonly XListMapKeys?: readonly string[] | null
  readonly XListType?: ListTopology | null
  readonly ValueValidation?: {
    readonly Format?: string
    readonly MaxItems?: number | null
    readonly MaxProperties?: number | null
    readonly MaxLength?: number | null
    readonly Required?: readonly string[] | null
    readonly Enum?: readonly { readonly Object: JsonValue }[] | null
  } | null
}

function toSchema(structural: Structural): Schema {
  const values = structural.ValueValidation
  const constraints = {
    ...(values?.MaxItems != null && { maxItems: values.MaxItems }),
    ...(values?.MaxProperties != null && { maxProperties: values.MaxProperties }),
    ...(values?.MaxLength != null && { maxLength: values.MaxLength }),
  }
  const common = {
    ...(structural.Nullable && { nullable: true }),
    ...(structural.Default?.Object != null && { default: structural.Default.Object }),
    constraints,
  }
  if (structural.XIntOrString) return { ...common, kind: 'int-or-string' }
  switch (structural.Type) {
    case 'object':
      return toObject(structural, common)
    case 'array':
      if (!structural.Items) return { ...common, kind: 'any' }
      return {
        ...common,
        kind: 'list',
        items: toSchema(structural.Items),
        topology: structural.XListType ?? 'atomic',
        keys: structural.XListMapKeys ?? [],
      }
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return {
        ...common,
        kind: structural.Type,
        ...(values?.Format && { format: values.Format }),
        ...(values?.Enum && { enum: values.Enum.map((choice) => choice.Object) }),
      }
    default:
      return { ...common, kind: 'any' }
  }
}

function toObject(structural: Structural, common: Pick<Schema, 'nullable' | 'default' | 'constraints'>): Schema {
  const element = structural.AdditionalProperties?.Structural
  if (element && !structural.Properties) return { ...common, kind: 'map', values: toSchema(element), atomic: false }
  const required = structural.ValueValidation?.Required ?? []
  const fields = Object.entries(structural.Properties ?? {}).map(([name, property]): [string, Field] => [
    name,
    { name, schema: toSchema(property), required: required.includes(name), pointer: false, emit: false },
  ])
  return {
    ...common,
    kind: 'object',
    name: undefined,
    fields: new Map(fields),
    atomic: false,
    preserveUnknown: structural.XPreserveUnknownFields === true,
    embedded: structural.XEmbeddedResource === true,
  }
}

/** Numbers are written with their Go type: {"$i": "1"} and {"$f": "1.5"}. */
function toValue(encoded: unknown): JsonValue {
  if (typeof encoded !== 'object' || encoded === null) return encoded as JsonValue
  if (Array.isArray(encoded)) return encoded.map(toValue)
  const entries = encoded as Record<string, unknown>
  if (typeof entries['$i'] === 'string') {
    const value = BigInt(entries['$i'])
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  }
  if (typeof entries['$f'] === 'string') return Number(entries['$f'])
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, toValue(value)]))
}

interface Group {
  readonly kind: 'valid' | 'cost' | 'est'
  readonly name: string
  readonly schema: Structural
  readonly obj?: unknown
  readonly oldObj?: unknown
  readonly isRoot?: boolean
  readonly expectSkipped?: boolean
  readonly expectedCost?: number
  readonly valid?: readonly string[] | null
  readonly errors?: Readonly<Record<string, string>> | null
  readonly cost?: Readonly<Record<string, number | string>>
}

const groups = JSON.parse(readFileSync(file, 'utf8')) as Group[]
const base = storedExpressions()

interface Attempt {
  readonly program?: Program
  readonly error?: string
}

function compile(group: Group, rule: string): Attempt {
  const resourceRoot = groups.some(({ name, isRoot }) => isRoot === true && name === group.name)
  const declared = new DeclaredType(toSchema(group.schema), { name: 'selfType', resourceRoot })
  const compiled = validationRuleEnvironment(base, declared).compile(rule)
  if (compiled.ok) return { program: compiled.program }
  const prefix = compiled.reason === 'program' ? 'program instantiation failed: ' : 'compilation failed: '
  return { error: `compile error: ${prefix}${compiled.message}` }
}

function outcomeOf(group: Group, rule: string): { value?: unknown; cost?: number; error?: string } {
  const { program, error } = compile(group, rule)
  if (!program) return { error: error! }
  if (program.resultType !== BOOL) return { error: 'cel expression must evaluate to a bool' }
  const activation: JsonObject = { self: toValue(group.obj) }
  if (group.oldObj !== null && group.oldObj !== undefined) activation['oldSelf'] = toValue(group.oldObj)
  const result = program.evaluate(activation)
  if (result.kind === 'value') return { value: result.value, cost: result.cost }
  return { error: result.kind === 'error' ? result.message : result.kind, cost: result.cost }
}

describe('rules', () => {
  for (const group of groups.filter(({ kind }) => kind === 'valid')) {
    it(`${group.name}: outcomes`, () => {
      const failures: string[] = []
      for (const rule of group.valid ?? []) {
        const outcome = outcomeOf(group, rule)
        if (group.expectSkipped) {
          // A rule about a former value is not run without one; it must compile all the same.
          if (outcome.error?.startsWith('compile') === true) failures.push(`${rule}: ${outcome.error}`)
          continue
        }
        if (outcome.value !== true) failures.push(`${rule}: ${outcome.error ?? String(outcome.value)}`)
        else if (group.expectedCost && outcome.cost !== group.expectedCost)
          failures.push(`${rule}: cost ${outcome.cost}`)
      }
      for (const [rule, expected] of Object.entries(group.errors ?? {})) {
        const { error, value } = outcomeOf(group, rule)
        if (!error?.includes(expected)) failures.push(`${rule}: expected ${expected}, got ${error ?? String(value)}`)
      }
      expect(failures).toEqual([])
    })
  }

  for (const group of groups.filter(({ kind }) => kind === 'cost')) {
    it(`${group.name}: run-time costs`, () => {
      const costs = Object.keys(group.cost!).map((rule) => {
        const { cost, error } = outcomeOf(group, rule)
        return [rule, cost ?? error]
      })
      expect(Object.fromEntries(costs)).toEqual(group.cost)
    })
  }

  for (const group of groups.filter(({ kind }) => kind === 'est')) {
    it(`${group.name}: estimates`, () => {
      const resourceRoot = groups.some(({ name, isRoot }) => isRoot === true && name === group.name)
      const declared = new DeclaredType(toSchema(group.schema), { name: 'selfType', resourceRoot })
      const estimates = Object.keys(group.cost!).map((rule) => {
        const { program, error } = compile(group, rule)
        return [rule, program ? estimateProgramCost(program, sizesBelow(declared)).max.toString() : error]
      })
      expect(Object.fromEntries(estimates)).toEqual(group.cost)
    })
  }
})
