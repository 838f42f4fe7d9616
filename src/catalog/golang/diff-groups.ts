/** Runs of what is equal and of what is not, in lists of records and in pieces of texts and lists. */
import type { JsonValue } from '../../api/json.ts'
import { addTally, differing, type ElidedCounts, noTally } from './diff-text.ts'
import type { DiffRecord } from './diff-tree.ts'
import type { editScript } from './edit-script.ts'

export const shownWidth = (group: ElidedCounts, side: 'removed' | 'inserted'): number =>
  group.identical + group[side] + group.modified

/** Runs of equal and of unequal records. */
export function groupsOf(records: readonly DiffRecord[], name: string): ElidedCounts[] {
  const groups: ElidedCounts[] = []
  let wasEqual: boolean | undefined
  for (const { node } of records) {
    const isEqual = node.different === 0
    if (isEqual !== wasEqual) groups.push(noTally(name))
    wasEqual = isEqual
    const what = isEqual
      ? 'identical'
      : node.y === undefined
        ? 'removed'
        : node.x === undefined
          ? 'inserted'
          : 'modified'
    const last = groups.pop() ?? noTally(name)
    groups.push({ ...last, [what]: last[what] + 1 })
  }
  return groups
}

interface PieceLists {
  readonly before: readonly JsonValue[]
  readonly after: readonly JsonValue[]
  readonly chunk: number
  readonly name: string
}

export function pieceGroups(edits: ReturnType<typeof editScript>, lists: PieceLists): ElidedCounts[] {
  const { name, chunk } = lists
  const groups: ElidedCounts[] = []
  let wasEqual: boolean | undefined
  for (const edit of edits) {
    const isEqual = edit === 'same'
    if (isEqual !== wasEqual) groups.push(noTally(name))
    wasEqual = isEqual
    const what = isEqual ? 'identical' : edit
    const last = groups.pop() ?? noTally(name)
    groups.push({ ...last, [what]: last[what] + 1 })
  }
  return withoutEqualEdges(joinClose(groups, Math.floor(chunk / 4)), lists)
}

/** Differences with little between them are one. */
function joinClose(groups: readonly ElidedCounts[], window: number): ElidedCounts[] {
  const out: ElidedCounts[] = []
  for (const group of groups) {
    const [before, between] = [out.at(-2), out.at(-1)]
    if (before !== undefined && between !== undefined && differing(group) > 0) {
      const removes = before.removed > 0 || group.removed > 0
      const inserts = before.inserted > 0 || group.inserted > 0
      if (removes && inserts && between.identical <= window) {
        out.splice(-2, 2, addTally(addTally(before, between), group))
        continue
      }
    }
    out.push(group)
  }
  return out
}

/** What is equal at the edges of a difference belongs to its neighbours. */
function withoutEqualEdges(groups: readonly ElidedCounts[], { before, after, name }: PieceLists): ElidedCounts[] {
  const out = groups.map((group) => ({ ...group }))
  let [i, j, leading, trailing] = [0, 0, 0, 0]
  out.forEach((group, at) => {
    if (differing(group) === 0) {
      i += group.identical
      j += group.identical
      return
    }
    let [removed, inserted] = [shownWidth(group, 'removed'), shownWidth(group, 'inserted')]
    const most = Math.min(removed, inserted)
    let [low, high] = [0, 0]
    while (low < most && before[i + low] === after[j + low]) low++
    while (high < most && before[i + removed - 1 - high] === after[j + inserted - 1 - high]) high++
    if (low + high > 0) {
      const [previous, next] = [out[at - 1], out[at + 1]]
      if (previous === undefined) leading += low
      else previous.identical += low
      if (next === undefined) trailing += high
      else next.identical += high
      i += low
      j += low
      removed -= low + high
      inserted -= low + high
      out[at] = { ...noTally(name), removed, inserted }
    }
    i += removed
    j += inserted
  })
  if (leading > 0) out.unshift({ ...noTally(name), identical: leading })
  if (trailing > 0) out.push({ ...noTally(name), identical: trailing })
  return out
}
