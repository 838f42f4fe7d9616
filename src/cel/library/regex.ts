/** What a pattern finds in a text. */
import type { Steps } from '../../lib/in-turns.ts'
import { type Pattern, PatternLimitError } from '../../lib/regexp/pattern.ts'
import type { Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { parsePattern } from '../patterns.ts'
import { INT, listType, STRING } from '../types.ts'
import type { Int, Value } from '../values.ts'
import { CelError, StringList } from '../values.ts'
import type { Library } from './library.ts'

const LIST_OF_STRING = listType(STRING)

const find: Implementation = (a, b, _c, _d, e) => {
  const pattern = parsePattern(b as string)
  if (pattern instanceof CelError) return new CelError(`Illegal regex: ${pattern.message}`)
  const text = a as string
  return e.search({ kind: 'find', pattern, text }, () => findFirst(pattern, text))
}

function* findFirst(pattern: Pattern, text: string): Steps<Value> {
  // Finding the place is much slower than knowing that there is one.
  const found = (yield* pattern.test(text)) ? yield* pattern.find(text) : undefined
  return found === undefined ? '' : text.slice(found.start, found.end)
}

const findAll: Implementation = (a, b, c, _d, e) => {
  const pattern = parsePattern(b as string)
  if (pattern instanceof CelError) return new CelError(`Illegal regex: ${pattern.message}`)
  const text = a as string
  const limit = c === undefined ? -1 : Number(c as Int)
  return e.search({ kind: `findAll ${limit}`, pattern, text }, () => findEach(pattern, text, limit))
}

/** The most that is found in a text. */
const MAX_FOUND = 1_000_000

function* findEach(pattern: Pattern, text: string, limit: number): Steps<Value> {
  const found: Value[] = []
  let at = 0
  let previousEnd = -1
  while (at <= text.length && (limit < 0 || found.length < limit)) {
    const match = yield* pattern.find(text, at)
    if (match === undefined) break
    const { start, end } = match
    // Go leaves out an empty match right behind another match.
    if (end !== start || start !== previousEnd) found.push(text.slice(start, end))
    if (found.length > MAX_FOUND) throw new PatternLimitError()
    if (found.length % 64 === 0) yield
    previousEnd = end
    at = end > start ? end : end + (text.codePointAt(end)! > 0xffff ? 2 : 1)
  }
  return new StringList(found)
}

export const regexLibrary: Library = {
  functions: [
    declareFunction('find', { members: [['string_find_string', [STRING, STRING], STRING, find]] }),
    declareFunction('findAll', {
      members: [
        ['string_find_all_string', [STRING, STRING], LIST_OF_STRING, findAll],
        ['string_find_all_string_int', [STRING, STRING, INT], LIST_OF_STRING, findAll],
      ],
    }),
  ],
}
