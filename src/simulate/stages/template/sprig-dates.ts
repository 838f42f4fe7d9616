/** Functions of sprig on times. A time is its RFC 3339 text here; layouts are Go's. All times are in UTC. */

import { parseDuration } from '../../../api/duration.ts'
import type { JsonValue } from '../../../api/json.ts'
import { trimTrailing } from '../../../lib/trim-trailing.ts'
import type { FunctionFacts, FunctionTable } from './function-facts.ts'
import { TemplateError } from './template-error.ts'
import type { TemplateFunction } from './template-execute.ts'
import { templateText } from './template-values.ts'

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const layoutParts = /2006|January|Jan|Monday|Mon|MST|Z07:00|-07:00|-0700|\.0+|\.9+|01|02|03|04|05|06|15|PM|pm|_2|[1-5]/g

export const formatSprigTime = (millis: number): string => {
  const text = new Date(millis).toISOString()
  return text.endsWith('.000Z') ? `${text.slice(0, 19)}Z` : text
}

/** Seconds since 1970, or a text. */
function millisOf(value: JsonValue | undefined): number {
  const millis = typeof value === 'number' ? value * 1000 : Date.parse(templateText(value ?? null))
  if (Number.isNaN(millis)) throw new TemplateError(`${templateText(value ?? null)} is no time`)
  return millis
}

function formatLayout(layout: string, millis: number): string {
  const date = new Date(millis)
  const two = (value: number): string => String(value).padStart(2, '0')
  const hour12 = date.getUTCHours() % 12 === 0 ? 12 : date.getUTCHours() % 12
  const fraction = String(date.getUTCMilliseconds()).padStart(3, '0').padEnd(9, '0')
  const parts: Readonly<Record<string, string>> = {
    '2006': String(date.getUTCFullYear()),
    '06': two(date.getUTCFullYear() % 100),
    January: months[date.getUTCMonth()] ?? '',
    Jan: (months[date.getUTCMonth()] ?? '').slice(0, 3),
    '01': two(date.getUTCMonth() + 1),
    '1': String(date.getUTCMonth() + 1),
    Monday: days[date.getUTCDay()] ?? '',
    Mon: (days[date.getUTCDay()] ?? '').slice(0, 3),
    '02': two(date.getUTCDate()),
    _2: String(date.getUTCDate()).padStart(2),
    '2': String(date.getUTCDate()),
    '15': two(date.getUTCHours()),
    '03': two(hour12),
    '3': String(hour12),
    '04': two(date.getUTCMinutes()),
    '4': String(date.getUTCMinutes()),
    '05': two(date.getUTCSeconds()),
    '5': String(date.getUTCSeconds()),
    PM: date.getUTCHours() < 12 ? 'AM' : 'PM',
    pm: date.getUTCHours() < 12 ? 'am' : 'pm',
    MST: 'UTC',
    'Z07:00': 'Z',
    '-07:00': '+00:00',
    '-0700': '+0000',
  }
  return layout.replace(layoutParts, (part) => {
    if (part.startsWith('.0')) return `.${fraction.slice(0, part.length - 1)}`
    if (part.startsWith('.9')) return trimTrailing(trimTrailing(`.${fraction.slice(0, part.length - 1)}`, '0'), '.')
    return parts[part] ?? part
  })
}

function shifted(duration: JsonValue | undefined, time: JsonValue | undefined): string {
  try {
    const by = templateText(duration ?? null)
    const nanos = parseDuration(by.replace(/^[+-]/, ''))
    const sign = by.startsWith('-') ? -1 : 1
    return formatSprigTime(millisOf(time) + (sign * Number(nanos)) / 1e6)
  } catch (error) {
    throw error instanceof TemplateError ? error : new TemplateError(`${templateText(duration ?? null)} is no duration`)
  }
}

export function dateFunctions({ now }: FunctionFacts): FunctionTable {
  return new Map<string, TemplateFunction>([
    ['now', () => formatSprigTime(now)],
    ['date', ([layout = '', time]) => formatLayout(templateText(layout), millisOf(time))],
    ['dateInZone', ([layout = '', time]) => formatLayout(templateText(layout), millisOf(time))],
    ['htmlDate', ([time]) => formatLayout('2006-01-02', millisOf(time))],
    ['toDate', ([, time]) => formatSprigTime(millisOf(time))],
    ['unixEpoch', ([time]) => String(Math.floor(millisOf(time) / 1000))],
    ['dateModify', ([duration, time]) => shifted(duration, time)],
    ['ago', ([time]) => `${Math.round((now - millisOf(time)) / 1000)}s`],
    ['duration', ([seconds = 0]) => `${Number(seconds)}s`],
  ])
}
