// A storm of writes on a few keys, whose values say what they must be, so that a later look tells whether one is lost, torn or made up.
import type { Store } from '../../../src/store/store.ts'

export interface Acknowledged {
  readonly key: string
  readonly revision: number
  /** Undefined for a delete. */
  readonly value: string | undefined
}

const keyCount = 100

/** A value that proves itself: it says its key and number, and its length follows from the number. */
export function provingValue(key: string, n: number): string {
  return `${key} ${n} ${'x'.repeat((n * 37) % 9000)} end`
}

/** Whether a value is whole and belongs to the key. */
export function isWhole(key: string, value: Uint8Array): boolean {
  const text = Buffer.from(value).toString()
  return text === provingValue(key, Number(text.split(' ')[1]))
}

export interface StormOptions {
  readonly prefix: string
  readonly writers: number
  readonly signal: AbortSignal
  readonly onAcknowledged: (write: Acknowledged) => void
  /** Told before a delete is tried. */
  readonly onDelete?: (key: string) => void
}

/** Writes until it is aborted. A write whose outcome is unknown is not reported; the writer looks what is there and goes on. */
export async function storm(store: Store, options: StormOptions): Promise<void> {
  let n = 0
  const writer = async (): Promise<void> => {
    while (!options.signal.aborted) {
      const number = n++
      const key = `${options.prefix}${(number * 7919) % keyCount}`
      try {
        await writeOnce(store, key, number, options)
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
  await Promise.all(Array.from({ length: options.writers }, writer))
}

async function writeOnce(
  store: Store,
  key: string,
  n: number,
  { onAcknowledged, onDelete }: StormOptions,
): Promise<void> {
  const read = await store.get(key)
  const current = read.status === 'ok' ? read.entry : undefined
  const value = n % 11 === 0 && current !== undefined ? undefined : provingValue(key, n)
  const expectedRevision = current?.revision ?? 0
  if (value === undefined) onDelete?.(key)
  const result =
    value === undefined
      ? await store.write({ type: 'delete', key, expectedRevision })
      : current === undefined
        ? await store.write({ type: 'create', key, value: Buffer.from(value) })
        : await store.write({ type: 'replace', key, value: Buffer.from(value), expectedRevision })
  if (result.ok) onAcknowledged({ key, revision: result.revision, value })
}
