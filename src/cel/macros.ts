/**
 * Macros: calls that the parser rewrites. A macro that does not apply to a call returns undefined and the call stays
 * what it was; a wrong argument throws a `MacroError` with the place it points to.
 */
import type { ComprehensionNode, ExprNode } from './ast.ts'
import { call, ident, list, literal, map, select } from './ast.ts'
import { DYN } from './types.ts'
import { Double, Uint } from './values.ts'

/** The accumulator of macros; no identifier of an expression can be named so. */
export const ACCUMULATOR = '@result'
const LEGACY_ACCUMULATOR = '__result__'
const UNUSED = '#unused'

export class MacroError extends Error {
  readonly offset: number
  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

interface MacroCall {
  /** Where the call's parenthesis opens. */
  readonly offset: number
  readonly target: ExprNode | undefined
  readonly args: readonly ExprNode[]
  /** A copy of a node that the expansion uses twice. */
  readonly copy: (node: ExprNode) => ExprNode
}

export interface Macro {
  readonly name: string
  readonly receiver: boolean
  /** Undefined: any number. */
  readonly arity: number | undefined
  readonly expand: (call: MacroCall) => ExprNode | undefined
}

const receiver = (name: string, arity: number, expand: Macro['expand']): Macro => ({
  name,
  receiver: true,
  arity,
  expand,
})

interface Fold {
  readonly range: ExprNode
  readonly iterVar: string
  readonly iterVar2?: string | undefined
  readonly accuVar?: string
  readonly init: ExprNode
  readonly condition?: ExprNode
  readonly step: ExprNode
  readonly result?: ExprNode
  readonly quantifier?: ComprehensionNode['quantifier']
}

function comprehension(offset: number, fold: Fold): ComprehensionNode {
  return {
    kind: 'comprehension',
    offset,
    range: fold.range,
    iterVar: fold.iterVar,
    iterVar2: fold.iterVar2,
    accuVar: fold.accuVar ?? ACCUMULATOR,
    accuInit: fold.init,
    condition: fold.condition ?? literal(offset, true),
    step: fold.step,
    result: fold.result ?? accumulator(offset),
    ...(fold.quantifier && { quantifier: fold.quantifier }),
    type: DYN,
  }
}

const accumulator = (offset: number): ExprNode => ident(offset, ACCUMULATOR)

function variableName(arg: ExprNode, message: string): string {
  if (arg.kind !== 'ident') throw new MacroError(arg.offset, message)
  if (arg.name === ACCUMULATOR || arg.name === LEGACY_ACCUMULATOR) {
    throw new MacroError(arg.offset, 'iteration variable overwrites accumulator variable')
  }
  return arg.name
}

/** One or two variables and what follows them. */
interface Variables {
  readonly iterVar: string
  /** Where the first is named. */
  readonly at: number
  readonly iterVar2?: string
  readonly rest: readonly ExprNode[]
}

function oneVariable(args: readonly ExprNode[], message: string): Variables {
  return { iterVar: variableName(args[0]!, message), at: args[0]!.offset, rest: args.slice(1) }
}

function twoVariables(args: readonly ExprNode[]): Variables {
  const message = 'argument must be a simple name'
  for (const arg of args.slice(0, 2)) if (arg.kind !== 'ident') throw new MacroError(arg.offset, message)
  const [first, second] = args as [ExprNode & { name: string }, ExprNode & { name: string }]
  if (first.name === second.name) throw new MacroError(second.offset, `duplicate variable name: ${first.name}`)
  return {
    iterVar: variableName(first, message),
    iterVar2: variableName(second, message),
    at: first.offset,
    rest: args.slice(2),
  }
}

type Expansion = (offset: number, range: ExprNode, variables: Variables) => ExprNode

const all: Expansion = (offset, range, { iterVar, iterVar2, rest }) =>
  comprehension(offset, {
    range,
    iterVar,
    iterVar2,
    init: literal(offset, true),
    condition: call(offset, '@not_strictly_false', [accumulator(offset)]),
    step: call(offset, '_&&_', [accumulator(offset), rest[0]!]),
    quantifier: { kind: 'all', body: rest[0]! },
  })

const exists: Expansion = (offset, range, { iterVar, iterVar2, rest }) =>
  comprehension(offset, {
    range,
    iterVar,
    iterVar2,
    init: literal(offset, false),
    condition: call(offset, '@not_strictly_false', [call(offset, '!_', [accumulator(offset)])]),
    step: call(offset, '_||_', [accumulator(offset), rest[0]!]),
    quantifier: { kind: 'exists', body: rest[0]! },
  })

const existsOne: Expansion = (offset, range, { iterVar, iterVar2, rest }) =>
  comprehension(offset, {
    range,
    iterVar,
    iterVar2,
    init: literal(offset, 0),
    step: call(offset, '_?_:_', [
      rest[0]!,
      call(offset, '_+_', [accumulator(offset), literal(offset, 1)]),
      accumulator(offset),
    ]),
    result: call(offset, '_==_', [accumulator(offset), literal(offset, 1)]),
  })

/** Keeps the accumulator where the filter says no. */
function filtered(offset: number, filter: ExprNode | undefined, step: ExprNode): ExprNode {
  return filter ? call(offset, '_?_:_', [filter, step, accumulator(offset)]) : step
}

const collect: Expansion = (offset, range, { iterVar, iterVar2, rest }) => {
  const transform = rest.at(-1)!
  const step = call(offset, '_+_', [accumulator(offset), list(offset, [transform])])
  return comprehension(offset, {
    range,
    iterVar,
    iterVar2,
    init: list(offset, []),
    step: filtered(offset, rest.length > 1 ? rest[0] : undefined, step),
  })
}

const filter: Expansion = (offset, range, { iterVar, at, rest }) =>
  collect(offset, range, { iterVar, at, rest: [rest[0]!, ident(at, iterVar)] })

/** `entries`: the transform makes a map of entries instead of the value under the key. */
const transformMap =
  (entries: boolean): Expansion =>
  (offset, range, { iterVar, iterVar2, rest }) => {
    const transform = rest.at(-1)!
    const insert = entries ? [transform] : [ident(offset, iterVar), transform]
    return comprehension(offset, {
      range,
      iterVar,
      iterVar2,
      init: map(offset, []),
      step: filtered(
        offset,
        rest.length > 1 ? rest[0] : undefined,
        call(offset, 'cel.@mapInsert', [accumulator(offset), ...insert]),
      ),
    })
  }

const has: Macro = {
  name: 'has',
  receiver: false,
  arity: 1,
  expand: ({ offset, args }) => {
    const arg = args[0]!
    if (arg.kind !== 'select') throw new MacroError(arg.offset, 'invalid argument to has() macro')
    return select(offset, arg.operand, arg.field, true)
  },
}

const one = (name: string, arity: number, expansion: Expansion, message = 'argument must be a simple name'): Macro =>
  receiver(name, arity, ({ offset, target, args }) => expansion(offset, target!, oneVariable(args, message)))

const two = (name: string, arity: number, expansion: Expansion): Macro =>
  receiver(name, arity, ({ offset, target, args }) => expansion(offset, target!, twoVariables(args)))

const notIdentifier = 'argument is not an identifier'

export const standardMacros: readonly Macro[] = [
  has,
  one('all', 2, all),
  one('exists', 2, exists),
  one('exists_one', 2, existsOne),
  one('map', 2, collect, notIdentifier),
  one('map', 3, collect, notIdentifier),
  one('filter', 2, filter, notIdentifier),
]

export const twoVariableMacros: readonly Macro[] = [
  two('all', 3, all),
  two('exists', 3, exists),
  two('existsOne', 3, existsOne),
  two('exists_one', 3, existsOne),
  two('transformList', 3, collect),
  two('transformList', 4, collect),
  two('transformMap', 3, transformMap(false)),
  two('transformMap', 4, transformMap(false)),
  two('transformMapEntry', 3, transformMap(true)),
  two('transformMapEntry', 4, transformMap(true)),
]

/** A variable for one expression: a fold over nothing whose accumulator is made when it is first used. */
function bind(offset: number, name: string, init: ExprNode, result: ExprNode): ExprNode {
  return comprehension(offset, {
    range: list(offset, []),
    iterVar: UNUSED,
    accuVar: name,
    init,
    condition: literal(offset, false),
    step: ident(offset, name),
    result,
  })
}

function optionalMacro(name: 'optMap' | 'optFlatMap'): Macro {
  return receiver(name, 2, ({ offset, target, args, copy }) => {
    const variable = args[0]!
    if (variable.kind !== 'ident') {
      throw new MacroError(variable.offset, `${name}() variable name must be a simple identifier`)
    }
    const value = call(offset, 'value', [], copy(target!))
    const mapped = bind(offset, variable.name, value, args[1]!)
    return call(offset, '_?_:_', [
      call(offset, 'hasValue', [], target),
      name === 'optMap' ? call(offset, 'optional.of', [mapped]) : mapped,
      call(offset, 'optional.none', []),
    ])
  })
}

const sortInput = '@__sortBy_input__'
const sortTargets = new Set<ExprNode['kind']>(['list', 'select', 'ident', 'comprehension', 'call'])

/** The list is bound to a variable, and sorted by a list of keys that is made of it. */
export const sortByMacro: Macro = receiver('sortBy', 2, ({ offset, target, args }) => {
  if (!sortTargets.has(target!.kind)) {
    const why = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression'
    throw new MacroError(target!.offset, why)
  }
  const keys = collect(offset, ident(offset, sortInput), oneVariable(args, notIdentifier))
  const sorted = call(offset, '@sortByAssociatedKeys', [keys], ident(offset, sortInput))
  return bind(offset, sortInput, target!, sorted)
})

export const optionalMacros: readonly Macro[] = [optionalMacro('optMap'), optionalMacro('optFlatMap')]

const isNamespace = (target: ExprNode | undefined, name: string): boolean =>
  target?.kind === 'ident' && target.name === name

export const bindingMacros: readonly Macro[] = [
  receiver('bind', 3, ({ offset, target, args }) => {
    if (!isNamespace(target, 'cel')) return undefined
    const variable = args[0]!
    if (variable.kind !== 'ident') {
      throw new MacroError(variable.offset, 'cel.bind() variable names must be simple identifiers')
    }
    return bind(offset, variable.name, args[1]!, args[2]!)
  }),
]

function isNumericArgument(node: ExprNode): boolean {
  if (node.kind === 'literal') {
    const { value } = node
    return typeof value === 'number' || typeof value === 'bigint' || value instanceof Double || value instanceof Uint
  }
  return node.kind !== 'list' && node.kind !== 'map' && node.kind !== 'struct'
}

function extremum(name: 'least' | 'greatest', functionName: string): Macro {
  return {
    name,
    receiver: true,
    arity: undefined,
    expand: ({ offset, target, args }) => {
      if (!isNamespace(target, 'math')) return undefined
      if (args.length === 0) throw new MacroError(target!.offset, `math.${name}() requires at least one argument`)
      if (args.length === 1) {
        const arg = args[0]!
        const numbers = arg.kind === 'list' && arg.elements.length > 0 && arg.elements.every(isNumericArgument)
        if (numbers || isNumericArgument(arg)) return call(offset, functionName, [arg])
        throw new MacroError(arg.offset, `math.${name}() invalid single argument value`)
      }
      const wrong = args.find((arg) => !isNumericArgument(arg))
      if (wrong) throw new MacroError(wrong.offset, `math.${name}() simple literal arguments must be numeric`)
      return call(offset, functionName, args.length === 2 ? args : [list(offset, args)])
    },
  }
}

export const mathMacros: readonly Macro[] = [extremum('least', 'math.@min'), extremum('greatest', 'math.@max')]

/** The macros by the calls that they rewrite. */
export class MacroTable {
  readonly #byKey = new Map<string, Macro>()

  constructor(macros: readonly Macro[]) {
    for (const macro of macros) this.#byKey.set(`${macro.name}:${macro.arity ?? '*'}:${macro.receiver}`, macro)
  }

  find(name: string, arity: number, isReceiver: boolean): Macro | undefined {
    return this.#byKey.get(`${name}:${arity}:${isReceiver}`) ?? this.#byKey.get(`${name}:*:${isReceiver}`)
  }
}
