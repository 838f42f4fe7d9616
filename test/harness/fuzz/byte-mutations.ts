/** Mutations that know nothing of what the bytes mean. */
import type { Random } from '../random.ts'

const interesting = [0, 1, 0x0a, 0x20, 0x22, 0x2d, 0x30, 0x5b, 0x5c, 0x7b, 0x7f, 0x80, 0xc0, 0xd9, 0xf6, 0xf7, 0xff]

export function mutatedBytes(random: Random, bytes: Buffer, others: readonly Buffer[] = []): Buffer {
  let result = bytes
  for (let edits = 1 + random.below(4); edits > 0; edits--) result = editedBytes(random, result, others)
  return result.subarray(0, 4 * 1024 * 1024)
}

function editedBytes(random: Random, bytes: Buffer, others: readonly Buffer[]): Buffer {
  const at = random.below(bytes.length + 1)
  const to = Math.min(bytes.length, at + 1 + random.below(16))
  switch (random.below(8)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)])
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([random.pick(interesting)]), bytes.subarray(at)])
    case 3:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)])
    case 4:
      return flipped(random, bytes)
    case 5:
      return others.length === 0 ? flipped(random, bytes) : spliced(random, bytes, random.pick(others))
    case 6:
      return Buffer.concat([
        bytes.subarray(0, at),
        ...Array.from({ length: random.below(200) }, () => bytes.subarray(at, to)),
        bytes.subarray(at),
      ])
    default:
      return replaced(random, bytes)
  }
}

function flipped(random: Random, bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes
  const copy = Buffer.from(bytes)
  const at = random.below(copy.length)
  copy[at] = (copy[at] as number) ^ (1 << random.below(8))
  return copy
}

function replaced(random: Random, bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes
  const copy = Buffer.from(bytes)
  copy[random.below(copy.length)] = random.pick(interesting)
  return copy
}

function spliced(random: Random, bytes: Buffer, other: Buffer): Buffer {
  const from = random.below(other.length + 1)
  return Buffer.concat([
    bytes.subarray(0, random.below(bytes.length + 1)),
    other.subarray(from, from + 64 + random.below(512)),
  ])
}
