/** Long-running requests (watches, proxies, streams): no timeout, no in-flight limit, metrics of their own. */
import type { RequestInfo } from '../api/request-info.ts'

const lastingVerbs: ReadonlySet<string> = new Set(['watch', 'proxy'])
const lastingSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])

export function isLongRunning({ verb, isResourceRequest, subresource, path, query }: RequestInfo): boolean {
  if (lastingVerbs.has(verb)) return true
  if (isResourceRequest) return subresource !== '' && lastingSubresources.has(subresource)
  // What moves the clock of a test server must not be late by it.
  if (path.startsWith('/console/v1/testing/')) return true
  if (path.startsWith('/console/v1/')) return query.get('follow') === 'true'
  return path.startsWith('/debug/pprof/')
}
