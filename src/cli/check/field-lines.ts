/** In which line of a document a field is, as the paths in the server's answers name it. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'

/** Lines count from 1 at the start of the document. Of a field that is not there, the line of what should hold it. */
export class FieldLines {
  readonly #counter = new LineCounter()
  readonly #root: Node | null

  constructor(text: string) {
    this.#root = parseDocument(text, { lineCounter: this.#counter, uniqueKeys: false, logLevel: 'silent' }).contents
  }

  /** `items`: the places in the lists that the object is in. */
  find(items: readonly number[], field = ''): number {
    const path = [...items.flatMap((i) => ['items', String(i)]), ...tokens(field)]
    let node: unknown = this.#root
    let at = this.#root?.range?.[0] ?? 0
    for (let i = 0; i < path.length; ) {
      const step = isMap(node) ? stepIntoMap(node, path, i) : isSeq(node) ? stepIntoList(node, path, i) : undefined
      if (step === undefined) break
      node = step.node
      at = step.at
      i = step.next
    }
    return this.#counter.linePos(at).line
  }
}

interface Step {
  readonly node: unknown
  readonly at: number
  readonly next: number
}

/** Keys may have dots in them, which paths do not distinguish from steps: the shortest that is there counts. */
function stepIntoMap(
  map: { readonly items: readonly { key: unknown; value: unknown }[] },
  path: readonly string[],
  from: number,
): Step | undefined {
  for (let next = from + 1; next <= path.length; next++) {
    const name = path.slice(from, next).join('.')
    const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === name)
    if (pair !== undefined) return { node: pair.value, at: (pair.key as Node).range?.[0] ?? 0, next }
  }
  return undefined
}

function stepIntoList(
  list: { readonly items: readonly unknown[] },
  path: readonly string[],
  from: number,
): Step | undefined {
  const node = list.items[Number(path[from])] as Node | undefined
  return node === undefined ? undefined : { node, at: node.range?.[0] ?? 0, next: from + 1 }
}

/** `spec.containers[0].env[a.b]` is spec, containers, 0, env, a.b. */
function tokens(field: string): string[] {
  return [...field.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([whole, inner]) => inner ?? whole)
}
