import { describe, expect, it } from 'vitest'
import { HistogramSeries, SummarySeries } from './metrics.ts'
import { TimedRatio } from './timed-ratio.ts'

describe('TimedRatio', () => {
  it('says for how many nanoseconds a number was which part of its limit', () => {
    const series = new HistogramSeries([0, 0.5, 1])
    const ratio = new TimedRatio(series, 0)
    ratio.setLimit(4)
    ratio.set(2, 1)
    ratio.set(2, 2)
    ratio.set(4, 3)
    ratio.settle(7)
    const samples = [...series.samples({})].map(({ suffix, labels, value }) => [suffix, labels['le'], value])
    expect(samples).toEqual([
      ['_bucket', '0', 1e6],
      ['_bucket', '0.5', 3e6],
      ['_bucket', '1', 7e6],
      ['_bucket', '+Inf', 7e6],
      ['_sum', undefined, 5e6],
      ['_count', undefined, 7e6],
    ])
  })
})

describe('HistogramSeries', () => {
  it.each([
    [0, '0'],
    [0.0001, '0.0001'],
    [0.00016, '0.00016'],
    [0.00001, '1e-05'],
    [9.999999999999999e-6, '9.999999999999999e-06'],
    [131_072, '131072'],
    [1_000_000, '1e+06'],
    [31_104_000, '3.1104e+07'],
  ])('writes the bound %f as %s', (bound, text) => {
    const [first] = [...new HistogramSeries([bound]).samples({})]
    expect(first?.labels['le']).toBe(text)
  })
})

describe('SummarySeries', () => {
  it('has quantiles of what was seen lately', () => {
    const series = new SummarySeries()
    expect([...series.samples({})].map(({ value }) => value)).toEqual([NaN, NaN, NaN, 0, 0])
    for (let i = 1; i <= 100; i++) series.observe(i)
    expect([...series.samples({})].map(({ value }) => value)).toEqual([50, 90, 99, 5050, 100])
    for (let i = 0; i < 512; i++) series.observe(7)
    expect([...series.samples({})].map(({ value }) => value)).toEqual([7, 7, 7, 5050 + 7 * 512, 612])
  })
})
