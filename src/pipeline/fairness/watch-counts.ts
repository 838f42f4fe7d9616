/** How many watches are open, by what they watch: a change costs what it takes to notify its watchers. */
import { fieldSelectorOf } from '../../api/query-selectors.ts'
import type { RequestInfo } from '../../api/request-info.ts'

/** Watches of these that select by this field are indexed by it and receive no other events. */
const indexedFields: ReadonlyMap<string, string> = new Map([['pods', 'spec.nodeName']])

export class WatchCounts {
  readonly #counts = new Map<string, number>()

  /** The result forgets it. */
  add(info: RequestInfo): () => void {
    if (isIndexed(info)) return () => {}
    const key = watchKey(info, info.namespace, info.name)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    return () => {
      const left = (this.#counts.get(key) ?? 0) - 1
      if (left > 0) this.#counts.set(key, left)
      else this.#counts.delete(key)
    }
  }

  /** Watches that may receive an event of a write. */
  interestedIn(info: RequestInfo): number {
    if (this.#counts.size === 0) return 0
    const { namespace, name } = info
    let count = this.#of(info, '', '')
    if (namespace !== '') count += this.#of(info, namespace, '')
    if (name !== '') count += this.#of(info, namespace, name)
    return count
  }

  #of(info: RequestInfo, namespace: string, name: string): number {
    return this.#counts.get(watchKey(info, namespace, name)) ?? 0
  }
}

const watchKey = ({ group, resource }: RequestInfo, namespace: string, name: string): string =>
  `${group}/${resource}/${namespace}/${name}`

function isIndexed({ resource, query }: RequestInfo): boolean {
  const field = indexedFields.get(resource)
  if (field === undefined || !query.has('fieldSelector')) return false
  try {
    const found = fieldSelectorOf(query).find((term) => term.field === field && term.operator !== '!=')
    return found !== undefined && found.value !== ''
  } catch {
    return false
  }
}
