/**
 * Turns a checked tree into closures. What a run costs is part of what the closures do and is exact: the reference
 * charges one for each variable and each selection, nothing for constants and for literals made of constants, the
 * price of a function by its overload and the sizes of its arguments. A run stops where the price of work to come
 * exceeds the limit.
 */
import type { CallNode, ExprNode, IdentNode, ListNode, MapNode, SelectNode, StructNode } from './ast.ts'
import { compileCall, constantMembership, foldConversion, logic, optionalOr } from './calls.ts'
import type { Compiled, Evaluate } from './compiled.ts'
import { constant, isConstant, ProgramError } from './compiled.ts'
import { compileComprehension } from './comprehensions.ts'
import { display } from './display.ts'
import { typeOf } from './equality.ts'
import type { Evaluation } from './evaluation.ts'
import { compileFieldPath } from './field-path.ts'
import type { FunctionDeclaration } from './functions.ts'
import type { Qualifier } from './qualifiers.ts'
import { applyQualifiers, presence, refunded } from './qualifiers.ts'
import { LIST_COST, MAP_COST, STRUCT_COST } from './runtime-cost.ts'
import type { Value } from './values.ts'
import { ArrayList, CelError, EntryMap, errorOr, Optional } from './values.ts'

/** What the compiler needs of an environment. */
export interface CompileContext {
  readonly function: (name: string) => FunctionDeclaration | undefined
  readonly typeNamed: (name: string) => Value | undefined
  /** Asking for a field of a value without fields is an error instead of false. */
  readonly strictPresence: boolean
  /** Makes a value of `Name{…}`. */
  readonly makeStruct: (name: string, fields: ReadonlyMap<string, Value>) => Value
}

export interface CompiledProgram {
  readonly evaluate: Evaluate
  readonly localCount: number
  readonly variables: readonly string[]
}

const CONVERSIONS = new Set('bool bytes double duration dyn int string timestamp type uint'.split(' '))
export function compileProgram(root: ExprNode, context: CompileContext): CompiledProgram {
  const compiler = new Compiler(context)
  const { evaluate } = compiler.compile(root)
  return { evaluate, localCount: compiler.localCount, variables: compiler.variables }
}

export class Compiler {
  readonly #context: CompileContext
  /** Local variables in scope, by the place of their values. */
  readonly #locals = new Map<string, Local[]>()
  /** Places of the values of variables from outside, which are read once. */
  readonly #variables = new Map<string, number>()
  localCount = 0

  constructor(context: CompileContext) {
    this.#context = context
  }

  compile(node: ExprNode): Compiled {
    switch (node.kind) {
      case 'literal':
        return constant(node.value)
      case 'ident':
        return this.#named(node, node.name)
      case 'select':
        return this.#named(node, node.variable)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'struct':
        return this.#struct(node)
      case 'comprehension':
        return { evaluate: compileComprehension(this, node) }
    }
  }

