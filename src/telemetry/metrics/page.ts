/** The page of metrics in the text format. Loaded when a page is first asked for. */
import { Registry } from 'prom-client'
import { helpText, type Metric } from '../../lib/metrics.ts'

export async function metricsPage(metrics: readonly Metric[]): Promise<{ text: string; contentType: string }> {
  const registry = new Registry()
  for (const metric of metrics) registry.registerMetric(forPage(metric) as never)
  return { text: await registry.metrics(), contentType: `${registry.contentType}; escaping=underscores` }
}

/** A metric in the form that the library writes. */
function forPage(metric: Metric) {
  const { definition } = metric
  const { name, type } = definition
  return {
    name,
    get: () => ({
      name,
      type,
      help: helpText(definition),
      values: [...metric.samples()].map(({ suffix, labels, value }) => ({ metricName: name + suffix, labels, value })),
    }),
  }
}
