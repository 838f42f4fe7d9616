/** Runs asynchronous work over many items with bounded concurrency. */
import { yieldToEventLoop } from './in-turns.ts'

/** Does something with every item, at most so many at a time, and returns what failed. */
export async function forEachLimited<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<unknown>,
): Promise<unknown[]> {
  const errors: unknown[] = []
  const rest = items[Symbol.iterator]()
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      const way = yieldToEventLoop()
      if (way !== undefined) await way
      try {
        await work(next.value)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: limit }, worker))
  return errors
}
