// node scripts/run.mjs NAME ARGUMENTS: runs scripts/NAME.mjs once the packages that it imports are installed. A module cannot do so for itself:
// its imports are resolved before its first line runs. Imports nothing but Node.
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { root, setup } from './setup.mjs'

const [node, , name, ...rest] = process.argv
if (name === undefined) {
  process.stderr.write('usage: node scripts/run.mjs NAME ARGUMENTS\n')
  process.exit(1)
}
setup({ build: false })
const script = path.join(root, 'scripts', `${name}.mjs`)
process.argv = [node, script, ...rest]
await import(pathToFileURL(script).href)
