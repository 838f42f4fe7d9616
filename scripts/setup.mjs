// Makes a checkout ready to run: installs the packages of the lock file and builds the sources. Both steps are skipped
// when nothing changed since they last succeeded, so that every command can afford to call this first. It runs before
// anything is installed, so it may import nothing but Node.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

const installStamp = path.join(root, 'node_modules', '.pilothouse-installed')
const buildStamp = path.join(root, 'dist', '.built-from')

/** Installs and builds what is out of date. Throws when a step fails. */
export function setup({ build = true } = {}) {
  const major = Number(process.versions.node.split('.')[0])
  if (major < 20) throw new Error(`Node 20 or later is needed; this is ${process.version}`)
  install()
  if (build) buildIfChanged()
}

function install() {
  const wanted = digest(
    readFileSync(path.join(root, 'package-lock.json')),
    process.version,
    process.platform,
    process.arch,
  )
  if (readText(installStamp) === wanted) return
  if (!isInstalled()) installPackages()
  writeFileSync(installStamp, wanted)
}

/** `npm ci` refuses a lock file that lacks packages of other platforms, as one written behind a registry with gaps does. */
function installPackages() {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  try {
    run('Installing packages', npm, ['ci', ...quiet])
  } catch (error) {
    if (!error.message.includes('npm error code EUSAGE')) throw error
    run('Installing packages by the lock file as far as it goes', npm, ['install', '--no-save', ...quiet])
  }
}

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

/** Whether npm's own record of what it unpacked agrees with the lock file, as after an `npm install` by hand. */
function isInstalled() {
  const record = readText(path.join(root, 'node_modules', '.package-lock.json'))
  if (record === undefined) return false
  const unpacked = JSON.parse(record).packages
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages).every(
    ([folder, { version, optional }]) => folder === '' || optional || unpacked[folder]?.version === version,
  )
}

/** Needs the packages to be installed. */
export function buildIfChanged() {
  const sources = sourceDigest()
  if (readText(buildStamp) === sources) return
  run('Building', process.execPath, [path.join(root, 'scripts', 'build.mjs')])
  mkdirSync(path.dirname(buildStamp), { recursive: true })
  writeFileSync(buildStamp, sources)
}

/** The same of the browser application alone, which is the longer part of the build. */
export function consoleDigest() {
  return digestOf(['package-lock.json', 'scripts/build-console.mjs', ...sourceFiles('console')])
}

/** Names, sizes and times of everything that goes into the build: reading no contents keeps this to milliseconds. */
function sourceDigest() {
  const settings = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'scripts/build.mjs',
    'scripts/build-console.mjs',
  ]
  const entryPoints = sourceFiles('scripts').filter((file) => file.endsWith('.cjs'))
  const inputs = [
    ...settings,
    ...entryPoints,
    ...sourceFiles('src'),
    ...sourceFiles('console'),
    ...sourceFiles('facts/descriptions'),
    ...sourceFiles('facts/releases'),
  ]
  return digestOf(inputs)
}

function digestOf(files) {
  return digest(
    ...files.map((file) => {
      const { size, mtimeMs } = statSync(path.join(root, file))
      return `${file} ${size} ${mtimeMs}`
    }),
  )
}

function sourceFiles(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`
    if (entry.isDirectory()) return sourceFiles(file)
    return file.endsWith('.test.ts') ? [] : [file]
  })
}

/** Set while packages are installed: what npm runs meanwhile (`prepare`) must neither install nor build. */
export const installing = 'PILOTHOUSE_INSTALLING'

function run(title, command, args) {
  process.stderr.write(`${title} …\n`)
  const started = Date.now()
  const env = command === npm ? { ...process.env, [installing]: '1' } : process.env
  const result = spawnSync(command, args, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  if (result.error) throw result.error
  if (result.status !== 0) throw new Error(`${title} failed:\n${result.stdout}${result.stderr}`)
  process.stderr.write(`${title}: done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`)
}

function digest(...parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\n')
  return hash.digest('hex')
}

function readText(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
