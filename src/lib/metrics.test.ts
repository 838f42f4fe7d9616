import { describe, expect, it } from 'vitest'
import { helpText, type MetricDefinition, MetricSet } from './metrics.ts'

const counter = (name: string, more: Partial<MetricDefinition> = {}): MetricDefinition => ({
  name,
  type: 'counter',
  stability: 'STABLE',
  help: 'Counts.',
  labels: [],
  ...more,
})

describe('MetricSet', () => {
  it('counts by label values', async () => {
    const set = new MetricSet([counter('a', { labels: ['x', 'y'] })], { release: 33, showHidden: false })
    set.counter('a').add(2, '1', '2')
    set.counter('a').series('1', '2').value++
    const [metric] = await set.collect()
    expect([...(metric?.samples() ?? [])]).toEqual([{ suffix: '', labels: { x: '1', y: '2' }, value: 3 }])
  })

  it('adds up the buckets of a histogram', async () => {
    const set = new MetricSet([counter('h', { type: 'histogram', buckets: [1, 2] })], {
      release: 33,
      showHidden: false,
    })
    for (const value of [0.5, 1, 1.5, 3]) set.histogram('h').observe(value)
    const [metric] = await set.collect()
    expect([...(metric?.samples() ?? [])].map(({ suffix, labels, value }) => [suffix, labels['le'], value])).toEqual([
      ['_bucket', '1', 2],
      ['_bucket', '2', 3],
      ['_bucket', '+Inf', 4],
      ['_sum', undefined, 6],
      ['_count', undefined, 4],
    ])
  })

  it('bounds the number of series', async () => {
    const set = new MetricSet([counter('a', { labels: ['x'] })], { release: 33, showHidden: false })
    for (let i = 0; i < 20_000; i++) set.counter('a').add(1, String(i))
    const samples = [...((await set.collect())[0]?.samples() ?? [])]
    expect(samples.length).toBe(10_001)
    expect(samples.at(-1)).toEqual({ suffix: '', labels: { x: 'unexpected' }, value: 10_000 })
  })

  it('shows the group and the resource of a joined value apart', async () => {
    const labels = ['operation', 'group', 'resource', 'code']
    const set = new MetricSet([counter('a', { labels, joined: 1 })], { release: 33, showHidden: false })
    for (const resource of ['pods', 'deployments.apps', 'things.stable.example.com'])
      set.counter('a').add(1, 'get', resource, '200')
    const shown = [...((await set.collect())[0]?.samples() ?? [])].map((sample) => Object.values(sample.labels))
    expect(shown).toEqual([
      ['get', '', 'pods', '200'],
      ['get', 'apps', 'deployments', '200'],
      ['get', 'stable.example.com', 'things', '200'],
    ])
    for (let i = 0; i < 20_000; i++) set.counter('a').add(1, 'get', `r${i}.g`, '200')
    const all = [...((await set.collect())[0]?.samples() ?? [])]
    expect(all).toHaveLength(10_001)
    expect(new Set(Object.values(all.at(-1)?.labels ?? {}))).toEqual(new Set(['unexpected']))
  })

  it.each<['STABLE' | 'ALPHA', string, boolean, boolean, boolean]>([
    ['STABLE', '1.31', false, true, false],
    ['STABLE', '1.30', false, false, false],
    ['STABLE', '1.30', true, true, true],
    ['STABLE', '1.29', true, false, false],
    ['ALPHA', '1.33', false, true, false],
    ['ALPHA', '1.32', false, false, false],
    ['ALPHA', '1.32', true, true, true],
    ['ALPHA', '1.30', true, true, true],
  ])(
    'a metric of stability %s deprecated in %s (hidden ones shown: %s) is shown: %s',
    async (stability, deprecated, showHidden, shown, isReported) => {
      const reported: string[] = []
      const set = new MetricSet([counter('old', { deprecated, stability })], {
        release: 33,
        showHidden,
        onOverridden: ({ name }) => reported.push(name),
      })
      expect((await set.collect()).length).toBe(shown ? 1 : 0)
      expect(reported).toEqual(isReported ? ['old'] : [])
    },
  )

  it('says what is promised', () => {
    expect(helpText(counter('a'))).toBe('[STABLE] Counts.')
    expect(helpText(counter('a', { deprecated: '1.31' }))).toBe('[STABLE] (Deprecated from 1.31) Counts.')
  })
})

describe('labels and disabled metrics', () => {
  it('shows values that are not allowed as unexpected, and counts them', async () => {
    const set = new MetricSet([counter('a', { labels: ['x', 'y'] }), counter('b', { labels: ['x'] })], {
      release: 33,
      showHidden: false,
      allowedLabels: new Map([['a', new Map([['x', new Set(['1'])]])]]),
    })
    set.counter('a').add(1, '1', 'any')
    set.counter('a').add(1, '2', 'any')
    set.counter('a').add(1, '3', 'any')
    set.counter('b').add(1, '3')
    const [a, b] = await set.collect()
    expect([...(a?.samples() ?? [])].map(({ labels, value }) => [labels['x'], labels['y'], value])).toEqual([
      ['1', 'any', 1],
      ['unexpected', 'any', 2],
    ])
    expect([...(b?.samples() ?? [])].map(({ labels }) => labels['x'])).toEqual(['3'])
    expect(set.counts().unexpected).toBe(2)
  })

  it('leaves out what is disabled, and still counts in it', async () => {
    const set = new MetricSet([counter('a'), counter('b', { deprecated: '1.31' })], {
      release: 33,
      showHidden: false,
      disabled: new Set(['a', 'unknown']),
    })
    set.counter('a').add(1)
    expect((await set.collect()).map(({ definition }) => definition.name)).toEqual(['b'])
    expect(set.counts()).toEqual({
      shown: [{ stability: 'STABLE', deprecated: '1.31', count: 1 }],
      hidden: 0,
      disabled: 1,
      unexpected: 0,
    })
  })
})
