import { describe, expect, it } from 'vitest'
import { ScaleHistory } from './scale-history.ts'

const minute = 60_000

describe('without a behavior', () => {
  it.each([
    // current, desired, min, max → replicas, reason
    [3, 5, 1, 10, 5, 'DesiredWithinRange'],
    [1, 10, 1, 20, 4, 'ScaleUpLimit'],
    [10, 30, 1, 25, 20, 'ScaleUpLimit'],
    [10, 18, 1, 15, 15, 'TooManyReplicas'],
    [5, 0, 2, 10, 2, 'TooFewReplicas'],
  ])('from %i to %i within %i and %i', (current, desired, min, max, replicas, reason) => {
    const made = new ScaleHistory().normalize({ current, desired, min, max, now: 0 }, undefined)
    expect([made.replicas, made.scalingLimited.reason]).toEqual([replicas, reason])
    expect(made.scalingLimited.status).toBe(reason === 'DesiredWithinRange' ? 'False' : 'True')
  })

  it('goes down only to the highest of the last five minutes', () => {
    const history = new ScaleHistory()
    history.begin(5, 0)
    const at = (now: number, desired: number) =>
      history.normalize({ current: 5, desired, min: 1, max: 9, now }, undefined)
    expect(at(minute, 2)).toMatchObject({ replicas: 5, ableToScale: { reason: 'ScaleDownStabilized' } })
    expect(at(2 * minute, 3).replicas).toBe(5)
    expect(at(5 * minute + 1, 2).replicas).toBe(3)
    expect(at(8 * minute, 2)).toMatchObject({ replicas: 2, ableToScale: { reason: 'ReadyForNewScale' } })
  })
})

describe('with a behavior', () => {
  const rules = (up: object, down: object = {}) => ({
    scaleUp: {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
      ...up,
    },
    scaleDown: {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
      ...down,
    },
  })
  const pods = (value: number, periodSeconds = 60) => ({ policies: [{ type: 'Pods', value, periodSeconds }] })

  it.each([
    ['pods a minute up', rules(pods(2)), 3, 10, 5, 'ScaleUpLimit'],
    ['percent up', rules({}), 3, 10, 6, 'ScaleUpLimit'],
    ['disabled up', rules({ selectPolicy: 'Disabled' }), 3, 10, 3, 'ScaleUpLimit'],
    ['pods a minute down', rules({}, pods(1)), 5, 1, 4, 'ScaleDownLimit'],
    [
      'percent down',
      rules({}, { policies: [{ type: 'Percent', value: 30, periodSeconds: 60 }] }),
      10,
      1,
      7,
      'ScaleDownLimit',
    ],
    ['disabled down', rules({}, { selectPolicy: 'Disabled' }), 5, 1, 5, 'ScaleDownLimit'],
    [
      'the smaller change',
      rules({
        selectPolicy: 'Min',
        policies: [...pods(1).policies, { type: 'Percent', value: 100, periodSeconds: 15 }],
      }),
      4,
      9,
      5,
      'ScaleUpLimit',
    ],
    ['within all limits', rules(pods(9)), 3, 5, 5, 'DesiredWithinRange'],
  ] as const)('%s', (_, behavior, current, desired, replicas, reason) => {
    const bounds = { current, desired, min: 1, max: 20, now: 0 }
    const made = new ScaleHistory().normalize(bounds, behavior as never)
    expect([made.replicas, made.scalingLimited.reason]).toEqual([replicas, reason])
  })

  it('counts what was added within the period', () => {
    const history = new ScaleHistory()
    const behavior = rules(pods(4))
    const up = (current: number, now: number) =>
      history.normalize({ current, desired: 20, min: 1, max: 20, now }, behavior as never).replicas
    expect(up(2, 0)).toBe(6)
    history.scaled(2, 6, behavior as never, 0)
    expect(up(6, 30_000)).toBe(6)
    expect(up(6, 61_000)).toBe(10)
  })

  it('waits out the windows', () => {
    const history = new ScaleHistory()
    const behavior = rules({ stabilizationWindowSeconds: 60 }, { stabilizationWindowSeconds: 120 })
    const at = (now: number, current: number, desired: number) =>
      history.normalize({ current, desired, min: 1, max: 20, now }, behavior as never)
    history.begin(4, 0)
    expect(at(15_000, 4, 8)).toMatchObject({ replicas: 4, ableToScale: { reason: 'ScaleUpStabilized' } })
    expect(at(61_000, 4, 8).replicas).toBe(8)
    expect(at(90_000, 8, 2)).toMatchObject({ replicas: 8, ableToScale: { reason: 'ScaleDownStabilized' } })
    expect(at(200_000, 8, 2).replicas).toBe(2)
  })
})
