// Gives the same manifests to the simulated controllers and scheduler and to kube-controller-manager and kube-scheduler, each
// on a server of this build with simulated nodes, and tells where the clusters came out differently. Without the two programs
// the simulation is compared with itself, of another seed: what differs then is chance.
//
//   npm run differential:simulate -- [--kube-controller-manager FILE --kube-scheduler FILE] [--only NAMES] [--except NAMES]
//     [--concurrency 3] [--out FILE]
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { bundleTestModule } from './bundle-test-module.mjs'
import { setup } from './setup.mjs'

const { values } = parseArgs({
  options: {
    'kube-controller-manager': { type: 'string' },
    'kube-scheduler': { type: 'string' },
    only: { type: 'string' },
    except: { type: 'string' },
    concurrency: { type: 'string', default: '3' },
    out: { type: 'string' },
  },
})
const [controllerManager, scheduler] = [values['kube-controller-manager'], values['kube-scheduler']]
if ((controllerManager === undefined) !== (scheduler === undefined)) {
  fail('--kube-controller-manager and --kube-scheduler go together')
}
if (!/^[1-9]\d*$/.test(values.concurrency)) fail('--concurrency takes a whole number')

setup()
const { openCluster, runScenarios, scenarios, scenarioText, sumText } = await import(
  await bundleTestModule('test/differential-simulate/main.ts')
)
const [only, except] = [values.only?.split(','), values.except?.split(',') ?? []]
const unknown = [...(only ?? []), ...except].filter((name) => !scenarios.some((scenario) => scenario.name === name))
if (unknown.length > 0) {
  fail(`unknown scenarios: ${unknown.join(', ')}; there are ${scenarios.map(({ name }) => name).join(', ')}`)
}
const chosen = scenarios.filter(({ name }) => (only === undefined || only.includes(name)) && !except.includes(name))

const folder = mkdtempSync(path.join(tmpdir(), 'differential-simulate-'))
if (values.out !== undefined) writeFileSync(values.out, '')
const tell = (text) => {
  process.stdout.write(`${text}\n`)
  if (values.out !== undefined) appendFileSync(values.out, `${text}\n`)
}
const programs =
  controllerManager && scheduler
    ? { controllerManager: path.resolve(controllerManager), scheduler: path.resolve(scheduler) }
    : undefined
const clusters = []
const opened = async (options) => {
  const cluster = await openCluster(options)
  clusters.push(cluster)
  return cluster
}
const closeAll = async () => {
  await Promise.all(clusters.map((cluster) => cluster.close()))
  rmSync(folder, { recursive: true, force: true })
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => closeAll().finally(() => process.exit(2)))
let results = []
try {
  results = await runScenarios({
    reference: await opened({ folder: path.join(folder, 'reference'), seed: 1, programs }),
    simulation: await opened({ folder: path.join(folder, 'simulation'), seed: 2 }),
    scenarios: chosen,
    concurrency: Number(values.concurrency),
    done: (result) => tell(scenarioText(result)),
  })
  tell(sumText(results))
} finally {
  await closeAll()
}
process.exit(results.every(({ places }) => places.length === 0) ? 0 : 1)

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
