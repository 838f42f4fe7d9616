/** The checksum CRC-32 of bytes, in native code where Node has it and where that is worth the call. */
import * as zlib from 'node:zlib'

type Crc32 = (bytes: Uint8Array, seed?: number) => number

/** Node has it from 20.15 on. */
export const crc32: Crc32 =
  (zlib as { crc32?: Crc32 }).crc32 ?? ((bytes, seed) => shortCrc32(bytes, { start: 0, end: bytes.length, seed }))

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

export interface ByteRange {
  readonly start: number
  readonly end: number
  readonly seed?: number | undefined
}

/** Of part of the bytes. For some hundred of them it is done before a native call has begun. */
export function shortCrc32(bytes: Uint8Array, { start, end, seed = 0 }: ByteRange): number {
  let value = ~seed
  for (let i = start; i < end; i++) value = (value >>> 8) ^ (table[(value ^ (bytes[i] as number)) & 0xff] as number)
  return ~value >>> 0
}
