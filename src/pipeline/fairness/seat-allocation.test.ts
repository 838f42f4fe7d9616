import fc from 'fast-check'
import { expect, it } from 'vitest'
import { allocateSeats } from './seat-allocation.ts'
import { DemandIntegrator, noDemand, smoothDemand } from './seat-demand.ts'

const claim = (lowest: number, highest: number, target: number) => ({ lowest, highest, target })

it.each([
  { name: 'in proportion', total: 30, claims: [claim(0, 100, 10), claim(0, 100, 20)], seats: [10, 20] },
  { name: 'within upper bounds', total: 30, claims: [claim(0, 5, 10), claim(0, 100, 20)], seats: [5, 25] },
  { name: 'within lower bounds', total: 30, claims: [claim(20, 100, 20), claim(0, 100, 100)], seats: [20, 10] },
  { name: 'all at their lowest', total: 15, claims: [claim(5, 9, 5), claim(10, 20, 10)], seats: [5, 10] },
  { name: 'without any demand', total: 10, claims: [claim(0, 100, 0), claim(0, 100, 0)], seats: [5, 5] },
])('divides $name', ({ total, claims, seats }) => {
  const found = allocateSeats(total, claims)
  expect(found?.seats.map((each) => Math.round(each * 1000) / 1000)).toEqual(seats)
})

it('says so when the bounds do not allow it', () => {
  expect(allocateSeats(10, [claim(6, 9, 6), claim(6, 9, 6)])).toBeUndefined()
  expect(allocateSeats(20, [claim(0, 9, 1), claim(0, 9, 1)])).toBeUndefined()
})

it('gives away exactly what there is, within bounds', () => {
  const arbitrary = fc.array(
    fc.record({ lowest: fc.nat(20), more: fc.nat(50), wanted: fc.nat(50) }).map(({ lowest, more, wanted }) => ({
      lowest,
      highest: lowest + more,
      target: lowest + wanted,
    })),
    { minLength: 1, maxLength: 8 },
  )
  fc.assert(
    fc.property(arbitrary, fc.nat(100), (claims, part) => {
      const lowest = claims.reduce((sum, each) => sum + each.lowest, 0)
      const highest = claims.reduce((sum, each) => sum + each.highest, 0)
      const total = Math.round(lowest + ((highest - lowest) * part) / 100)
      const found = allocateSeats(total, claims)
      const seats = found?.seats ?? []
      expect(seats.reduce((sum, each) => sum + each, 0)).toBeCloseTo(total, 3)
      for (const [i, each] of seats.entries()) {
        expect(each).toBeGreaterThanOrEqual(claims[i]?.lowest ?? 0)
        expect(each).toBeLessThanOrEqual(claims[i]?.highest ?? 0)
      }
    }),
  )
})

it('measures demand over time', () => {
  let now = 0
  const demand = new DemandIntegrator(() => now)
  demand.set(4, 0)
  now = 10
  demand.set(0, 10)
  now = 20
  expect(demand.reset()).toEqual({ average: 2, deviation: 2, highest: 4 })
  now = 30
  expect(demand.reset()).toEqual({ average: 0, deviation: 0, highest: 0 })
})

it('follows a rise at once and a fall slowly', () => {
  const high = smoothDemand(noDemand, { average: 10, deviation: 5, highest: 20.4 })
  expect(high).toEqual({ average: 10, deviation: 5, highest: 20, smoothed: 15 })
  const low = smoothDemand(high, { average: 0, deviation: 0, highest: 0 })
  expect(low.smoothed).toBeCloseTo(14.655)
})
