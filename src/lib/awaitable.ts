/**
 * Values that may not be there yet. What is there already is used at once: a promise would put off every step of a request by a turn of
 * the microtask queue.
 */
export type Awaitable<T> = T | Promise<T>

/** Uses a value when it is there. Inside an `async` function: `value instanceof Promise ? await value : value`. */
export function whenReady<T, R>(value: Awaitable<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
