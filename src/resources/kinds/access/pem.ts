/** PEM blocks as Go's decoder finds them: whatever lies around a block is passed over. */

export interface PemBlock {
  readonly type: string
  readonly hasHeaders: boolean
  readonly bytes: Buffer
}

const block = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t]*\r?\n([\s\S]*?)-----END \1-----[ \t]*\r?(?=\n|$)/g

export function pemBlocks(text: string): PemBlock[] {
  const found: PemBlock[] = []
  for (const [, type = '', inside = ''] of text.matchAll(block)) {
    const { hasHeaders, body } = splitHeaders(inside)
    const base64 = body.replace(/[\r\n\t ]/g, '')
    const bytes = Buffer.from(base64, 'base64')
    if (bytes.toString('base64') === base64) found.push({ type, hasHeaders, bytes })
  }
  return found
}

/** Lines with a colon before the body are headers. */
function splitHeaders(inside: string): { hasHeaders: boolean; body: string } {
  const lines = inside.split('\n')
  let first = 0
  while (lines[first]?.includes(':')) first++
  return { hasHeaders: first > 0, body: lines.slice(first).join('\n') }
}
