/** Refuses functions and variables that there are not, before a filter runs. */
import { JqError } from './jq-error.ts'
import type { JqNode } from './jq-parser.ts'

export function checkNames(node: JqNode, hasFunction: (name: string, arity: number) => boolean): void {
  const check = (each: JqNode, variables: ReadonlySet<string>): void => {
    if (each.op === 'call' && !hasFunction(each.name, each.args.length)) {
      throw new JqError(`the function ${each.name}/${each.args.length} is not offered`)
    }
    if (each.op === 'variable' && !variables.has(each.name)) throw new JqError(`$${each.name} is not defined`)
    for (const [child, name] of childrenOf(each)) {
      check(child, name === undefined ? variables : new Set([...variables, name]))
    }
  }
  check(node, new Set())
}

/** Each with the variable that it sees besides. */
function* childrenOf(node: JqNode): Iterable<readonly [JqNode, string?]> {
  switch (node.op) {
    case 'field':
      yield* [[node.target], [node.name]] as const
      return
    case 'slice':
      yield [node.target]
      if (node.from !== undefined) yield [node.from]
      if (node.to !== undefined) yield [node.to]
      return
    case 'iterate':
    case 'try':
    case 'array':
    case 'negate':
      yield [node.target]
      return
    case 'try-catch':
      yield* [[node.target], [node.handler]] as const
      return
    case 'text':
      for (const part of node.parts) if (typeof part !== 'string') yield [part]
      return
    case 'object':
      for (const [key, value] of node.entries) yield* [[key], [value]] as const
      return
    case 'binary':
      yield* [[node.left], [node.right]] as const
      return
    case 'if':
      yield* [[node.test], [node.yes], [node.no]] as const
      return
    case 'call':
      for (const arg of node.args) yield [arg]
      return
    case 'bind':
      yield* [[node.source], [node.body, node.name]] as const
      return
    case 'reduce':
    case 'foreach':
      yield* [[node.source], [node.init], [node.update, node.name]] as const
      if (node.extract !== undefined) yield [node.extract, node.name]
      return
    default:
      return
  }
}
