/** JSON text on several lines, with a blank a level. Mirrors encoding/json: Indent, of a text without blanks. */
export function indentJson(text: string): string {
  const parts: string[] = []
  let depth = 0
  let from = 0
  const breakLine = (): number => parts.push(`\n${' '.repeat(depth)}`)
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '"') {
      i = endOfText(text, i)
    } else if (char === '{' || char === '[') {
      if (text[i + 1] === '}' || text[i + 1] === ']') i++
      else depth++
      parts.push(text.slice(from, i + 1))
      from = i + 1
      if (text[i] === char) breakLine()
    } else if (char === '}' || char === ']') {
      parts.push(text.slice(from, i))
      from = i
      depth--
      breakLine()
    } else if (char === ',' || char === ':') {
      parts.push(text.slice(from, i + 1))
      from = i + 1
      if (char === ',') breakLine()
      else parts.push(' ')
    }
  }
  parts.push(text.slice(from))
  return parts.join('')
}

function endOfText(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1
  return i
}
