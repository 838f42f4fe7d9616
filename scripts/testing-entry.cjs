// Becomes dist/testing.js. Some test runners (jest, vitest's vm pools) run each test file in a world of its own, with an Object, an Array
// and an Error of its own, in which this file runs as well; the program runs beside it, in the one where it was compiled. There, what the
// program gives becomes of this world on its way: data is copied, promises and errors are made anew, and what is alive (a server, a fault)
// is passed through an object that does the same for whatever it gives. Where there is one world nothing is between.
const { types } = require('node:util')
const program = require('./load.js')
const { startServer, tidy } = program.testing()

// Where runners keep which test runs.
program.testWorld(globalThis)
program.mapUncaught()

const programRoot = rootOf(startServer)
const isElsewhere = programRoot !== Object.prototype
/** What stands for a live object of the program, and the other way round. */
const standIns = new WeakMap()
const originals = new WeakMap()

const start = isElsewhere ? own(startServer) : startServer
exports.startServer = async (...args) => {
  const server = await start(...args)
  program.keepCompiled()
  return server
}
exports.tidy = isElsewhere ? own(tidy) : tidy

function rootOf(value) {
  let root = value
  for (let next = value; next !== null; next = Object.getPrototypeOf(next)) root = next
  return root
}

/** The same of this world; `self` is whose property a function was. */
function own(value, self) {
  const isPlain = (typeof value !== 'object' && typeof value !== 'function') || value === null
  if (isPlain || ArrayBuffer.isView(value) || rootOf(value) !== programRoot) return value
  if (typeof value === 'function') return callable(value, self)
  if (types.isPromise(value)) return Promise.resolve(value).then((found) => own(found), refuse)
  if (types.isNativeError(value)) return ownError(value)
  if (types.isDate(value)) return new Date(value)
  if (Array.isArray(value)) return Array.from(value, (item) => own(item))
  return isData(value) ? copyOf(value) : standIn(value)
}

function refuse(reason) {
  throw own(reason)
}

function callable(fn, self) {
  return (...args) => {
    try {
      return own(Reflect.apply(fn, self, args.map(theirs)))
    } catch (error) {
      throw own(error)
    }
  }
}

/** An argument as the program takes it. What the test asks to be called with is of its own world; a class is not called but made of. */
function theirs(value) {
  if (typeof value !== 'function' || isClass(value)) return originals.get(value) ?? value
  const given = (...args) => theirs(value(...args.map((arg) => own(arg))))
  given.toString = () => String(value)
  return given
}

const isClass = (value) => /^class\b/.test(Function.prototype.toString.call(value))

const errors = { RangeError, SyntaxError, TypeError }

function ownError(error) {
  const copy = new (errors[error.constructor.name] ?? Error)(error.message)
  for (const name of Object.getOwnPropertyNames(error).filter((each) => each !== 'stack')) {
    Object.defineProperty(copy, name, { value: own(error[name]), writable: true, configurable: true })
  }
  // Made when it is read.
  Object.defineProperty(copy, 'stack', {
    get: () => error.stack,
    set: (value) => Object.defineProperty(copy, 'stack', { value, writable: true, configurable: true }),
    configurable: true,
  })
  Object.defineProperty(copy, 'name', { value: error.name, writable: true, configurable: true })
  return copy
}

const isData = (value) =>
  Object.getPrototypeOf(value) === programRoot &&
  Object.values(Object.getOwnPropertyDescriptors(value)).every(
    (each) => 'value' in each && typeof each.value !== 'function',
  )

const copyOf = (value) => Object.fromEntries(Object.entries(value).map(([key, item]) => [key, own(item)]))

function standIn(value) {
  const known = standIns.get(value)
  if (known !== undefined) return known
  const made = new Proxy(value, { get: (target, key) => own(Reflect.get(target, key, target), target) })
  standIns.set(value, made)
  originals.set(made, value)
  return made
}
