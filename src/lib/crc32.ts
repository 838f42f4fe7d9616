/** The checksum CRC-32 of bytes, in native code where Node has it. */
import * as zlib from 'node:zlib'

type Crc32 = (bytes: Uint8Array, seed?: number) => number

/** Node has it from 20.15 on. */
export const crc32: Crc32 = (zlib as { crc32?: Crc32 }).crc32 ?? plainCrc32

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function plainCrc32(bytes: Uint8Array, seed = 0): number {
  let value = ~seed
  for (const byte of bytes) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] as number)
  return ~value >>> 0
}
