/** Text in double quotes as Go's time package writes it: everything outside of printable ASCII byte by byte in hexadecimal. */
import { UnitWriter } from '../../lib/unit-writer.ts'
import { bytesOfText } from '../byte-text.ts'
import { maxQuotedText } from './quote.ts'

/** Nearly all text is nothing else. */
const plain = /^[ !#-[\]-\x7f]*$/

const quotation = 0x22
const backslash = 0x5c
const letterX = 0x78

/** Of a long text how it begins. */
export function quoteAscii(text: string): string {
  if (text.length > maxQuotedText) return `${quoteAscii(text.slice(0, maxQuotedText))}...`
  if (plain.test(text)) return `"${text}"`
  const bytes = bytesOfText(text)
  const writer = new UnitWriter(2 * bytes.length)
  for (const byte of bytes) {
    if (byte === quotation || byte === backslash) writer.write(backslash)
    if (byte >= 0x20 && byte < 0x80) {
      writer.write(byte)
      continue
    }
    writer.write(backslash)
    writer.write(letterX)
    writer.write(digit(byte >> 4))
    writer.write(digit(byte & 0xf))
  }
  return `"${writer.toString()}"`
}

const digit = (value: number): number => (value < 10 ? 0x30 + value : 0x57 + value)
