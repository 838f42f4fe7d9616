/** Counts what the cache of tokens does. */
import type { TokenCacheMeter } from '../../auth/authentication/token-cache.ts'
import type { MetricSet } from '../../lib/metrics.ts'

const prefix = 'authentication_token_cache_'

export function tokenCacheMeter(metrics: MetricSet): TokenCacheMeter {
  const requests = metrics.counter(`${prefix}request_total`)
  const durations = metrics.histogram(`${prefix}request_duration_seconds`)
  const asked = (status: string) => ({ count: requests.series(status), seconds: durations.series(status) })
  const byStatus = { hit: asked('hit'), miss: asked('miss') }
  const fetches = metrics.counter(`${prefix}fetch_total`)
  const active = metrics.gauge(`${prefix}active_fetch_count`)
  const activeBy = { in_flight: active.series('in_flight'), blocked: active.series('blocked') }
  return {
    asked(status, ms) {
      byStatus[status].count.value++
      byStatus[status].seconds.observe(ms / 1000)
    },
    fetched: (status) => fetches.add(1, status),
    fetching(status, by) {
      activeBy[status].value += by
    },
  }
}
