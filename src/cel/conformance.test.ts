/**
 * The conformance cases of the language that need no Protobuf messages (facts/cases/cel).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../api/json.ts'
import { call, ident } from './ast.ts'
import type { EnvironmentSpec } from './environment.ts'
import { Environment } from './environment.ts'
import { equal } from './equality.ts'
import { declareFunction } from './functions.ts'
import { fromJson } from './json-values.ts'
import { bindingsLibrary } from './library/bindings.ts'
import { encodersLibrary } from './library/encoders.ts'
import type { Library } from './library/library.ts'
import { mathLibrary } from './library/math.ts'
import { optionalsLibrary } from './library/optionals.ts'
import { standardLibrary } from './library/standard.ts'
import { stringsLibraryV4 } from './library/strings.ts'
import { twoVariablesLibrary } from './library/two-variables.ts'
import type { Macro } from './macros.ts'
import type { VariableDeclaration } from './program.ts'
import { parseCelDuration, parseTimestamp } from './time.ts'
import type { Type } from './types.ts'
import * as types from './types.ts'
import type { Value } from './values.ts'
import { ArrayList, Bytes, Double, EntryMap, TypeValue, toInt, Uint } from './values.ts'

const folder = join(import.meta.dirname, '../../facts/cases/cel')

interface Case {
  /** `section/name` */
  readonly id: string
  readonly expr: string
  readonly value?: Encoded
  readonly typedResult?: { readonly result?: Encoded; readonly deducedType?: EncodedType }
  readonly evalError?: unknown
  readonly disableCheck?: boolean
  readonly disableMacros?: boolean
  readonly checkOnly?: boolean
  readonly container?: string
  readonly typeEnv?: readonly EncodedDeclaration[]
  readonly bindings?: Readonly<Record<string, { readonly value: Encoded }>>
}

type Encoded = Readonly<Record<string, unknown>>
type EncodedType = Readonly<Record<string, unknown>>
interface EncodedDeclaration {
  readonly name: string
  readonly ident?: { readonly type: EncodedType }
  readonly function?: {
    readonly overloads: readonly {
      readonly overloadId: string
      readonly isInstanceFunction?: boolean
      readonly params?: readonly EncodedType[]
      readonly resultType: EncodedType
    }[]
  }
}

/** Where the reference itself differs from the language's cases. */
const knownDifferences: Readonly<Record<string, string>> = {
  'fields/qualified_identifier_resolution/map_value_repeat_key': 'the reference lets the last entry win',
  'fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous': 'the reference lets the last entry win',
  'fields/qualified_identifier_resolution/map_key_float': 'the reference takes keys of any type but bytes',
  'fields/map_fields/map_bad_key_type_or_true':
    'the reference refuses a constant that is no key when it folds constants',
  'fields/map_fields/map_bad_key_type_and_false':
    'the reference refuses a constant that is no key when it folds constants',
  'optionals/optionals/map_optional_select_has': 'an error with strict presence tests, which only these cases have on',
  'string-ext/format/NaN support for decimal': 'the reference formats no double as a decimal',
  'string-ext/format/positive infinity support for decimal': 'the reference formats no double as a decimal',
  'string-ext/format/negative infinity support for decimal': 'the reference formats no double as a decimal',
  'string-ext/value_errors/indexof_out_of_range': 'beyond the end the reference finds nothing',
  'string-ext/value_errors/lastindexof_out_of_range': 'beyond the end the reference finds nothing',
  'type-deductions/legacy_nullable_types/null_assignable_to_abstract_parameter_candidate':
    'cel-go leaves this case out: an optional is not assignable from null',
}

function decode(encoded: Encoded): Value {
  const [kind, content] = Object.entries(encoded)[0]!
  switch (kind) {
    case 'int64Value':
      return toInt(BigInt(content as string))
    case 'uint64Value':
      return new Uint(BigInt(content as string))
    case 'doubleValue':
      return new Double(
        Number(content === 'Infinity' || content === '-Infinity' || content === 'NaN' ? content : content),
      )
    case 'stringValue':
    case 'boolValue':
      return content as string | boolean
    case 'nullValue':
      return null
    case 'bytesValue':
      return new Bytes(Buffer.from(content as string, 'base64'))
    case 'typeValue':
      return new TypeValue(types.structType(content as string))
    case 'listValue':
      return new ArrayList(((content as { values?: Encoded[] }).values ?? []).map(decode))
    case 'mapValue': {
      const map = new EntryMap()
      for (const { key, value } of (content as { entries?: { key: Encoded; value: Encoded }[] }).entries ?? []) {
        map.set(decode(key), decode(value))
      }
      return map
    }
    case 'objectValue':
      return decodeObject(content as { '@type'?: string; value?: JsonValue })
    default:
      throw new Error(`a case of messages: ${kind}`)
  }
}

function decodeObject({ '@type': type, value }: { '@type'?: string; value?: JsonValue }): Value {
  if (type?.endsWith('google.protobuf.Timestamp')) return parseTimestamp(value as string)!
  if (type?.endsWith('google.protobuf.Duration')) return parseCelDuration(value as string)!
  throw new Error(`a case of messages: ${type}`)
}

const PRIMITIVES: Readonly<Record<string, Type>> = {
  BOOL: types.BOOL,
  INT64: types.INT,
  UINT64: types.UINT,
  DOUBLE: types.DOUBLE,
  STRING: types.STRING,
  BYTES: types.BYTES,
}

