/**
 * The tree of an expression. The parser makes it (macros are already expanded), the checker writes types, references
 * and resolved names into it, and after that it is immutable.
 */
import type { Overload } from './functions.ts'
import type { Type } from './types.ts'
import { DYN } from './types.ts'
import type { Value } from './values.ts'

interface NodeBase {
  /** Where messages about the node point. */
  readonly offset: number
  /** Set by the checker. */
  type: Type
}

export interface LiteralNode extends NodeBase {
  readonly kind: 'literal'
  readonly value: Value
}

export interface IdentNode extends NodeBase {
  readonly kind: 'ident'
  name: string
  /** The value that the checker found for a name of a type or a constant. */
  constant?: Value
}

export interface SelectNode extends NodeBase {
  readonly kind: 'select'
  readonly operand: ExprNode
  readonly field: string
  /** `has(operand.field)`. */
  readonly test: boolean
  /** The qualified name of a variable that the whole chain stands for. */
  variable?: string
  constant?: Value
}

export interface CallNode extends NodeBase {
  readonly kind: 'call'
  /** Absent again once the checker found that it was the namespace of the function. */
  target: ExprNode | undefined
  name: string
  /** More than two for `_&&_` and `_||_`, whose chains are one node. */
  readonly args: readonly ExprNode[]
  /** The overloads that fit the types; one where the call is resolved. */
  overloads: readonly Overload[]
}

export interface ListNode extends NodeBase {
  readonly kind: 'list'
  readonly elements: readonly ExprNode[]
  readonly optional: ReadonlySet<number>
}

export interface MapEntry {
  readonly offset: number
  readonly key: ExprNode
  readonly value: ExprNode
  readonly optional: boolean
}

export interface MapNode extends NodeBase {
  readonly kind: 'map'
  readonly entries: readonly MapEntry[]
}

export interface StructField {
  readonly offset: number
  readonly name: string
  readonly value: ExprNode
  readonly optional: boolean
}

export interface StructNode extends NodeBase {
  readonly kind: 'struct'
  name: string
  readonly fields: readonly StructField[]
}

/** A fold; all macros over lists and maps expand to it. */
export interface ComprehensionNode extends NodeBase {
  readonly kind: 'comprehension'
  readonly range: ExprNode
  readonly iterVar: string
  readonly iterVar2: string | undefined
  readonly accuVar: string
  readonly accuInit: ExprNode
  readonly condition: ExprNode
  readonly step: ExprNode
  readonly result: ExprNode
  /** The two macros that have an evaluation of their own; `body` is their predicate. */
  readonly quantifier?: { readonly kind: 'all' | 'exists'; readonly body: ExprNode }
}

export type ExprNode =
  | LiteralNode
  | IdentNode
  | SelectNode
  | CallNode
  | ListNode
  | MapNode
  | StructNode
  | ComprehensionNode

export const literal = (offset: number, value: Value): LiteralNode => ({ kind: 'literal', offset, value, type: DYN })
export const ident = (offset: number, name: string): IdentNode => ({ kind: 'ident', offset, name, type: DYN })

export function select(offset: number, operand: ExprNode, field: string, test = false): SelectNode {
  return { kind: 'select', offset, operand, field, test, type: DYN }
}

export function call(offset: number, name: string, args: readonly ExprNode[], target?: ExprNode): CallNode {
  return { kind: 'call', offset, target, name, args, overloads: [], type: DYN }
}

const noneOptional: ReadonlySet<number> = new Set()

export function list(offset: number, elements: readonly ExprNode[], optional = noneOptional): ListNode {
  return { kind: 'list', offset, elements, optional, type: DYN }
}

export const map = (offset: number, entries: readonly MapEntry[]): MapNode => ({
  kind: 'map',
  offset,
  entries,
  type: DYN,
})

/** A name such as `a.b.c` that the chain of selects may stand for. */
export function qualifiedName(node: ExprNode): string | undefined {
  if (node.kind === 'ident') return node.name
  if (node.kind !== 'select' || node.test) return undefined
  const operand = qualifiedName(node.operand)
  return operand === undefined ? undefined : `${operand}.${node.field}`
}

/** The children in order of evaluation. */
export function childrenOf(node: ExprNode): readonly ExprNode[] {
  switch (node.kind) {
    case 'literal':
    case 'ident':
      return []
    case 'select':
      return [node.operand]
    case 'call':
      return node.target === undefined ? node.args : [node.target, ...node.args]
    case 'list':
      return node.elements
    case 'map':
      return node.entries.flatMap((entry) => [entry.key, entry.value])
    case 'struct':
      return node.fields.map((field) => field.value)
    case 'comprehension':
      return [node.range, node.accuInit, node.condition, node.step, node.result]
  }
}

/** Calls `visit` on the node and everything below it, parents first. */
export function walk(node: ExprNode, visit: (node: ExprNode, parents: readonly ExprNode[]) => void): void {
  const parents: ExprNode[] = []
  const go = (current: ExprNode): void => {
    visit(current, parents)
    parents.push(current)
    for (const child of childrenOf(current)) go(child)
    parents.pop()
  }
  go(node)
}

/** The same with what is inside first. */
export function walkInsideOut(node: ExprNode, visit: (node: ExprNode) => void): void {
  for (const child of childrenOf(node)) walkInsideOut(child, visit)
  visit(node)
}

/** A copy that shares no node with the original; `count` is called for each node and may abort by throwing. */
export function copyNode(node: ExprNode, count: () => void): ExprNode {
  count()
  const copy = (child: ExprNode): ExprNode => copyNode(child, count)
  switch (node.kind) {
    case 'literal':
    case 'ident':
      return { ...node }
    case 'select':
      return { ...node, operand: copy(node.operand) }
    case 'call':
      return { ...node, target: node.target === undefined ? undefined : copy(node.target), args: node.args.map(copy) }
    case 'list':
      return { ...node, elements: node.elements.map(copy) }
    case 'map':
      return {
        ...node,
        entries: node.entries.map((entry) => ({ ...entry, key: copy(entry.key), value: copy(entry.value) })),
      }
    case 'struct':
      return { ...node, fields: node.fields.map((field) => ({ ...field, value: copy(field.value) })) }
    case 'comprehension':
      return copyComprehension(node, copy)
  }
}

function copyComprehension(node: ComprehensionNode, copy: (node: ExprNode) => ExprNode): ComprehensionNode {
  const step = copy(node.step)
  const copied = {
    ...node,
    range: copy(node.range),
    accuInit: copy(node.accuInit),
    condition: copy(node.condition),
    step,
    result: copy(node.result),
  }
  // The body of a quantifier is the second term of its step and must stay the same node.
  const body = step.kind === 'call' ? step.args[1] : undefined
  return node.quantifier && body ? { ...copied, quantifier: { kind: node.quantifier.kind, body } } : copied
}
