// Makes the process that writes to an lmdb store until it is killed (lmdb-child.ts) one file that Node runs.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { build } from 'esbuild'

/** The path of the file, which is the caller's. It lies within node_modules, where it finds the packages that it imports. */
export async function bundleChild(): Promise<string> {
  const outfile = join('node_modules', '.cache', `pilothouse-lmdb-child-${randomUUID()}.mjs`)
  await build({
    entryPoints: [join(import.meta.dirname, 'lmdb-child.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  return outfile
}
