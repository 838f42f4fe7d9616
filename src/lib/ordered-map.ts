// A sorted map as a copy-on-write B+ tree: `clone` is cheap. The package is CommonJS with its class as the `default` property, which Node
// and esbuild leave wrapped and Vite unwraps; this is the one place that knows.
import sortedBtree from 'sorted-btree'

export type OrderedMap<K, V> = sortedBtree.default<K, V>

type BTreeClass = typeof sortedBtree.default
const loaded: unknown = sortedBtree
const BTree = typeof loaded === 'function' ? (loaded as BTreeClass) : sortedBtree.default

const compare = <K extends string | number>(a: K, b: K): number => (a < b ? -1 : a > b ? 1 : 0)

/** An empty map. Strings are in the order of their UTF-16 code units. */
export function orderedMap<K extends string | number, V>(): OrderedMap<K, V> {
  return new BTree<K, V>(undefined, compare)
}
