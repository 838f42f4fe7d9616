import { describe, expect, it } from 'vitest'
import { requestInfo } from '../../api/request-info.ts'
import { HistogramSeries } from '../../lib/metrics.ts'
import { RetryAfter } from './retry-after.ts'
import { dealHand } from './shuffle-sharding.ts'
import { WatchCounts } from './watch-counts.ts'
import { estimateWork } from './work-estimate.ts'

const info = (method: string, path: string, query = '') => requestInfo({ method, path, query })
const pods = '/api/v1/namespaces/a/pods'
const one = { seats: 1, finalSeats: 0, lingerMs: 0 }

function work(
  method: string,
  path: string,
  query: string,
  more: { objects?: number; watchers?: number; widest?: number },
) {
  const watches = new WatchCounts()
  for (let i = 0; i < (more.watchers ?? 0); i++) watches.add(info('GET', pods, 'watch=1'))
  const limits = { level: { widest: more.widest ?? 100 }, series: { watchers: new HistogramSeries([1]) } }
  return estimateWork(info(method, path, query), limits, {
    objectCount: () => more.objects,
    watches,
    watchList: true,
  })
}

describe('work', () => {
  it.each([
    { path: `${pods}/x`, seats: 1, objects: 10_000 },
    { path: pods, seats: 1 },
    { path: pods, seats: 1, objects: 100 },
    { path: pods, seats: 5, objects: 450 },
    { path: pods, seats: 10, objects: 100_000 },
    { path: pods, seats: 3, objects: 100_000, widest: 3 },
    { path: pods, query: 'limit=100', seats: 2, objects: 100_000 },
    { path: pods, query: 'limit=100&resourceVersion=0', seats: 7, objects: 700 },
    { path: pods, query: 'limit=100&labelSelector=a', seats: 8, objects: 700 },
    { path: pods, query: 'fieldSelector=metadata.name%3Dx', seats: 1, objects: 700 },
    { path: pods, query: 'watch=1', seats: 1, objects: 700 },
    { path: pods, query: 'watch=1&sendInitialEvents=true', seats: 7, objects: 700 },
  ])('takes $seats seats for GET $path?$query of $objects objects', ({ path, query = '', seats, ...more }) => {
    expect(work('GET', path, query, more)).toEqual({ ...one, seats })
  })

  it.each([
    { watchers: 9, expected: one },
    { watchers: 10, expected: { seats: 1, finalSeats: 1, lingerMs: 5 } },
    { watchers: 95, expected: { seats: 1, finalSeats: 10, lingerMs: 5 } },
    { watchers: 1000, expected: { seats: 1, finalSeats: 10, lingerMs: 50 } },
    { watchers: 100, widest: 2, expected: { seats: 1, finalSeats: 2, lingerMs: 25 } },
  ])('lets a change linger for $watchers watches', ({ expected, ...more }) => {
    expect(work('DELETE', `${pods}/x`, '', more)).toEqual(expected)
  })

  it('counts only watches that a change concerns', () => {
    const watches = new WatchCounts()
    const watched = ['/api/v1/pods', pods, '/api/v1/namespaces/b/pods', '/api/v1/nodes'].map((path) =>
      watches.add(info('GET', path, 'watch=1')),
    )
    watches.add(info('GET', '/api/v1/pods', 'watch=1&fieldSelector=spec.nodeName%3Dn'))
    watches.add(info('GET', pods, 'watch=1&fieldSelector=metadata.name%3Dx'))
    expect(watches.interestedIn(info('PUT', `${pods}/x`))).toBe(3)
    expect(watches.interestedIn(info('POST', pods))).toBe(2)
    for (const forget of watched) forget()
    expect(watches.interestedIn(info('PUT', `${pods}/x`))).toBe(1)
  })
})

it('deals different queues to different flows, and always the same ones to the same', () => {
  const hands = Array.from({ length: 200 }, (_, i) => dealHand(`flow ${i}`, 64, 6))
  for (const hand of hands) expect(new Set(hand).size).toBe(6)
  expect(dealHand('flow 7', 64, 6)).toEqual(hands[7])
  expect(new Set(hands.flat()).size).toBe(64)
  const [first = []] = hands
  const covered = hands.slice(1).filter((hand) => hand.every((queue) => first.includes(queue)))
  expect(covered).toHaveLength(0)
})

it('asks clients to wait longer while many are refused, and less again afterwards', () => {
  const retry = new RetryAfter()
  const seconds: number[] = []
  for (let second = 1; second <= 12; second++) {
    for (let i = 0; i < (second <= 6 ? 50 : 1); i++) retry.refused(second * 1000 + i)
    seconds.push(retry.seconds)
  }
  expect(seconds[0]).toBe(1)
  expect(seconds.slice(0, 6)).toEqual([...seconds.slice(0, 6)].sort((a, b) => a - b))
  expect(Math.max(...seconds)).toBeGreaterThanOrEqual(4)
  expect(Math.max(...seconds)).toBeLessThanOrEqual(32)
})
