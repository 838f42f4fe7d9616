/**
 * Gives every node of a tree its type, resolves names and overloads, and reports what does not fit in the reference's
 * words. The tree is changed in place.
 */
import type { CallNode, ComprehensionNode, ExprNode, ListNode, MapNode, SelectNode, StructNode } from './ast.ts'
import { childrenOf, qualifiedName } from './ast.ts'
import { typeOf } from './equality.ts'
import type { FunctionDeclaration, Overload } from './functions.ts'
import type { Source } from './source.ts'
import type { Type } from './types.ts'
import {
  BOOL,
  DYN,
  ERROR,
  formatSignature,
  formatType,
  INT,
  isDyn,
  isDynOrError,
  isExactType,
  listType,
  mapType,
  optionalType,
  typeParam,
  unwrapOptional,
} from './types.ts'
import { mapParams, mostGeneral, Substitution } from './unify.ts'
import type { Value } from './values.ts'

/** What the checker needs to know of an environment. */
export interface Declarations {
  /** Names are looked up in it from the inside out. */
  readonly container: string
  readonly variable: (name: string) => { readonly type: Type; readonly constant?: Value } | undefined
  readonly function: (name: string) => FunctionDeclaration | undefined
  /** A type that `Name{…}` makes values of. */
  readonly struct: (name: string) => Type | undefined
}

interface Resolved {
  readonly name: string
  readonly type: Type
  readonly constant?: Value
}

/** Issues go to the source; the tree is fit for use only if there are none. */
export function check(root: ExprNode, source: Source, declarations: Declarations): void {
  const checker = new Checker(source, declarations)
  checker.check(root)
  checker.finish(root)
}

/** The names that a name may stand for in a container, the most specific first. */
export function candidateNames(container: string, name: string): string[] {
  if (name.startsWith('.')) return [name.slice(1)]
  const names: string[] = []
  for (let prefix = container; prefix !== ''; prefix = prefix.slice(0, Math.max(0, prefix.lastIndexOf('.')))) {
    names.push(`${prefix}.${name}`)
  }
  return [...names, name]
}

class Checker {
  readonly #source: Source
  readonly #declarations: Declarations
  readonly #types = new Substitution()
  readonly #scopes: Map<string, Type>[] = []
  #freeParams = 0

  constructor(source: Source, declarations: Declarations) {
    this.#source = source
    this.#declarations = declarations
  }

  /** Replaces what is still open: bound type parameters by their types, free ones by dyn. */
  finish(node: ExprNode): void {
    node.type = this.#types.apply(node.type, true)
    for (const child of childrenOf(node)) this.finish(child)
  }

  check(node: ExprNode): Type {
    switch (node.kind) {
      case 'literal':
        node.type = typeOf(node.value)
        break
      case 'ident': {
        const found = this.#lookup(node.name)
        if (found) {
          node.name = found.name
          if (found.constant !== undefined) node.constant = found.constant
        } else {
          this.#undeclared(node.offset, node.name)
        }
        node.type = found?.type ?? ERROR
        break
      }
      case 'select':
        node.type = this.#select(node)
        break
      case 'call':
        node.type = this.#call(node)
        break
      case 'list':
        node.type = this.#list(node)
        break
      case 'map':
        node.type = this.#map(node)
        break
      case 'struct':
        node.type = this.#struct(node)
        break
      case 'comprehension':
        node.type = this.#comprehension(node)
        break
    }
    return node.type
  }

