// Becomes dist/load.js: runs the program, which is one script, with the compiled form of its functions that the build kept, or an earlier start
// on this Node (compile-cache.cjs). Compiling takes longer than anything else at a start. What was compiled fits one build of V8 with its flags
// and the features of the processor: the name of its file says which.
const { readFileSync } = require('node:fs')
const path = require('node:path')
const process = require('node:process')
const { pathToFileURL } = require('node:url')
const { cachedDataVersionTag } = require('node:v8')
const vm = require('node:vm')

const name = 'PROGRAM'
const oldestNode = 20

function load() {
  const filename = path.join(__dirname, `${name}.cjs`)
  const cacheName = `${name}-${buildOfNode()}.cache`
  const shipped = readIfThere(path.join(__dirname, cacheName))
  const compileCache = shipped === undefined ? require('./compile-cache.js') : undefined
  const script = new vm.Script(readFileSync(filename, 'latin1'), {
    // What was compiled has the name in it, and so have stack traces: one that is the same wherever the package lies.
    filename: `pilothouse/${name}.cjs`,
    cachedData: shipped ?? compileCache.read(cacheName),
  })
  const program = { exports: {} }
  const surroundings = { programUrl: pathToFileURL(filename).href, importPackage }
  script.runInThisContext()(program.exports, require, program, surroundings)
  const { useStackMap, withSourceLines } = program.exports.stackMap()
  useStackMap(mapStack)
  const isCompiledAnew = script.cachedDataRejected !== false
  /** To be called once a server has started: what it took to get there is compiled by then. */
  const keepCompiled = () => {
    if (isCompiledAnew && compileCache !== undefined) compileCache.writeSoon(cacheName, script)
  }
  /** For processes of others: what ends one shows source lines. Where a test file has a world of its own, each would add a listener. */
  const mapUncaught = () => {
    if (!isElsewhere) process.on('uncaughtExceptionMonitor', (error) => withSourceLines(error))
  }
  return { ...program.exports, script, buildOfNode, keepCompiled, mapStack, mapUncaught }
}

const buildOfNode = () => `${process.version}-${process.arch}-${cachedDataVersionTag().toString(36)}`

/** Whether a test runner has made a world of its own for this file. */
const isElsewhere = vm.runInThisContext('Object') !== Object

let stackLines
// Runners that have one let nothing be loaded once a test is over.
if (isElsewhere) stackLines = require('./stack-lines.js')

/** A stack trace with the files and lines of the sources. */
function mapStack(stack) {
  stackLines ??= require('./stack-lines.js')
  return stackLines.mapStack(stack, () => readFileSync(path.join(__dirname, `${name}.lines.json`), 'utf8'))
}

function readIfThere(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** Some test runners know no `import`, or have a `require` of their own that knows no modules: then Node's own is asked. */
const importPackage = (specifier) => import(specifier).catch((error) => nodeImport(specifier, error))

function nodeImport(specifier, error) {
  const { USE_MAIN_CONTEXT_DEFAULT_LOADER: importModuleDynamically } = vm.constants ?? {}
  if (importModuleDynamically === undefined) throw error
  const filename = path.join(process.cwd(), 'import.cjs')
  return vm.runInThisContext('(specifier) => import(specifier)', { filename, importModuleDynamically })(specifier)
}

if (Number(process.versions.node.split('.')[0]) < oldestNode) {
  throw new Error(`Pilothouse needs Node ${oldestNode} or later; this is ${process.version}`)
}

module.exports = load()
