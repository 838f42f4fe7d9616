/**
 * Copies all objects from one store to another, in key order, in pages. What the target already has in the same form is
 * left alone, so that a copy that was cut goes on where it stopped when it is started again. At the end everything is
 * read back from the target and compared.
 *
 * What the source has encrypted is opened, and sealed for the target, with the keys of each; without keys it is copied
 * as it is. What is sealed is never the same twice, so that values are compared and summed up as they are when opened.
 *
 * The target gives every object a revision of its own: a resourceVersion never means anything in another store. While a
 * copy is under way, and after it was cut, a note (`copy-note.ts`) says where it comes from.
 */
import { createHash, type Hash } from 'node:crypto'
import type { GroupResource } from '../api/group-version.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { ValueTransformer } from '../registry/object-codec.ts'
import type { Entry, RangeFound, Store, WriteOperation } from '../store/store.ts'
import { readCopyNote, removeCopyNote, writeCopyNote } from './copy-note.ts'
import { storedAs } from './stored-as.ts'
import { isEncrypted, type StoredValues, storedValues } from './stored-values.ts'

export interface CopySide {
  readonly store: Store
  /** `/registry`. */
  readonly prefix: string
  /** As the user named it, for messages and the note. */
  readonly name: string
  /** The keys that its values are encrypted with. */
  readonly encryption?: CopyEncryption | undefined
}

export interface CopyEncryption {
  transformerFor(resource: GroupResource): ValueTransformer
}

export interface CopyOptions {
  readonly from: CopySide
  readonly to: CopySide
  readonly clock: Clock
  /** Replace and remove what the target has, although no copy from the same source was begun there. */
  readonly overwrite: boolean
  /** How long events live in the target. */
  readonly eventTtlSeconds: number
  readonly signal: AbortSignal
  onProgress(progress: CopyProgress): void
}

export interface CopyProgress {
  readonly phase: 'copying' | 'verifying'
  readonly done: number
  readonly total: number
}

export interface CopyResult {
  readonly keys: number
  readonly written: number
  /** Keys that were there already, in the same form. */
  readonly unchanged: number
  readonly removed: number
  readonly skipped: number
  /** Encrypted values that were copied as they are. */
  readonly encrypted: number
  /** Values that were decrypted. */
  readonly opened: number
  readonly resumed: boolean
  readonly sourceRevision: number
  readonly targetRevision: number
  /** SHA-256 of all keys and values as the target holds them, decrypted as far as there are keys. */
  readonly digest: string
}

const pageKeys = 500
const writesAtATime = 64
/** Which servers are alive is a matter of the store that they use. */
const leftOut = ['/masterleases/']

export async function copyStore(options: CopyOptions): Promise<CopyResult> {
  const { from, to } = options
  const resumed = await begin(options)
  const first = await pageOf(from, undefined, undefined, 1)
  const total = first.items.length + (first.remaining ?? 0)
  const copy = new Copy(options, { revision: first.revision, total })
  await copy.run()
  const targetDigest = await copy.verify()
  await removeCopyNote(to.store, to.prefix)
  return {
    ...copy.counts,
    resumed,
    sourceRevision: first.revision,
    targetRevision: await to.store.currentRevision(),
    digest: targetDigest,
  }
}

/** Makes sure that the target may be written to, and notes where the copy comes from. True when one is taken up again. */
async function begin({ from, to, overwrite, clock }: CopyOptions): Promise<boolean> {
  const known = await readCopyNote(to.store, to.prefix)
  if (known?.from === from.name) return true
  if (!overwrite && known !== undefined) {
    throw new ConfigError(`${to.name} holds an unfinished copy of ${known.from}; use --overwrite to replace it`)
  }
  const { items } = await pageOf(to, undefined, undefined, 1)
  if (!overwrite && items.length > 0) {
    throw new ConfigError(
      `${to.name} is not empty; use --overwrite to replace what it holds by what ${from.name} holds`,
    )
  }
  const written = await writeCopyNote(to.store, to.prefix, { from: from.name, begun: new Date(clock.now()), known })
  if (!written) throw new ConfigError(`another copy to ${to.name} has just begun`)
  return false
}

