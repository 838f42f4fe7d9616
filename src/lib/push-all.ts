/** Appends every item. `push(...items)` puts them on the stack, which a list that a stranger wrote may overflow. */
export function pushAll<T>(list: T[] | { push(item: T): unknown }, items: Iterable<T>): void {
  for (const item of items) list.push(item)
}
