/**
 * Which test runs now, and how it ended, as far as its runner lets others see it: vitest's worker and jest's state lie in
 * the global object of the world that a test runs in. Other runners are known by how their process ends.
 */
import { SideTable } from '../../lib/memo.ts'

export interface RunningTest {
  readonly name: string
  /** Undefined while it is not known. */
  verdict(): 'passed' | 'failed' | undefined
  /** What it failed with. */
  errors(): readonly string[]
}

let world: object = globalThis

/** Runners with worlds of their own register theirs. */
export function useWorld(given: object): void {
  world = given
}

/** The same object for the same test. */
export function currentTest(): RunningTest | undefined {
  return vitestTest(world) ?? jestTest(world)
}

const known = new SideTable<object, RunningTest>()

const remembered = (task: object, make: () => RunningTest): RunningTest => known.getOrMake(task, make)

interface VitestTask {
  readonly type: string
  readonly name: string
  readonly suite?: VitestTask
  readonly file?: { readonly name?: string }
  readonly result?: { readonly state?: string; readonly errors?: readonly { stack?: string; message?: string }[] }
}

function vitestTest(from: object): RunningTest | undefined {
  const task = (from as { __vitest_worker__?: { current?: VitestTask } }).__vitest_worker__?.current
  if (task?.type !== 'test') return undefined
  return remembered(task, () => ({
    name: [task.file?.name ?? '', ...names(task)].filter((part) => part !== '').join(' > '),
    verdict: () => verdicts.get(task.result?.state ?? ''),
    errors: () => (task.result?.errors ?? []).map(({ stack, message }) => String(stack ?? message)),
  }))
}

const verdicts: ReadonlyMap<string, 'passed' | 'failed'> = new Map([
  ['pass', 'passed'],
  ['skip', 'passed'],
  ['fail', 'failed'],
])

/** Outermost first. */
function names(task: VitestTask): string[] {
  const outer = task.suite === undefined || task.suite.type === 'file' ? [] : names(task.suite)
  return [...outer, task.name]
}

interface JestTest {
  readonly name: string
  readonly parent?: { readonly name: string; readonly parent?: JestTest['parent'] }
  readonly status?: string | null
  readonly duration?: number | null
  readonly errors: readonly unknown[]
}

function jestTest(from: object): RunningTest | undefined {
  const symbol = Object.getOwnPropertySymbols(from).find(({ description }) => description === 'JEST_STATE_SYMBOL')
  if (symbol === undefined) return undefined
  const state = (from as Record<symbol, { currentlyRunningTest?: JestTest | null } | undefined>)[symbol]
  const test = state?.currentlyRunningTest
  if (test === undefined || test === null) return undefined
  return remembered(test, () => ({
    name: jestNames(test).join(' > '),
    verdict() {
      if (test.errors.length > 0) return 'failed'
      return test.status === 'done' || typeof test.duration === 'number' ? 'passed' : undefined
    },
    errors: () => test.errors.map(jestError),
  }))
}

function jestNames(test: JestTest): string[] {
  const found = [test.name]
  for (let parent = test.parent; parent !== undefined; parent = parent.parent) {
    if (parent.name !== 'ROOT_DESCRIBE_BLOCK') found.unshift(parent.name)
  }
  return found
}

/** What was thrown, and where it was called for. */
function jestError(error: unknown): string {
  const thrown = (Array.isArray(error) ? (error[0] ?? error[1]) : error) as { stack?: string } | undefined
  return String(thrown?.stack ?? thrown)
}
