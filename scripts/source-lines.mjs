// The table of `stack-lines.cjs` from a source map: a small part of it, without columns.
import path from 'node:path'

const digits = new Map([...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((c, i) => [c, i]))

/** `folder`: what the paths of the map begin at; `nameOf` turns each path into what traces show. */
export function sourceLines({ sources, mappings }, folder, nameOf) {
  const bytes = []
  const last = { file: 0, line: 0 }
  const place = { file: 0, line: 0 }
  for (const text of mappings.split(';')) {
    const segments = text === '' ? [] : text.split(',').map(numbersOf)
    // The place of the line is that of its first segment which has one; the others only move on.
    let first
    for (const [, file = 0, line = 0] of segments.filter((numbers) => numbers.length >= 4)) {
      place.file += file
      place.line += line
      first ??= { ...place }
    }
    const { file, line } = first ?? { file: last.file, line: last.line - 1 }
    push(bytes, file - last.file)
    push(bytes, line + 1 - last.line)
    Object.assign(last, { file, line: line + 1 })
  }
  return {
    files: sources.map((source) => nameOf(path.resolve(folder, source))),
    lines: Buffer.from(bytes).toString('base64'),
  }
}

/** The numbers of a segment: base 64 VLQ, as source maps have them. */
function numbersOf(segment) {
  const numbers = []
  let [value, shift] = [0, 0]
  for (const char of segment) {
    const digit = digits.get(char)
    value += (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    numbers.push(value & 1 ? -(value >> 1) : value >> 1)
    value = shift = 0
  }
  return numbers
}

function push(bytes, number) {
  let value = number < 0 ? -2 * number - 1 : 2 * number
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128)
  bytes.push(value)
}
