/**
 * What an expression can cost at worst, before it runs: a range for every node, from the sizes of literals and from
 * what the declared types say values can grow to. Numbers are 64 bits wide and stay at the largest when they would
 * overflow, as in the reference; an expression without bounds ends up there.
 */
import type { CallNode, ComprehensionNode, ExprNode, ListNode, MapNode, SelectNode } from './ast.ts'
import type { CallEstimate, EstimateNode } from './estimate-model.ts'
import { estimateCall } from './estimate-model.ts'
import { ACCUMULATOR } from './macros.ts'
import type { Range } from './ranges.ts'
import { add, addRanges, fixed, multiplyRanges, scale, smaller, UNKNOWN, union } from './ranges.ts'
import { LIST_COST, MAP_COST, PATTERN, STRUCT_COST, TRAVERSAL } from './runtime-cost.ts'
import type { Type, TypeKind } from './types.ts'
import { unwrapOptional } from './types.ts'
import type { Value } from './values.ts'
import { Bytes, CelError, codePointCount } from './values.ts'

/** The size that a value at a path can have: a variable, then fields, `@items`, `@keys`, `@values`. */
export type SizeEstimator = (path: readonly string[]) => Range | undefined

export function estimateCost(root: ExprNode, sizes: SizeEstimator): Range {
  return new Estimator(sizes).cost(root)
}

interface EntrySize {
  readonly container: 'list' | 'map'
  readonly key: Range
  readonly value: Range
}

interface LocalVariable {
  readonly path: readonly string[]
  readonly size: Range | undefined
  readonly entry: EntrySize | undefined
}

