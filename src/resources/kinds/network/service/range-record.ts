/**
 * Which numbers of a range are given out, as one object in the store that is changed by compare-and-write: servers that
 * share a store cannot give one number twice. The object is laid out as the reference keeps it, a RangeAllocation whose
 * data is a big-endian number with one bit for each offset.
 */
import type { KubeObject } from '../../../../api/object.ts'
import { unknownError } from '../../../../api/status-error.ts'
import { typeSchema } from '../../../../catalog/catalog.ts'
import { typedModel } from '../../../../registry/model/typed-model.ts'
import type { ObjectStorage } from '../../../../registry/object-storage.ts'
import type { ResourceDefinition } from '../../../../registry/resource-definition.ts'

type RangeAllocation = KubeObject & { range: string; data: string | null }
type StoredEntry = NonNullable<Awaited<ReturnType<ObjectStorage['create']>>>

/** Races lost in a row before giving up. */
const maxAttempts = 100

/** A set of offsets that are in use. */
export class OffsetSet {
  readonly #bytes: Uint8Array
  readonly size: number

  constructor(size: number, data: Uint8Array = new Uint8Array()) {
    this.size = size
    this.#bytes = new Uint8Array(Math.ceil(size / 8))
    for (let i = 0; i < data.length && i < this.#bytes.length; i++) {
      this.#bytes[i] = data[data.length - 1 - i] as number
    }
  }

  has(offset: number): boolean {
    return (((this.#bytes[offset >> 3] ?? 0) >> (offset & 7)) & 1) === 1
  }

  add(offset: number): void {
    this.#bytes[offset >> 3] = (this.#bytes[offset >> 3] ?? 0) | (1 << (offset & 7))
  }

  delete(offset: number): void {
    this.#bytes[offset >> 3] = (this.#bytes[offset >> 3] ?? 0) & ~(1 << (offset & 7))
  }

  *values(): Generator<number> {
    for (let offset = 0; offset < this.size; offset++) {
      // Most of a range is free: eight offsets at once.
      if ((offset & 7) === 0 && !this.#bytes[offset >> 3]) offset += 7
      else if (this.has(offset)) yield offset
    }
  }

  /** Big-endian, without leading zeros. */
  toData(): Uint8Array {
    let length = this.#bytes.length
    while (length > 0 && this.#bytes[length - 1] === 0) length--
    return this.#bytes.slice(0, length).reverse()
  }
}

/** The definition behind the records; no endpoint serves them. */
export function rangeDefinition(): ResourceDefinition {
  const schema = typeSchema('core.v1.RangeAllocation')
  const hub = {
    group: '',
    version: 'v1',
    kind: 'RangeAllocation',
    apiVersion: 'v1',
    schema,
    fieldLabels: new Map<string, string>(),
    resetFields: [],
  }
  return {
    group: '',
    resource: 'ranges',
    singular: 'range',
    kind: hub.kind,
    listKind: 'RangeAllocationList',
    namespaced: false,
    shortNames: [],
    categories: [],
    verbs: new Set(),
    versions: [hub],
    hub,
    storage: { prefix: '/registry/ranges', apiVersion: 'v1', encoding: 'protobuf', fields: new Map() },
    strategy: { validateMetadata: (metadata) => metadata.validate({ validateName: () => [] }) },
    subresources: new Map(),
    createOnUpdate: false,
    unconditionalUpdate: false,
    garbageCollection: 'unsupported',
    returnsDeleted: false,
    model: typedModel,
    indexes: [],
  }
}

export interface RangeRecordOptions {
  /** `servicenodeports`. */
  readonly name: string
  /** `30000-32767`: a record of another range counts for nothing. */
  readonly range: string
  readonly size: number
}

export class RangeRecord {
  readonly #storage: ObjectStorage
  readonly #options: RangeRecordOptions
  #entry: StoredEntry | undefined
  #loaded = false
  /** Changes wait for one another here: within a process there is nothing to race for. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(storage: ObjectStorage, options: RangeRecordOptions) {
    this.#storage = storage
    this.#options = options
  }

  /**
   * Runs `change` on the offsets in use and stores what it leaves; it may run again when another server was faster. When
   * it throws, nothing is stored.
   */
  update<T>(change: (used: OffsetSet) => T): Promise<T> {
    const run = this.#last.then(() => this.#update(change))
    this.#last = run.catch(() => undefined)
    return run
  }

  /** As `update`, but of a record that another writer keeps: where there is none, none is made. */
  updateExisting(change: (used: OffsetSet) => void): Promise<void> {
    const run = this.#last.then(async () => {
      this.#entry = await this.#read()
      this.#loaded = true
      const record = this.#entry?.object() as RangeAllocation | undefined
      if (record?.range === this.#options.range) await this.#update(change)
    })
    this.#last = run.catch(() => undefined)
    return run
  }

  /** The offsets in use, to look at only. */
  async peek(): Promise<OffsetSet> {
    await this.#readAgain()
    return this.#used()
  }

  async #update<T>(change: (used: OffsetSet) => T): Promise<T> {
    await this.#load()
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const used = this.#used()
      let result: T
      try {
        result = change(used)
      } catch (error) {
        // What is remembered may be old: another server may have given back what was refused here.
        if (await this.#readAgain()) continue
        throw error
      }
      const data = Buffer.from(used.toData()).toString('base64')
      if (this.#isStored(data) || (await this.#store(data))) return result
    }
    throw unknownError(`the record of ${this.#options.name} keeps changing`)
  }

  async #load(): Promise<void> {
    if (this.#loaded) return
    this.#entry = await this.#read()
    this.#loaded = true
  }

  /** True when what is stored is not what was remembered. */
  async #readAgain(): Promise<boolean> {
    const known = this.#entry?.revision
    this.#entry = await this.#read()
    this.#loaded = true
    return this.#entry?.revision !== known
  }

  async #read(): Promise<StoredEntry | undefined> {
    const found = await this.#storage.store.get(this.#storage.keyPrefix + this.#options.name)
    if (found.status !== 'ok' || found.entry === undefined) return undefined
    const { key, value, revision } = found.entry
    return this.#storage.read(key, value, revision)
  }

  #used(): OffsetSet {
    const { size, range } = this.#options
    const record = this.#entry?.object() as RangeAllocation | undefined
    if (record === undefined || record.range !== range) return new OffsetSet(size)
    return new OffsetSet(size, Buffer.from(record.data ?? '', 'base64'))
  }

  #isStored(data: string): boolean {
    const record = this.#entry?.object() as RangeAllocation | undefined
    return record !== undefined && record.range === this.#options.range && (record.data ?? '') === data
  }

  async #store(data: string): Promise<boolean> {
    const { name, range } = this.#options
    const record: RangeAllocation = {
      apiVersion: 'v1',
      kind: 'RangeAllocation',
      metadata: { name, creationTimestamp: null },
      range,
      data: data === '' ? null : data,
    }
    if (this.#entry === undefined) {
      this.#entry = await this.#storage.create(record)
      if (this.#entry !== undefined) return true
      // Another server made it first.
      this.#entry = await this.#read()
      return false
    }
    const outcome = await this.#storage.replace(this.#entry, record)
    const written = 'written' in outcome
    this.#entry = written ? outcome.written : outcome.lostTo
    return written
  }
}
