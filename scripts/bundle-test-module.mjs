// Bundles a TypeScript module of test/ (and what it imports of src/) for the Node that runs, as Node 20 reads no TypeScript.
// Packages stay outside, and `pilothouse-apiserver/testing` is the built one, so that what is tested is what is shipped.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from './setup.mjs'

const builtTesting = {
  name: 'built-testing',
  setup(bundle) {
    const file = pathToFileURL(path.join(root, 'dist', 'testing.js')).href
    bundle.onResolve({ filter: /^pilothouse-apiserver\/testing$/ }, () => ({ path: file, external: true }))
  },
}

/** Returns the URL of the bundle. */
export async function bundleTestModule(file) {
  const outfile = path.join(root, 'node_modules', '.cache', 'test-modules', file.replace(/\.ts$/, '.mjs'))
  await build({
    absWorkingDir: root,
    entryPoints: [file],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins: [builtTesting],
  })
  return `${pathToFileURL(outfile).href}?${Date.now()}`
}