  #report(offset: number, message: string): void {
    this.#source.report(offset, message)
  }

  #undeclared(offset: number, name: string): void {
    this.#report(offset, `undeclared reference to '${name}' (in container '${this.#declarations.container}')`)
  }

  #mismatch(offset: number, expected: Type, actual: Type): void {
    this.#report(offset, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`)
  }

  #lookup(name: string): Resolved | undefined {
    // A leading dot leaves the container, not the scopes of comprehensions.
    const local = name.startsWith('.') ? name.slice(1) : name
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const type = this.#scopes[i]!.get(local)
      if (type) return { name: local, type }
    }
    for (const candidate of candidateNames(this.#declarations.container, name)) {
      const found = this.#declarations.variable(candidate)
      if (found) return { name: candidate, ...found }
    }
    return undefined
  }

  #function(name: string): FunctionDeclaration | undefined {
    for (const candidate of candidateNames(this.#declarations.container, name)) {
      const found = this.#declarations.function(candidate)
      if (found) return found
    }
    return undefined
  }

  #select(node: SelectNode): Type {
    const name = qualifiedName(node)
    const found = name === undefined ? undefined : this.#lookup(name)
    if (found) {
      node.variable = found.name
      if (found.constant !== undefined) node.constant = found.constant
      return found.type
    }
    const type = this.#fieldType(node, node.operand, { field: node.field, optional: false })
    return node.test ? BOOL : this.#types.apply(type, false)
  }

  #fieldType(node: ExprNode, operand: ExprNode, { field, optional }: { field: string; optional: boolean }): Type {
    const operandType = this.#types.apply(this.check(operand), false)
    const inner = unwrapOptional(operandType)
    const type = this.#memberType(node, inner ?? operandType, field)
    return inner || optional ? optionalType(type) : type
  }

  #memberType(node: ExprNode, type: Type, field: string): Type {
    switch (type.kind) {
      case 'map':
        return type.params[1]!
      case 'struct': {
        const found = type.field?.(field)
        if (!found) {
          const wrong = type.field ? `undefined field '${field}'` : `unexpected failed resolution of '${type.name}'`
          this.#report(node.offset, wrong)
        }
        return found ?? ERROR
      }
      case 'param':
        this.#types.assignable(DYN, type)
        return DYN
      default:
        if (!isDynOrError(type)) {
          this.#report(node.offset, `type '${formatType(type)}' does not support field selection`)
        }
        return DYN
    }
  }

  #call(node: CallNode): Type {
    if (node.name === '_?._') return this.#optionalSelect(node)
    for (const arg of node.args) this.check(arg)
    if (node.name === '_&&_' || node.name === '_||_') return this.#logic(node)
    if (!node.target) {
      const found = this.#function(node.name)
      if (!found) {
        this.#undeclared(node.offset, node.name)
        return ERROR
      }
      node.name = found.name
      return this.#resolve(node, found)
    }
    const prefix = qualifiedName(node.target)
    const namespaced = prefix === undefined ? undefined : this.#function(`${prefix}.${node.name}`)
    if (namespaced) {
      node.target = undefined
      node.name = namespaced.name
      return this.#resolve(node, namespaced)
    }
    this.check(node.target)
    const found = this.#function(node.name)
    if (found) return this.#resolve(node, found)
    this.#undeclared(node.offset, node.name)
    return ERROR
  }

  #optionalSelect(node: CallNode): Type {
    const [operand, field] = node.args as [ExprNode, ExprNode]
    if (field.kind !== 'literal' || typeof field.value !== 'string') {
      this.#report(field.offset, 'unsupported optional field selection')
      return ERROR
    }
    this.check(field)
    node.overloads = this.#declarations.function('_?._')?.overloads ?? []
    return this.#types.apply(this.#fieldType(node, operand, { field: field.value, optional: true }), false)
  }

  #logic(node: CallNode): Type {
    node.overloads = this.#declarations.function(node.name)?.overloads ?? []
    let wrong = false
    for (const arg of node.args) {
      if (this.#types.assignable(arg.type, BOOL)) continue
      this.#mismatch(arg.offset, BOOL, arg.type)
      wrong = true
    }
    return wrong ? ERROR : BOOL
  }

  #resolve(node: CallNode, declaration: FunctionDeclaration): Type {
    const args = node.target
      ? [node.target.type, ...node.args.map((arg) => arg.type)]
      : node.args.map((arg) => arg.type)
    const fitting: Overload[] = []
    let result: Type | undefined
    for (const overload of declaration.overloads) {
      if (overload.member !== (node.target !== undefined) || overload.args.length !== args.length) continue
      const [params, returns] = this.#instantiate(overload)
      if (!this.#types.assignableAll(args, params)) continue
      fitting.push(overload)
      const type = this.#types.apply(returns, false)
      if (result === undefined) result = type
      else if (!isDyn(result) && !isExactType(type, result)) result = DYN
    }
    node.overloads = fitting
    if (result !== undefined) return result
    const shown = formatSignature(
      args.map((type) => this.#types.apply(type, true)),
      node.target !== undefined,
    )
    this.#report(node.offset, `found no matching overload for '${declaration.name}' applied to '${shown}'`)
    return ERROR
  }

  /** The types of an overload with fresh type parameters. */
  #instantiate(overload: Overload): [args: readonly Type[], result: Type] {
    if (overload.typeParams.length === 0) return [overload.args, overload.result]
    const fresh = new Map(overload.typeParams.map((name) => [name, this.#freshParam()]))
    const rename = (type: Type): Type => (type.kind === 'param' ? fresh.get(type.name)! : mapParams(type, rename))
    return [overload.args.map(rename), rename(overload.result)]
  }

  #freshParam(): Type {
    return typeParam(`_var${this.#freeParams++}`)
  }

  #list(node: ListNode): Type {
    let joined: Type | undefined
    node.elements.forEach((element, i) => {
      const type = this.#optionalPart(element, node.optional.has(i))
      joined = this.#join(joined, type)
    })
    return listType(joined ?? this.#freshParam())
  }

  /** The type of an element; of an optional one the type inside. */
  #optionalPart(node: ExprNode, optional: boolean): Type {
    const type = this.check(node)
    if (!optional) return type
    const inner = unwrapOptional(type)
    if (!inner && !isDyn(type)) this.#mismatch(node.offset, optionalType(type), type)
    return inner ?? type
  }

  #join(previous: Type | undefined, current: Type): Type {
    if (!previous) return current
    return this.#types.assignable(previous, current) ? mostGeneral(previous, current) : DYN
  }

  #map(node: MapNode): Type {
    let key: Type | undefined
    let value: Type | undefined
    for (const entry of node.entries) {
      key = this.#join(key, this.check(entry.key))
      value = this.#join(value, this.#optionalPart(entry.value, entry.optional))
    }
    return mapType(key ?? this.#freshParam(), value ?? this.#freshParam())
  }

  #struct(node: StructNode): Type {
    let type: Type | undefined
    for (const candidate of candidateNames(this.#declarations.container, node.name)) {
      type = this.#declarations.struct(candidate)
      if (!type) continue
      node.name = candidate
      break
    }
    if (!type) {
      this.#undeclared(node.offset, node.name)
      return ERROR
    }
    for (const field of node.fields) {
      const value = this.#optionalPart(field.value, field.optional)
      const declared = type.field?.(field.name)
      if (!declared) this.#report(field.offset, `undefined field '${field.name}'`)
      else if (!this.#types.assignable(declared, value)) {
        this.#report(
          field.offset,
          `expected type of field '${field.name}' is '${formatType(declared)}' but provided type is '${formatType(value)}'`,
        )
      }
    }
    return type
  }

  #comprehension(node: ComprehensionNode): Type {
    const range = this.#types.apply(this.check(node.range), false)
    const accumulator = this.check(node.accuInit)
    const [first, second] = this.#iterationTypes(node, range)
    this.#scopes.push(new Map([[node.accuVar, accumulator]]))
    const loop = new Map([[node.iterVar, first]])
    if (node.iterVar2 !== undefined) loop.set(node.iterVar2, second)
    this.#scopes.push(loop)
    this.#assert(node.condition, BOOL)
    this.#assert(node.step, accumulator)
    this.#scopes.pop()
    const result = this.check(node.result)
    this.#scopes.pop()
    return this.#types.apply(result, false)
  }

  #iterationTypes(node: ComprehensionNode, range: Type): [Type, Type] {
    const two = node.iterVar2 !== undefined
    switch (range.kind) {
      case 'list':
        return two ? [INT, range.params[0]!] : [range.params[0]!, DYN]
      case 'map':
        return [range.params[0]!, range.params[1]!]
      case 'dyn':
      case 'error':
      case 'param':
        this.#types.assignable(DYN, range)
        return [DYN, DYN]
      default:
        this.#report(
          node.range.offset,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        )
        return [ERROR, ERROR]
    }
  }

  #assert(node: ExprNode, expected: Type): void {
    const type = this.check(node)
    if (!this.#types.assignable(expected, type)) this.#mismatch(node.offset, expected, type)
  }
}
