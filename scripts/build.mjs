// Builds dist/, or `--outdir`: the whole program as one script, `program-HASH.cjs`, whose modules run when they are first asked for; beside
// it the compiled form of the functions that a start needs (`.cache`); and small entry points that load both. What modules read by
// `new URL('./data/…', import.meta.url)` is in dist/data.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { embeddingTypes, testingTypes } from './package-types.mjs'
import { root } from './setup.mjs'
import { sourceLines } from './source-lines.mjs'

const { values: options } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } })
const dist = path.resolve(root, options.outdir)

const program = `
  export const cli = (hooks) => require('./src/cli/main.ts').main(hooks)
  export const testing = () => require('./src/testing/testing.ts')
  export const testWorld = (world) => require('./src/testing/trace/current-test.ts').useWorld(world)
  export const embedding = () => require('./src/embedding/embedding.ts')
  export const stackMap = () => require('./src/lib/stack-map.ts')
  export const rehearse = (stateFile) => require('./src/cli/rehearse.ts').rehearse(stateFile)`

/** Common modules, which are found and run with less ado than the others, and can be had by `import` and `require` alike. */
const entryPoints = {
  'package.json': '{ "type": "commonjs" }\n',
  'cli.js': readFileSync(path.join(root, 'scripts/cli-entry.cjs'), 'utf8'),
  'index.js': readFileSync(path.join(root, 'scripts/embedding-entry.cjs'), 'utf8'),
  'testing.js': readFileSync(path.join(root, 'scripts/testing-entry.cjs'), 'utf8'),
  'compile-cache.js': readFileSync(path.join(root, 'scripts/compile-cache.cjs'), 'utf8'),
  'stack-lines.js': readFileSync(path.join(root, 'scripts/stack-lines.cjs'), 'utf8'),
}

/** What a server of a release after the default one reads: the releases, and what they are told as the difference from. */
const releaseFiles = ['releases', 'roles.json', 'flow-control.json', 'declared-validation.txt', 'columns.txt']

mkdirSync(dist, { recursive: true })
const name = await writeProgram()
copyData()
writeEntryPoints()
execFileSync(process.execPath, [path.join(root, 'scripts/rehearse.cjs'), dist, name], {
  stdio: 'inherit',
  // Packages are found from here as well: the program may be built elsewhere.
  env: { ...process.env, NODE_PATH: path.join(root, 'node_modules') },
})
writeFileSync(path.join(dist, 'index.d.ts'), embeddingTypes())
writeFileSync(path.join(dist, 'testing.d.ts'), testingTypes())
execFileSync(process.execPath, [path.join(root, 'scripts/build-console.mjs'), '--outdir', path.join(dist, 'console')], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
removeStale()

/** Returns its name, which says what is in it: what was compiled from another text is never taken for its own. */
async function writeProgram() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: program, resolveDir: root, sourcefile: 'program.js' },
    outfile: path.join(dist, 'program.cjs'),
    write: false,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    sourcemap: 'external',
    sourcesContent: false,
    // Native code cannot be bundled; the client library is the user's own, if there is one.
    external: ['lmdb', '@kubernetes/client-node'],
    define: { 'import.meta.url': 'programUrl' },
    banner: { js: '(function (exports, require, module, { programUrl, importPackage, embeddedFile }) {' },
    footer: { js: '})' },
  })
  const contents = (end) => outputFiles.find((file) => file.path.endsWith(end)).text
  const text = contents('.cjs')
    // The loader takes a byte for a character. Only within regular expressions are there others.
    .replaceAll(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    // A script that was compiled before has no modules of its own to import into.
    .replaceAll(/\bimport\(("@kubernetes\/client-node"|moduleUrl)\)/g, 'importPackage($1)')
  const name = `program-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
  writeFileSync(path.join(dist, `${name}.cjs`), text)
  const lines = sourceLines(JSON.parse(contents('.map')), dist, (file) => `pilothouse/${path.relative(root, file)}`)
  writeFileSync(path.join(dist, `${name}.lines.json`), JSON.stringify(lines))
  return name
}

function writeEntryPoints() {
  const loader = readFileSync(path.join(root, 'scripts/program-loader.cjs'), 'utf8').replace('PROGRAM', name)
  for (const [file, text] of Object.entries({ ...entryPoints, 'load.js': loader })) {
    writeFileSync(path.join(dist, file), text)
  }
}

/** What earlier builds left: removed only now, so that a server that is starting still finds its own. */
function removeStale() {
  const current = new Set([...Object.keys(entryPoints), 'load.js'])
  const isCurrent = (file) =>
    current.has(file) || file.startsWith(`${name}.`) || file.startsWith(`${name}-${process.version}-`)
  for (const file of readdirSync(dist)) {
    if (/\.(js|cjs|cache|lines\.json)(\.map|\.part)?$/.test(file) && !isCurrent(file)) rmSync(path.join(dist, file))
  }
}

/** What is read when it is asked for: descriptions by OpenAPI, and the facts of a later release by a server of it. */
function copyData() {
  rmSync(path.join(dist, 'data'), { recursive: true, force: true })
  cpSync(path.join(root, 'facts/descriptions'), path.join(dist, 'data/descriptions'), { recursive: true })
  for (const name of releaseFiles) {
    cpSync(path.join(root, 'facts', name), path.join(dist, 'data/facts', name), { recursive: true })
  }
}
