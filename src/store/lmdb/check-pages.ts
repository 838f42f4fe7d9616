// Looks over an LMDB file before it is opened. LMDB trusts its file: a damaged page makes the whole process crash when it is read. So the
// two meta pages are checked, and from the newer one every page of every tree is visited. Values on pages of their own are not read, only
// that they are within the file.
//
//   page   0 u64 number   8 u64 transaction  18 u16 flags  20 u16 2 × count  22 u16 start of free space's end   24 … u16 offsets of nodes
//   node   0 u32 size (in a branch: 48-bit child page)  4 u16 flags  6 u16 key size   8 … key, data
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { StoreError } from '../store.ts'

const headerBytes = 24
const nodeBytes = 8
const treeBytes = 48
const flags = { branch: 1, leaf: 2, meta: 8 }
const nodeFlags = { big: 1, tree: 2 }
const magic = 0xbeefc0de
const noPage = 0xffffffffffffffffn
const maxDepth = 32
export const remedy = 'restore a snapshot (pilothouse snapshot restore), or move the folder away to begin anew'

interface Meta {
  readonly pageBytes: number
  readonly transaction: bigint
  readonly roots: readonly bigint[]
}

/** Throws `corrupt` when the file cannot be read safely. */
export function checkPages(path: string): void {
  const file = openSync(path, 'r')
  try {
    new PageWalk(path, file).run()
  } finally {
    closeSync(file)
  }
}

/** Transactions use the two meta pages in turn, the even ones the first. A new file has none. */
function areNeighbours(first: bigint, second: bigint): boolean {
  const isInTurn = first % 2n === 0n && (second % 2n === 1n || second === 0n)
  return isInTurn && (first - second === 1n || second - first === 1n || (first === 0n && second === 0n))
}

class PageWalk {
  readonly #path: string
  readonly #file: number
  readonly #fileBytes: number
  #pageBytes = 4096
  #seen = new Uint8Array(0)

  constructor(path: string, file: number) {
    this.#path = path
    this.#file = file
    this.#fileBytes = fstatSync(file).size
  }

  run(): void {
    const first = this.#meta(0)
    this.#pageBytes = first.pageBytes
    const second = this.#meta(first.pageBytes)
    if (second.pageBytes !== first.pageBytes || !areNeighbours(first.transaction, second.transaction)) {
      throw this.#damaged('its two meta pages contradict one another')
    }
    this.#seen = new Uint8Array(Math.ceil(this.#fileBytes / this.#pageBytes))
    const newest = second.transaction > first.transaction ? second : first
    for (const root of newest.roots) this.#tree(root)
  }

  #damaged(how: string): StoreError {
    return new StoreError('corrupt', `the store's file ${this.#path} is damaged: ${how}; ${remedy}`)
  }

  #read(offset: number, bytes: number): Buffer {
    const buffer = Buffer.allocUnsafe(bytes)
    if (readSync(this.#file, buffer, 0, bytes, offset) !== bytes) throw this.#damaged('it ends too early')
    return buffer
  }

  #meta(offset: number): Meta {
    const page = this.#read(offset, 512)
    if ((page.readUInt16LE(18) & flags.meta) === 0 || page.readUInt32LE(headerBytes) !== magic) {
      throw this.#damaged(`there is no meta page at ${offset}`)
    }
    const trees = headerBytes + 24
    const pageBytes = page.readUInt32LE(trees)
    if (pageBytes < 512 || pageBytes > 65536 || (pageBytes & (pageBytes - 1)) !== 0)
      throw this.#damaged('its page size is impossible')
    const roots = [page.readBigUInt64LE(trees + 40), page.readBigUInt64LE(trees + treeBytes + 40)]
    return { pageBytes, transaction: page.readBigUInt64LE(trees + 2 * treeBytes + 8), roots }
  }

  #tree(root: bigint): void {
    if (root !== noPage) this.#page(Number(root), 0)
  }

  #page(number: number, depth: number): void {
    this.#claim(number, 1)
    if (depth > maxDepth) throw this.#damaged('a tree is too deep')
    const page = this.#read(number * this.#pageBytes, this.#pageBytes)
    const kind = page.readUInt16LE(18) & (flags.branch | flags.leaf)
    const count = page.readUInt16LE(20) >> 1
    const isBranch = kind === flags.branch
    if (page.readBigUInt64LE(0) !== BigInt(number) || (!isBranch && kind !== flags.leaf)) {
      throw this.#damaged(`page ${number} is not what its parent says`)
    }
    if (headerBytes + 2 * count > this.#pageBytes || count === 0)
      throw this.#damaged(`page ${number} has an impossible count`)
    for (let i = 0; i < count; i++) {
      const at = page.readUInt16LE(headerBytes + 2 * i) + headerBytes
      if (at + nodeBytes > page.length) throw this.#damaged(`page ${number} has a node outside of it`)
      if (isBranch) this.#page(page.readUIntLE(at, 6), depth + 1)
      else this.#leafNode(page, at, number)
    }
  }

  #leafNode(page: Buffer, at: number, number: number): void {
    const size = page.readUInt32LE(at)
    const kind = page.readUInt16LE(at + 4)
    const data = at + nodeBytes + page.readUInt16LE(at + 6)
    const isBig = (kind & nodeFlags.big) !== 0
    if (data + (isBig ? headerBytes : size) > page.length)
      throw this.#damaged(`page ${number} has a value outside of it`)
    if (isBig) {
      this.#claim(Number(page.readBigUInt64LE(data)), Math.ceil((size + headerBytes) / this.#pageBytes))
    } else if ((kind & nodeFlags.tree) !== 0) {
      if (size !== treeBytes) throw this.#damaged(`page ${number} has a broken table`)
      this.#tree(page.readBigUInt64LE(data + 40))
    }
  }

  /** Each page belongs to one place and lies within the file. */
  #claim(number: number, count: number): void {
    if (number < 2 || number + count > this.#seen.length) throw this.#damaged(`page ${number} lies outside of it`)
    for (let i = number; i < number + count; i++) {
      if (this.#seen[i] === 1) throw this.#damaged(`page ${i} is used twice`)
      this.#seen[i] = 1
    }
  }
}
