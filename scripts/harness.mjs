// Attacks a server on purpose and checks that its invariants hold. Each module of test/harness is one way of attack; all
// that there are run one after the other unless some are named. Figures go to the standard output, failures make the exit
// status 1, and the seed repeats a run.
//
//   npm run harness -- [kills] [faults] [fuzz] [flood] [holds] [ways-in] --seconds N --seed S --part P
//
// A part is one of those that a module has (kills: lmdb, lmdb-workers, etcd, torn-pages, full-disk); without it all of them run.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { bundleTestModule } from './bundle-test-module.mjs'
import { ensureComponents } from './components.mjs'
import { root, setup } from './setup.mjs'

const known = ['kills', 'faults', 'fuzz', 'flood', 'holds', 'ways-in']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' }, part: { type: 'string' } },
})
const seconds = number('seconds', values.seconds)
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : number('seed', values.seed)
const names = positionals.length > 0 ? positionals : known.filter((name) => existsSync(source(name)))
for (const name of names) if (!known.includes(name)) fail(`unknown module ${name}: there are ${known.join(', ')}`)

setup()
for (const { name, reason } of await ensureComponents(['etcd-3.5', 'openssl'])) fail(`${name} is needed: ${reason}`)
let failures = 0
for (const name of names) failures += await runModule(name)
print(failures === 0 ? 'harness: every invariant held' : `harness: ${failures} failures`)
process.exit(failures === 0 ? 0 : 1)

/** Returns how many checks failed; a module that throws, or leaves a rejection unhandled, is a failure of its own. */
async function runModule(name) {
  const { part } = values
  const chosen = part === undefined ? '' : ` --part ${part}`
  print(`== ${name}: npm run harness -- ${name} --seconds ${seconds} --seed ${seed}${chosen}`)
  const stray = []
  const onStray = (error) => stray.push({ what: 'an error outside of any request', detail: error?.stack ?? `${error}` })
  process.on('unhandledRejection', onStray).on('uncaughtException', onStray)
  const started = Date.now()
  try {
    const { run } = await import(await bundleTestModule(`test/harness/${name}.ts`))
    const { passed, failed, figures } = await run({ seconds, seed, part, log: (line) => print(`   ${line}`) })
    return report(name, { passed, failed: [...failed, ...stray], figures, started })
  } catch (error) {
    return report(name, {
      passed: 0,
      failed: [{ what: 'the module threw', detail: error.stack }],
      figures: {},
      started,
    })
  } finally {
    process.off('unhandledRejection', onStray).off('uncaughtException', onStray)
  }
}

function report(name, { passed, failed, figures, started }) {
  for (const [what, figure] of Object.entries(figures)) print(`   ${what.padEnd(56)} ${figure}`)
  for (const { what, detail } of failed.slice(0, 50)) {
    print(`   FAILED ${what}`)
    if (detail) print(detail.replaceAll(/^/gm, '          '))
  }
  if (failed.length > 50) print(`   … and ${failed.length - 50} more failures`)
  const took = ((Date.now() - started) / 1000).toFixed(0)
  print(`== ${name}: ${passed} passed, ${failed.length} failed, ${took} s, seed ${seed}`)
  return failed.length
}

function source(name) {
  return path.join(root, 'test', 'harness', `${name}.ts`)
}

function number(name, text) {
  if (!/^\d+$/.test(text)) fail(`--${name} takes a whole number, not ${JSON.stringify(text)}`)
  return Number(text)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
