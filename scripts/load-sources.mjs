// Loads modules of src for a benchmark, bundled for the Node that runs. The bundle lies in node_modules, so that the packages that it imports
// are found, and goes once it is loaded.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from './setup.mjs'

/** `exports` is a module of export statements, relative to the root. */
export async function loadSources(exports) {
  const cache = path.join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(path.join(cache, 'bench-'))
  const outfile = path.join(folder, 'sources.mjs')
  try {
    const stdin = { contents: exports, resolveDir: root, loader: 'ts' }
    await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
