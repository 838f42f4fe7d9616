/** Beyond so many characters a text stays as it is. */
const longest = 16 * 1024

/** Flags, width and precision; both may be asked for by `*`. */
const prefix = /%[ #+\-0]*(\*|\d+)?(?:\.(\*|\d*))?/y

/** A text that Go takes for a format, with nothing to fill in: what looks like a verb becomes an error in its place. */
export function formatWithoutArguments(text: string): string {
  const lastBracket = text.lastIndexOf(']')
  let out = ''
  let at = 0
  for (let start = text.indexOf('%'); start >= 0 && start < longest; start = text.indexOf('%', at)) {
    prefix.lastIndex = start
    const [directive = '', width, precision] = prefix.exec(text) ?? []
    out += text.slice(at, start)
    at = start + directive.length
    if (width === '*') out += '%!(BADWIDTH)'
    if (precision === '*') out += '%!(BADPREC)'
    const isIndexed = text[at] === '['
    // An index without an end is a bracket alone.
    if (isIndexed) at = (lastBracket > at ? text.indexOf(']', at) : at) + 1
    const code = text.codePointAt(at)
    const verb = code === undefined ? '' : String.fromCodePoint(code)
    at += verb.length
    if (verb === '') out += '%!(NOVERB)'
    else if (verb === '%') out += '%'
    else out += `%!${verb}(${isIndexed ? 'BADINDEX' : 'MISSING'})`
  }
  return out + text.slice(at)
}
