// The entry of the single executable: the program of dist/ and all that it reads, as assets of Node's SEA. Native code can only be loaded from a
// file: it is written to a folder of its own, loaded, and removed at once.
const { mkdirSync, mkdtempSync, rmSync, writeFileSync } = require('node:fs')
const { isBuiltin } = require('node:module')
const { tmpdir } = require('node:os')
const path = require('node:path')
const sea = require('node:sea')
const { cachedDataVersionTag } = require('node:v8')
const vm = require('node:vm')
const compileCache = require('./compile-cache.cjs')
const stackLines = require('./stack-lines.cjs')

const { name, build } = JSON.parse(sea.getAsset('about.json', 'utf8'))
const buildOfNode = `${process.version}-${process.arch}-${cachedDataVersionTag().toString(36)}`
const isBuilt = build === buildOfNode

const asset = (file) => Buffer.from(sea.getRawAsset(file))

function embeddedFile(file, form = 'text') {
  try {
    return form === 'bytes' ? asset(file) : sea.getAsset(file, 'utf8')
  } catch {
    return undefined
  }
}

let lmdb

/** Packages that are not bundled: the native one, and none of the user's. */
function requirePackage(id) {
  if (id !== 'lmdb') return requireBuiltin(id)
  lmdb ??= run('lmdb.cjs', 'pilothouse/lmdb.cjs', loadNative)
  return lmdb
}

function run(file, filename, ...more) {
  const module = { exports: {} }
  const wrapped = new vm.Script(asset(file).toString('latin1'), { filename }).runInThisContext()
  wrapped(module.exports, requireBuiltin, module, ...more)
  return module.exports
}

/** Node warns of others, although whoever asks does without. */
function requireBuiltin(id) {
  if (!isBuiltin(id)) throw new Error(`${id} is not part of the executable`)
  return require(id)
}

/** Some systems run no code from the folder for temporary files. */
function loadNative() {
  const failures = []
  for (const place of [tmpdir(), compileCache.folder(), process.cwd()].filter((each) => each !== undefined)) {
    try {
      mkdirSync(place, { recursive: true, mode: 0o700 })
      const folder = mkdtempSync(path.join(place, 'pilothouse-native-'))
      try {
        const file = path.join(folder, 'lmdb.node')
        writeFileSync(file, asset('lmdb.node'), { mode: 0o700 })
        const module = { exports: {} }
        process.dlopen(module, file)
        return module.exports
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    } catch (error) {
      failures.push(`${place}: ${error.message}`)
    }
  }
  throw new Error(
    `the native part of the embedded store cannot be loaded; set TMPDIR to a folder that allows it (${failures.join('; ')})`,
  )
}

function load() {
  const cacheName = `executable-${name}-${buildOfNode}.cache`
  const script = new vm.Script(asset('program.cjs').toString('latin1'), {
    filename: `pilothouse/${name}.cjs`,
    cachedData: isBuilt ? asset('program.cache') : compileCache.read(cacheName),
  })
  const program = { exports: {} }
  const surroundings = { programUrl: 'embedded:///program.cjs', importPackage: (id) => import(id), embeddedFile }
  script.runInThisContext()(program.exports, requirePackage, program, surroundings)
  const onServing = () => {
    if (script.cachedDataRejected !== false) compileCache.writeSoon(cacheName, script)
  }
  return { cli: program.exports.cli, onServing }
}

const { cli, onServing } = load()
Error.prepareStackTrace = (error, frames) =>
  stackLines.mapStack([String(error), ...frames.map((frame) => `    at ${frame}`)].join('\n'), () =>
    sea.getAsset('program.lines.json', 'utf8'),
  )
cli({ onServing })
