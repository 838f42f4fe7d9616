/** The names that a mistyped one may have meant: few edits away, or holding it as a part; at most three, nearest first. */
export function nearestNames(wrong: string, names: Iterable<string>): string[] {
  const limit = Math.max(2, Math.floor(wrong.length / 4))
  const near: { name: string; distance: number }[] = []
  for (const name of names) {
    const distance = wrong.length >= 4 && name.includes(wrong) ? 1.5 : editDistance(wrong, name, limit)
    if (distance <= limit) near.push({ name, distance })
  }
  return near
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** How many letters must be put in, taken out or replaced, one row of the classic table at a time; beyond the limit it does not count on. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
    if (row.every((distance) => distance > limit)) return Number.POSITIVE_INFINITY
  }
  return row[b.length] ?? 0
}
