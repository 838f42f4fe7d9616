/** Reports fetches of the keys of issuers, at releases that show them. Mirrors apiserver/plugin/pkg/authenticator/token/oidc: metricsRoundTripper. */
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { serverIdentity } from '../api/server-identity.ts'
import type { Clock } from '../lib/clock.ts'
import type { MetricSet } from '../lib/metrics.ts'

const prefix = 'apiserver_authentication_jwt_authenticator_jwks_fetch_last'
const times = `${prefix}_timestamp_seconds`
const keys = `${prefix}_key_set_info`

const digestOf = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`

/** `issuer`: the digest of its name. Undefined where the release has no such metrics. */
export function keyFetchReporter(
  { clock, metrics }: { readonly clock: Clock; readonly metrics: MetricSet },
  issuer: string,
): ((text: string | undefined) => void) | undefined {
  if (!metrics.has(times)) return undefined
  const server = digestOf(serverIdentity(hostname()))
  return (text) => {
    metrics.gauge(times).set(clock.now() / 1000, text === undefined ? 'failure' : 'success', issuer, server)
    if (text !== undefined) showKeys(metrics, [issuer, server, digestOf(text)])
  }
}

/** Of each issuer there is one digest: that of before goes. */
function showKeys(metrics: MetricSet, [issuer, ...rest]: readonly [string, string, string]): void {
  const info = metrics.gauge(keys)
  const others = [...info.samples()]
    .map(({ labels }) => labels)
    .filter((labels) => labels['jwt_issuer_hash'] !== issuer)
  info.clear()
  for (const labels of others) info.set(1, ...info.definition.labels.map((label) => labels[label] ?? ''))
  info.set(1, issuer, ...rest)
}

/** Issuers that are configured anew fetch their keys anew; those that are gone must not stay. */
export function forgetKeyFetches(metrics: MetricSet): void {
  if (!metrics.has(times)) return
  metrics.gauge(times).clear()
  metrics.gauge(keys).clear()
}
