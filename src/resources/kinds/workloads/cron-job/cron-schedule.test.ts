import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../../lib/in-turns.ts'
import { scheduleError } from './cron-schedule.ts'

const errorOf = (schedule: string): string | undefined => runToEnd(scheduleError(schedule, (name) => name === 'UTC'))

describe('scheduleError', () => {
  it.each<[schedule: string, error: string | undefined]>([
    ['*/5 0-23 1,15 jan-dec ?', undefined],
    [' 0\t0 1\u00a01  mon ', undefined],
    ['TZ=UTC @hourly', undefined],
    ['TZ=Mars 0 0 * * *', 'provided bad location Mars: unknown time zone Mars'],
    ['0 0 * *', 'expected exactly 5 fields, found 4: [0 0 * *]'],
    ['', 'expected exactly 5 fields, found 0: []'],
    ['0,,60 0 * * *', 'end of range (60) above maximum (59): 60'],
    ['0 0 * * 1-2-3-4', 'too many hyphens: 1-2-3-4'],
    ['0 0 * * 1/2/3/4', 'too many slashes: 1/2/3/4'],
  ])('%j', (schedule, error) => {
    expect(errorOf(schedule)).toBe(error)
  })

  it('reads a field of very many ranges in steps', () => {
    const minutes = '5,'.repeat(10_000)
    const steps = scheduleError(`${minutes}0 * * * *`, () => false)
    let count = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) count++
    expect(step.value).toBeUndefined()
    expect(count).toBeGreaterThan(10)
    expect(errorOf(`${minutes}61 * * * *`)).toBe('end of range (61) above maximum (59): 61')
  })

  it('has fields between any white space', () => {
    const spaces = Array.from({ length: 0x10000 }, (_, i) => String.fromCharCode(i)).filter((char) => /\s/.test(char))
    for (const space of spaces) expect(errorOf(['0', '0', '1', '1', '0'].join(space))).toBeUndefined()
    expect(errorOf('0\u200b0 1 1 0')).toContain('found 4')
  })

  it('counts all fields, and shows how many of them begin', () => {
    const error = errorOf('0 '.repeat(200_000)) ?? ''
    expect(error).toMatch(/^expected exactly 5 fields, found 200000: \[0 0 /)
    expect(error.length).toBeLessThan(140_000)
  })
})
