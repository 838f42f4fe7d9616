// The difference of two lists of lines: Myers' greedy algorithm, bounded.

export interface DiffLine {
  readonly sign: ' ' | '+' | '-'
  readonly text: string
  /** Line numbers from 1 on the side that has the line. */
  readonly left?: number
  readonly right?: number
}

/** Beyond this many differing lines the middle is shown as replaced: the work grows with their square. */
const maxEdits = 400

export function diffLines(left: readonly string[], right: readonly string[]): DiffLine[] {
  let start = 0
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1
  let end = 0
  const most = Math.min(left.length, right.length) - start
  while (end < most && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1
  const middle = signs(left.slice(start, left.length - end), right.slice(start, right.length - end))
  return number([...left.slice(0, start).map(keep), ...middle, ...left.slice(left.length - end).map(keep)])
}

type Signed = Pick<DiffLine, 'sign' | 'text'>

const keep = (text: string): Signed => ({ sign: ' ', text })

function number(lines: readonly Signed[]): DiffLine[] {
  let left = 0
  let right = 0
  return lines.map(({ sign, text }) => {
    if (sign !== '+') left += 1
    if (sign !== '-') right += 1
    return { sign, text, ...(sign === '+' ? {} : { left }), ...(sign === '-' ? {} : { right }) }
  })
}

function signs(left: readonly string[], right: readonly string[]): Signed[] {
  const trace = shortestEdit(left, right)
  if (trace === undefined) {
    return [...left.map((text): Signed => ({ sign: '-', text })), ...right.map((text): Signed => ({ sign: '+', text }))]
  }
  const lines: Signed[] = []
  let x = left.length
  let y = right.length
  for (let edits = trace.length - 1; edits >= 0 && (x > 0 || y > 0); edits -= 1) {
    const reached = trace[edits] as Map<number, number>
    const k = x - y
    const down = k === -edits || (k !== edits && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1))
    const fromK = down ? k + 1 : k - 1
    const fromX = edits === 0 ? 0 : (reached.get(fromK) ?? 0)
    const fromY = fromX - fromK
    while (
      x > (edits === 0 ? 0 : Math.max(fromX, down ? fromX : fromX + 1)) &&
      y > (edits === 0 ? 0 : down ? fromY + 1 : fromY)
    ) {
      x -= 1
      y -= 1
      lines.push(keep(left[x] as string))
    }
    if (edits === 0) break
    if (down) {
      y -= 1
      lines.push({ sign: '+', text: right[y] as string })
    } else {
      x -= 1
      lines.push({ sign: '-', text: left[x] as string })
    }
  }
  return lines.reverse()
}

/** How far each diagonal was reached before every edit; undefined: too many. */
function shortestEdit(left: readonly string[], right: readonly string[]): Map<number, number>[] | undefined {
  const most = Math.min(left.length + right.length, maxEdits)
  const reached = new Map([[1, 0]])
  const trace: Map<number, number>[] = []
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(new Map(reached))
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1))
      let x = down ? (reached.get(k + 1) ?? 0) : (reached.get(k - 1) ?? 0) + 1
      while (x < left.length && x - k < right.length && left[x] === right[x - k]) x += 1
      reached.set(k, x)
      if (x >= left.length && x - k >= right.length) return trace
    }
  }
  return undefined
}

export interface Hunk {
  readonly lines: readonly DiffLine[]
  /** Equal lines that are left out in front of it. */
  readonly skipped: number
}

/** Differences with some equal lines around them. */
export function hunksOf(lines: readonly DiffLine[], context = 3): Hunk[] {
  const near = lines.map(() => false)
  lines.forEach(({ sign }, index) => {
    if (sign === ' ') return
    for (let at = Math.max(0, index - context); at <= Math.min(lines.length - 1, index + context); at += 1)
      near[at] = true
  })
  const hunks: Hunk[] = []
  let skipped = 0
  let open: DiffLine[] | undefined
  lines.forEach((line, index) => {
    if (!near[index]) {
      skipped += 1
      open = undefined
      return
    }
    if (open === undefined) {
      open = []
      hunks.push({ lines: open, skipped })
      skipped = 0
    }
    open.push(line)
  })
  return hunks
}
