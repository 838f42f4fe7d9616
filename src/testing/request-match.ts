/** Whether a request is one of those that a match describes. */
import type { RecordedRequest, RequestMatch } from './api/requests.ts'

/** Compiled once for every request that it is held against. */
export function requestMatcher(match: RequestMatch): (request: RecordedRequest) => boolean {
  const verbs = oneOf(match.verb)
  const resources = oneOf(match.resource)
  const texts = (['namespace', 'name', 'user', 'userAgent', 'path'] as const).flatMap((field) => {
    const pattern = match[field]
    return pattern === undefined ? [] : [{ field, fits: textPattern(pattern) }]
  })
  const { where } = match
  return (request) =>
    (verbs === undefined || verbs(request.verb)) &&
    (resources === undefined || resources(resourceOf(request))) &&
    texts.every(({ field, fits }) => fits(request[field])) &&
    (where === undefined || where(request))
}

const resourceOf = ({ resource, subresource }: RecordedRequest): string =>
  subresource === '' ? resource : `${resource}/${subresource}`

/** A match in a message: functions by their text. */
export const shown = (match: RequestMatch): string =>
  JSON.stringify(match, (_, value: unknown) => (typeof value === 'function' ? String(value) : value))

function oneOf(given: string | readonly string[] | undefined): ((text: string) => boolean) | undefined {
  if (given === undefined) return undefined
  const patterns = (typeof given === 'string' ? [given] : given).map(textPattern)
  return (text) => patterns.some((fits) => fits(text))
}

/** `*` stands for any text. Linear in the length of the text, whatever the pattern. */
export function textPattern(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return (text) => text === pattern
  const last = rest.pop() ?? ''
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
    let at = first.length
    const end = text.length - last.length
    for (const part of rest) {
      const found = text.indexOf(part, at)
      if (found < 0 || found + part.length > end) return false
      at = found + part.length
    }
    return true
  }
}