function decodeType(encoded: EncodedType): Type {
  const [kind, content] = Object.entries(encoded)[0] ?? ['dyn', {}]
  const parts = content as Record<string, EncodedType>
  switch (kind) {
    case 'primitive':
      return PRIMITIVES[content as string]!
    case 'wrapper':
      return types.nullableType(PRIMITIVES[content as string]!)
    case 'wellKnown':
      return content === 'TIMESTAMP' ? types.TIMESTAMP : content === 'DURATION' ? types.DURATION : types.ANY
    case 'listType':
      return types.listType(decodeType(parts['elemType'] ?? {}))
    case 'mapType':
      return types.mapType(decodeType(parts['keyType'] ?? {}), decodeType(parts['valueType'] ?? {}))
    case 'type':
      return types.typeType(decodeType(parts))
    case 'null':
      return types.NULL
    case 'dyn':
      return types.DYN
    case 'typeParam':
      return types.typeParam(content as string)
    case 'abstractType': {
      const { name, parameterTypes } = content as { name: string; parameterTypes?: EncodedType[] }
      return types.opaqueType(name, ...(parameterTypes ?? []).map(decodeType))
    }
    default:
      throw new Error(`a case of messages: ${kind}`)
  }
}

/** The macros with which the cases of blocks write what an optimizer would make. */
const indexMacro = (name: string, arity: number, variable: (args: readonly number[]) => string): Macro => ({
  name,
  receiver: true,
  arity,
  expand: ({ offset, target, args }) => {
    if (target?.kind !== 'ident' || target.name !== 'cel') return undefined
    return ident(offset, variable(args.map((arg) => Number((arg as { value?: unknown }).value))))
  },
})

const blockLibrary: Library = {
  functions: [],
  macros: [
    {
      name: 'block',
      receiver: true,
      arity: 2,
      expand: ({ offset, args }) => call(offset, 'cel.@block', args),
    },
    indexMacro('index', 1, ([i]) => `@index${i}`),
    indexMacro('iterVar', 2, ([i, j]) => `@it:${i}:${j}`),
    indexMacro('accuVar', 2, ([i, j]) => `@ac:${i}:${j}`),
  ],
}

const libraries: readonly Library[] = [
  standardLibrary,
  stringsLibraryV4,
  mathLibrary,
  encodersLibrary,
  optionalsLibrary,
  twoVariablesLibrary,
  bindingsLibrary,
  blockLibrary,
]
const baseSpec: EnvironmentSpec = {
  libraries,
  optionalSyntax: true,
  escapedIdentifiers: true,
  crossTypeComparisons: true,
  strictPresence: true,
}
const base = new Environment(baseSpec)

function environmentOf(test: Case, file: string): Environment {
  const variables = new Map<string, VariableDeclaration>()
  const functions: Library['functions'][number][] = []
  for (const declaration of test.typeEnv ?? []) {
    if (declaration.ident)
      variables.set(declaration.name, { type: decodeType(declaration.ident.type), adapt: fromJson })
    else if (declaration.function) {
      for (const overload of declaration.function.overloads) {
        const spec = [
          overload.overloadId,
          (overload.params ?? []).map(decodeType),
          decodeType(overload.resultType),
        ] as const
        functions.push(
          declareFunction(declaration.name, overload.isInstanceFunction ? { members: [spec] } : { overloads: [spec] }),
        )
      }
    }
  }
  if (file === 'block-ext')
    for (let i = 0; i < 64; i++) variables.set(`@index${i}`, { type: types.DYN, adapt: fromJson })
  if (!test.container && functions.length === 0) return base.extend({ variables })
  return new Environment({
    ...baseSpec,
    variables,
    libraries: [...libraries, { functions }],
    ...(test.container && { container: test.container }),
  })
}

function run(test: Case, file: string): string | undefined {
  const environment = environmentOf(test, file)
  const compiled = environment.compile(test.expr, { unchecked: test.disableCheck === true })
  if (!compiled.ok) return test.evalError === undefined ? compiled.message : undefined
  const deduced = test.typedResult?.deducedType
  if (deduced && !types.isExactType(decodeType(deduced), compiled.program.resultType)) {
    return `deduced ${types.formatType(compiled.program.resultType)}`
  }
  if (test.checkOnly) return undefined
  const activation = Object.fromEntries(
    Object.entries(test.bindings ?? {}).map(([name, { value }]) => [name, decode(value)]),
  )
  const result = compiled.program.evaluate(activation, { limit: Infinity })
  if (test.evalError !== undefined) return result.kind === 'error' ? undefined : 'no error'
  if (result.kind !== 'value') return result.kind === 'error' ? result.message : result.kind
  const expected = decode(test.value ?? test.typedResult?.result ?? { boolValue: true })
  return same(expected, result.value) ? undefined : `is ${JSON.stringify(result.value, shown)}`
}

const shown = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)

function same(expected: Value, actual: Value): boolean {
  if (expected instanceof Double && actual instanceof Double)
    return Object.is(expected.value, actual.value) || expected.value === actual.value
  return (
    equal(expected, actual) === true &&
    (typeof expected !== 'object' || expected === null || (actual as { kind?: string }).kind === expected.kind)
  )
}

describe('conformance', () => {
  for (const name of readdirSync(folder)) {
    const file = name.replace('.json', '')
    const tests = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Case[]
    it(file, () => {
      const failures = tests.flatMap((test) => {
        const outcome = run(test, file)
        const expected = knownDifferences[`${file}/${test.id}`]
        if (expected !== undefined) return outcome === undefined ? [`${test.id} no longer differs`] : []
        return outcome === undefined ? [] : [`${test.id}: ${test.expr}: ${outcome}`]
      })
      expect(failures).toEqual([])
    })
  }
})
