import { describe, expect, it } from 'vitest'
import type { CronJob } from '../../../catalog/types/batch-v1.ts'
import { missedTime, untilNext } from './cron-times.ts'
import { parseSchedule } from './schedule.ts'

const at = (text: string): number => Date.parse(text)
const shown = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().replace('.000', '')

describe('schedules', () => {
  const cases: readonly [schedule: string, zone: string, after: string, next: string | undefined][] = [
    ['* * * * *', '', '2026-01-01T00:00:30Z', '2026-01-01T00:01:00Z'],
    ['0 * * * *', '', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'],
    ['*/15 * * * *', '', '2026-01-01T00:59:59Z', '2026-01-01T01:00:00Z'],
    ['5/20 * * * *', '', '2026-01-01T00:26:00Z', '2026-01-01T00:45:00Z'],
    ['30 4 1,15 * *', '', '2026-01-02T00:00:00Z', '2026-01-15T04:30:00Z'],
    ['0 0 * * mon-fri', '', '2026-01-02T12:00:00Z', '2026-01-05T00:00:00Z'],
    // Either day will do when neither is a star.
    ['0 0 13 * fri', '', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    // A star with a step is none.
    ['0 0 */2 * 1', '', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'],
    ['0 0 29 feb *', '', '2026-03-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 0 31 feb *', '', '2026-03-01T00:00:00Z', undefined],
    ['@hourly', '', '2026-01-01T00:10:00Z', '2026-01-01T01:00:00Z'],
    ['@every 90s', '', '2026-01-01T00:00:00.500Z', '2026-01-01T00:01:30Z'],
    ['0 9 * * *', 'Europe/Berlin', '2026-01-01T00:00:00Z', '2026-01-01T08:00:00Z'],
    ['TZ=America/New_York 0 9 * * *', '', '2026-07-01T00:00:00Z', '2026-07-01T13:00:00Z'],
    ['0 9 * * *', 'Asia/Kolkata', '2026-01-01T00:00:00Z', '2026-01-01T03:30:00Z'],
    ['@daily', 'Asia/Kathmandu', '2026-01-01T00:00:00Z', '2026-01-01T18:15:00Z'],
    ['15 6 * * *', 'Pacific/Chatham', '2026-07-01T00:00:00Z', '2026-07-01T17:30:00Z'],
    ['0 0 * * *', 'Pacific/Kiritimati', '2026-01-01T00:00:00Z', '2026-01-01T10:00:00Z'],
    ['0 12 * * *', 'Etc/GMT+12', '2026-01-01T00:00:01Z', '2026-01-02T00:00:00Z'],
    // Clocks go back by half an hour.
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z'],
    // The clock is left out of a time that comes in even steps.
    ['@every 1h30m', 'America/New_York', '2026-11-01T05:00:00Z', '2026-11-01T06:30:00Z'],
    ['@every 100ms', '', '2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'],
    ['@every -1h', '', '2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'],
    ['@midnight', '', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['@annually', '', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    // Clocks skip this hour: the day is left out.
    ['30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', '2026-03-09T06:30:00Z'],
    // Clocks show this time twice: so does the schedule.
    ['30 1 * * *', 'America/New_York', '2026-11-01T00:00:00Z', '2026-11-01T05:30:00Z'],
    ['30 1 * * *', 'America/New_York', '2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z'],
  ]
  for (const [schedule, zone, after, next] of cases) {
    it(`${schedule} ${zone} after ${after}`, () => {
      expect(shown(parseSchedule(schedule, zone).next(at(after)))).toBe(next)
    })
  }

  for (const bad of [
    '',
    '* * * *',
    '60 * * * *',
    '5-1 * * * *',
    'a * * * *',
    '*/0 * * * *',
    '@every soon',
    'TZ=Nowhere/At_All 0 0 * * *',
    '@every',
    '@never',
    '* * * * * *',
    '0 0 0 * *',
    '0 0 * 13 *',
  ]) {
    it(`refuses ${JSON.stringify(bad)}`, () => expect(() => parseSchedule(bad, '')).toThrow())
  }
})

describe('the times of a CronJob', () => {
  const cronJob = (given: { created: string; last?: string; deadline?: number }): CronJob =>
    ({
      metadata: { creationTimestamp: given.created },
      spec: { ...(given.deadline === undefined ? {} : { startingDeadlineSeconds: given.deadline }) },
      status: given.last === undefined ? {} : { lastScheduleTime: given.last },
    }) as CronJob
  const hourly = parseSchedule('0 * * * *', '')
  const created = '2026-01-01T09:30:00Z'

  const cases: readonly [string, CronJob, now: string, missed: string | undefined, isMany: boolean][] = [
    ['nothing is due', cronJob({ created }), '2026-01-01T09:59:59Z', undefined, false],
    ['one is due', cronJob({ created }), '2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z', false],
    [
      'the last one counts',
      cronJob({ created, last: '2026-01-01T10:00:00Z' }),
      '2026-01-01T10:30:00Z',
      undefined,
      false,
    ],
    ['the newest of some', cronJob({ created }), '2026-01-01T15:30:00Z', '2026-01-01T15:00:00Z', false],
    ['the newest of very many', cronJob({ created }), '2026-01-21T15:30:00Z', '2026-01-21T15:00:00Z', true],
    [
      'a deadline forgets most',
      cronJob({ created, deadline: 7200 }),
      '2026-01-21T15:30:00Z',
      '2026-01-21T15:00:00Z',
      false,
    ],
    ['a deadline forgets all', cronJob({ created, deadline: 60 }), '2026-01-21T15:30:00Z', undefined, false],
  ]
  for (const [name, object, now, missed, isMany] of cases) {
    it(name, () => {
      const found = missedTime(object, hourly, at(now), true)
      expect([shown(found.time), found.isMany]).toEqual([missed, isMany])
      expect(shown(at(now) + (untilNext(object, hourly, at(now)) ?? 0) - 100)).toMatch(/:00:00Z$/)
    })
  }
})
