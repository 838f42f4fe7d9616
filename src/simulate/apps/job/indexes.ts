/**
 * Completion indexes as text, such as `1,3-5,7`, and as intervals in order.
 * Mirrors pkg/controller/job: orderedIntervals, parseIndexesFromString.
 */
export interface Interval {
  readonly first: number
  readonly last: number
}

export type Intervals = readonly Interval[]

/** Reads the indexes below `completions`; what is no interval is passed over. */
export function parseIndexes(text: string, completions: number): Intervals {
  const found: Interval[] = []
  for (const part of text === '' ? [] : text.split(',')) {
    const [, first, last = first] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part) ?? []
    if (first === undefined) continue
    if (Number(first) >= completions) break
    found.push({ first: Number(first), last: Math.min(Number(last), completions - 1) })
  }
  return merge(found, [])
}

export function formatIndexes(intervals: Intervals): string {
  return intervals
    .map(({ first, last }) => (last === first ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
    .join(',')
}

export const total = (intervals: Intervals): number =>
  intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0)

export const has = (intervals: Intervals, index: number): boolean =>
  intervals.some(({ first, last }) => first <= index && index <= last)

export function merge(a: Intervals, b: Intervals): Intervals {
  const merged: Interval[] = []
  for (const next of [...a, ...b].sort((x, y) => x.first - y.first)) {
    const last = merged.at(-1)
    if (last === undefined || next.first > last.last + 1) merged.push(next)
    else if (next.last > last.last) merged[merged.length - 1] = { first: last.first, last: next.last }
  }
  return merged
}

export const withIndexes = (intervals: Intervals, indexes: Iterable<number>): Intervals =>
  merge(
    intervals,
    [...indexes].map((index) => ({ first: index, last: index })),
  )

/** The first indexes that are in none of the intervals. */
export function missingIndexes(intervals: Intervals, count: number, completions: number): number[] {
  const missing: number[] = []
  let next = 0
  for (const { first, last } of [...intervals, { first: completions, last: completions }]) {
    for (; next < first && next < completions && missing.length < count; next++) missing.push(next)
    next = Math.max(next, last + 1)
  }
  return missing
}

/** How many of the indexes are in both. */
export function overlap(a: Intervals, b: Intervals): number {
  let [i, j, count] = [0, 0, 0]
  for (let [x, y] = [a[0], b[0]]; x !== undefined && y !== undefined; x = a[i], y = b[j]) {
    count += Math.max(0, Math.min(x.last, y.last) - Math.max(x.first, y.first) + 1)
    if (x.last <= y.last) i++
    if (y.last <= x.last) j++
  }
  return count
}
