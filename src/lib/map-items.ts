/** A copy-on-write `map` over a list: the list itself is returned where no item changes. */

/** The list with every item changed; itself when none is. */
export function mapItems<Item>(items: readonly Item[], change: (item: Item) => Item): Item[] {
  let changed = items as Item[]
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Item
    const next = change(item)
    if (next === item) continue
    if (changed === items) changed = [...items]
    changed[i] = next
  }
  return changed
}
