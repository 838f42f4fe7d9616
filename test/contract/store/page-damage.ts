// Damages the bytes of a store's file in the ways in which disks, torn writes and people do.
import type { Random } from '../../harness/random.ts'

const pageBytes = 4096

type Damage = (bytes: Buffer, random: Random) => Buffer

const damages: Readonly<Record<string, Damage>> = {
  'a flipped bit': (bytes, random) => flipped(bytes, random, bytes.length),
  'a flipped bit of a meta page': (bytes, random) => flipped(bytes, random, 2 * pageBytes),
  'flipped bits': (bytes, random) => {
    for (let i = 2 + random.below(8); i > 0; i--) flipped(bytes, random, bytes.length)
    return bytes
  },
  'a flipped bit of a page header': (bytes, random) => {
    const at = random.below(bytes.length / pageBytes) * pageBytes + random.below(64)
    bytes[at] = bytes[at]! ^ (1 << random.below(8))
    return bytes
  },
  'bytes that are cut off': (bytes, random) => bytes.subarray(0, bytes.length - 1 - random.below(2 * pageBytes)),
  'pages that are cut off': (bytes, random) => bytes.subarray(0, bytes.length - (1 + random.below(4)) * pageBytes),
  'a last page of zeros': (bytes) => bytes.fill(0, bytes.length - pageBytes),
  'a page of zeros': (bytes, random) => {
    const at = random.below(bytes.length / pageBytes) * pageBytes
    return bytes.fill(0, at, at + pageBytes)
  },
  'a page in place of another': (bytes, random) => copied(bytes, random, pageBytes),
  'a torn page': (bytes, random) => copied(bytes, random, 512 * (1 + random.below(7))),
  'one meta page twice': (bytes, random) => {
    const from = random.below(2) * pageBytes
    bytes.copy(bytes, pageBytes - from, from, from + pageBytes)
    return bytes
  },
  'bytes that are added': (bytes, random) => Buffer.concat([bytes, Buffer.alloc(1 + random.below(pageBytes), 0x5a)]),
}

export interface Damaged {
  readonly how: string
  readonly bytes: Buffer
}

/** The bytes themselves stay as they are. */
export function damaged(bytes: Buffer, random: Random): Damaged {
  const how = random.pick(Object.keys(damages))
  return { how, bytes: damages[how]!(Buffer.from(bytes), random) }
}

function flipped(bytes: Buffer, random: Random, below: number): Buffer {
  const at = random.below(below)
  bytes[at] = bytes[at]! ^ (1 << random.below(8))
  return bytes
}

/** The beginning of one page over that of another. */
function copied(bytes: Buffer, random: Random, length: number): Buffer {
  const pages = bytes.length / pageBytes
  const [from, to] = [random.below(pages) * pageBytes, random.below(pages) * pageBytes]
  bytes.copy(bytes, to, from, from + length)
  return bytes
}