const ONE = fixed(1n)
const ZERO = fixed(0n)
const SCALARS = new Set<TypeKind>(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

class Estimator {
  readonly #estimateSize: SizeEstimator
  readonly #paths = new Map<ExprNode, readonly string[]>()
  readonly #sizes = new Map<ExprNode, Range>()
  readonly #entries = new Map<ExprNode, EntrySize>()
  readonly #locals = new Map<string, LocalVariable[]>()

  constructor(sizes: SizeEstimator) {
    this.#estimateSize = sizes
  }

  cost(node: ExprNode): Range {
    switch (node.kind) {
      case 'literal':
        return ZERO
      case 'ident':
        this.#paths.set(node, this.#local(node.name)?.path ?? [node.name])
        return ONE
      case 'select':
        return this.#select(node)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'struct':
        return node.fields.reduce((sum, field) => addRanges(sum, this.cost(field.value)), fixed(BigInt(STRUCT_COST)))
      case 'comprehension':
        return this.#isBinding(node) ? this.#binding(node) : this.#comprehension(node)
    }
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1)
  }

  #with<T>(name: string, variable: LocalVariable, body: () => T): T {
    const stack = this.#locals.get(name) ?? []
    this.#locals.set(name, stack)
    stack.push(variable)
    const result = body()
    stack.pop()
    return result
  }

  #path(node: ExprNode): readonly string[] {
    if (node.kind === 'ident') {
      const local = this.#local(node.name)
      if (local) return local.path
    }
    return this.#paths.get(node) ?? []
  }

  #select(node: SelectNode): Range {
    if (node.variable !== undefined) {
      this.#paths.set(node, [node.variable])
      return ONE
    }
    const operand = this.cost(node.operand)
    if (node.test) return operand
    const { kind } = node.operand.type
    this.#paths.set(node, [...this.#path(node.operand), node.field])
    return kind === 'map' || kind === 'struct' || kind === 'param' ? addRanges(operand, ONE) : operand
  }

  #list(node: ListNode): Range {
    let sum = fixed(BigInt(LIST_COST))
    let value: Range | undefined
    for (const element of node.elements) {
      sum = addRanges(sum, this.cost(element))
      value = union(value, this.#sizeOrUnknown(element))
    }
    this.#entries.set(node, { container: 'list', key: ONE, value: value ?? ZERO })
    return sum
  }

  #map(node: MapNode): Range {
    let sum = fixed(BigInt(MAP_COST))
    let keys: Range | undefined
    let values: Range | undefined
    for (const { key, value } of node.entries) {
      sum = addRanges(addRanges(sum, this.cost(key)), this.cost(value))
      keys = union(keys, this.#sizeOrUnknown(key))
      values = union(values, this.#sizeOrUnknown(value))
    }
    this.#entries.set(node, { container: 'map', key: keys ?? ZERO, value: values ?? ZERO })
    return sum
  }

  #isBinding(node: ComprehensionNode): boolean {
    const { range, condition } = node
    const empty = range.kind === 'list' && range.elements.length === 0
    return empty && condition.kind === 'literal' && condition.value === false
  }

  #binding(node: ComprehensionNode): Range {
    const made = addRanges(this.cost(node.range), this.cost(node.accuInit))
    const result = this.#with(node.accuVar, this.#boundTo(node.accuInit), () => this.cost(node.result))
    this.#copySizes(node, node.result)
    return addRanges(made, result)
  }

  #boundTo(node: ExprNode): LocalVariable {
    return { path: this.#path(node), size: this.#size(node), entry: this.#entry(node) }
  }

  #comprehension(node: ComprehensionNode): Range {
    const start = addRanges(this.cost(node.range), this.cost(node.accuInit))
    const [loop, result] = this.#with(node.accuVar, this.#boundTo(node.accuInit), () => [
      this.#loopCost(node),
      this.cost(node.result),
    ])
    const count = this.#sizeOrUnknown(node.range)
    if (node.accuInit.kind === 'literal') {
      this.#setSize(node, this.#size(node.accuInit))
    } else if (node.accuInit.kind === 'list' || node.accuInit.kind === 'map') {
      this.#setSize(node, count)
      const entry = this.#entry(node.step)
      if (entry) this.#entries.set(node, entry)
    }
    return addRanges(addRanges(start, result), multiplyRanges(count, loop))
  }

  /** Condition and step, once. */
  #loopCost(node: ComprehensionNode): Range {
    const entry = this.#entry(node.range)
    const isList = (entry?.container ?? node.range.type.kind) === 'list'
    const path = this.#path(node.range)
    const at = (part: string, size: Range | undefined): LocalVariable => ({
      path: [...path, part],
      size,
      entry: undefined,
    })
    const body = (): Range => {
      const condition = this.cost(node.condition)
      return addRanges(this.cost(node.step), condition)
    }
    const value = at(isList ? '@items' : '@values', entry?.value)
    const key = at(isList ? '@indices' : '@keys', entry?.key)
    if (node.iterVar2 === undefined) return this.#with(node.iterVar, isList ? value : key, body)
    return this.#with(node.iterVar, key, () => this.#with(node.iterVar2!, value, body))
  }

  #call(node: CallNode): Range {
    if (node.name === 'dyn') {
      const arg = node.args[0]!
      const cost = this.cost(arg)
      this.#copySizes(node, arg)
      return addRanges(ONE, cost)
    }
    if ((node.name === '_&&_' || node.name === '_||_') && node.args.length > 2) return this.#balanced(node.args)
    const costs = node.args.map((arg) => this.cost(arg))
    if (node.overloads.length === 0) return ZERO
    const target = node.target ? this.cost(node.target) : ZERO
    let total: Range | undefined
    let size: Range | undefined
    for (const overload of node.overloads) {
      const estimate = this.#functionCost(node, overload.id, costs)
      total = union(total, estimate.cost)
      if (estimate.resultSize) size = union(size, estimate.resultSize)
      const element = overload.id === 'index_list' ? '@items' : overload.id === 'index_map' ? '@values' : undefined
      if (element !== undefined) {
        const container = node.args[0]!
        size = this.#entry(container)?.value
        this.#paths.set(node, [...this.#path(container), element])
      }
      size ??= this.#size(node)
    }
    this.#setSize(node, size)
    return addRanges(target, total!)
  }

  /** A chain of the same logical operator is a balanced tree of pairs in the reference. */
  #balanced(terms: readonly ExprNode[]): Range {
    const costs = terms.map((term) => this.cost(term))
    const combine = (low: number, high: number): Range => {
      const middle = Math.floor((low + high + 1) / 2)
      // Operators lie between the terms; the one in the middle is the root.
      const left = middle === low ? costs[middle]! : combine(low, middle - 1)
      const right = middle === high ? costs[middle + 1]! : combine(middle + 1, high)
      return logicCost(left, right)
    }
    return combine(0, terms.length - 2)
  }

  #functionCost(node: CallNode, overload: string, costs: readonly Range[]): CallEstimate {
    const args = costs.reduce(addRanges, ZERO)
    const nodes = node.args.map((arg) => this.#describe(arg))
    const target = node.target && this.#describe(node.target)
    const library = estimateCall({ name: node.name, overload, target, args: nodes, sizeAt: this.#estimateSize })
    if (library) return { ...library, cost: addRanges(library.cost, args) }
    const standard = this.#standardCost(node, overload, costs)
    return standard ?? { cost: addRanges(ONE, args) }
  }

  #describe(node: ExprNode): EstimateNode {
    const path = this.#path(node)
    return { node, type: node.type, path: path[0] === ACCUMULATOR ? [] : path, size: this.#size(node) }
  }

  #standardCost(node: CallNode, overload: string, costs: readonly Range[]): CallEstimate | undefined {
    const args = costs.reduce(addRanges, ZERO)
    const sizeOf = (arg: ExprNode | undefined): Range => (arg ? this.#sizeOrUnknown(arg) : UNKNOWN)
    const [first, second] = node.args
    const withArgs = (cost: Range, resultSize?: Range): CallEstimate =>
      resultSize ? { cost: addRanges(cost, args), resultSize } : { cost: addRanges(cost, args) }
    switch (overload) {
      case 'string_format':
        return withArgs(scale(sizeOf(node.target), TRAVERSAL))
      case 'string_to_bytes': {
        const size = sizeOf(first)
        return withArgs(scale(size, TRAVERSAL), { min: size.min, max: BigInt.asUintN(64, size.max * 4n) })
      }
      case 'bytes_to_string': {
        const size = sizeOf(first)
        return withArgs(scale(size, TRAVERSAL), { min: size.min / 4n, max: size.max })
      }
      case 'strings_quote': {
        const size = sizeOf(first)
        return withArgs(scale(size, TRAVERSAL), { min: size.min + 2n, max: BigInt.asUintN(64, size.max * 2n + 2n) })
      }
      case 'starts_with_string':
      case 'ends_with_string':
        return withArgs(scale(sizeOf(first), TRAVERSAL))
      case 'in_list':
        return withArgs(scale(sizeOf(second), 1))
      case 'matches_string': {
        const text = scale(addRanges(sizeOf(node.target), ONE), TRAVERSAL)
        return withArgs(multiplyRanges(text, scale(sizeOf(first), PATTERN)))
      }
      case 'contains_string':
        return withArgs(multiplyRanges(scale(sizeOf(node.target), TRAVERSAL), scale(sizeOf(first), TRAVERSAL)))
      case 'logical_and':
      case 'logical_or':
        return { cost: logicCost(costs[0]!, costs[1]!) }
      case 'conditional':
        return this.#conditional(node, costs)
      case 'add_string':
      case 'add_bytes':
      case 'add_list':
        return this.#addition(node, overload, args)
      default:
        return COMPARISONS.test(overload) ? withArgs(comparisonCost(sizeOf(first), sizeOf(second))) : undefined
    }
  }

  #conditional(node: CallNode, costs: readonly Range[]): CallEstimate {
    const [, whenTrue, whenFalse] = node.args as [ExprNode, ExprNode, ExprNode]
    const resultSize = union(this.#sizeOrUnknown(whenTrue), this.#sizeOrUnknown(whenFalse))
    const entry = unionEntries(this.#entry(whenTrue), this.#entry(whenFalse))
    if (entry) this.#entries.set(node, entry)
    return { cost: addRanges(costs[0]!, union(costs[1]!, costs[2]!)), resultSize }
  }

  #addition(node: CallNode, overload: string, args: Range): CallEstimate {
    const [left, right] = node.args as [ExprNode, ExprNode]
    const resultSize = addRanges(this.#sizeOrUnknown(left), this.#sizeOrUnknown(right))
    const entry = unionEntries(this.#entry(left), this.#entry(right))
    if (entry) this.#entries.set(node, entry)
    const own = overload === 'add_list' ? ONE : scale(resultSize, TRAVERSAL)
    return { cost: addRanges(own, args), resultSize }
  }

  #setSize(node: ExprNode, size: Range | undefined): void {
    if (size) this.#sizes.set(node, size)
  }

  #copySizes(to: ExprNode, from: ExprNode): void {
    this.#setSize(to, this.#size(from))
    const entry = this.#entry(from)
    if (entry) this.#entries.set(to, entry)
  }

  #sizeOrUnknown(node: ExprNode): Range {
    return this.#size(node) ?? UNKNOWN
  }

  #size(node: ExprNode): Range | undefined {
    const known = this.#sizes.get(node) ?? literalSize(node)
    if (known) return known
    const estimated = this.#estimateSize(this.#path(node))
    if (estimated) {
      this.#sizes.set(node, estimated)
      return estimated
    }
    if (isScalar(node.type)) return ONE
    return node.kind === 'ident' ? this.#local(node.name)?.size : undefined
  }

  #entry(node: ExprNode): EntrySize | undefined {
    return this.#entries.get(node) ?? (node.kind === 'ident' ? this.#local(node.name)?.entry : undefined)
  }
}

const COMPARISONS = /^(?:equals|not_equals|(?:less|greater)(?:_equals)?_(?:string|bytes))$/

/** The second term may never run. */
const logicCost = (left: Range, right: Range): Range => ({ min: left.min, max: add(left.max, right.max) })

function comparisonCost(left: Range, right: Range): Range {
  const max = smaller(left.max, right.max)
  return scale({ min: max > 0n ? 1n : 0n, max }, TRAVERSAL)
}

function unionEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  return a && b && { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) }
}

function isScalar(type: Type): boolean {
  const inner = unwrapOptional(type)
  return inner ? isScalar(inner) : SCALARS.has(type.kind)
}

function literalSize(node: ExprNode): Range | undefined {
  if (node.kind === 'list') return fixed(BigInt(node.elements.length))
  if (node.kind === 'map') return fixed(BigInt(node.entries.length))
  return node.kind === 'literal' ? valueSize(node.value) : undefined
}

function valueSize(value: Value): Range | undefined {
  if (typeof value === 'string') return fixed(BigInt(codePointCount(value)))
  if (value instanceof Bytes) return fixed(BigInt(value.data.length))
  return value instanceof CelError ? undefined : ONE
}
