/** The text without that character at its end. A regular expression would try every run of it anew: quadratic. */
export function trimTrailing(text: string, char: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === char) end--
  return text.slice(0, end)
}
