import { describe, expect, it } from 'vitest'
import { conditionLanes, conditionsOf } from './condition-lanes.ts'

const at = (second: number) => new Date(second * 1000).toISOString()
const ready = (status: string, second: number, reason = '') => ({
  type: 'Ready',
  status,
  reason,
  lastTransitionTime: at(second),
})
const shown = (versions: Parameters<typeof conditionLanes>[0]) =>
  conditionLanes(versions, { from: 0, to: 10_000 }).map(({ stretches }) =>
    stretches.map(({ from, to, status }) => `${from / 1000}-${to / 1000} ${status ?? '?'}`),
  )

describe('conditions over time', () => {
  it('are known since the last transition, where no version is kept', () => {
    expect(shown([[ready('True', 4)]])).toEqual([['0-4 ?', '4-10 True']])
  })
  it('have all transitions that versions tell', () => {
    expect(shown([[ready('False', 1)], [ready('True', 3)], [ready('True', 3, 'again')], [ready('False', 8)]])).toEqual([
      ['0-1 ?', '1-3 False', '3-8 True', '8-10 False'],
    ])
  })
  it('keep the newest reason of a stretch', () => {
    const [lane] = conditionLanes([[ready('True', 3, 'a')], [ready('True', 3, 'b')]], { from: 0, to: 10_000 })
    expect(lane?.stretches.at(-1)?.reason).toBe('b')
  })
  it('have the present state, however short it is or ahead the clock that wrote it', () => {
    expect(shown([[ready('True', 10)]])).toEqual([['0-10 ?', '10-10 True']])
    expect(shown([[ready('False', 11)], [ready('True', 12)]])).toEqual([['0-11 ?', '11-12 False', '12-12 True']])
    expect(shown([[ready('True', 0)]])).toEqual([['0-10 True']])
  })
  it('that are no conditions are left out', () => {
    expect(conditionsOf({ conditions: [null, 'x', { type: 7 }, { type: 'A' }] })).toEqual([{ type: 'A' }])
    expect(conditionsOf({ conditions: 'none' })).toEqual([])
    expect(shown([[{ type: 'A', status: 'True', lastTransitionTime: 'never' }]])).toEqual([['0-10 ?']])
  })
})
