/**
 * Sets of indexes as text: `1,3-5,7`, growing.
 * Mirrors pkg/apis/batch/validation: validateIndexesFormat.
 */
import { quote } from '../../../../api/golang/quote.ts'

interface Range {
  readonly first: number
  readonly last: number
}

const isRange = (read: Range | string): read is Range => typeof read !== 'string'

/** The range, or what is wrong with it. */
function readRange(text: string, completions: number): Range | string {
  const limits = text.split('-')
  if (limits.length > 2) {
    return `the fragment ${quote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`
  }
  const read: number[] = []
  for (const limit of limits) {
    if (!/^[+-]?\d+$/.test(limit)) return `cannot convert string to integer for index: ${quote(limit)}`
    const index = Number(limit)
    if (index >= completions) return `too large index: ${quote(limit)}`
    read.push(index)
  }
  const [first = 0, last = first] = read
  if (read.length > 1 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`
  return { first, last }
}

/** How many indexes there are, or what is wrong with the text. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0
  let total = 0
  let previous: number | undefined
  for (const part of text.split(',')) {
    const range = readRange(part, completions)
    if (!isRange(range)) return range
    if (previous !== undefined && previous >= range.first) {
      return `non-increasing order, previous: ${previous}, current: ${range.first}`
    }
    total += range.last - range.first + 1
    previous = range.last
  }
  return total
}

/** An index that is in both; what cannot be read is overlooked, as it is reported elsewhere. */
export function commonIndex(a: string, b: string, completions: number): number | undefined {
  if (a === '' || b === '') return undefined
  const read = (text: string): Range[] =>
    text
      .split(',')
      .map((part) => readRange(part, completions))
      .filter(isRange)
  const [as, bs] = [read(a), read(b)]
  for (let i = 0, j = 0; i < as.length && j < bs.length; ) {
    const [x, y] = [as[i] as Range, bs[j] as Range]
    if (x.first <= y.last && y.first <= x.last) return Math.max(x.first, y.first)
    if (x.first <= y.first) i++
    else j++
  }
  return undefined
}
