/**
 * Folds over lists and maps. The general one evaluates condition and step for each entry; `all` and `exists` do the
 * same without going through them; a list that a fold collects is one growing array.
 */
import type { CallNode, ComprehensionNode, ExprNode } from './ast.ts'
import type { Evaluate } from './compiled.ts'
import type { Compiler, Local } from './compiler.ts'
import { implementationName } from './equality.ts'
import type { Evaluation } from './evaluation.ts'
import { WORK } from './evaluation.ts'
import { LIST_COST } from './runtime-cost.ts'
import type { List, MapValue, Value } from './values.ts'
import { ArrayList, CelError, EntryMap, errorOr } from './values.ts'

/** A variable of one expression, made when it is first used. */
const isBinding = (node: ComprehensionNode): boolean =>
  node.range.kind === 'list' &&
  node.range.elements.length === 0 &&
  node.condition.kind === 'literal' &&
  node.condition.value === false

export function compileComprehension(compiler: Compiler, node: ComprehensionNode): Evaluate {
  if (isBinding(node)) return compileBinding(compiler, node)
  const range = compiler.compile(node.range).evaluate
  if (node.quantifier) return compileQuantifier(compiler, node, range)
  return compileFold(compiler, node, range)
}

function compileBinding(compiler: Compiler, node: ComprehensionNode): Evaluate {
  const slot = compiler.newSlot()
  const init = compiler.compile(node.accuInit).evaluate
  const read: Evaluate = (e) => (e.locals[slot] ??= init(e))
  const result = compiler.withLocal(node.accuVar, { read }, () => compiler.compile(node.result).evaluate)
  return (e) => {
    e.locals[slot] = undefined
    return result(e)
  }
}

const localAt = (slot: number): Local => ({ read: (e) => e.locals[slot]! })

/** Compiles with the variables of the loop in scope; they live in the two slots. */
function inLoop<T>(compiler: Compiler, node: ComprehensionNode, body: (first: number, second: number) => T): T {
  const first = compiler.newSlot()
  const { iterVar2 } = node
  if (iterVar2 === undefined) return compiler.withLocal(node.iterVar, localAt(first), () => body(first, -1))
  const second = compiler.newSlot()
  return compiler.withLocal(node.iterVar, localAt(first), () =>
    compiler.withLocal(iterVar2, localAt(second), () => body(first, second)),
  )
}

/** Calls the step for each entry until it says stop; an error for what cannot be iterated over. */
function forEachEntry(
  e: Evaluation,
  range: Value,
  { first, second, step }: { first: number; second: number; step: () => boolean },
): CelError | undefined {
  if (range instanceof CelError) return range
  if (typeof range !== 'object' || range === null || (range.kind !== 'list' && range.kind !== 'map')) {
    const name = implementationName(range)
    const message =
      second < 0 ? `got '${name}', expected iterable type` : `unsupported comprehension range type: ${name}`
    return new CelError(message)
  }
  if (range.kind === 'list') eachItem(e, range, { first, second, step })
  else eachKey(e, range, { first, second, step })
  return undefined
}

interface Loop {
  readonly first: number
  readonly second: number
  readonly step: () => boolean
}

function eachItem(e: Evaluation, range: List, { first, second, step }: Loop): void {
  for (let i = 0; i < range.length; i++) {
    if (second < 0) {
      e.locals[first] = range.at(i)
    } else {
      e.locals[first] = i
      e.locals[second] = range.at(i)
    }
    if (!step()) return
  }
}

function eachKey(e: Evaluation, range: MapValue, { first, second, step }: Loop): void {
  e.work(range.size * WORK.key)
  for (const key of range.keys()) {
    e.locals[first] = key
    if (second >= 0) e.locals[second] = range.find(key)!
    if (!step()) return
  }
}

/** What the loop condition of a quantifier costs each time: it reads the accumulator and looks whether it decides. */
const CONDITION_COST = { all: 2, exists: 3 }

