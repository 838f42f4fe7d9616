// Looks over an LMDB file before it is opened. LMDB trusts its file: a damaged page ends the whole process when it is read (SIGSEGV, SIGBUS)
// or, worse, makes a later write overwrite what is in use. So both meta pages are checked, and from the newer one every page of every tree is
// visited: each belongs to one place, its nodes fill it without overlap, its keys are in order and in the range that its parent gives, the
// trees have as many pages and entries as they say, and no page in use is on the free list. Values on pages of their own are not read here,
// only their headers; what is in values and changes is guarded by checksums (see change-record.ts).
//
//   meta   24 u32 magic  28 u32 version  40 u64 map size  48 tree of free pages  96 main tree  144 u64 last page  152 u64 transaction
//   tree    0 u32 page size (of the first)  4 u16 flags  6 u16 depth  8 u64 branch pages  16 u64 leaf pages  24 u64 overflow pages
//          32 u64 entries  40 u64 root
//   page    0 u64 number   8 u64 transaction  18 u16 flags  20 u16 2 × count  22 u16 first byte in use after the header  24 … u16 offsets
//   node    0 u32 size (in a branch: 48-bit child page)  4 u16 flags  6 u16 key size   8 … key, data
//   big     0 u64 first page  8 u64 transaction  16 u64 pages: the data of a node whose value is on pages of its own
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { StoreError } from '../store.ts'

const headerBytes = 24
const nodeBytes = 8
const treeBytes = 48
const bigBytes = 24
const flags = { branch: 1, leaf: 2, overflow: 4, meta: 8 }
/** Of a page in memory; they mean nothing in a file. */
const memoryFlags = 0xe000
const nodeFlags = { big: 1, tree: 2 }
const magic = 0xbeefc0de
const noPage = 0xffffffffffffffffn
const maxDepth = 32
export const remedy = 'restore a snapshot (pilothouse snapshot restore), or move the folder away to begin anew'

interface Tree {
  readonly flags: number
  readonly depth: number
  readonly branches: number
  readonly leaves: number
  readonly overflows: number
  readonly entries: number
  /** Undefined: it is empty. */
  readonly root: number | undefined
}

interface Meta {
  readonly pageBytes: number
  readonly version: number
  readonly lastPage: number
  readonly transaction: bigint
  readonly free: Tree
  readonly main: Tree
}

/** Throws `corrupt` when the file cannot be read and written safely. */
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

/** What a tree holds, and how its keys compare. */
type TreeKind = 'free' | 'main' | 'table'

/** The bytes of a key where they lie: a file has very many keys, most of which are compared with their neighbours alone. */
interface Key {
  readonly page: Buffer
  readonly start: number
  readonly end: number
}

/** Keys are not below the first and below the second. */
interface Bounds {
  readonly from: Key | undefined
  readonly to: Key | undefined
}

interface Walked {
  readonly kind: TreeKind
  readonly depth: number
  branches: number
  leaves: number
  overflows: number
  entries: number
}

class PageWalk {
  readonly #path: string
  readonly #file: number
  readonly #fileBytes: number
  #pageBytes = 4096
  #transaction = 0n
  /** One byte a page of the file: 1 is in use, 2 is free. */
  #uses = new Uint8Array(0)
  /** Free pages that lie behind the end of the file. */
  readonly #freeBehind = new Set<number>()
  #highest = 1
  constructor(path: string, file: number) {
    this.#path = path
    this.#file = file
    this.#fileBytes = fstatSync(file).size
  }

  run(): void {
    const first = this.#meta(0)
    this.#pageBytes = first.pageBytes
    const second = this.#meta(first.pageBytes)
    const isAlike = (['pageBytes', 'version'] as const).every((name) => first[name] === second[name])
    const hasSameFlags = first.free.flags === second.free.flags && first.main.flags === second.main.flags
    if (!isAlike || !hasSameFlags || !areNeighbours(first.transaction, second.transaction)) {
      throw this.#damaged('its two meta pages contradict one another')
    }
    const newest = second.transaction > first.transaction ? second : first
    this.#transaction = newest.transaction
    this.#uses = new Uint8Array(Math.ceil(this.#fileBytes / this.#pageBytes))
    this.#tree(newest.main, 'main')
    this.#tree(newest.free, 'free')
    this.#checkLastPage(newest.lastPage)
  }

  /** Whatever is in use lies up to it; what lies behind the end of the file was never written, and is free. */
  #checkLastPage(lastPage: number): void {
    const behind = lastPage + 1 - this.#uses.length
    if (lastPage < this.#highest || behind > this.#freeBehind.size)
      throw this.#damaged('its last page is not where it says')
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
    return {
      pageBytes,
      version: page.readUInt32LE(headerBytes + 4),
      lastPage: Number(page.readBigUInt64LE(trees + 2 * treeBytes)),
      transaction: page.readBigUInt64LE(trees + 2 * treeBytes + 8),
      free: readTree(page, trees),
      main: readTree(page, trees + treeBytes),
    }
  }

