/** Counts the conversions that webhooks make. */
import { parseGroupVersion } from '../../api/group-version.ts'
import type { ConversionOutcome } from '../../extensions/conversion/webhook-conversion.ts'
import type { MetricSet } from '../../lib/metrics.ts'

export function conversionCounter(metrics: MetricSet): (definition: string, outcome: ConversionOutcome) => void {
  const requests = metrics.counter('apiserver_conversion_webhook_request_total')
  const durations = metrics.histogram('apiserver_conversion_webhook_duration_seconds')
  const byDefinition = metrics.histogram('apiserver_crd_conversion_webhook_duration_seconds')
  const version = (apiVersion: string): string => parseGroupVersion(apiVersion)?.version ?? ''
  return (definition, { from, to, failure, seconds }) => {
    const result = failure === undefined ? 'success' : 'failure'
    const type = failure === undefined ? '' : `conversion_webhook_${failure}_failure`
    requests.add(1, result, type)
    durations.observe(seconds, result, type)
    byDefinition.observe(seconds, definition, version(from), version(to), String(failure === undefined))
  }
}
