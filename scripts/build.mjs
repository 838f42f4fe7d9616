// Bundles the entry points into dist/, or into `--outdir`. One flat folder of ES modules: what an entry point imports statically comes with
// it, what it imports on demand becomes a chunk of its own that costs nothing until then. Data files that modules read
// by `new URL('./data/…', import.meta.url)` are copied to dist/data, the same place seen from there.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import ts from 'typescript'
import { root } from './setup.mjs'

const { values: options } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } })
const formatHost = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' }
const dist = path.resolve(root, options.outdir)
const entries = { cli: 'src/cli/main.ts', testing: 'src/testing/testing.ts', bake: 'src/testing/bake-start-state.ts' }
const present = Object.entries(entries).filter(([, file]) => existsSync(path.join(root, file)))
if (present.length === 0) throw new Error('no entry point to build')

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(present),
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  legalComments: 'none',
  chunkNames: 'chunk-[hash]',
  // Native code cannot be bundled; the client library is the user's own, if there is one.
  external: ['lmdb', '@kubernetes/client-node'],
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: "import { createRequire as nodeRequire } from 'node:module'; const require = nodeRequire(import.meta.url);",
  },
})
removeStale(new Set(Object.keys(metafile.outputs).map((file) => path.basename(file))))
copyData('src/catalog/data')
bakeStartState()
writeTestingTypes()

/** Chunks of earlier builds: removed only now, so that a server that is starting still finds its own. */
function removeStale(current) {
  for (const name of readdirSync(dist)) {
    if (/\.js(\.map)?$/.test(name) && !current.has(name)) rmSync(path.join(dist, name))
  }
}

/** What a test server starts with is made by the server that was just built; the module that makes it stays out of the package. */
function bakeStartState() {
  const bake = path.join(dist, 'bake.js')
  execFileSync(process.execPath, [bake, path.join(dist, 'data/test-start-state.json')], { stdio: 'inherit' })
  for (const file of [bake, `${bake}.map`]) rmSync(file)
}

/** The types of `pilothouse/testing`: its contract, which imports nothing, and the functions beside it. */
function writeTestingTypes() {
  const declarations = ['api', 'tidy', 'testing'].map((name) => {
    const fileName = path.join(root, `src/testing/${name}.ts`)
    const { outputText, diagnostics } = ts.transpileDeclaration(readFileSync(fileName, 'utf8'), {
      fileName,
      compilerOptions: { target: ts.ScriptTarget.ES2023, isolatedDeclarations: true, declaration: true },
    })
    if (diagnostics?.length) throw new Error(ts.formatDiagnostics(diagnostics, formatHost))
    return outputText.replaceAll(/^(import|export) .* from '.*';\n/gm, '')
  })
  writeFileSync(path.join(dist, 'testing.d.ts'), declarations.join('\n'))
}

function copyData(folder) {
  const from = path.join(root, folder)
  if (!existsSync(from)) return
  rmSync(path.join(dist, 'data'), { recursive: true, force: true })
  cpSync(from, path.join(dist, 'data'), { recursive: true, filter: (file) => !file.endsWith('.ts') })
}
