import { expect, it } from 'vitest'
import { systemClock } from '../lib/clock.ts'
import { MetricSet } from '../lib/metrics.ts'
import { forgetKeyFetches, keyFetchReporter } from './key-fetch-metrics.ts'
import { metricDefinitions } from './metrics/definitions.ts'

const setAt = (release: number): MetricSet => new MetricSet(metricDefinitions(release), { release, showHidden: false })

async function shown(metrics: MetricSet): Promise<string[]> {
  const all = (await metrics.collect()).filter(({ definition }) => definition.name.includes('jwks_fetch'))
  return all.flatMap((metric) =>
    [...metric.samples()].map(({ labels }) =>
      [labels['jwt_issuer_hash'], labels['result'] ?? labels['hash']?.slice(0, 14)].join(' '),
    ),
  )
}

it('shows when keys were fetched, and which are the last of an issuer', async () => {
  const metrics = setAt(36)
  const [a, b] = ['a', 'b'].map((issuer) => keyFetchReporter({ clock: systemClock, metrics }, issuer))
  a?.('one')
  b?.('two')
  a?.('three')
  b?.(undefined)
  expect(await shown(metrics)).toEqual(['b sha256:3fc4ccf', 'a sha256:8b5b9db', 'a success', 'b success', 'b failure'])
  forgetKeyFetches(metrics)
  expect(await shown(metrics)).toEqual([])
})

it('shows nothing at earlier releases', () => {
  const metrics = setAt(35)
  expect(keyFetchReporter({ clock: systemClock, metrics }, 'a')).toBeUndefined()
  expect(() => forgetKeyFetches(metrics)).not.toThrow()
})
