// Sends the same random requests to two servers and sorts what they answer differently by its cause. The reference is a
// kube-apiserver of the release that is emulated; both need a bearer token of a member of system:masters.
//
//   npm run differential -- --reference URL --server URL [--server URL] --token T | --reference-token T --server-token T
//     --seconds N --seed S [--cases N] [--kinds Pod,Job] [--families create,apply] [--concurrency 16] [--audit-port N]
//     [--out FILE]
//
// Several servers share a store, and get the requests in turns. With --audit-port both send their audit events to it, as
// http://127.0.0.1:PORT/reference and http://127.0.0.1:PORT/server.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { bundleTestModule } from './bundle-test-module.mjs'
import { setup } from './setup.mjs'

const { values } = parseArgs({
  options: {
    reference: { type: 'string' },
    server: { type: 'string', multiple: true },
    token: { type: 'string' },
    'reference-token': { type: 'string' },
    'server-token': { type: 'string' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: `${Date.now() % 2 ** 31}` },
    kinds: { type: 'string' },
    families: { type: 'string' },
    concurrency: { type: 'string', default: '16' },
    cases: { type: 'string' },
    'audit-port': { type: 'string' },
    out: { type: 'string' },
  },
})
for (const name of ['reference', 'server']) {
  if (values[name] === undefined) fail(`--${name} URL is needed`)
  if ((values[`${name}-token`] ?? values.token) === undefined) fail(`--${name}-token (or --token for both) is needed`)
}
for (const name of ['seconds', 'seed', 'concurrency', 'cases', 'audit-port']) {
  if (values[name] !== undefined && !/^\d+$/.test(values[name])) fail(`--${name} takes a whole number`)
}

setup({ build: false })
const { runDifferential, reportText } = await import(await bundleTestModule('test/differential/main.ts'))
process.stdout.write(`seed ${values.seed}, ${values.seconds} s\n`)
const result = await runDifferential({
  reference: { url: values.reference, token: values['reference-token'] ?? values.token },
  server: { urls: values.server, token: values['server-token'] ?? values.token },
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  kinds: values.kinds?.split(','),
  families: values.families?.split(','),
  concurrency: Number(values.concurrency),
  cases: values.cases && Number(values.cases),
  auditPort: values['audit-port'] && Number(values['audit-port']),
  log: (line) => process.stdout.write(`${line}\n`),
})
const text = `${reportText(result)}\n`
if (values.out !== undefined) writeFileSync(values.out, text)
process.stdout.write(text)
process.exit(result.clusters.length + result.unshared.length === 0 ? 0 : 1)

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
