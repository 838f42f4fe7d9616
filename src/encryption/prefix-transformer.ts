/**
 * Several transformers in order: the first seals, all open. Which of them sealed a value is given by the prefix of
 * it. Providers are chosen by their name and version, and within a provider keys by theirs, in the same way.
 */
import type { Awaitable } from '../lib/awaitable.ts'
import type { Direction, EncryptionMetrics } from './encryption-metrics.ts'
import { aggregateErrors, type DecryptedValue, type Transformer, whenSettled } from './transformer.ts'

export interface PrefixedTransformer {
  /** Empty for values that are not encrypted. */
  readonly prefix: string
  readonly transformer: Transformer
}

export interface PrefixOptions {
  /** What is said about a value that none of them sealed. */
  readonly unmatched: string
  /** `secrets`, `deployments.apps`: for the metrics. */
  readonly resource: string
  readonly metrics: EncryptionMetrics
}

interface Choice {
  readonly bytes: Buffer
  /** As the metrics name it. */
  readonly readName: string
  readonly transformer: Transformer
}

export class PrefixTransformer implements Transformer {
  readonly #choices: readonly Choice[]
  readonly #options: PrefixOptions

  constructor(transformers: readonly PrefixedTransformer[], options: PrefixOptions) {
    this.#choices = transformers.map(({ prefix, transformer }) => ({
      bytes: Buffer.from(prefix, 'utf8'),
      readName: prefix === '' ? 'identity' : prefix,
      transformer,
    }))
    this.#options = options
  }

  seal(value: Uint8Array, key: string): Awaitable<Uint8Array> {
    const [first] = this.#choices
    if (first === undefined) throw new Error('a list of providers is never empty')
    const { bytes, transformer } = first
    const record = this.#recorder('to_storage')
    const name = bytes.toString('utf8')
    return whenSettled(
      () => transformer.seal(value, key),
      (sealed) => {
        record(name)
        return bytes.length === 0 ? sealed : Buffer.concat([bytes, sealed])
      },
      (error) => {
        record(name, error)
        throw error
      },
    )
  }

  open(value: Uint8Array, key: string): Awaitable<DecryptedValue> {
    return this.#openFrom(0, { value, key, failures: [], record: this.#recorder('from_storage') })
  }

  /** One that fails does not keep the next from trying: two may share a prefix while one key replaces the other. */
  #openFrom(index: number, attempt: Attempt): Awaitable<DecryptedValue> {
    const { value, key, failures, record } = attempt
    let at = index
    while (at < this.#choices.length && !startsWith(value, (this.#choices[at] as Choice).bytes)) at++
    const choice = this.#choices[at]
    if (choice === undefined) {
      if (failures.length > 0) throw aggregateErrors(failures)
      const error = new Error(this.#options.unmatched)
      record('unknown', error)
      throw error
    }
    const { bytes, readName, transformer } = choice
    return whenSettled<DecryptedValue, DecryptedValue>(
      () => transformer.open(value.subarray(bytes.length), key),
      (opened) => {
        record(readName)
        return at === 0 ? opened : { value: opened.value, stale: true }
      },
      (error) => {
        // What is encrypted is none of the business of the provider that does not encrypt.
        if (bytes.length > 0) {
          record(readName, error)
          failures.push(error)
        }
        return this.#openFrom(at + 1, attempt)
      },
    )
  }

  #recorder(direction: Direction): Recorder {
    const { metrics, resource } = this.#options
    const start = metrics.start()
    return (prefix, error) => metrics.transformed({ resource, direction, prefix }, start, error)
  }
}

type Recorder = (prefix: string, error?: unknown) => void

interface Attempt {
  readonly value: Uint8Array
  readonly key: string
  readonly failures: unknown[]
  readonly record: Recorder
}

function startsWith(value: Uint8Array, prefix: Buffer): boolean {
  return value.length >= prefix.length && prefix.compare(value, 0, prefix.length) === 0
}

const encryptedPrefix = Buffer.from('k8s:enc:', 'latin1')

/** Leaves values as they are, but knows one that is encrypted when it sees it. */
export const identityTransformer: Transformer = {
  seal: (value) => value,
  open(value) {
    if (startsWith(value, encryptedPrefix)) throw new Error('identity transformer tried to read encrypted data')
    return { value, stale: false }
  },
}
