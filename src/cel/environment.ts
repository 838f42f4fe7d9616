/**
 * What an expression may use: variables, functions, macros, types. Environments are immutable; the base ones follow
 * the reference's versions. A new expression may use what the version it must stay compatible with knows; a stored
 * one may use everything, because a newer server may have stored it.
 */
import { hasChange } from '../api/release-changes.ts'
import { defaultRelease } from '../api/release-facts.ts'
import { compileOnce } from '../lib/memo.ts'
import { candidateNames, check } from './checker.ts'
import { ProgramError } from './compiled.ts'
import type { CompileContext } from './compiler.ts'
import { compileProgram } from './compiler.ts'
import type { DeclaredType } from './declared-type.ts'
import type { FunctionDeclaration } from './functions.ts'
import { mergeFunctions } from './functions.ts'
import { fromJson } from './json-values.ts'
import { authorizerLibrary, authorizerSelectorsLibrary } from './library/authorizer.ts'
import { formatsLibrary } from './library/formats.ts'
import type { Library } from './library/library.ts'
import { listExtensionsLibrary } from './library/list-extensions.ts'
import { listsLibrary } from './library/lists.ts'
import { cidrLibrary, ipLibrary } from './library/network.ts'
import { crossTypeComparisons } from './library/operators.ts'
import { optionalsLibrary } from './library/optionals.ts'
import { quantityLibrary } from './library/quantity.ts'
import { regexLibrary } from './library/regex.ts'
import { semverLibrary } from './library/semver.ts'
import { setsLibrary } from './library/sets.ts'
import { standardLibrary } from './library/standard.ts'
import { laterStringsLibraryV2, stringsLibraryV0, stringsLibraryV2 } from './library/strings.ts'
import { twoVariablesLibrary } from './library/two-variables.ts'
import { urlsLibrary } from './library/urls.ts'
import type { Macro } from './macros.ts'
import { MacroTable } from './macros.ts'
import { parse } from './parser.ts'
import type { VariableDeclaration } from './program.ts'
import { Program } from './program.ts'
import type { Issue } from './source.ts'
import { Source } from './source.ts'
import type { Type } from './types.ts'
import { isExactType, typeToString, typeType } from './types.ts'
import { resolveNames } from './unchecked.ts'
import { validateTree } from './validators.ts'
import type { Value } from './values.ts'
import { CelError, TypeValue } from './values.ts'

/** Types that `Name{…}` makes values of. */
export interface StructTypes {
  readonly find: (name: string) => Type | undefined
  readonly make: (name: string, fields: ReadonlyMap<string, Value>) => Value
}

export interface EnvironmentSpec {
  readonly libraries: readonly Library[]
  readonly variables?: ReadonlyMap<string, VariableDeclaration>
  readonly structs?: StructTypes
  readonly container?: string
  readonly optionalSyntax?: boolean
  readonly escapedIdentifiers?: boolean
  /** Ordering an int against a double and the like. */
  readonly crossTypeComparisons?: boolean
  /** Checks of constants beyond types. */
  readonly validateLiterals?: boolean
  readonly homogeneousLiterals?: boolean
  /** Asking for a field of a value without fields is an error. */
  readonly strictPresence?: boolean
}

export type Compilation = { readonly ok: true; readonly program: Program } | CompileFailure

export interface CompileFailure {
  readonly ok: false
  /** Text or types are wrong; or the result has the wrong type; or a constant has no value. */
  readonly reason: 'compile' | 'result-type' | 'program'
  /** In the reference's words, without a prefix. */
  readonly message: string
  readonly issues: readonly Issue[]
  /** Of an expression that only lacks the value of a constant. */
  readonly resultType?: Type
}

export interface CompileOptions {
  /** The result must be exactly one of these types. */
  readonly expectedTypes?: readonly Type[]
  /** Leave out the checker; names are resolved at run time. For tools that work without declarations. */
  readonly unchecked?: boolean
}

const noStructs: StructTypes = {
  find: () => undefined,
  make: (name) => new CelError(`unknown type '${name}'`),
}

export class Environment {
  readonly #spec: EnvironmentSpec
  readonly #functions: ReadonlyMap<string, FunctionDeclaration>
  readonly #variables: ReadonlyMap<string, VariableDeclaration>
  readonly #macros: MacroTable
  readonly #structs: StructTypes

