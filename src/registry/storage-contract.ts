/** What the storage of objects is made with: the store, the cache's reflector, and a codec between the two. */
import type { KubeObject } from '../api/object.ts'
import type { CacheEntry, EntryFacts, StoredText } from '../cache/cache-entry.ts'
import type { Reflector } from '../cache/reflector.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Clock } from '../lib/clock.ts'
import type { Steps } from '../lib/in-turns.ts'
import type { Store } from '../store/store.ts'
import type { UnreadableValue } from './unreadable.ts'

export interface EncodedObject extends StoredText {
  /** What reading the text gives, but for the resourceVersion; absent where it is not at hand. */
  readonly canonical: KubeObject | undefined
}

/** How objects of the hub version become text and stored bytes, and back. */
export interface ObjectCodec {
  /**
   * The canonical JSON text without the resourceVersion, if the object has one. What the object shares with `baseline`, one
   * that was stored, is canonical. `isKept`: the canonical form of a new object will be kept.
   */
  encode(object: KubeObject, baseline?: KubeObject, isKept?: boolean): EncodedObject
  /** The same of a large object. */
  encodeInSteps(object: KubeObject, baseline?: KubeObject, isKept?: boolean): Steps<EncodedObject>
  parse(text: string): KubeObject
  /** The same of a large text. */
  parseInSteps(text: Buffer): Steps<KubeObject>
  /** The bytes for the store; the text itself where the store holds JSON. */
  toStored(object: KubeObject, text: StoredText, key: string): Awaitable<Uint8Array>
  /** The same of a large object, in turns with other requests. */
  toStoredInTurns(object: KubeObject, text: StoredText, key: string): Awaitable<Uint8Array>
  /** The hub object of stored bytes, in any version and encoding that was ever written. Fails with a `ReadError`. */
  fromStored(value: Uint8Array, key: string): Awaitable<KubeObject>
  /** The same of a large value, in turns with other requests. */
  fromStoredInTurns(value: Uint8Array, key: string): Awaitable<KubeObject>
  /** Whether the stored bytes are in the form in which the object would be stored now. */
  isCurrent(value: Uint8Array, object: KubeObject, key: string): Awaitable<boolean>
  /** True when that may change from one moment to the next: keys are changed while the server runs. */
  readonly mayAge: boolean
}

/** An object on its way into the store. */
export interface PreparedWrite {
  readonly facts: EntryFacts
  readonly canonical: KubeObject | undefined
  readonly key: string
  readonly value: Uint8Array
  /** Memoized on first access, once it is written. */
  entry?: CacheEntry
}

export interface StorageDependencies {
  readonly store: Store
  readonly reflector: Reflector
  readonly clock: Clock
  /** `/registry`. */
  readonly prefix: string
  readonly codec: ObjectCodec
  /** How many events are kept for watches that begin in the past; a default without it. */
  readonly maxEvents?: number | undefined
  /** The gate AllowUnsafeMalformedObjectDeletion. */
  readonly unsafeDeletion?: boolean
  /** Called for every stored value that cannot be read, each time that it is tried. */
  readonly onUnreadable?: (value: UnreadableValue) => void
}