  #named(node: IdentNode | SelectNode, name: string | undefined): Compiled {
    if (node.constant !== undefined) return constant(node.constant)
    if (node.type.kind !== 'type' || name === undefined) return this.#attribute(node)
    // A variable that holds a type is taken for the name of one. Mirrors cel-go/interpreter: planCheckedIdent.
    const type = this.#context.typeNamed(name)
    if (type === undefined) throw new ProgramError(`reference to undefined type: ${name}`)
    return constant(type)
  }

  /** Gives a local variable a place for as long as `body` is compiled. */
  withLocal<T>(name: string, local: Local, body: () => T): T {
    const stack = this.#locals.get(name) ?? []
    this.#locals.set(name, stack)
    stack.push(local)
    try {
      return body()
    } finally {
      stack.pop()
    }
  }

  newSlot(): number {
    return this.localCount++
  }

  /** Variables, selections, indices and choices between them: one for the whole chain and one for each step. */
  #attribute(node: ExprNode): Compiled {
    const resolve = this.#resolver(node, [])
    if (node.kind === 'select' && node.test && node.variable === undefined) {
      const refund = rootOf(node.operand).kind === 'call' && isConditional(rootOf(node.operand)) ? 1 : 0
      return { evaluate: refund === 0 ? (e) => presence(resolve(e)) : (e) => refunded(e, presence(resolve(e))) }
    }
    if (isConditional(rootOf(node))) return { evaluate: resolve }
    return {
      evaluate: (e) => {
        const value = resolve(e)
        e.cost++
        return value
      },
    }
  }

  /** What the chain leads to, without the one for the whole. */
  #resolver(node: ExprNode, qualifiers: readonly Qualifier[]): Evaluate {
    const strict = this.#context.strictPresence
    if (node.kind === 'select' && node.variable === undefined && node.constant === undefined) {
      return this.#resolver(node.operand, [
        { key: node.field, optional: false, test: node.test, strict },
        ...qualifiers,
      ])
    }
    if (node.kind === 'call') {
      if (isSelection(node)) return this.#resolver(node.args[0]!, [this.#indexQualifier(node), ...qualifiers])
      if (isConditional(node)) return this.#conditional(node, qualifiers)
    }
    const read = this.#root(node)
    if (qualifiers.length === 0) return read
    return compileFieldPath(node.type, qualifiers, read) ?? applyQualifiers(read, qualifiers)
  }

  #root(node: ExprNode): Evaluate {
    const name = variableName(node)
    if (name === undefined || (node as SelectNode).constant !== undefined) return this.compile(node).evaluate
    const local = this.#locals.get(name)?.at(-1)
    if (local) return local.read
    const known = this.#variables.get(name)
    const slot = known ?? this.newSlot()
    this.#variables.set(name, slot)
    return (e) => (e.locals[slot] ??= e.variable(name))
  }

  /** The variables that the expression takes from outside. */
  get variables(): readonly string[] {
    return [...this.#variables.keys()]
  }

  #indexQualifier(node: CallNode): Qualifier {
    const index = node.args[1]!
    const optional = node.name !== '_[_]'
    // An index that is itself a chain is not charged for its root.
    const strict = this.#context.strictPresence
    if (isAttribute(index)) return { key: this.#resolver(index, []), optional, test: false, strict }
    const compiled = this.compile(index)
    return { key: isConstant(compiled) ? compiled.constant! : compiled.evaluate, optional, test: false, strict }
  }

  #conditional(node: CallNode, qualifiers: readonly Qualifier[]): Evaluate {
    const condition = this.compile(node.args[0]!).evaluate
    const whenTrue = this.#resolver(node.args[1]!, qualifiers)
    const whenFalse = this.#resolver(node.args[2]!, qualifiers)
    return (e) => {
      const chosen = condition(e)
      if (chosen === true) return whenTrue(e)
      return chosen === false ? whenFalse(e) : errorOr(chosen)
    }
  }

  #list(node: ListNode): Compiled {
    const elements = node.elements.map((element) => this.compile(element))
    const make = elements.map((element) => element.evaluate)
    const { optional } = node
    const evaluate: Evaluate = (e) => {
      const items: Value[] = []
      const value = collectItems(e, make, optional, items)
      e.charge(LIST_COST)
      return value ?? new ArrayList(items)
    }
    if (optional.size > 0 || !elements.every(isConstant)) return { evaluate }
    return constant(new ArrayList(elements.map((element) => element.constant!)))
  }

  #map(node: MapNode): Compiled {
    const entries = node.entries.map((entry) => ({
      key: this.compile(entry.key),
      value: this.compile(entry.value),
      optional: entry.optional,
    }))
    const build = (keyAt: (i: number) => Value, valueAt: (i: number) => Value): Value => {
      const result = new EntryMap()
      for (let i = 0; i < entries.length; i++) {
        const error = addEntry(result, { key: keyAt(i), value: () => valueAt(i), optional: entries[i]!.optional })
        if (error) return error
      }
      return result
    }
    const constants = entries.every(({ key, value, optional }) => isConstant(key) && isConstant(value) && !optional)
    if (constants)
      return constant(
        build(
          (i) => entries[i]!.key.constant!,
          (i) => entries[i]!.value.constant!,
        ),
      )
    return {
      evaluate: (e) => {
        const value = build(
          (i) => entries[i]!.key.evaluate(e),
          (i) => entries[i]!.value.evaluate(e),
        )
        e.charge(MAP_COST)
        return value
      },
    }
  }

  #struct(node: StructNode): Compiled {
    const fields = node.fields.map((field) => ({ ...field, evaluate: this.compile(field.value).evaluate }))
    const { makeStruct } = this.#context
    return {
      evaluate: (e) => {
        const values = new Map<string, Value>()
        for (const { name, optional, evaluate } of fields) {
          const value = optionalPart(evaluate(e), optional, `entry '${name}'`)
          if (value instanceof CelError) {
            e.charge(STRUCT_COST)
            return value
          }
          if (value !== undefined) values.set(name, value)
        }
        e.charge(STRUCT_COST)
        return makeStruct(node.name, values)
      },
    }
  }

  #call(node: CallNode): Compiled {
    switch (node.name) {
      case '_&&_':
      case '_||_':
        return {
          evaluate: logic(
            node.args.map((arg) => this.compile(arg).evaluate),
            node.name === '_||_',
          ),
        }
      case '_?_:_':
      case '_[_]':
      case '_[?_]':
      case '_?._':
        return this.#attribute(node)
      case 'cel.@block':
        return { evaluate: this.#block(node) }
      default:
        return this.#function(node)
    }
  }

  #function(node: CallNode): Compiled {
    const operands = node.target ? [node.target, ...node.args] : node.args
    const args = operands.map((arg) => this.compile(arg))
    const declaration = this.#context.function(node.name)
    const overload = node.overloads.length === 1 ? node.overloads[0] : undefined
    if (node.name === '@in' && overload?.id === 'in_list' && isConstant(args[1]!)) {
      const membership = constantMembership(args[0]!.evaluate, args[1]!.constant!)
      if (membership) return membership
    }
    if (node.target !== undefined && (node.name === 'or' || node.name === 'orValue') && args.length === 2) {
      return { evaluate: optionalOr(args[0]!.evaluate, args[1]!.evaluate, node.name === 'orValue') }
    }
    const compiled = compileCall({ node, args, operands, declaration, overload })
    if (!CONVERSIONS.has(node.name) || args.length !== 1 || !isConstant(args[0]!)) return { evaluate: compiled }
    return foldConversion(compiled)
  }

  /** `cel.@block([a, b], x)`: slots that are made when `x` first uses them. */
  #block(node: CallNode): Evaluate {
    const [slots, result] = node.args as [ListNode, ExprNode]
    const bind = (i: number): Evaluate => {
      if (i === slots.elements.length) return this.compile(result).evaluate
      const slot = this.newSlot()
      const make = this.compile(slots.elements[i]!).evaluate
      const read: Evaluate = (e) => (e.locals[slot] ??= make(e))
      const inner = this.withLocal(`@index${i}`, { read }, () => bind(i + 1))
      return (e) => {
        e.locals[slot] = undefined
        return inner(e)
      }
    }
    return bind(0)
  }
}

