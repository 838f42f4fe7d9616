/** Lines of comma separated columns; a column in double quotes may hold commas, line ends and doubled quotes. */
export function parseCsv(text: string, file: string): string[][] {
  const rows: string[][] = []
  let position = 0
  while (position < text.length) {
    const { row, next } = parseRow(text, position, file)
    position = next
    if (row.length > 1 || row[0] !== '') rows.push(row)
  }
  return rows
}

function parseRow(text: string, start: number, file: string): { row: string[]; next: number } {
  const row: string[] = []
  let position = start
  for (;;) {
    const column = text[position] === '"' ? quotedColumn(text, position, file) : plainColumn(text, position)
    row.push(column.value)
    position = column.next
    if (text[position] === ',') {
      position++
      continue
    }
    if (text[position] === '\r') position++
    return { row, next: position + 1 }
  }
}

function plainColumn(text: string, start: number): { value: string; next: number } {
  let end = start
  while (end < text.length && text[end] !== ',' && text[end] !== '\n' && text[end] !== '\r') end++
  return { value: text.slice(start, end).trimStart(), next: end }
}

function quotedColumn(text: string, start: number, file: string): { value: string; next: number } {
  let value = ''
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] !== '"') value += text[i]
    else if (text[i + 1] === '"') {
      value += '"'
      i++
    } else {
      const after = text[i + 1]
      if (after !== undefined && after !== ',' && after !== '\n' && after !== '\r') break
      return { value, next: i + 1 }
    }
  }
  throw new Error(`'${file}': extraneous or missing " in quoted-field`)
}
