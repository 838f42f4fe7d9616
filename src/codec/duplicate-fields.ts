/** Keys that an object of a JSON text has twice. */
import type { Steps } from '../lib/in-turns.ts'
import type { StrictError } from '../schema/decode-exact.ts'
import { isLight, type JsonNode, ObjectNode } from '../schema/json-tree.ts'

/** At most this many are reported. */
const maxTold = 100

export function* findDuplicates(tree: JsonNode): Steps<StrictError[]> {
  const search = new DuplicateSearch()
  yield* search.searchInSteps(tree, '')
  return [...search.found.values()].slice(0, maxTold)
}

const nodesPerStep = 64

class DuplicateSearch {
  readonly found = new Map<string, StrictError>()
  #count = 0

  /** Returns the path of what is there. */
  #note(place: string | number, path: string, seen: Set<string>): string {
    if (typeof place === 'number') return `${path}[${place}]`
    const at = path === '' ? place : `${path}.${place}`
    if (seen.has(place)) this.found.set(at, { reason: 'duplicate field', path: at })
    seen.add(place)
    return at
  }

  *searchInSteps(node: JsonNode, path: string): Steps<void> {
    if (isLight(node)) {
      this.#search(node, path)
      return
    }
    const seen = new Set<string>()
    for (const [place, item] of inside(node)) {
      if (++this.#count % nodesPerStep === 0) yield
      const at = this.#note(place, path, seen)
      if (typeof item === 'object' && item !== null) yield* this.searchInSteps(item, at)
    }
  }

  #search(node: JsonNode, path: string): void {
    const seen = new Set<string>()
    for (const [place, item] of inside(node)) {
      const at = this.#note(place, path, seen)
      if (typeof item === 'object' && item !== null) this.#search(item, at)
    }
  }
}

function* inside(node: JsonNode): Generator<[place: string | number, item: JsonNode]> {
  if (Array.isArray(node)) yield* node.entries()
  else if (node instanceof ObjectNode) for (const [i, key] of node.keys.entries()) yield [key, node.values[i] ?? null]
}
