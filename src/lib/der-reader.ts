/** Reads ASN.1 values in DER: the counterpart of der.ts. Input comes from strangers, so every length is checked. */

import { isAscii, isUtf8 } from 'node:buffer'

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

const printable = /^[A-Za-z0-9'()+,\-./ :=?*&]*$/
/** Surrogates, and what is no character. */
const notBmp = /[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/

/** By tag; undefined for bytes that the type does not have. Mirrors crypto/x509: parseASN1String. */
const textTypes: Readonly<Record<number, (bytes: Buffer) => string | undefined>> = {
  12: (bytes) => (isUtf8(bytes) ? bytes.toString('utf8') : undefined),
  18: (bytes) => only(/^[0-9 ]*$/, bytes.toString('latin1')),
  19: (bytes) => only(printable, bytes.toString('latin1')),
  20: (bytes) => bytes.toString('latin1'),
  22: (bytes) => (isAscii(bytes) ? bytes.toString('latin1') : undefined),
  30: (bytes) => {
    if (bytes.length % 2 !== 0) return undefined
    const text = Buffer.from(bytes).swap16().toString('utf16le').replace(/\0$/, '')
    return notBmp.test(text) ? undefined : text
  },
}

const only = (pattern: RegExp, text: string): string | undefined => (pattern.test(text) ? text : undefined)

/** The text of any of the string types. Throws a `DerError` for others, and for bytes that a type does not have. */
export function readText({ tag, contents }: DerValue): string {
  const text = textTypes[tag]?.(contents)
  if (text === undefined) throw new DerError('a DER value is no text')
  return text
}
