/** The order in which YAML has the keys of a map, as the reference's writer sorts them. */

const isDigit = (char: string): boolean => (char < '\x80' ? char >= '0' && char <= '9' : /\p{Nd}/u.test(char))
const isLetter = (char: string): boolean => (char < '\x80' ? /[A-Za-z]/.test(char) : /\p{L}/u.test(char))

/** The order of keys: letters by code, runs of digits by their number, letters after everything else. */
export function compareKeys(a: string, b: string): number {
  const at = firstDifference(a, b)
  if (at === a.length || at === b.length) return a.length - b.length
  const [p, q] = [charAt(a, at), charAt(b, at)]
  const [pLetter, qLetter] = [isLetter(p), isLetter(q)]
  if (pLetter && qLetter) return byCode(p, q)
  if (pLetter || qLetter) return pLetter === isDigit(charBefore(a, at)) ? -1 : 1
  return compareRuns(a, b, at) || byCode(p, q)
}

const isSurrogate = (code: number, half: 0xd800 | 0xdc00): boolean => (code & 0xfc00) === half

/** Never within a character. */
function firstDifference(a: string, b: string): number {
  let at = 0
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  const isWithin = isSurrogate(a.charCodeAt(at), 0xdc00) || isSurrogate(b.charCodeAt(at), 0xdc00)
  return at > 0 && isWithin && isSurrogate(a.charCodeAt(at - 1), 0xd800) ? at - 1 : at
}

const charAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0)

/** Empty at the beginning. */
function charBefore(text: string, at: number): string {
  if (at === 0) return ''
  const isPair = at > 1 && isSurrogate(text.charCodeAt(at - 1), 0xdc00) && isSurrogate(text.charCodeAt(at - 2), 0xd800)
  return text.slice(isPair ? at - 2 : at - 1, at)
}

const byCode = (a: string, b: string): number => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0)

/** Compares the numbers that begin at a place where the keys differ. */
function compareRuns(a: string, b: string, at: number): number {
  const [x, y] = [digitsFrom(a, at), digitsFrom(b, at)]
  // A zero that follows other digits of the same number does not lead it.
  let lead = ''
  if (a[at] === '0' || b[at] === '0') {
    for (let i = at, char = charBefore(a, i); isDigit(char); i -= char.length, char = charBefore(a, i))
      if (char !== '0') lead = '1'
  }
  const [m, n] = [numberOf(`${lead}${x}`), numberOf(`${lead}${y}`)]
  return m === n ? x.length - y.length : m < n ? -1 : 1
}

/** Exact, however long. */
const numberOf = (digits: string): number | bigint => (digits.length <= 15 ? Number(digits) : BigInt(digits))

function digitsFrom(text: string, at: number): string {
  let end = at
  while (text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end++
  return text.slice(at, end)
}
