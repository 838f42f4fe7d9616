/**
 * Which of its times a CronJob has missed, and when it is due next.
 * Mirrors pkg/controller/cronjob: mostRecentScheduleTime, nextScheduleTimeDuration.
 */
import type { CronJob } from '../../../catalog/types/batch-v1.ts'
import { createdAt, millisOf } from '../../framework/pods.ts'
import type { Schedule } from './schedule.ts'

/** So much later than its time, so that it is certainly over. */
const deltaMs = 100
const manyMissed = 100

export interface Missed {
  /** The newest time that has passed since the last run. */
  readonly time: number | undefined
  /** Since when times were looked at. */
  readonly earliest: number
  readonly isMany: boolean
}

export function missedTime(cronJob: CronJob, schedule: Schedule, now: number, withDeadline: boolean): Missed {
  const { lastScheduleTime } = cronJob.status
  const { startingDeadlineSeconds } = cronJob.spec
  const since = lastScheduleTime === undefined ? createdAt(cronJob) : millisOf(lastScheduleTime)
  const deadline = withDeadline && startingDeadlineSeconds !== undefined ? now - startingDeadlineSeconds * 1000 : since
  const earliest = Math.max(since, deadline)
  const first = schedule.next(earliest)
  const second = first === undefined ? undefined : schedule.next(first)
  if (first === undefined || now < first) return { time: undefined, earliest, isMany: false }
  if (second === undefined || now < second) return { time: first, earliest, isMany: false }
  const between = Math.max(1, Math.round((second - first) / 1000))
  const missed = Math.floor(Math.floor((now - first) / 1000) / between) + 1
  let time: number | undefined
  const from = first + (missed - 2) * between * 1000
  for (let at = schedule.next(from); at !== undefined && at <= now; at = schedule.next(at)) time = at
  return { time, earliest, isMany: missed > manyMissed }
}

/** Milliseconds until the next time; undefined when there is none. */
export function untilNext(cronJob: CronJob, schedule: Schedule, now: number): number | undefined {
  const { time, earliest, isMany } = missedTime(cronJob, schedule, now, false)
  const next = schedule.next(time ?? (isMany ? now : earliest))
  return next === undefined ? undefined : Math.max(0, next + deltaMs - now)
}
