// Builds the browser application into dist/console, or `--outdir`: hashed assets, each compressed here once for all answers. Fails when what a
// browser would load in all is larger than promised.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { consoleDigest, root } from './setup.mjs'

const maxGzipBytes = 350 * 1024

const { values: options } = parseArgs({ options: { outdir: { type: 'string', default: 'dist/console' } } })
const target = path.resolve(root, options.outdir)

const stamp = path.join(path.dirname(target), `.${path.basename(target)}-built-from`)
const sources = consoleDigest()

// Vite takes longer than all the rest of the build: not for nothing.
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== sources || !existsSync(path.join(target, 'index.html'))) {
  await buildConsole()
  writeFileSync(stamp, sources)
}

async function buildConsole() {
  await build({
    configFile: path.join(root, 'console/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: target, emptyOutDir: true },
  })
  const sizes = readdirSync(path.join(target, 'assets')).map((name) => compress(path.join(target, 'assets', name)))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  process.stdout.write(`console: ${(total / 1024).toFixed(0)} KiB gzip in ${sizes.length} files\n`)
  if (total > maxGzipBytes) throw new Error(`the console is larger than ${maxGzipBytes / 1024} KiB gzip`)
}

/** Writes NAME.gz and NAME.br, and returns the size of the former. */
function compress(file) {
  const bytes = readFileSync(file)
  const gzip = gzipSync(bytes, { level: 9 })
  writeFileSync(`${file}.gz`, gzip)
  writeFileSync(
    `${file}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  )
  return gzip.length
}
