// Series of numbers over time, as small plots that grow to the right.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { shownTheme } from '../../lib/theme.ts'
import { bytes } from '../../lib/time.ts'

export interface Line {
  readonly label: string
  readonly values: readonly (number | null)[]
}

interface PlotProps {
  readonly title: string
  readonly unit: string
  readonly times: readonly number[]
  readonly lines: readonly Line[]
}

const height = 130
const minSeconds = 60

/** The colours of the style sheet, as a canvas needs them. */
function colour(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const found = getComputedStyle(probe).color
  probe.remove()
  return found
}

function formatValue(value: number | null, unit: string): string {
  if (value === null) return '–'
  if (unit === 'bytes') return bytes(value)
  const text = value >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
  return unit === '' ? text : `${text}${unit === '1/s' ? '/s' : ` ${unit}`}`
}

export function Plot({ title, unit, times, lines }: PlotProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const names = lines.map(({ label }) => label).join('|')
  useLayoutEffect(() => {
    const box = host.current as HTMLDivElement
    plot.current = new uPlot(options({ title, unit, lines, width: box.clientWidth }), data(times, lines), box)
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: box.clientWidth, height }))
    observer.observe(box)
    return () => {
      observer.disconnect()
      plot.current?.destroy()
    }
  }, [names, shownTheme.value])
  useEffect(() => plot.current?.setData(data(times, lines)), [times])
  const newest = lines.map(({ label, values }) => ({ label, text: formatValue(values.at(-1) ?? null, unit) }))
  const words = newest.map(({ label, text }) => `${label} ${text}`).join(', ')
  return (
    <figure class="plot panel">
      <figcaption>
        <strong>{title}</strong>
        <span class="row quiet tabular">
          {newest.map(({ label, text }, index) => (
            <span key={label}>
              {lines.length > 1 && <span class={`swatch line c${index}`} aria-hidden="true" />}{' '}
              {lines.length > 1 && label} {text}
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={host} role="img" aria-label={`${title}: ${words}`} />
    </figure>
  )
}

const data = (times: readonly number[], lines: readonly Line[]): uPlot.AlignedData =>
  [times.map((time) => time / 1000), ...lines.map(({ values }) => [...values])] as uPlot.AlignedData

/** Round numbers of bytes: 1, 2, 4 … of each unit. */
const binarySteps = Array.from({ length: 44 }, (_, power) => 2 ** power)

function options({
  unit,
  lines,
  width,
}: {
  title: string
  unit: string
  lines: readonly Line[]
  width: number
}): uPlot.Options {
  const ink = colour('--ink-2')
  const grid = { stroke: colour('--line'), width: 1 }
  const axis = { stroke: ink, grid, ticks: { show: false }, font: '11px system-ui' }
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false },
    padding: [8, 8, 0, 0],
    scales: {
      // A plot that has only begun is not stretched.
      x: { range: (_, min, max) => [Math.min(min, max - minSeconds), max] },
      y: { range: (_, __, max) => [0, Math.max(max ?? 0, 1) * 1.1] },
    },
    axes: [
      { ...axis, size: 22 },
      {
        ...axis,
        size: 58,
        ...(unit === 'bytes' ? { incrs: binarySteps } : {}),
        values: (_, splits) => splits.map((value) => formatValue(value, unit)),
      },
    ],
    series: [
      {},
      ...lines.map(({ label }, index) => ({
        label,
        stroke: colour(`--o${index}`),
        width: 1.5,
        points: { show: false },
        spanGaps: true,
      })),
    ],
  }
}