  constructor(spec: EnvironmentSpec, base?: Environment) {
    this.#spec = spec
    this.#functions = base && base.#spec.libraries === spec.libraries ? base.#functions : functionTable(spec)
    this.#macros = base && base.#spec.libraries === spec.libraries ? base.#macros : macroTable(spec.libraries)
    this.#variables = spec.variables ?? new Map()
    this.#structs = spec.structs ?? noStructs
  }

  /** With more variables, libraries or types of structures. */
  extend(extra: {
    readonly variables?: ReadonlyMap<string, VariableDeclaration>
    readonly libraries?: readonly Library[]
    readonly structs?: StructTypes
  }): Environment {
    const variables = new Map([...this.#variables, ...(extra.variables ?? [])])
    const libraries = extra.libraries ? [...this.#spec.libraries, ...extra.libraries] : this.#spec.libraries
    const structs = extra.structs ?? this.#spec.structs
    return new Environment({ ...this.#spec, variables, libraries, ...(structs && { structs }) }, this)
  }

  compile(expression: string, options: CompileOptions = {}): Compilation {
    const source = new Source(expression)
    const failed = (): Compilation => ({
      ok: false,
      reason: 'compile',
      message: source.display(),
      issues: source.issues,
    })
    const tree = parse(source, {
      macros: this.#macros,
      optionalSyntax: this.#spec.optionalSyntax ?? false,
      escapedIdentifiers: this.#spec.escapedIdentifiers ?? false,
    })
    if (!tree) return failed()
    const container = this.#spec.container ?? ''
    if (options.unchecked) {
      resolveNames(tree, {
        candidates: (name) => this.candidates(name),
        isFunction: (name) => this.#functions.has(name),
        variable: (name) => this.variable(name),
      })
    } else {
      check(tree, source, {
        container,
        variable: (name) => this.variable(name),
        function: (name) => this.function(name),
        struct: this.#structs.find,
      })
      if (source.hasIssues) return failed()
      validateTree(tree, source, {
        literals: this.#spec.validateLiterals ?? false,
        homogeneous: this.#spec.homogeneousLiterals ?? false,
        formats: true,
        function: (name) => this.function(name),
      })
      if (source.hasIssues) return failed()
      const wrongType = unexpectedType(tree.type, options.expectedTypes)
      if (wrongType !== undefined) return { ok: false, reason: 'result-type', message: wrongType, issues: [] }
    }
    return this.#program(expression, tree)
  }

  #program(expression: string, tree: Program['tree']): Compilation {
    const context: CompileContext = {
      function: (name) => this.function(name),
      typeNamed: (name) => typeVariables(this.#spec.libraries).get(name)?.constant,
      makeStruct: this.#structs.make,
      strictPresence: this.#spec.strictPresence ?? false,
    }
    try {
      const compiled = compileProgram(tree, context)
      const declarations = (name: string): VariableDeclaration | undefined => this.#variables.get(name)
      return { ok: true, program: new Program(expression, tree, { compiled, declarations }) }
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error
      return { ok: false, reason: 'program', message: error.message, issues: [], resultType: tree.type }
    }
  }

  variable(name: string): VariableDeclaration | undefined {
    return this.#variables.get(name) ?? typeVariables(this.#spec.libraries).get(name)
  }

  function(name: string): FunctionDeclaration | undefined {
    return this.#functions.get(name)
  }

  /** The names that a name may stand for. */
  candidates(name: string): string[] {
    return candidateNames(this.#spec.container ?? '', name)
  }
}

function unexpectedType(type: Type, expected: readonly Type[] | undefined): string | undefined {
  if (!expected || expected.some((one) => one.kind === 'any' || isExactType(one, type))) return undefined
  const actual = typeToString(type)
  if (expected.length === 1) return `must evaluate to ${typeToString(expected[0]!)} but got ${actual}`
  return `must evaluate to one of [${expected.map(typeToString).join(' ')}] but got ${actual}`
}

function functionTable(spec: EnvironmentSpec): ReadonlyMap<string, FunctionDeclaration> {
  const table = new Map<string, FunctionDeclaration>()
  for (const declaration of spec.libraries.flatMap((library) => library.functions)) {
    const known = table.get(declaration.name)
    table.set(declaration.name, known ? mergeFunctions(known, declaration) : declaration)
  }
  if (spec.crossTypeComparisons) return table
  for (const [name, declaration] of table) {
    const overloads = declaration.overloads.filter(({ id }) => !crossTypeComparisons.has(id))
    if (overloads.length < declaration.overloads.length) table.set(name, { ...declaration, overloads })
  }
  return table
}

function macroTable(libraries: readonly Library[]): MacroTable {
  const macros: Macro[] = libraries.flatMap((library) => library.macros ?? [])
  return new MacroTable(macros)
}

/** Names of types, as constants. */
const typeVariables = compileOnce(
  'type-variables',
  (libraries: readonly Library[]): ReadonlyMap<string, VariableDeclaration> => {
    const types = libraries.flatMap((library) => library.types ?? [])
    const names = libraries.flatMap((library) => library.namesOfTypes ?? [])
    const declared = (type: Type): VariableDeclaration => ({ type: typeType(type), adapt: fromJson })
    return new Map([
      ...names.map(([name, type]) => [name, declared(type)] as const),
      ...types.map((type) => [type.name, { ...declared(type), constant: new TypeValue(type) }] as const),
    ])
  },
)

/** A variable of a declared type: what is bound to it is read by that type. */
export function declaredVariable(declared: DeclaredType): VariableDeclaration {
  return { type: declared.type, adapt: (bound) => declared.adapt(bound) }
}

/** A variable of a type; JSON that is bound to it is taken as it is. */
export const typedVariable = (type: Type): VariableDeclaration => ({ type, adapt: fromJson })

export interface EnvironmentVersion {
  readonly major: number
  readonly minor: number
}

const isAtLeast = (version: EnvironmentVersion, minor: number): boolean =>
  version.major > 1 || (version.major === 1 && version.minor >= minor)

/** The libraries by the minor version that brought them. */
const VERSIONED: readonly (readonly [since: number, library: Library, until?: number])[] = [
  [0, standardLibrary],
  [0, urlsLibrary],
  [0, regexLibrary],
  [0, listsLibrary],
  [27, authorizerLibrary],
  [28, optionalsLibrary],
  [28, quantityLibrary],
  [0, stringsLibraryV0, 29],
  [29, stringsLibraryV2, 34],
  [34, laterStringsLibraryV2],
  [29, setsLibrary],
  [30, ipLibrary],
  [30, cidrLibrary],
  [31, formatsLibrary],
  [32, twoVariablesLibrary],
  [33, semverLibrary],
  [34, listExtensionsLibrary],
]

const atLeastDefault = (release: number): number => Math.max(release, defaultRelease)

/** What decides which expressions a server takes. */
export interface ExpressionScope {
  /** The minor number of the release that is served. */
  readonly release: number
  /** That of the oldest server that may have to run what is stored now: the one before, unless it is said. */
  readonly oldest?: number
  /** Whether new expressions may narrow what they ask the authorizer by selectors. */
  readonly selectors?: boolean
}

function oldestReader({ release, oldest = atLeastDefault(release) - 1 }: ExpressionScope): EnvironmentVersion {
  return { major: 1, minor: hasChange(release, 'environmentOfNewExpressions') ? oldest : Math.max(release, oldest) }
}

/** The environment of new expressions that a server of that version must understand too. Selectors come and go with a gate alone. */
export function newExpressions(version: EnvironmentVersion, selectors = isAtLeast(version, 31)): Environment {
  const known = VERSIONED.filter(
    ([since, , until]) => isAtLeast(version, since) && !(until !== undefined && isAtLeast(version, until)),
  ).map(([, library]) => library)
  const libraries = selectors ? [...known, authorizerSelectorsLibrary] : known
  return new Environment({
    libraries,
    optionalSyntax: isAtLeast(version, 28),
    crossTypeComparisons: isAtLeast(version, 28),
    validateLiterals: isAtLeast(version, 29),
    homogeneousLiterals: true,
  })
}

/** The environment of new expressions of a server. */
export const newExpressionsAt = (scope: ExpressionScope): Environment =>
  newExpressions(oldestReader(scope), scope.selectors)

/** The environment of expressions that are stored already, perhaps by a newer server: all that the release knows. */
export const storedExpressions = (release: number = defaultRelease): Environment =>
  newExpressions({ major: 1, minor: atLeastDefault(release) })
