/** What a pattern finds in a text. */
import { WORK } from '../evaluation.ts'
import type { Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { INT, listType, STRING } from '../types.ts'
import type { Int, Value } from '../values.ts'
import { ArrayList, CelError } from '../values.ts'
import type { Library } from './library.ts'

const LIST_OF_STRING = listType(STRING)

const find: Implementation = (a, b, _c, _d, e) => {
  const pattern = e.patterns.get(b as string)
  if (pattern instanceof CelError) return new CelError(`Illegal regex: ${pattern.message}`)
  // Finding the place is much slower than knowing that there is one.
  e.work((a as string).length * WORK.matched)
  if (e.patterns.test(b as string, a as string) === false) return ''
  e.work((a as string).length * WORK.character)
  const matcher = pattern.matcher(a as string)
  return matcher.find() ? matcher.group() : ''
}

const findAll: Implementation = (a, b, c, _d, e) => {
  const pattern = e.patterns.get(b as string)
  if (pattern instanceof CelError) return new CelError(`Illegal regex: ${pattern.message}`)
  const limit = c === undefined ? -1 : Number(c as Int)
  const matcher = pattern.matcher(a as string)
  const found: Value[] = []
  let previousEnd = -1
  while ((limit < 0 || found.length < limit) && matcher.find()) {
    e.work(WORK.found)
    // Go leaves out an empty match right behind another match.
    if (matcher.end() !== matcher.start() || matcher.start() !== previousEnd) found.push(matcher.group())
    previousEnd = matcher.end()
  }
  return new ArrayList(found)
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
