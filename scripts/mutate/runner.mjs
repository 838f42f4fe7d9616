// A test runner that runs each test once as it is and tells which mutants it reaches, or, where there is a plan, once for each mutant planned for it
// that no test has killed yet. What it finds is written to a file line by line: mutants may hang or spoil the process, and the next one goes on.
import { appendFileSync, readFileSync } from 'node:fs'
import { TestRunner } from 'vitest'

const { count, chosen, plan, done, killed, suspect, log } = JSON.parse(readFileSync(process.env.MUTATE_STATE, 'utf8'))
const later = setTimeout
const hangMs = 10_000
/** A mutant that is evaluated so much more often than the sources are runs for ever. */
const maxFactor = 10
const freeHits = 10_000
const tell = (event) => appendFileSync(log, `${JSON.stringify(event)}\n`)

globalThis.$mutants ??= {
  reached: new Uint8Array(count + 1),
  /** How often each is evaluated in the test as it is. */
  counts: new Uint32Array(count + 1),
  done: new Set(done),
  killed: new Set(killed),
  hasRunMutants: false,
}
const state = globalThis.$mutants

let active = 0
let hits = 0

function hit() {
  if (++hits > freeHits + maxFactor * state.counts[active]) throw new Error('the mutant runs for ever')
}

globalThis.$mutant ??= {
  is(id) {
    if (id !== active) {
      state.reached[id] = 1
      if (active === 0) state.counts[id]++
      return false
    }
    hit()
    return true
  },
  /** A mutant whose value is the same here is not reached. */
  either(id, is, would) {
    if (id === active) {
      hit()
      return would
    }
    if (active === 0) state.counts[id]++
    if (is !== would) state.reached[id] = 1
    return is
  },
  lt: (id, a, b) => $mutant.either(id, a < b, a <= b),
  le: (id, a, b) => $mutant.either(id, a <= b, a < b),
  gt: (id, a, b) => $mutant.either(id, a > b, a >= b),
  ge: (id, a, b) => $mutant.either(id, a >= b, a > b),
  add: (id, a, b) => ($mutant.is(id) ? a - b : a + b),
  set active(id) {
    active = id
    hits = 0
  },
}
const { $mutant } = globalThis

/** The suites around a test, the outermost first. */
function suitesOf(test) {
  const suites = []
  for (
    let suite = test.suite ?? test.file;
    suite !== undefined;
    suite = 'filepath' in suite ? undefined : (suite.suite ?? suite.file)
  )
    suites.unshift(suite)
  return suites
}

async function runHooks(test, name, suites) {
  for (const suite of suites) for (const hook of TestRunner.getSuiteHooks(suite)[name]) await hook(test.context, suite)
}

/** Whether a test passes when it is run again, with what comes before and after each of its suite. */
async function passesAgain(test) {
  const suites = suitesOf(test)
  const run = async () => {
    await runHooks(test, 'afterEach', suites.toReversed())
    await runHooks(test, 'beforeEach', suites)
    await TestRunner.getTestFn(test)()
    for (const finish of (test.onFinished ?? []).splice(0).reverse()) await finish(test.context)
    return true
  }
  let timer
  const hang = new Promise((resolve) => {
    timer = later(() => resolve(false), hangMs)
  })
  try {
    return await Promise.race([run(), hang])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}

/** Another process goes on. */
function restart(event) {
  tell(event)
  process.exit(1)
}

const isOfTest = 1
const isOfOthers = 2

export default class extends TestRunner {
  onBeforeTryTask(test, options) {
    state.counts.fill(0)
    state.reached.forEach((by, id, reached) => {
      if (by === isOfTest) reached[id] = isOfOthers
    })
    return super.onBeforeTryTask(test, options)
  }

  async runTask(test) {
    const { reached } = state
    const start = performance.now()
    try {
      await TestRunner.getTestFn(test)()
    } catch (error) {
      if (state.hasRunMutants) restart({ type: 'spoiled', test: test.id })
      tell({ type: 'broken', test: `${test.file.name}: ${test.name}: ${error.message}` })
      throw error
    }
    if (plan === undefined) {
      const ids = chosen.filter((id) => reached[id] === isOfTest)
      return tell({
        type: 'reached',
        test: test.id,
        suite: (test.suite ?? test.file).id,
        ms: performance.now() - start,
        ids,
      })
    }
    if (state.done.has(test.id)) return
    const mutants = (plan[test.id] ?? []).filter((id) => !state.killed.has(id))
    if (suspect?.test === test.id) mutants.unshift(suspect.id)
    await runMutants(test, mutants)
    state.done.add(test.id)
    tell({ type: 'done', test: test.id })
  }

  onAfterRunFiles(files) {
    tell({ type: 'loaded', ids: chosen.filter((id) => state.reached[id] > 0) })
    for (const file of files) tell({ type: 'file', file: file.filepath })
    return super.onAfterRunFiles?.(files)
  }
}

async function runMutants(test, mutants) {
  if (mutants.length === 0) return
  if (!(await passesAgain(test))) return tell({ type: 'once', test: `${test.file.name}: ${test.name}` })
  let isFresh = true
  for (const id of mutants) {
    tell({ type: 'run', id })
    state.hasRunMutants = true
    $mutant.active = id
    const isAlive = await passesAgain(test)
    $mutant.active = 0
    if (isAlive) {
      isFresh = false
      continue
    }
    const kill = () => {
      state.killed.add(id)
      tell({ type: 'killed', id, test: `${test.file.name}: ${test.name}` })
    }
    if (isFresh && suspect?.test === test.id) kill()
    if (!(await passesAgain(test))) restart({ type: 'spoiled', test: test.id, id })
    if (!state.killed.has(id)) kill()
  }
}
