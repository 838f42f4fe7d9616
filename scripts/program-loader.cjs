// Becomes dist/load.js: runs the program, which is one script, with the compiled form of its functions that the build kept.
// Compiling takes longer than anything else at a start. Another version of Node than the one that built refuses what was
// kept, and compiles as ever.
const { readFileSync } = require('node:fs')
const path = require('node:path')
const process = require('node:process')
const { pathToFileURL } = require('node:url')
const vm = require('node:vm')

const name = 'PROGRAM'
const oldestNode = 20

function load() {
  const filename = path.join(__dirname, `${name}.cjs`)
  const script = new vm.Script(readFileSync(filename, 'latin1'), {
    // What was compiled has the name in it, and so have stack traces: one that is the same wherever the package lies.
    filename: `pilothouse/${name}.cjs`,
    cachedData: kept(path.join(__dirname, `${name}.cache`)),
  })
  const program = { exports: {} }
  const surroundings = { programUrl: pathToFileURL(filename).href, importPackage }
  script.runInThisContext()(program.exports, require, program, surroundings)
  return { ...program.exports, script }
}

function kept(file) {
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
