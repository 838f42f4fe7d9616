// `npm test -- ARGUMENTS`: sets the checkout up, gets the real components that tests talk to, and runs vitest with the
// arguments. The last lines say which versions the tests ran on. A component that could not be got is a failure.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { describeComponents, ensureComponents } from './components.mjs'
import { root, setup } from './setup.mjs'

setup()
const names = ['etcd-3.5', 'etcd-3.4', 'kubectl', 'openssl', 'python-client', 'chromium']
const missing = await ensureComponents(names)
const vitest = path.join(root, 'node_modules', '.bin', 'vitest')
const { status } = spawnSync(vitest, ['run', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' })
process.stdout.write(`\nTested on: node ${process.versions.node}, ${describeComponents(names).join(', ')}\n`)
for (const { name, reason } of missing) {
  process.stdout.write(`!!! NOT TESTED: everything that needs ${name}, because ${reason}\n`)
}
process.exitCode = missing.length > 0 ? status || 1 : (status ?? 1)
