// A mutation tester: npm run mutate -- FILE… [--sample N] [--reach] -- TEST… changes one operator, literal or statement at a time, runs the unit tests that
// reach it and lists the mutants that they let live. FILE and TEST are files or folders. All mutants are compiled in at once and switched on in
// turn, so that a folder takes minutes: nice -n 19. `--sample N` takes every so-manieth mutant, `--reach` only lists those that no test reaches. What is only evaluated while the sources are
// loaded (static mutants) cannot be switched on later and is not counted.
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { root, setup } from './setup.mjs'

const args = process.argv.slice(2)
const cut = args.lastIndexOf('--')
const given = cut < 0 ? [] : args.slice(0, cut)
const at = given.indexOf('--sample')
const most = at < 0 ? Infinity : Number(given.splice(at, 2)[1])
const isReachOnly = given.includes('--reach')
if (isReachOnly) given.splice(given.indexOf('--reach'), 1)
const isTest = (name) => name.endsWith('.test.ts')
const isSource = (name) => name.endsWith('.ts') && !isTest(name) && !name.includes('/testing/')
const files = filesOf(given, isSource)
let tests = filesOf(cut < 0 ? [] : args.slice(cut + 1), isTest)
if (files.length === 0 || tests.length === 0 || !(most > 0)) {
  process.stderr.write('usage: npm run mutate -- FILE… [--sample N] [--reach] -- TEST…\n')
  process.exit(1)
}

setup({ build: false })
const { withMutants } = await import('./mutate/mutants.mjs')

function filesOf(names, isWanted) {
  return names.flatMap((name) => {
    if (!statSync(path.join(root, name)).isDirectory()) return [name]
    const found = readdirSync(path.join(root, name), { recursive: true }).map((each) => path.join(name, each))
    return found.filter((each) => isWanted(each)).sort()
  })
}

const mutants = []
const sources = files.map((file) => {
  const first = mutants.length + 1
  for (const mutant of withMutants(file, readFileSync(path.join(root, file), 'utf8'), first).mutants)
    mutants.push(mutant)
  return { file, first }
})
const step = Math.max(1, Math.ceil(mutants.length / most))
const chosen = mutants.filter((_, i) => i % step === 0).map(({ id }) => id)

const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-mutants-'))
let endChild = () => {}
process.on('exit', () => {
  endChild()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
process.on('SIGINT', () => process.exit(130))
/** Who edits the sources meanwhile does not disturb. */
for (const name of ['src', 'facts', 'package.json', 'tsconfig.json', 'ARCHITECTURE.md'])
  cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
const log = path.join(folder, 'log')
const stateFile = path.join(folder, 'state.json')
const hangMs = 120_000

/** So many tests may try to kill a mutant, slow ones only if there are few others. */
const maxTests = 100
const slowMs = 200

const killed = new Set()
/** The tests that reach a mutant. */
const reachedBy = new Map(chosen.map((id) => [id, []]))
const loaded = new Set()
const done = new Set()
const once = new Set()
let suspect

/** What one process found, and whether it came to its end. */
function take(events) {
  let running
  suspect = undefined
  for (const event of events) {
    running = event.type === 'run' ? event.id : undefined
    if (event.type === 'killed') killed.add(event.id)
    if (event.type === 'reached') for (const id of event.ids) reachedBy.get(id).push(event)
    if (event.type === 'loaded') for (const id of event.ids) loaded.add(id)
    if (event.type === 'done') done.add(event.test)
    if (event.type === 'once') once.add(event.test)
    if (event.type === 'file') tests = tests.filter((test) => path.join(folder, test) !== event.file)
    if (event.type === 'broken') throw new Error(`fails without a mutant: ${event.test}`)
    if (event.type === 'spoiled') suspect = event.id === undefined ? undefined : event
  }
  return running
}

/** Ends when the process does, or when it has written nothing for long. */
function runOnce(plan) {
  const state = {
    count: mutants.length,
    chosen,
    plan,
    done: [...done],
    killed: [...killed],
    suspect,
    log,
    root: folder,
    sources,
    tests,
  }
  writeFileSync(stateFile, JSON.stringify(state))
  rmSync(log, { force: true })
  const env = { ...process.env, MUTATE_STATE: stateFile }
  const child = spawn(process.execPath, [path.join(root, 'scripts/mutate/run.mjs')], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', process.env.MUTATE_DEBUG === undefined ? 'ignore' : 'inherit'],
  })
  endChild = () => {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  const watch = setInterval(() => {
    const last = existsSync(log) ? statSync(log).mtimeMs : Date.now()
    if (Date.now() - last > hangMs) endChild()
  }, 1000)
  return new Promise((resolve) => {
    child.on('exit', () => {
      clearInterval(watch)
      endChild()
      resolve()
    })
  })
}

const eventsOf = () => {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line))
}