async function pageOf(
  { store, prefix }: CopySide,
  startKey: string | undefined,
  revision: number | undefined,
  limit: number,
): Promise<RangeFound> {
  const found = await store.range(`${prefix}/`, { startKey, limit, revision, withRemaining: limit === 1 })
  if (found.status === 'ok') return found
  throw new ConfigError(
    'the source has forgotten the state that is being copied, because the copy took too long; start it again, and it goes on from here',
  )
}

class Copy {
  readonly #options: CopyOptions
  readonly #revision: number
  readonly #total: number
  readonly #values: StoredValues
  readonly #digest = createHash('sha256')
  readonly counts = { keys: 0, written: 0, unchanged: 0, removed: 0, skipped: 0, encrypted: 0, opened: 0 }

  constructor(options: CopyOptions, source: { revision: number; total: number }) {
    this.#options = options
    this.#revision = source.revision
    this.#total = source.total
    this.#values = storedValues(options.to.store.name === 'etcd' ? 'reference' : 'json', options.clock)
  }

  async run(): Promise<void> {
    const { from, onProgress, signal } = this.#options
    let startKey: string | undefined
    let done = 0
    for (;;) {
      signal.throwIfAborted()
      const page = await pageOf(from, startKey, this.#revision, pageKeys)
      const last = page.items.at(-1)
      await this.#copyPage(page, startKey === undefined)
      done += page.items.length
      onProgress({ phase: 'copying', done, total: this.#total })
      if (!page.more || last === undefined) return
      startKey = `${last.key}\0`
    }
  }

  /** Brings the keys from the page's first to its last in the target to what the source has; the ends reach outwards. */
  async #copyPage(page: RangeFound, isFirst: boolean): Promise<void> {
    const { from, to } = this.#options
    const wanted = new Map<string, Uint8Array>()
    for (const item of page.items) {
      const suffix = item.key.slice(from.prefix.length)
      if (leftOut.some((prefix) => suffix.startsWith(prefix))) this.counts.skipped++
      else wanted.set(to.prefix + suffix, await this.#converted(suffix, item))
    }
    for (const [key, value] of wanted) addTo(this.#digest, key, value)
    this.counts.keys += wanted.size
    const translated = (key: string): string => to.prefix + key.slice(from.prefix.length)
    const first = page.items[0]
    const last = page.items.at(-1)
    const begin = isFirst || first === undefined ? undefined : translated(first.key)
    const end = page.more && last !== undefined ? translated(last.key) : undefined
    await this.#write(await this.#operations(wanted, { begin, end }))
  }

  /** The value as the target shall hold it, before it is encrypted there. */
  async #converted(suffix: string, { key, value }: Entry): Promise<Uint8Array> {
    const { from, to } = this.#options
    try {
      const plain = await this.#opened(from, { key, value })
      if (!isEncrypted(plain)) return await this.#values.convert(suffix, plain)
      if (to.encryption !== undefined)
        throw new Error('it is encrypted; say how with --from-encryption-provider-config')
      this.counts.encrypted++
      return plain
    } catch (error) {
      throw new ConfigError(`the value of ${key} cannot be read: ${(error as Error).message}`)
    }
  }

  async #opened(side: CopySide, { key, value }: Pick<Entry, 'key' | 'value'>): Promise<Uint8Array> {
    const transformer = this.#transformer(side, key)
    if (transformer === undefined) return value
    const opened = await transformer.open(value, key)
    if (side === this.#options.from && isEncrypted(value)) this.counts.opened++
    return opened.value
  }

  #transformer({ encryption, prefix }: CopySide, key: string): ValueTransformer | undefined {
    return encryption?.transformerFor(storedAs(this.#values.resourceOf(key.slice(prefix.length))))
  }

  /** Whether the target holds a value already, in the form in which it would be written. */
  async #holds({ key, value }: Entry, wanted: Uint8Array): Promise<boolean> {
    const transformer = this.#transformer(this.#options.to, key)
    if (transformer === undefined) return Buffer.compare(value, wanted) === 0
    try {
      const opened = await transformer.open(value, key)
      return !opened.stale && Buffer.compare(opened.value, wanted) === 0
    } catch {
      return false
    }
  }

  /** What is left to do between two keys of the target, both included. */
  async #operations(
    wanted: ReadonlyMap<string, Uint8Array>,
    { begin, end }: { begin: string | undefined; end: string | undefined },
  ): Promise<WriteOperation[]> {
    const missing = new Map(wanted)
    const operations: WriteOperation[] = []
    for await (const entry of this.#targetEntries(begin)) {
      if (end !== undefined && compareKeys(entry.key, end) > 0) break
      const value = wanted.get(entry.key)
      missing.delete(entry.key)
      if (value === undefined) {
        operations.push({ type: 'delete', key: entry.key, expectedRevision: entry.revision })
      } else if (await this.#holds(entry, value)) this.counts.unchanged++
      else operations.push({ type: 'replace', key: entry.key, value, expectedRevision: entry.revision })
    }
    for (const [key, value] of missing) operations.push({ type: 'create', key, value })
    return operations
  }

  async *#targetEntries(startKey: string | undefined): AsyncGenerator<Entry> {
    const { to } = this.#options
    for (let start = startKey; ; ) {
      const page = await pageOf(to, start, undefined, pageKeys)
      for (const entry of page.items) {
        if (!leftOut.some((prefix) => entry.key.startsWith(to.prefix + prefix))) yield entry
      }
      const last = page.items.at(-1)
      if (!page.more || last === undefined) return
      start = `${last.key}\0`
    }
  }

  async #write(operations: readonly WriteOperation[]): Promise<void> {
    let next = 0
    const writer = async (): Promise<void> => {
      for (let operation = operations[next++]; operation !== undefined; operation = operations[next++]) {
        await this.#writeOne(operation)
      }
    }
    await Promise.all(Array.from({ length: Math.min(writesAtATime, operations.length) }, writer))
  }

  async #writeOne(operation: WriteOperation): Promise<void> {
    const { to, signal } = this.#options
    signal.throwIfAborted()
    const { ok } = await to.store.write(await this.#ready(operation))
    if (!ok)
      throw new ConfigError(`somebody else writes to ${to.name}: ${operation.key} has changed; stop the servers on it`)
    if (operation.type === 'delete') this.counts.removed++
    else this.counts.written++
  }

  /** Sealed for the target, and for as long as such values live. */
  async #ready(operation: WriteOperation): Promise<WriteOperation> {
    if (operation.type === 'delete') return operation
    const { to, eventTtlSeconds } = this.#options
    const { key, value } = operation
    const transformer = this.#transformer(to, key)
    const sealed = transformer === undefined ? value : await transformer.seal(value, key)
    const ttlSeconds = this.#values.expires(key.slice(to.prefix.length)) ? eventTtlSeconds : undefined
    return { ...operation, value: sealed, ttlSeconds }
  }

  /** Reads the target back. Returns the sum of what it holds, which is that of what was to be written. */
  async verify(): Promise<string> {
    const { to, onProgress, signal } = this.#options
    const digest = createHash('sha256')
    let keys = 0
    for await (const entry of this.#targetEntries(undefined)) {
      addTo(digest, entry.key, await this.#opened(to, entry))
      if (++keys % pageKeys === 0) {
        signal.throwIfAborted()
        onProgress({ phase: 'verifying', done: keys, total: this.counts.keys })
      }
    }
    onProgress({ phase: 'verifying', done: keys, total: this.counts.keys })
    const sum = digest.digest('hex')
    if (keys !== this.counts.keys || sum !== this.#digest.digest('hex')) {
      throw new ConfigError(
        `${to.name} does not hold what was copied: ${keys} keys instead of ${this.counts.keys}, or other values; is a server running on it?`,
      )
    }
    return sum
  }
}

function addTo(hash: Hash, key: string, value: Uint8Array): void {
  const length = Buffer.allocUnsafe(8)
  length.writeUInt32LE(Buffer.byteLength(key), 0)
  length.writeUInt32LE(value.length, 4)
  hash.update(length).update(key).update(value)
}

/** Stores order keys by their bytes. */
const compareKeys = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
