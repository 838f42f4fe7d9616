/**
 * The page of metrics in the text format. Loaded when a page is first asked for. A server with many resources has tens of
 * thousands of samples, so they are written in slices, between which others have their turn.
 */
import { Registry } from 'prom-client'
import { TimeSlice } from '../../lib/in-turns.ts'
import { helpText, type Metric, type Sample } from '../../lib/metrics.ts'

/** So many take about a millisecond. */
const samplesOfStep = 100

export async function metricsPage(metrics: readonly Metric[]): Promise<{ body: Buffer; contentType: string }> {
  const slice = new TimeSlice()
  const pieces: Buffer[] = []
  for (const metric of metrics) {
    if (pieces.length > 0) pieces.push(Buffer.from('\n'))
    let isFirst = true
    for (const samples of batchesOf(metric)) {
      const text = await textOf(metric, samples)
      pieces.push(Buffer.from(`${isFirst ? text : withoutHead(text)}\n`))
      isFirst = false
      if (slice.isOver) await slice.yieldToEventLoop()
    }
  }
  return { body: Buffer.concat(pieces), contentType: `${Registry.PROMETHEUS_CONTENT_TYPE}; escaping=underscores` }
}

/** One at the least: a metric without samples is described. */
function* batchesOf(metric: Metric): Generator<readonly Sample[]> {
  let batch: Sample[] = []
  for (const sample of metric.samples()) {
    if (batch.length === samplesOfStep) {
      yield batch
      batch = []
    }
    batch.push(sample)
  }
  yield batch
}

/** Without the two lines that describe the metric. */
function withoutHead(text: string): string {
  const help = text.indexOf('\n')
  return text.slice(text.indexOf('\n', help + 1) + 1)
}

/** Some samples of a metric, as the library writes them. */
function textOf({ definition }: Metric, samples: readonly Sample[]): Promise<string> {
  const { name, type } = definition
  const values = samples.map(({ suffix, labels, value }) => ({ metricName: name + suffix, labels, value }))
  const registry = new Registry()
  registry.registerMetric({ name, get: () => ({ name, type, help: helpText(definition), values }) } as never)
  return registry.getSingleMetricAsString(name)
}
