// Lines of one height, of which only those in sight are in the document.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { windowOf } from '../lib/virtual.ts'

interface LinesProps {
  readonly label: string
  readonly count: number
  readonly lineHeight: number
  readonly line: (index: number) => ComponentChildren
  /** Brought into sight when it changes; below zero: none. */
  readonly reveal?: number
}

export function VirtualLines({ label, count, lineHeight, line, reveal = -1 }: LinesProps) {
  const element = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  useLayoutEffect(() => {
    const box = element.current as HTMLDivElement
    const measure = () => setView({ top: box.scrollTop, height: box.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const box = element.current as HTMLDivElement
    const at = reveal * lineHeight
    if (reveal < 0 || (at >= box.scrollTop && at + lineHeight <= box.scrollTop + box.clientHeight)) return
    box.scrollTop = at - box.clientHeight / 2
  }, [reveal])
  const [first, last] = windowOf({ ...view, rowHeight: lineHeight, count })
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index)
  return (
    <div
      class="virtual-lines"
      ref={element}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it
      tabIndex={0}
      onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
    >
      <div class="virtual-room" role="listbox" aria-label={label} style={{ height: `${count * lineHeight}px` }}>
        <div style={{ transform: `translateY(${first * lineHeight}px)` }} role="presentation">
          {indexes.map(line)}
        </div>
      </div>
    </div>
  )
}
