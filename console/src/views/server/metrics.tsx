// How the server has been doing in the last minutes.
import { useEffect, useState } from 'preact/hooks'
import { has, whyNot } from '../../api/session.ts'
import { follow, type StreamLine } from '../../api/stream.ts'
import { Empty } from '../../ui/parts.tsx'
import { Plot } from './plots.tsx'

interface Series {
  readonly name: string
  readonly unit: string
  readonly label: string
}

interface MetricsLine extends StreamLine {
  readonly series?: readonly Series[]
  readonly times?: readonly string[]
  readonly samples?: readonly (readonly (number | null)[])[]
  readonly time?: string
  readonly values?: readonly (number | null)[]
}

interface Samples {
  readonly series: readonly Series[]
  readonly times: readonly number[]
  readonly samples: readonly (readonly (number | null)[])[]
}

const maxSamples = 600

const plots: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  { title: 'Requests', names: ['requests', 'errors'] },
  { title: 'Latency', names: ['latency50', 'latency99'] },
  { title: 'In flight', names: ['running', 'waiting'] },
  { title: 'Watches', names: ['watches'] },
  { title: 'Watch events', names: ['events'] },
  { title: 'Memory', names: ['rss', 'heap'] },
  { title: 'Event loop', names: ['loop'] },
  { title: 'Processor', names: ['cpu'] },
  { title: 'Store', names: ['store'] },
]

export function Metrics() {
  const [samples, setSamples] = useState<Samples>({ series: [], times: [], samples: [] })
  useEffect(() => {
    if (!has('metrics')) return
    const following = follow<MetricsLine>('/console/v1/metrics', {}, (lines) => {
      setSamples((before) => lines.reduce(take, before))
    })
    return () => following.stop()
  }, [])
  if (!has('metrics')) return <Empty>{whyNot('metrics')}</Empty>
  return (
    <div class="plots">
      {plots.flatMap(({ title, names }) => {
        const places = names
          .map((name) => samples.series.findIndex((each) => each.name === name))
          .filter((at) => at >= 0)
        const [first] = places
        if (first === undefined) return []
        const lines = places.map((at) => ({
          label: samples.series[at]?.label ?? '',
          values: samples.samples.map((values) => values[at] ?? null),
        }))
        return [
          <Plot
            key={title}
            title={title}
            unit={samples.series[first]?.unit ?? ''}
            times={samples.times}
            lines={lines}
          />,
        ]
      })}
      {samples.series.length === 0 && <Empty>Waiting for the first sample …</Empty>}
    </div>
  )
}

function take(before: Samples, line: MetricsLine): Samples {
  if (line.series !== undefined) {
    return { series: line.series, times: (line.times ?? []).map(Date.parse), samples: line.samples ?? [] }
  }
  if (line.values === undefined) return before
  const time = line.time === undefined ? Date.now() : Date.parse(line.time)
  return {
    series: before.series,
    times: [...before.times, time].slice(-maxSamples),
    samples: [...before.samples, line.values].slice(-maxSamples),
  }
}
