// A sorted map as a copy-on-write B+ tree: `clone` is cheap. The package is CommonJS with its class as the `default` property, which Node
// and esbuild leave wrapped and Vite unwraps; this is the one place that knows.
import sortedBtree from 'sorted-btree'
import diffModule from 'sorted-btree/extended/diffAgainst.js'

export type OrderedMap<K, V> = sortedBtree.default<K, V>

type BTreeClass = typeof sortedBtree.default
const loaded: unknown = sortedBtree
const BTree = typeof loaded === 'function' ? (loaded as BTreeClass) : sortedBtree.default

const compare = <K extends string | number>(a: K, b: K): number => (a < b ? -1 : a > b ? 1 : 0)

/** An empty map. Strings are in the order of their UTF-16 code units. */
export function orderedMap<K extends string | number, V>(): OrderedMap<K, V> {
  return new BTree<K, V>(undefined, compare)
}

const loadedDiff: unknown = diffModule
const diffAgainst = typeof loadedDiff === 'function' ? (loadedDiff as typeof diffModule.default) : diffModule.default

/** Calls back with every key whose value differs, in key order. What two maps share since one was cloned is not looked at. */
export function diffOrdered<K, V>(
  a: OrderedMap<K, V>,
  b: OrderedMap<K, V>,
  differs: (inA: V | undefined, inB: V | undefined) => void,
): void {
  diffAgainst(
    a,
    b,
    (_, inA) => differs(inA, undefined),
    (_, inB) => differs(undefined, inB),
    (_, inA, inB) => differs(inA, inB),
  )
}
