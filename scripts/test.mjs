// `npm test -- ARGUMENTS`: sets the checkout up, gets the real components that tests talk to, and runs vitest with the
// arguments. What could not be tested is said last and loudly; with CI=true it is a failure.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { ensureComponents } from './components.mjs'
import { root, setup } from './setup.mjs'

setup()
const missing = await ensureComponents(['etcd', 'etcd-3.5', 'kubectl', 'openssl', 'python-client'])
const vitest = path.join(root, 'node_modules', '.bin', 'vitest')
const { status } = spawnSync(vitest, ['run', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' })
for (const { name, reason } of missing) {
  process.stdout.write(`\n!!! NOT TESTED: everything that needs ${name}, because ${reason}\n`)
}
const strict = process.env.CI === 'true' && missing.length > 0
if (strict) process.stdout.write('!!! CI=true: a missing component is a failure\n')
process.exitCode = status === 0 && strict ? 1 : (status ?? 1)
