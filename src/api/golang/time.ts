/** Times as the reference's messages print them: those that were read are local there, which is UTC on a server. */
import { goJson } from './json-text.ts'
import { GoLiteral } from './literal.ts'

const months = 'January February March April May June July August September October November December'.split(' ')

/** `.5` of a time half a second after a whole one, whatever its zone. */
const fraction = (text: string): string => /\.\d*?[1-9](?=0*(?:[Zz]|[+-]\d\d:\d\d)$)/.exec(text)?.[0] ?? ''

/** `%v` of a time: `2024-05-06 07:08:09.5 +0000 UTC`. `written` is how the request wrote it, with what was cut off when it was read. */
export const goTime = (text: string, written = text): string =>
  `${text.slice(0, 10)} ${text.slice(11, 19)}${fraction(written)} +0000 UTC`

/** The value of a field: as `goTime` shows it, and as JSON has it. */
export const goTimeField = (text: string, written?: string): GoLiteral =>
  new GoLiteral(goTime(text, written), goJson(text))

/** The value of a field without a time. */
export const goZeroTime = new GoLiteral('0001-01-01 00:00:00 +0000 UTC', 'null')

/** `%#v`: the call that makes the time. Only the zero time, which was not read, is known to be UTC. `written` as in `goTime`. */
export function goDate(text: string | null | undefined, written = text ?? '', location = 'time.Local'): string {
  if (text == null) return 'time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)'
  const [year, month = 1, ...rest] = text.slice(0, 19).split(/\D/).map(Number)
  const nanos = Number(fraction(written).slice(1).padEnd(9, '0'))
  return `time.Date(${year}, time.${months[month - 1]}, ${rest.join(', ')}, ${nanos}, ${location})`
}

/** A time that is a field of a struct: as `goDate` shows it, and as JSON has it. */
export const goDateField = (text: string | null | undefined, written?: string): GoLiteral =>
  new GoLiteral(goDate(text, written), text == null ? 'null' : goJson(text))
