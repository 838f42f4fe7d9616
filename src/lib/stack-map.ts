/**
 * Errors that leave the program for code of others show the files and lines of its sources. The program is one script; what loads it gives
 * the function that maps its lines (`useStackMap`), and without one nothing is done: the sources themselves run.
 *
 * Neither `Error.prepareStackTrace` nor source map support is touched, which belong to the process that the program is a guest in. An error
 * gets a `stack` that maps what they made of it when it is read, so that an error that is never printed costs nothing.
 */

type MapStack = (stack: string) => string

/** Causes of causes, at most. */
const maxDepth = 8

/** Frames of `withMappedErrors` say nothing. */
const ownFrames = /\n[^\n]*\/src\/lib\/stack-map\.ts:[\d:]+\)?(?=\n|$)/g

let mapStack: MapStack | undefined

export function useStackMap(map: MapStack | undefined): void {
  mapStack = map
}

/** The same error. */
export function withSourceLines<T>(error: T, depth = 0): T {
  if (mapStack === undefined || !(error instanceof Error) || depth > maxDepth) return error
  mapLazily(error, mapStack)
  withSourceLines(error.cause, depth + 1)
  if (error instanceof AggregateError) for (const each of error.errors) withSourceLines(each, depth + 1)
  return error
}

function mapLazily(error: Error, map: MapStack): void {
  // Node 20 formats the stack here, later ones when the getter is called.
  const descriptor = Object.getOwnPropertyDescriptor(error, 'stack')
  if (descriptor?.configurable !== true) return
  const { get } = descriptor
  const read: () => unknown = get === undefined ? () => descriptor.value : () => get.call(error)
  let stack: unknown
  Object.defineProperty(error, 'stack', {
    configurable: true,
    enumerable: false,
    get() {
      if (stack === undefined) {
        const made = read()
        stack = typeof made === 'string' ? map(made).replaceAll(ownFrames, '') : made
      }
      return stack
    },
    set(value: unknown) {
      Object.defineProperty(error, 'stack', { value, writable: true, configurable: true, enumerable: false })
    },
  })
}

type Method = (this: unknown, ...args: unknown[]) => unknown

/** Functions of an object, or methods of a prototype (all of them unless named), whose errors show source lines from now on. */
export function mapErrorsOf<T extends object>(target: T, names: readonly string[] = methodsOf(target)): T {
  for (const name of names) {
    const descriptor = Object.getOwnPropertyDescriptor(target, name)
    Object.defineProperty(target, name, { ...descriptor, value: withMappedErrors(descriptor?.value as Method) })
  }
  return target
}

function methodsOf(target: object): string[] {
  const all = Object.entries(Object.getOwnPropertyDescriptors(target))
  return all.flatMap(([name, { value }]) => (typeof value === 'function' && name !== 'constructor' ? [name] : []))
}

function withMappedErrors(method: Method): Method {
  return function mapped(...args) {
    if (mapStack === undefined) return method.apply(this, args)
    try {
      const result = method.apply(this, args)
      return result instanceof Promise ? result.catch(rethrow) : result
    } catch (error) {
      throw withSourceLines(error)
    }
  }
}

function rethrow(error: unknown): never {
  throw withSourceLines(error)
}
