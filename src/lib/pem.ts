/**
 * PEM blocks as Go's decoder finds them: whatever lies around a block, or is not quite one, is passed over. The text
 * comes from strangers and is looked through once.
 */

export interface PemBlock {
  readonly type: string
  readonly hasHeaders: boolean
  readonly bytes: Buffer
}

const begin = '-----BEGIN '
const end = '\n-----END '
const dashes = '-----'

export function pemBlocks(text: string): PemBlock[] {
  const found: PemBlock[] = []
  let nextEnd = -1
  for (let start = findBegin(text, 0); start >= 0; ) {
    const lineEnd = text.indexOf('\n', start)
    if (lineEnd < 0) break
    // Many beginnings may share one end: it is looked for once.
    if (nextEnd < lineEnd) nextEnd = text.indexOf(end, lineEnd)
    if (nextEnd < 0) break
    const block = readBlock(text, start, lineEnd, nextEnd)
    if (block !== undefined) found.push(block)
    start = findBegin(text, block === undefined ? lineEnd : nextEnd + end.length)
  }
  return found
}

/** A beginning stands at the start of a line. */
function findBegin(text: string, from: number): number {
  if (from === 0 && text.startsWith(begin)) return 0
  const at = text.indexOf(`\n${begin}`, from)
  return at < 0 ? -1 : at + 1
}

function readBlock(text: string, start: number, lineEnd: number, endAt: number): PemBlock | undefined {
  const line = text.slice(start + begin.length, lineEnd).trimEnd()
  if (!line.endsWith(dashes)) return undefined
  const type = line.slice(0, -dashes.length)
  if (!text.startsWith(`${type}${dashes}`, endAt + end.length)) return undefined
  const { hasHeaders, body } = splitHeaders(text.slice(lineEnd + 1, Math.max(endAt, lineEnd + 1)))
  const base64 = body.replace(/[\r\n\t ]/g, '')
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? { type, hasHeaders, bytes } : undefined
}

/** Lines with a colon before the body are headers. */
function splitHeaders(inside: string): { hasHeaders: boolean; body: string } {
  const lines = inside.split('\n')
  let first = 0
  while (lines[first]?.includes(':')) first++
  return { hasHeaders: first > 0, body: lines.slice(first).join('\n') }
}
