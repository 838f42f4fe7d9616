/** What is checked beyond types: constant times and patterns, lists and maps of one type, constant formats. */
import type { CallNode, ExprNode, ListNode, MapNode } from './ast.ts'
import { walk, walkInsideOut } from './ast.ts'
import { matchesType } from './equality.ts'
import type { FunctionDeclaration } from './functions.ts'
import type { Clause } from './library/string-format.ts'
import { FormatError, formatRefusal, readFormat } from './library/string-format.ts'
import { parsePattern } from './patterns.ts'
import type { Source } from './source.ts'
import type { Type, TypeKind } from './types.ts'
import { formatType, isEquivalentType, unwrapOptional } from './types.ts'
import type { Value } from './values.ts'
import { CelError } from './values.ts'

/** Lists inside these functions may mix types. */
const MIXED_ALLOWED = new Set(['format', 'cel.@block'])

export interface ValidationOptions {
  /** Constant arguments of `duration`, `timestamp` and `matches` must be valid. */
  readonly literals: boolean
  /** Lists and maps must be of one type. */
  readonly homogeneous: boolean
  /** Arguments of constant formats must fit. */
  readonly formats: boolean
  readonly function: (name: string) => FunctionDeclaration | undefined
}

export function validateTree(root: ExprNode, source: Source, options: ValidationOptions): void {
  walk(root, (node, parents) => {
    if (node.kind === 'call') {
      if (options.literals) checkLiteral(node, source, options)
      return
    }
    if (!options.homogeneous || (node.kind !== 'list' && node.kind !== 'map')) return
    if (parents.some((parent) => parent.kind === 'call' && MIXED_ALLOWED.has(parent.name))) return
    if (node.kind === 'list') checkList(node, source)
    else checkMap(node, source)
  })
  // Errors of one place are told in the order in which they are found.
  if (options.formats)
    walkInsideOut(root, (node) => {
      if (isConstantFormat(node)) checkFormat(node, source)
    })
}

function checkLiteral(node: CallNode, source: Source, options: ValidationOptions): void {
  const arg = node.args[0]
  if (arg?.kind !== 'literal') return
  const { value } = arg
  const wrong =
    (node.name === 'matches' && typeof value === 'string' && parsePattern(value) instanceof CelError) ||
    ((node.name === 'duration' || node.name === 'timestamp') && !isConvertible(options.function(node.name), value))
  if (wrong) source.report(arg.offset, `invalid ${node.name} argument`)
}

function isConvertible(declaration: FunctionDeclaration | undefined, value: Value): boolean {
  if (declaration === undefined) return true
  const overload = declaration.overloads.find(({ args }) => args.length === 1 && matchesType(args[0]!, value))
  const nothing = null as never
  // A null passes for a time or a duration where types are checked, and is none.
  return overload !== undefined && !(overload.implementation?.(value, null, null, null, nothing) instanceof CelError)
}

function mismatch(source: Source, node: ExprNode, expected: Type, actual: Type): void {
  source.report(node.offset, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`)
}

/** The type of a part; of an optional one the type inside. */
const partType = (node: ExprNode, optional: boolean): Type =>
  optional ? (unwrapOptional(node.type) ?? node.type) : node.type

function checkList(node: ListNode, source: Source): void {
  const [first, ...rest] = node.elements
  if (!first) return
  const expected = partType(first, node.optional.has(0))
  for (const [i, element] of rest.entries()) {
    const type = partType(element, node.optional.has(i + 1))
    if (isEquivalentType(expected, type)) continue
    mismatch(source, element, expected, type)
    return
  }
}

function checkMap(node: MapNode, source: Source): void {
  const [first, ...rest] = node.entries
  if (!first) return
  const expectedValue = partType(first.value, first.optional)
  for (const { key, value, optional } of rest) {
    if (!isEquivalentType(first.key.type, key.type)) mismatch(source, key, first.key.type, key.type)
    const type = partType(value, optional)
    if (!isEquivalentType(expectedValue, type)) mismatch(source, value, expectedValue, type)
  }
}

function isConstantFormat(node: ExprNode): node is CallNode {
  if (node.kind !== 'call') return false
  const { target } = node
  return (
    node.name === 'format' &&
    target?.kind === 'literal' &&
    typeof target.value === 'string' &&
    node.args.length === 1 &&
    node.args[0]!.kind === 'list'
  )
}

const ACCEPTED: Readonly<Record<Clause, readonly TypeKind[]>> = {
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
}

class ArgumentRefused extends FormatError {
  readonly node: ExprNode
  constructor(node: ExprNode, clause: Clause) {
    super(`error during formatting: ${formatRefusal(clause, node.type.name)}`)
    this.node = node
  }
}

function checkFormat(node: CallNode, source: Source): void {
  const { elements } = node.args[0] as ListNode
  const format = (node.target as { value?: unknown }).value as string
  let requested = 0
  try {
    readFormat(format, {
      argument: (index) => {
        requested++
        if (index >= elements.length) throw new FormatError(`index ${index} out of range`)
      },
      clause: (clause, index) => {
        requireAccepted(elements[index]!, clause)
        return ''
      },
    })
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    source.report(error instanceof ArgumentRefused ? error.node.offset : node.offset, error.message)
    return
  }
  if (elements.length > requested) {
    source.report(
      node.offset,
      `too many arguments supplied to string.format (expected ${requested}, got ${elements.length})`,
    )
  }
}

function requireAccepted(node: ExprNode, clause: Clause): void {
  if (node.type.kind !== 'dyn' && !ACCEPTED[clause].includes(node.type.kind)) throw new ArgumentRefused(node, clause)
  if (clause !== 's') return
  if (node.kind === 'list') for (const element of node.elements) requireAccepted(element, clause)
  if (node.kind === 'map') {
    for (const { key, value } of node.entries) {
      requireAccepted(key, clause)
      requireAccepted(value, clause)
    }
  }
}
