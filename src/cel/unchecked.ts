/** Names in a tree that no checker has seen: types, and functions of a namespace. */
import type { ExprNode } from './ast.ts'
import { qualifiedName, walk } from './ast.ts'
import type { VariableDeclaration } from './program.ts'

export interface Names {
  readonly candidates: (name: string) => string[]
  readonly isFunction: (name: string) => boolean
  readonly variable: (name: string) => VariableDeclaration | undefined
}

export function resolveNames(root: ExprNode, names: Names): void {
  const locals = new Set<string>()
  walk(root, (node) => {
    if (node.kind === 'comprehension')
      for (const name of [node.iterVar, node.iterVar2, node.accuVar]) locals.add(name ?? '')
  })
  walk(root, (node) => {
    if (node.kind === 'call') resolveFunction(node, names)
    else if (node.kind === 'ident' && !locals.has(node.name)) resolveVariable(node, node.name, names)
    else if (node.kind === 'select' && !node.test) resolveVariable(node, qualifiedName(node), names)
  })
}

function resolveFunction(node: ExprNode & { kind: 'call' }, { candidates, isFunction }: Names): void {
  const prefix = node.target && qualifiedName(node.target)
  if (prefix !== undefined) {
    const found = candidates(`${prefix}.${node.name}`).find(isFunction)
    if (found === undefined) return
    node.name = found
    node.target = undefined
  } else if (!node.target) {
    node.name = candidates(node.name).find(isFunction) ?? node.name
  }
}

function resolveVariable(node: ExprNode & { kind: 'ident' | 'select' }, name: string | undefined, names: Names): void {
  if (name === undefined) return
  for (const candidate of names.candidates(name)) {
    const found = names.variable(candidate)
    if (!found) continue
    if (found.constant !== undefined) node.constant = found.constant
    if (node.kind === 'ident') node.name = candidate
    else node.variable = candidate
    return
  }
}
