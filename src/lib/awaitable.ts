/**
 * Values that may be a promise: `T | Promise<T>`. A value that is available is used synchronously: a promise would defer every step of a request
 * to the microtask queue.
 */
export type Awaitable<T> = T | Promise<T>

/** Uses a value when it is there. Inside an `async` function: `value instanceof Promise ? await value : value`. */
export function whenReady<T, R>(value: Awaitable<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
