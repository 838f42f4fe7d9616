// Becomes dist/compile-cache.js: what this Node compiled of the program, kept in the user's cache folder by the first start. As with Node's own
// compile cache, NODE_COMPILE_CACHE names another folder and NODE_DISABLE_COMPILE_CACHE=1 switches it off.
//
// What is read there runs as code: only files of this user count that nobody else can write, in a folder of the same kind. V8 does not check
// what it is given, and crashes on a damaged file: each ends with its SHA-256 sum. A file is written beside and moved into place; of starts at
// the same time, the last one wins, with the same content.
const { createHash, randomUUID } = require('node:crypto')
const { closeSync, existsSync, fstatSync, mkdirSync, openSync, readdirSync } = require('node:fs')
const { readFileSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const process = require('node:process')
// Test runners replace the global ones.
const { clearTimeout, setTimeout } = require('node:timers')

/** Of older versions of the program or of Node. */
const mostFiles = 6
/** By then the first requests have been answered, too. */
const pauseMs = 500

exports.folder = folder
exports.read = read
exports.writeSoon = writeSoon

/** Undefined where there is none, or none is wanted. */
function folder() {
  const { NODE_DISABLE_COMPILE_CACHE: off, NODE_COMPILE_CACHE: given, XDG_CACHE_HOME, LOCALAPPDATA } = process.env
  if (off === '1') return undefined
  if (given) return path.join(given, 'pilothouse')
  if (XDG_CACHE_HOME && path.isAbsolute(XDG_CACHE_HOME)) return path.join(XDG_CACHE_HOME, 'pilothouse')
  if (process.platform === 'win32') return LOCALAPPDATA && path.join(LOCALAPPDATA, 'pilothouse', 'cache')
  const home = os.homedir()
  if (!path.isAbsolute(home) || !existsSync(home)) return undefined
  return path.join(home, process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'pilothouse')
}

function read(name) {
  const from = folder()
  let file
  try {
    if (from === undefined || !isOwn(statSync(from))) return undefined
    file = openSync(path.join(from, name), 'r')
    return isOwn(fstatSync(file)) ? checked(readFileSync(file)) : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const sumBytes = 32
const sumOf = (data) => createHash('sha256').update(data).digest()

/** Without its sum; undefined when that is wrong. */
function checked(content) {
  const data = content.subarray(0, -sumBytes)
  return sumOf(data).equals(content.subarray(-sumBytes)) ? data : undefined
}

/** Whether nobody but this user, or root for this user, can have written it. Windows keeps the folder for its user. */
function isOwn({ uid, mode }) {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0)
}

/** A little later, when the process has nothing better to do; at its end if that comes first. */
function writeSoon(name, script) {
  const writeOnce = () => {
    clearTimeout(timer)
    process.off('exit', writeOnce)
    write(name, script)
  }
  const timer = setTimeout(writeOnce, pauseMs)
  timer.unref()
  process.once('exit', writeOnce)
}

/** A cache that cannot be written is none: starts stay as slow as they were. */
function write(name, script) {
  const to = folder()
  if (to === undefined) return
  const draft = path.join(to, `${name}.${randomUUID()}.part`)
  try {
    mkdirSync(to, { recursive: true, mode: 0o700 })
    if (!isOwn(statSync(to)) || read(name) !== undefined) return
    const data = script.createCachedData()
    writeFileSync(draft, Buffer.concat([data, sumOf(data)]), { flag: 'wx', mode: 0o600 })
    renameSync(draft, path.join(to, name))
    removeOldest(to)
  } catch {
    remove(draft)
  }
}

function remove(file) {
  try {
    rmSync(file, { force: true })
  } catch {
    // What cannot be removed cannot have been written either.
  }
}

/** Also what processes have left that were killed while they wrote. */
function removeOldest(from) {
  const files = readdirSync(from)
    .filter((name) => /\.(cache|part)$/.test(name))
    .map((name) => ({ name, time: statSync(path.join(from, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.time - a.time)
  for (const { name } of files.slice(mostFiles)) remove(path.join(from, name))
}
