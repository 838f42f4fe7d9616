/** Reads ASN.1 values in DER: the counterpart of der.ts. Input comes from strangers, so every length is checked. */

export interface DerValue {
  readonly tag: number
  readonly contents: Buffer
}

class DerError extends Error {}

/** The values that lie one after the other in these bytes. Throws a `DerError` when they are not well formed. */
export function readDer(bytes: Buffer): DerValue[] {
  const values: DerValue[] = []
  for (let at = 0; at < bytes.length; ) {
    const { value, end } = readValue(bytes, at)
    values.push(value)
    at = end
  }
  return values
}

function readValue(bytes: Buffer, start: number): { value: DerValue; end: number } {
  if (start + 2 > bytes.length) throw new DerError('a DER value ends before its length')
  const tag = bytes.readUInt8(start)
  const first = bytes.readUInt8(start + 1)
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  if (lengthBytes > 4) throw new DerError('a DER value is too long')
  if (start + 2 + lengthBytes > bytes.length) throw new DerError('a DER value ends within its length')
  const length = lengthBytes === 0 ? first & 0x7f : bytes.readUIntBE(start + 2, lengthBytes)
  const begin = start + 2 + lengthBytes
  const end = begin + length
  if (end > bytes.length) throw new DerError('a DER value ends before its length says')
  return { value: { tag, contents: bytes.subarray(begin, end) }, end }
}

/** `2.5.4.3` */
export function readObjectId({ contents }: DerValue): string {
  const parts: number[] = []
  let current = 0
  for (const byte of contents) {
    current = current * 128 + (byte & 0x7f)
    if ((byte & 0x80) !== 0) continue
    if (parts.length === 0)
      parts.push(Math.min(Math.floor(current / 40), 2), current - 40 * Math.min(Math.floor(current / 40), 2))
    else parts.push(current)
    current = 0
  }
  return parts.join('.')
}

const bmpString = 0x1e

/** The text of any of the string types. */
export function readText({ tag, contents }: DerValue): string {
  return tag === bmpString ? Buffer.from(contents).swap16().toString('utf16le') : contents.toString('utf8')
}
