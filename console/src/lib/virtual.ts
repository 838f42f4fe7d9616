// Which rows of a long list are in sight.

export interface Viewport {
  readonly top: number
  readonly height: number
  readonly rowHeight: number
  readonly count: number
}

const overscan = 8

/** The rows to draw: [first, last). */
export function windowOf({ top, height, rowHeight, count }: Viewport): readonly [number, number] {
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan)
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + overscan)
  return [Math.min(first, Math.max(0, count - 1)), Math.max(last, 0)]
}

/** Where to scroll so that a row is in sight; undefined if it is. `head` is what covers the top. */
export function scrollFor(index: number, { top, height, rowHeight }: Viewport, head = 0): number | undefined {
  const start = index * rowHeight
  if (start < top) return start
  return start + rowHeight > top + height - head ? start + rowHeight - height + head : undefined
}
