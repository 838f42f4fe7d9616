// `npm run executable -- [--out FILE]`: the program as one file that needs no Node: this very Node with the program, what it reads and the native
// part of the embedded store in it (Node's SEA). For the system and the processor that it is built on. `postject`, which puts the parts into
// Node's executable, comes from npm when this is run.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { root, setup } from './setup.mjs'

const { values } = parseArgs({ options: { out: { type: 'string', default: 'executable/pilothouse' } } })
const postject = 'postject@1.0.0-alpha.6'
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

setup()
const dist = path.join(root, 'dist')
const out = path.resolve(root, values.out)
const work = mkdtempSync(path.join(tmpdir(), 'pilothouse-executable-'))
try {
  await make()
} finally {
  rmSync(work, { recursive: true, force: true })
}
process.stdout.write(`${out}: ${(statSync(out).size / 1024 / 1024).toFixed(0)} MiB, Node ${process.version}\n`)

async function make() {
  const main = await bundleEntry()
  const assets = { ...programAssets(), ...dataAssets(), ...(await lmdbAssets()) }
  const config = path.join(work, 'sea.json')
  const blob = path.join(work, 'sea.blob')
  writeFileSync(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true, assets }))
  run(process.execPath, ['--experimental-sea-config', config])
  mkdirSync(path.dirname(out), { recursive: true })
  // Under another name until it is whole: what runs meanwhile goes on, and a build that fails leaves none.
  const draft = `${out}.${process.pid}.part`
  copyFileSync(process.execPath, draft)
  chmodSync(draft, 0o755)
  try {
    const isMac = process.platform === 'darwin'
    if (isMac) run('codesign', ['--remove-signature', draft])
    const segment = isMac ? ['--macho-segment-name', 'NODE_SEA'] : []
    const inject = ['exec', '--yes', `--package=${postject}`, '--', 'postject', draft, 'NODE_SEA_BLOB', blob]
    run('npm', [...inject, '--sentinel-fuse', fuse, ...segment])
    if (isMac) run('codesign', ['--sign', '-', draft])
    renameSync(draft, out)
  } finally {
    rmSync(draft, { force: true })
  }
}

function run(command, args) {
  execFileSync(command, args, { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function bundleEntry() {
  const outfile = path.join(work, 'main.cjs')
  const entry = path.join(root, 'scripts/executable-entry.cjs')
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'cjs', platform: 'node', target: 'node20' })
  return outfile
}

function programAssets() {
  const files = readdirSync(dist)
  const program = files.find((file) => /^program-\w+\.cjs$/.test(file))
  const name = program.slice(0, -'.cjs'.length)
  const cache = files.find((file) => file.startsWith(`${name}-${process.version}-`))
  const about = path.join(work, 'about.json')
  writeFileSync(about, JSON.stringify({ name, build: cache.slice(name.length + 1, -'.cache'.length) }))
  const at = (file) => path.join(dist, file)
  return {
    'about.json': about,
    'program.cjs': at(program),
    'program.cache': at(cache),
    'program.lines.json': at(`${name}.lines.json`),
  }
}

/** What the program reads when it is asked for. */
function dataAssets() {
  const folders = ['data', 'console'].map((name) => path.join(dist, name)).filter((folder) => existsSync(folder))
  const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  return Object.fromEntries(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(dist, file).replaceAll(path.sep, '/'), file]),
  )
}

/** The package with its own dependencies; its native part is what it is given. */
async function lmdbAssets() {
  const outfile = path.join(work, 'lmdb.cjs')
  const given = {
    name: 'given',
    setup(bundle) {
      bundle.onResolve({ filter: /^node-gyp-build-optional-packages$/ }, () => ({ path: 'native', namespace: 'given' }))
      bundle.onLoad({ filter: /.*/, namespace: 'given' }, () => ({ contents: 'module.exports = () => loadNative()' }))
    },
  }
  await build({
    entryPoints: [path.join(root, 'node_modules/lmdb/dist/index.cjs')],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    charset: 'ascii',
    plugins: [given],
    // Faster parts of other packages that are native, too, and not needed.
    external: ['msgpackr-extract', 'cbor-extract', 'bun:ffi'],
    define: { __filename: '"/pilothouse/lmdb.cjs"', __dirname: '"/pilothouse"' },
    banner: { js: '(function (exports, require, module, loadNative) {' },
    footer: { js: '})' },
  })
  return { 'lmdb.cjs': outfile, 'lmdb.node': nativeFile() }
}

/** Which of the files of the platform's package this Node takes, found as the package itself does. */
function nativeFile() {
  const lmdb = path.join(root, 'node_modules/lmdb')
  const finder = createRequire(path.join(lmdb, 'package.json'))('node-gyp-build-optional-packages')
  const file = finder.path(lmdb)
  if (!existsSync(file)) throw new Error(`${file} is missing`)
  return file
}
