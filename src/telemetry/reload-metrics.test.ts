import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { systemClock } from '../lib/clock.ts'
import { silentLogger } from '../lib/logger.ts'
import { MetricSet } from '../lib/metrics.ts'
import { metricDefinitions } from './metrics/definitions.ts'
import { reloadReporter } from './reload-metrics.ts'

const digest = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

it.each([
  [33, false],
  [34, true],
])('at 1.%i the configuration that is in force is shown: %j', async (release, isShown) => {
  const metrics = new MetricSet(metricDefinitions(release), { release, showHidden: false })
  const shown = async (): Promise<unknown[]> =>
    (await metrics.collect())
      .filter(({ definition }) => definition.name.endsWith('_last_config_info'))
      .flatMap((metric) => [...metric.samples()].map(({ labels }) => labels['hash']))
  const report = reloadReporter(
    { clock: systemClock, logger: silentLogger(), metrics },
    { file: 'f', text: 'a', sort: 'authorization' },
  )
  expect(await shown()).toEqual(isShown ? [digest('a')] : [])
  report({ ok: true, text: 'b' })
  expect(await shown()).toEqual(isShown ? [digest('b')] : [])
  report({ ok: false, error: 'no' })
  expect(await shown()).toEqual(isShown ? [digest('b')] : [])
})