/** Tests that reach a mutant, of those of a suite that reach the same ones: the first of each, then the second of each, the narrow ones first. */
function ranked(reaching) {
  const counts = new Map()
  const ranks = reaching
    .toSorted((a, b) => a.ids.length - b.ids.length)
    .map(({ test, suite, ids }) => {
      const like = `${suite} ${ids.length} ${ids[0]} ${ids.at(-1)}`
      const rank = counts.get(like) ?? 0
      counts.set(like, rank + 1)
      return { test, rank }
    })
  return ranks.sort((a, b) => a.rank - b.rank)
}

/** The mutants that each test is to try. */
function planned() {
  const plan = {}
  for (const [id, reaching] of reachedBy) {
    const fast = reaching.filter(({ ms }) => ms < slowMs)
    const tried = ranked(fast.length < maxTests / 10 ? reaching : fast).slice(0, maxTests)
    for (const { test } of tried) plan[test] = [...(plan[test] ?? []), id]
  }
  return plan
}

const all = tests
await runOnce()
take(eventsOf())
if (tests.length > 0) throw new Error(`the tests come to no end: ${tests[0]}`)
tests = isReachOnly ? [] : all
const plan = planned()

let idle = 0
while (tests.length > 0) {
  const left = done.size + tests.length + killed.size
  await runOnce(plan)
  const running = take(eventsOf())
  // Whatever ends the process does not go unnoticed by a test.
  if (running !== undefined) killed.add(running)
  idle = done.size + tests.length + killed.size === left ? idle + 1 : 0
  if (idle > 3) throw new Error(`the tests come to no end: ${tests[0]}`)
}

const reached = { has: (id) => reachedBy.get(id).length > 0 }
const isStatic = (id) => loaded.has(id) && !reached.has(id) && !killed.has(id)
const counted = chosen.filter((id) => !isStatic(id))
const percent = (part, all) => `${Math.round((100 * part) / Math.max(1, all))} %`
for (const test of once) process.stdout.write(`not used, it passes only once: ${test}\n`)
for (const { file } of sources) {
  const ids = counted.filter((id) => mutants[id - 1].file === file)
  const dead = ids.filter((id) => killed.has(id)).length
  if (ids.length > 0 && !isReachOnly)
    process.stdout.write(`${file}: ${dead} of ${ids.length} killed (${percent(dead, ids.length)})\n`)
  for (const id of ids.filter((each) => !killed.has(each) && !(isReachOnly && reached.has(each)))) {
    const { line, before, after } = mutants[id - 1]
    process.stdout.write(
      `  ${reached.has(id) ? 'lives' : 'not reached'}: ${file}:${line}\n    - ${before}\n    + ${after}\n`,
    )
  }
}
const dead = counted.filter((id) => (isReachOnly ? reached : killed).has(id)).length
process.stdout.write(
  `${dead} of ${counted.length} mutants ${isReachOnly ? 'reached' : 'killed'} (${percent(dead, counted.length)}), ${chosen.length - counted.length} static ones left out, of ${mutants.length} that there are\n`,
)