/** How a local variable is read. */
export interface Local {
  readonly read: Evaluate
}

const isConditional = (node: ExprNode): node is CallNode => node.kind === 'call' && node.name === '_?_:_'
const isSelection = (node: CallNode): boolean => node.name === '_[_]' || node.name === '_[?_]' || node.name === '_?._'

function variableName(node: ExprNode): string | undefined {
  if (node.kind === 'ident') return node.name
  return node.kind === 'select' ? node.variable : undefined
}

/** Whether the node is a variable, a selection, an index or a choice. */
function isAttribute(node: ExprNode): boolean {
  if (node.kind === 'ident' || node.kind === 'select') return node.constant === undefined
  return node.kind === 'call' && (isSelection(node) || isConditional(node))
}

/** Where a chain of selections starts. */
function rootOf(node: ExprNode): ExprNode {
  let root = node
  for (;;) {
    if (root.kind === 'select' && root.variable === undefined) root = root.operand
    else if (root.kind === 'call' && isSelection(root)) root = root.args[0]!
    else return root
  }
}

/** The error that ended it, if any. */
function collectItems(
  e: Evaluation,
  make: readonly Evaluate[],
  optional: ReadonlySet<number>,
  items: Value[],
): CelError | undefined {
  for (let i = 0; i < make.length; i++) {
    const value = optionalPart(make[i]!(e), optional.has(i), 'list element')
    if (value instanceof CelError) return value
    if (value !== undefined) items.push(value)
  }
  return undefined
}

/** The value inside an optional part of a literal, undefined where there is none. */
function optionalPart(value: Value, optional: boolean, what: string): Value | undefined {
  if (!optional || value instanceof CelError) return value
  if (value instanceof Optional) return value.value
  return new CelError(`cannot initialize optional ${what} from non-optional value ${display(value)}`)
}

function addEntry(
  target: EntryMap,
  { key, value: make, optional }: { key: Value; value: () => Value; optional: boolean },
): CelError | undefined {
  if (key instanceof CelError) return key
  const value = optionalPart(make(), optional, `entry '${display(key)}'`)
  if (value instanceof CelError) return value
  if (value === undefined) target.delete(key)
  else if (!target.set(key, value)) return new CelError(`unsupported key type: ${typeOf(key).name}`)
  return undefined
}
