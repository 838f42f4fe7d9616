/**
 * The unified diff of two texts by lines, as the reference's messages show it since a release.
 * Mirrors github.com/pmezard/go-difflib: SequenceMatcher (with its rule that lines which are too common start no match),
 * GetUnifiedDiffString with three lines of context.
 */

/** Steps of the comparison; beyond them there is no diff. One is a few nanoseconds. */
const maxSteps = 2_000_000
const context = 3

interface Range {
  readonly aFrom: number
  readonly aTo: number
  readonly bFrom: number
  readonly bTo: number
}

interface Match {
  readonly a: number
  readonly b: number
  readonly size: number
}

interface Edit extends Range {
  readonly isEqual: boolean
}

/** Empty when the texts are the same, or when finding out would take too long. */
export function unifiedDiff(before: string, after: string): string {
  const [a, b] = [before.split('\n'), after.split('\n')]
  const matches = new LineMatcher(a, b).matches()
  if (matches === undefined) return ''
  const hunks = hunksOf(editsOf(matches, a.length, b.length))
  return hunks.map((hunk) => hunkText(hunk, a, b)).join('')
}

class LineMatcher {
  readonly #a: readonly string[]
  readonly #b: readonly string[]
  /** Where each line of b stands, without those that are too common. */
  readonly #places: ReadonlyMap<string, readonly number[]>
  #steps = 0

  constructor(a: readonly string[], b: readonly string[]) {
    this.#a = a
    this.#b = b
    this.#places = placesOf(b)
  }

  /** The equal blocks in order; undefined beyond the bound. */
  matches(): readonly Match[] | undefined {
    const found: Match[] = []
    const open: Range[] = [{ aFrom: 0, aTo: this.#a.length, bFrom: 0, bTo: this.#b.length }]
    for (let range = open.pop(); range !== undefined; range = open.pop()) {
      const match = this.#longest(range)
      if (this.#steps > maxSteps) return undefined
      if (match.size === 0) continue
      found.push(match)
      open.push({ aFrom: range.aFrom, aTo: match.a, bFrom: range.bFrom, bTo: match.b })
      open.push({ aFrom: match.a + match.size, aTo: range.aTo, bFrom: match.b + match.size, bTo: range.bTo })
    }
    return found.sort((x, y) => x.a - y.a)
  }

  /** The first of the longest blocks that begin with a line which is not too common, extended by those that are. */
  #longest(range: Range): Match {
    let best: Match = { a: range.aFrom, b: range.bFrom, size: 0 }
    let lengths = new Map<number, number>()
    for (let i = range.aFrom; i < range.aTo && this.#steps <= maxSteps; i++) {
      const next = new Map<number, number>()
      const places = this.#places.get(this.#a[i] ?? '') ?? []
      this.#steps += places.length + 1
      for (const j of places) {
        if (j < range.bFrom) continue
        if (j >= range.bTo) break
        const size = (lengths.get(j - 1) ?? 0) + 1
        next.set(j, size)
        if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size }
      }
      lengths = next
    }
    return this.#extended(best, range)
  }

  #extended(match: Match, { aFrom, aTo, bFrom, bTo }: Range): Match {
    let { a, b, size } = match
    for (; a > aFrom && b > bFrom && this.#a[a - 1] === this.#b[b - 1]; size++) {
      a--
      b--
    }
    while (a + size < aTo && b + size < bTo && this.#a[a + size] === this.#b[b + size]) size++
    this.#steps += size
    return { a, b, size }
  }
}

/** Lines of a long text that are more than one in a hundred are too common. */
function placesOf(lines: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  lines.forEach((line, i) => {
    const known = places.get(line)
    if (known === undefined) places.set(line, [i])
    else known.push(i)
  })
  if (lines.length < 200) return places
  const limit = Math.floor(lines.length / 100) + 1
  for (const [line, found] of places) if (found.length > limit) places.delete(line)
  return places
}

function editsOf(matches: readonly Match[], aLength: number, bLength: number): Edit[] {
  const edits: Edit[] = []
  let [a, b] = [0, 0]
  const add = (isEqual: boolean, aTo: number, bTo: number): void => {
    const last = edits.at(-1)
    if (isEqual && last?.isEqual === true) edits[edits.length - 1] = { ...last, aTo, bTo }
    else if (aTo > a || bTo > b) edits.push({ isEqual, aFrom: a, aTo, bFrom: b, bTo })
    a = aTo
    b = bTo
  }
  for (const match of matches) {
    if (match.a > a || match.b > b) add(false, match.a, match.b)
    add(true, match.a + match.size, match.b + match.size)
  }
  add(false, aLength, bLength)
  return edits
}

/** Edits with the equal lines around them: those that are near to each other are one hunk. */
function hunksOf(edits: readonly Edit[]): Edit[][] {
  const hunks: Edit[][] = []
  let hunk: Edit[] = []
  edits.forEach((edit, i) => {
    if (!edit.isEqual) {
      hunk.push(edit)
      return
    }
    const isFirst = i === 0
    const isLast = i === edits.length - 1
    if (!isFirst) hunk.push(head(edit, isLast || lengthOf(edit) > 2 * context ? context : lengthOf(edit)))
    if (!isFirst && !isLast && lengthOf(edit) <= 2 * context) return
    if (hunk.length > 0) hunks.push(hunk)
    hunk = isLast ? [] : [tail(edit)]
  })
  if (hunk.some(({ isEqual }) => !isEqual)) hunks.push(hunk)
  return hunks
}

const lengthOf = ({ aFrom, aTo }: Range): number => aTo - aFrom

const head = (edit: Edit, lines: number): Edit => ({
  ...edit,
  aTo: Math.min(edit.aTo, edit.aFrom + lines),
  bTo: Math.min(edit.bTo, edit.bFrom + lines),
})

const tail = (edit: Edit): Edit => ({
  ...edit,
  aFrom: Math.max(edit.aFrom, edit.aTo - context),
  bFrom: Math.max(edit.bFrom, edit.bTo - context),
})

function hunkText(hunk: readonly Edit[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [hunk[0] as Edit, hunk.at(-1) as Edit]
  const lines = [`@@ -${rangeText(first.aFrom, last.aTo)} +${rangeText(first.bFrom, last.bTo)} @@`]
  for (const { isEqual, aFrom, aTo, bFrom, bTo } of hunk) {
    for (let i = aFrom; i < aTo; i++) lines.push(`${isEqual ? ' ' : '-'}${a[i]}`)
    for (let j = bFrom; j < bTo && !isEqual; j++) lines.push(`+${b[j]}`)
  }
  return `${lines.join('\n')}\n`
}

function rangeText(from: number, to: number): string {
  const length = to - from
  if (length === 1) return String(from + 1)
  return `${length === 0 ? from : from + 1},${length}`
}
