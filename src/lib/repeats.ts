/** Whether an earlier item of the list has the same key, in time linear in the list. */
export function duplicateFinder<T>(list: readonly T[], keyOf: (item: T) => unknown): (index: number) => boolean {
  if (list.length < 2) return () => false
  const first = new Map<unknown, number>()
  for (const [i, item] of list.entries()) {
    const key = keyOf(item)
    if (!first.has(key)) first.set(key, i)
  }
  return (index) => (first.get(keyOf(list[index] as T)) ?? index) < index
}