function compileQuantifier(compiler: Compiler, node: ComprehensionNode, range: Evaluate): Evaluate {
  const { kind, body } = node.quantifier!
  const decisive = kind === 'exists'
  const conditionCost = CONDITION_COST[kind]
  return inLoop(compiler, node, (first, second) => {
    const predicate = compiler.compile(body).evaluate
    return (e) => {
      const entries = range(e)
      let accumulated: Value = !decisive
      const error = forEachEntry(e, entries, {
        first,
        second,
        step: () => {
          // One more for the accumulator as the first term of the step.
          e.charge(accumulated === decisive ? conditionCost : conditionCost + 1)
          if (accumulated === decisive) return false
          const value = predicate(e)
          if (value === decisive) accumulated = decisive
          else if (typeof accumulated === 'boolean' && typeof value !== 'boolean') accumulated = errorOr(value)
          return true
        },
      })
      if (error) return error
      e.cost++
      return accumulated
    }
  })
}

function compileFold(compiler: Compiler, node: ComprehensionNode, range: Evaluate): Evaluate {
  const slot = compiler.newSlot()
  const init = compiler.compile(node.accuInit).evaluate
  const accumulator: Local = { read: (e) => e.locals[slot]! }
  return compiler.withLocal(node.accuVar, accumulator, () => {
    const result = compiler.compile(node.result).evaluate
    return inLoop(compiler, node, (first, second) => {
      const condition = compiler.compile(node.condition)
      const always = condition.constant === true
      const step = compileStep(compiler, node, slot)
      return (e) => {
        const entries = range(e)
        if (entries instanceof CelError) return entries
        e.locals[slot] = startValue(init(e))
        const error = forEachEntry(e, entries, {
          first,
          second,
          step: () => {
            if (!always && condition.evaluate(e) === false) return false
            e.locals[slot] = step(e)
            e.charge(0)
            return true
          },
        })
        return error ?? result(e)
      }
    })
  })
}

/** A list or a map that the fold may add to in place: it is not aliased. */
function startValue(value: Value): Value {
  if (value instanceof ArrayList && value.length === 0) return new ArrayList([])
  if (value instanceof EntryMap && value.size === 0) return new EntryMap()
  return value
}

function compileStep(compiler: Compiler, node: ComprehensionNode, slot: number): Evaluate {
  const { step } = node
  if (step.kind !== 'call') return compiler.compile(step).evaluate
  if (isAppend(step, node)) return compileAppend(compiler, step, slot)
  const [condition, whenTrue, whenFalse] = step.args
  if (step.name === '_?_:_' && isAppend(whenTrue, node) && isAccumulator(whenFalse!, node)) {
    const filter = compiler.compile(condition!).evaluate
    const append = compileAppend(compiler, whenTrue as CallNode, slot)
    return (e) => {
      const chosen = filter(e)
      if (chosen === true) return append(e)
      return chosen === false ? e.locals[slot]! : errorOr(chosen)
    }
  }
  return compiler.compile(step).evaluate
}

const isAccumulator = (node: ExprNode, fold: ComprehensionNode): boolean =>
  node.kind === 'ident' && node.name === fold.accuVar

/** `accumulator + [item]`. */
function isAppend(node: ExprNode | undefined, fold: ComprehensionNode): boolean {
  if (node?.kind !== 'call' || node.name !== '_+_' || fold.accuInit.kind !== 'list') return false
  const [left, right] = node.args
  if (!left || !isAccumulator(left, fold)) return false
  return right?.kind === 'list' && right.elements.length === 1 && right.optional.size === 0
}

function compileAppend(compiler: Compiler, node: CallNode, slot: number): Evaluate {
  const literal = node.args[1]!
  const item = compiler.compile((literal as { elements: readonly ExprNode[] }).elements[0]!)
  // The accumulator, the list around the item unless it is a constant, and the addition.
  const cost = 2 + (item.constant === undefined ? LIST_COST : 0)
  return (e) => {
    const value = item.evaluate(e)
    e.charge(cost)
    const collected = e.locals[slot]!
    if (collected instanceof CelError) return collected
    if (value instanceof CelError) return value
    ;(collected as ArrayList).items.push(value)
    return collected
  }
}
