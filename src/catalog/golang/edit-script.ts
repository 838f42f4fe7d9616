/**
 * How one list becomes another, as the reference's reports of differences find out: a greedy search from both ends that
 * meets in the middle. It is not the shortest way, but always the same one. Mirrors go-cmp, internal/diff: Difference.
 */

export type Edit = 'same' | 'modified' | 'removed' | 'inserted'

/** How alike two elements are: how many parts of them are the same, and how many are not. */
export interface Similarity {
  readonly same: number
  readonly different: number
}

type Compare = (x: number, y: number) => Similarity

const isEqual = ({ different }: Similarity): boolean => different === 0
const isSimilar = ({ same, different }: Similarity): boolean => same + 1 >= different

/** One end of the search: where its way has got to, and where it looks for the next match. */
interface Path {
  x: number
  y: number
  readonly edits: Edit[]
  frontier: { x: number; y: number }
}

export function editScript(xs: number, ys: number, compare: Compare): Edit[] {
  const search = new Search(xs, ys, compare)
  return search.run()
}

class Search {
  readonly #compare: Compare
  readonly #ahead: Path = { x: 0, y: 0, edits: [], frontier: { x: 0, y: 0 } }
  readonly #back: Path
  /** Bounds the comparisons that find nothing. */
  #budget: number

  constructor(xs: number, ys: number, compare: Compare) {
    this.#compare = compare
    this.#back = { x: xs, y: ys, edits: [], frontier: { x: xs, y: ys } }
    this.#budget = 4 * (xs + ys)
  }

  run(): Edit[] {
    for (let forward = true; !this.#isOver(); forward = !forward) {
      if (forward) this.#searchAhead()
      else this.#searchBack()
    }
    this.#connectAhead(this.#back.x, this.#back.y)
    return [...this.#ahead.edits, ...this.#back.edits.reverse()]
  }

  #isOver(): boolean {
    const { frontier } = this.#ahead
    return frontier.x >= this.#back.frontier.x || frontier.y >= this.#back.frontier.y || this.#budget === 0
  }

  #searchAhead(): void {
    const [ahead, back] = [this.#ahead, this.#back]
    let [pastRight, pastLeft] = [false, false]
    for (let i = 0; !(pastRight && pastLeft) && this.#budget > 0; i++) {
      const z = zigzag(i)
      const [x, y] = [ahead.frontier.x + z, ahead.frontier.y - z]
      if (x >= back.x || y < ahead.y) pastRight = true
      else if (y >= back.y || x < ahead.x) pastLeft = true
      else if (isEqual(this.#compare(x, y))) {
        this.#connectAhead(x, y)
        do step(ahead, 'same', 1)
        while (ahead.x < back.x && ahead.y < back.y && isEqual(this.#compare(ahead.x, ahead.y)))
        ahead.frontier = { x: ahead.x, y: ahead.y }
        break
      } else this.#budget--
    }
    if (back.x - ahead.frontier.x >= back.y - ahead.frontier.y) ahead.frontier.x++
    else ahead.frontier.y++
  }

  #searchBack(): void {
    const [ahead, back] = [this.#ahead, this.#back]
    let [pastLeft, pastRight] = [false, false]
    for (let i = 0; !(pastLeft && pastRight) && this.#budget > 0; i++) {
      const z = zigzag(i)
      const [x, y] = [back.frontier.x - z, back.frontier.y + z]
      if (ahead.x >= x || back.y < y) pastLeft = true
      else if (ahead.y >= y || back.x < x) pastRight = true
      else if (isEqual(this.#compare(x - 1, y - 1))) {
        this.#connectBack(x, y)
        do step(back, 'same', -1)
        while (ahead.x < back.x && ahead.y < back.y && isEqual(this.#compare(back.x - 1, back.y - 1)))
        back.frontier = { x: back.x, y: back.y }
        break
      } else this.#budget--
    }
    if (back.frontier.x - ahead.x >= back.frontier.y - ahead.y) back.frontier.x--
    else back.frontier.y--
  }

  #connectAhead(x: number, y: number): void {
    const path = this.#ahead
    while (x > path.x && y > path.y) {
      const likeness = this.#compare(path.x, path.y)
      step(path, editOf(likeness) ?? (x - path.x >= y - path.y ? 'removed' : 'inserted'), 1)
    }
    while (x > path.x) step(path, 'removed', 1)
    while (y > path.y) step(path, 'inserted', 1)
  }

  #connectBack(x: number, y: number): void {
    const path = this.#back
    while (path.x > x && path.y > y) {
      const likeness = this.#compare(path.x - 1, path.y - 1)
      step(path, editOf(likeness) ?? (path.y - y >= path.x - x ? 'inserted' : 'removed'), -1)
    }
    while (path.x > x) step(path, 'removed', -1)
    while (path.y > y) step(path, 'inserted', -1)
  }
}

/** Undefined where the two elements have nothing to do with each other. */
const editOf = (likeness: Similarity): Edit | undefined =>
  isEqual(likeness) ? 'same' : isSimilar(likeness) ? 'modified' : undefined

function step(path: Path, edit: Edit, direction: 1 | -1): void {
  path.edits.push(edit)
  if (edit !== 'inserted') path.x += direction
  if (edit !== 'removed') path.y += direction
}

/** 0, -1, 1, -2, 2, … */
const zigzag = (i: number): number => (i % 2 === 0 ? i / 2 : -(i + 1) / 2)
