import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { helpText, type Metric, MetricSet } from '../../lib/metrics.ts'
import { metricsPage } from './page.ts'

const definitions = [
  {
    name: 'calls_total',
    type: 'counter',
    stability: 'STABLE',
    help: 'Calls, "quoted" \\ \n',
    labels: ['code', 'verb'],
  },
  { name: 'empty_total', type: 'counter', help: 'None.', labels: ['code'] },
  { name: 'open', type: 'gauge', help: 'Open.', labels: ['of'] },
  { name: 'seconds', type: 'histogram', help: 'Seconds.', labels: ['of'], buckets: [0.005, 1, 1_000_000] },
  { name: 'lags', type: 'summary', help: 'Lags.', labels: [] },
] as const

function counted(series: number): MetricSet {
  const set = new MetricSet(definitions, { release: 33, showHidden: false })
  for (let i = 0; i < series; i++) {
    set.counter('calls_total').add(i, `${i}`, 'a "quoted"\n\\ verb')
    set.gauge('open').set(-i / 3, `of ${i}`)
    set.histogram('seconds').observe(i, `of ${i}`)
    set.summary('lags').series().observe(i)
  }
  return set
}

/** As the library writes a page in one go. */
async function inOneGo(metrics: readonly Metric[]): Promise<string> {
  const registry = new Registry()
  for (const { definition, samples } of metrics.map((each) => ({ ...each, samples: [...each.samples()] }))) {
    const { name, type } = definition
    const values = samples.map(({ suffix, labels, value }) => ({ metricName: name + suffix, labels, value }))
    registry.registerMetric({ name, get: () => ({ name, type, help: helpText(definition), values }) } as never)
  }
  return registry.metrics()
}

it.each([0, 1, 99, 100, 101, 700])('a page of %i series is what it is in one go', async (series) => {
  const metrics = await counted(series).collect()
  const { body } = await metricsPage(metrics)
  expect(body.toString()).toBe(await inOneGo(metrics))
})

it('lets others have their turn, and shows each series once though gauges are cleared meanwhile', async () => {
  const set = counted(3000)
  const others = { turns: 0 }
  const timer = setInterval(() => {
    others.turns++
    set.gauge('open').clear()
    for (let i = 0; i < 3000; i++) set.gauge('open').set(1, `of ${i}`)
  }, 0)
  const { body } = await metricsPage(await set.collect())
  clearInterval(timer)
  const names = body
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('open{'))
  expect(others.turns).toBeGreaterThan(0)
  expect(new Set(names.map((line) => line.split('} ')[0])).size).toBe(names.length)
  expect(names).toHaveLength(3000)
})
