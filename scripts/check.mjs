// The one gate: types, lint, format, import rules, dead code, then the tests (`--no-tests` leaves those out). All
// steps run even if one fails, so that one run shows everything there is to mend.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { root, setup } from './setup.mjs'

const tool = (name) => path.join(root, 'node_modules', '.bin', name)
const steps = [
  ['types', tool('tsc'), ['--noEmit']],
  ['types of the console', tool('tsc'), ['--noEmit', '-p', 'console']],
  ['types of its tests', tool('tsc'), ['--noEmit', '-p', 'test/integration/console']],
  ['lint and format', tool('biome'), ['check', '--error-on-warnings', '.']],
  ['typed lint', tool('eslint'), ['--cache', '--cache-location', 'node_modules/.cache/eslint/', '.']],
  ['import rules', tool('depcruise'), ['src', 'console/src', '--config', '.dependency-cruiser.cjs']],
  ['dead code', tool('knip'), ['--no-progress']],
]

setup({ build: false })
const failed = steps.filter((step) => !passes(step)).map(([name]) => name)
if (!process.argv.includes('--no-tests')) {
  const { status } = spawnSync(process.execPath, [path.join(root, 'scripts', 'test.mjs')], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) failed.push('tests')
}
process.stdout.write(failed.length === 0 ? 'check: everything passed\n' : `check: failed: ${failed.join(', ')}\n`)
process.exitCode = failed.length === 0 ? 0 : 1

function passes([name, command, args]) {
  const started = Date.now()
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  process.stdout.write(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`)
  if (status !== 0) process.stdout.write(`${error?.message ?? ''}${stdout ?? ''}${stderr ?? ''}\n`)
  return status === 0
}