  #tree(tree: Tree, kind: TreeKind): void {
    const walked: Walked = { kind, depth: tree.depth, branches: 0, leaves: 0, overflows: 0, entries: 0 }
    if (tree.root === undefined && tree.depth !== 0) throw this.#damaged('a tree has lost its root')
    if (tree.root !== undefined) this.#page(tree.root, walked, { level: 1, from: undefined, to: undefined })
    for (const name of ['branches', 'leaves', 'overflows', 'entries'] as const) {
      if (walked[name] !== tree[name])
        throw this.#damaged(`a tree says that it has ${tree[name]} ${name}, and has ${walked[name]}`)
    }
  }

  #page(number: number, walked: Walked, place: Bounds & { readonly level: number }): void {
    this.#claim(number, 1)
    if (place.level > maxDepth || place.level > walked.depth) throw this.#damaged('a tree is too deep')
    const page = this.#read(number * this.#pageBytes, this.#pageBytes)
    const kind = page.readUInt16LE(18) & ~memoryFlags
    const isBranch = kind === flags.branch
    if (!this.#isOf(page, number) || (!isBranch && kind !== flags.leaf))
      throw this.#damaged(`page ${number} is not what its parent says`)
    if (isBranch === (place.level === walked.depth)) throw this.#damaged('a tree is not as deep as it says')
    const nodes = this.#nodes(page, number, isBranch)
    if (isBranch) {
      walked.branches++
      this.#branch(nodes, { walked, place })
    } else {
      walked.leaves++
      walked.entries += nodes.length
      this.#inOrder(nodes, walked.kind, place)
      for (const node of nodes) this.#leafNode(page, node, walked)
    }
  }

  /** A page that says who it is, and that was not written after the last transaction. */
  #isOf(page: Buffer, number: number): boolean {
    return page.readBigUInt64LE(0) === BigInt(number) && page.readBigUInt64LE(8) <= this.#transaction
  }

  /** The nodes of a page in their order. Together they fill what the page says is in use, and nothing else. */
  #nodes(page: Buffer, number: number, isBranch: boolean): PageNode[] {
    const count = page.readUInt16LE(20) >> 1
    if (headerBytes + 2 * count > this.#pageBytes || count < (isBranch ? 2 : 1) || page.readUInt16LE(20) % 2 !== 0)
      throw this.#damaged(`page ${number} has an impossible count`)
    const start = page.readUInt16LE(22) + headerBytes
    const nodes: PageNode[] = []
    let filled = 0
    for (let i = 0; i < count; i++) {
      const at = page.readUInt16LE(headerBytes + 2 * i) + headerBytes
      if (at < start || at + nodeBytes > page.length) throw this.#damaged(`page ${number} has a node outside of it`)
      const node = readNode(page, at, isBranch)
      if (node.after > page.length) throw this.#damaged(`page ${number} has a value outside of it`)
      filled += node.after - at + ((node.after - at) % 2)
      nodes.push(node)
    }
    if (start < headerBytes + 2 * count || start + filled !== page.length)
      throw this.#damaged(`page ${number} has nodes that overlap`)
    return nodes
  }

  #branch(nodes: readonly PageNode[], { walked, place }: { walked: Walked; place: Bounds & { level: number } }): void {
    // The key of the first node is that of the page itself.
    this.#inOrder(nodes.slice(1), walked.kind, place)
    for (const [i, node] of nodes.entries()) {
      const from = i === 0 ? place.from : node
      this.#page(node.child, walked, { level: place.level + 1, from, to: nodes[i + 1] ?? place.to })
    }
  }

  /** As each is above the one before it, the first and the last tell whether all are in the range. */
  #inOrder(nodes: readonly PageNode[], kind: TreeKind, { from, to }: Bounds): void {
    const [first, last] = [nodes[0]!, nodes.at(-1)!]
    let isOrdered =
      (from === undefined || compareKeys(first, from, kind) >= 0) &&
      (to === undefined || compareKeys(last, to, kind) < 0)
    for (let i = 0; i < nodes.length && isOrdered; i++) {
      const node = nodes[i]!
      const length = node.end - node.start
      isOrdered =
        length > 0 && (kind !== 'free' || length === 8) && (i === 0 || compareKeys(nodes[i - 1]!, node, kind) < 0)
    }
    if (!isOrdered) throw this.#damaged('a key is in another place than it belongs')
  }

  #leafNode(page: Buffer, node: PageNode, walked: Walked): void {
    const { data, size } = node
    if (node.flags === nodeFlags.big) walked.overflows += this.#claimBig(page, node)
    else if (walked.kind === 'main' && node.flags === nodeFlags.tree && size === treeBytes)
      this.#tree(readTree(page, data), 'table')
    else if (node.flags !== 0) throw this.#damaged('a value is of no kind that there is')
    if (walked.kind !== 'free') return
    const at = Number(node.flags === nodeFlags.big ? page.readBigUInt64LE(data) : 0n) * this.#pageBytes + headerBytes
    this.#freeRecord(node.flags === nodeFlags.big ? this.#read(at, size) : page.subarray(data, data + size))
  }

  /** Returns how many pages the value has. They may be more than it needs, where it replaced a longer one. */
  #claimBig(page: Buffer, { data, size }: PageNode): number {
    const [number, pages] = [Number(page.readBigUInt64LE(data)), Number(page.readBigUInt64LE(data + 16))]
    if (pages < Math.ceil((size + headerBytes) / this.#pageBytes) || page.readBigUInt64LE(data + 8) > this.#transaction)
      throw this.#damaged('a value is longer than its pages')
    this.#claim(number, pages)
    const header = this.#read(number * this.#pageBytes, headerBytes)
    const kind = header.readUInt16LE(18) & ~memoryFlags
    if (!this.#isOf(header, number) || kind !== flags.overflow || header.readUInt32LE(20) !== pages)
      throw this.#damaged(`page ${number} is not what its parent says`)
    return pages
  }

  /** A count of words, then pages: each by its number, or as the negative length of a run before its first. 0 is a gap. */
  #freeRecord(record: Buffer): void {
    const words = record.length / 8
    const count = words >= 1 && Number.isInteger(words) ? Number(record.readBigInt64LE(0)) : -1
    if (count < 0 || count >= words) throw this.#damaged('its list of free pages is broken')
    for (let i = 1; i <= count; i++) {
      const word = Number(record.readBigInt64LE(8 * i))
      if (word > 0) this.#free(word, 1)
      if (word >= 0) continue
      if (++i > count) throw this.#damaged('its list of free pages is broken')
      this.#free(Number(record.readBigInt64LE(8 * i)), -word)
    }
  }

  #free(number: number, count: number): void {
    if (number < 2 || count > this.#uses.length + this.#highest)
      throw this.#damaged('its list of free pages names others')
    for (let i = number; i < number + count; i++) {
      const isTwice = i < this.#uses.length ? this.#uses[i] !== 0 : this.#freeBehind.has(i)
      if (isTwice) throw this.#damaged(`page ${i} is on its list of free pages, and in use`)
      if (i < this.#uses.length) this.#uses[i] = 2
      else this.#freeBehind.add(i)
    }
  }

  /** Each page belongs to one place and lies within the file. */
  #claim(number: number, count: number): void {
    if (number < 2 || number + count > this.#uses.length) throw this.#damaged(`page ${number} lies outside of it`)
    this.#highest = Math.max(this.#highest, number + count - 1)
    for (let i = number; i < number + count; i++) {
      if (this.#uses[i] !== 0) throw this.#damaged(`page ${i} is used twice`)
      this.#uses[i] = 1
    }
  }
}

interface PageNode extends Key {
  readonly flags: number
  /** Of a branch. */
  readonly child: number
  /** Of a leaf: how long the value is, and where it, or the name of its pages, begins. */
  readonly size: number
  readonly data: number
  /** Behind the last byte that it has on the page. */
  readonly after: number
}

function readNode(page: Buffer, at: number, isBranch: boolean): PageNode {
  const size = page.readUInt32LE(at)
  const kind = page.readUInt16LE(at + 4)
  const [start, end] = [at + nodeBytes, at + nodeBytes + page.readUInt16LE(at + 6)]
  if (isBranch) return { page, start, end, flags: 0, child: page.readUIntLE(at, 6), size: 0, data: end, after: end }
  return {
    page,
    start,
    end,
    flags: kind,
    child: 0,
    size,
    data: end,
    after: end + (kind === nodeFlags.big ? bigBytes : size),
  }
}

function readTree(page: Buffer, at: number): Tree {
  const count = (offset: number): number => Number(page.readBigUInt64LE(at + offset))
  const root = page.readBigUInt64LE(at + 40)
  return {
    flags: page.readUInt16LE(at + 4),
    depth: page.readUInt16LE(at + 6),
    branches: count(8),
    leaves: count(16),
    overflows: count(24),
    entries: count(32),
    root: root === noPage ? undefined : Number(root),
  }
}

/** The free list is by the number of the transaction that freed. */
function compareKeys(a: Key, b: Key, kind: TreeKind): number {
  if (kind !== 'free' || a.end - a.start !== 8 || b.end - b.start !== 8)
    return a.page.compare(b.page, b.start, b.end, a.start, a.end)
  const [first, second] = [a.page.readBigUInt64LE(a.start), b.page.readBigUInt64LE(b.start)]
  return first < second ? -1 : first > second ? 1 : 0
}
