/**
 * Feeds pure targets with mutated inputs, thousands a second. It is guided by what the layers say: an input that is answered
 * in words that no input had before is kept, and mutated further. A failing input is shrunk, and written to a file that
 * `found.test.ts` runs again for ever.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Random } from '../../random.ts'
import { mutatedBytes } from '../byte-mutations.ts'
import { engineWordsIn } from '../verdict.ts'
import { bodyTargets } from './body-targets.ts'
import { programTargets } from './program-targets.ts'
import { isForeign, type PureTarget, type StepRunner } from './pure-target.ts'
import { textTargets } from './text-targets.ts'

export const pureTargets: readonly PureTarget[] = [...bodyTargets, ...textTargets, ...programTargets]

/** An input without a server may take this long, or between two steps where it gives way. */
const holdBound = 50
/** A hold counts only if it shows every time: the engine compiles and collects in between. */
const holdRepeats = 3
const longestInput = 16 * 1024
/** Most inputs are cut to this length: mutations of mutations grow, and short ones find as much in a tenth of the time. */
const usualInput = 1024
const longShare = 0.05
const mostKept = 2000
const shrinkMs = 10_000
const foundFolder = path.resolve('test/harness/fuzz/found')

export interface PureFailure {
  readonly what: string
  readonly detail: string
}

interface Verdict {
  /** In short what was said, to be compared: without what was quoted, and without numbers. */
  readonly said: string
  readonly failure: PureFailure | undefined
  /** The longest time without a step, in milliseconds. */
  readonly held: number
}

interface Corpus {
  readonly target: PureTarget
  readonly inputs: Buffer[]
  readonly said: Set<string>
}

export class PureFuzz {
  inputs = 0
  longest = 0
  readonly byTarget = new Map<string, number>()
  readonly #random: Random
  readonly #corpora: readonly Corpus[]
  readonly #onFailure: (failure: PureFailure) => void
  readonly #known = new Set<string>()

  constructor(random: Random, onFailure: (failure: PureFailure) => void) {
    this.#random = random
    this.#onFailure = onFailure
    this.#corpora = pureTargets.map((target) => ({ target, inputs: [...target.seeds], said: new Set<string>() }))
  }

  get kept(): number {
    return this.#corpora.reduce((sum, { inputs, target }) => sum + inputs.length - target.seeds.length, 0)
  }

  /** So many inputs, without giving way. */
  take(count: number): void {
    const random = this.#random
    const corpus = random.pick(this.#corpora)
    const { target, inputs } = corpus
    for (let i = 0; i < count; i++) this.#takeOne(corpus, mutated(random, random.pick(inputs), target, inputs))
    this.inputs += count
    this.byTarget.set(target.name, (this.byTarget.get(target.name) ?? 0) + count)
  }

  #takeOne({ target, inputs, said }: Corpus, bytes: Buffer): void {
    const verdict = judge(target, bytes)
    if (!said.has(verdict.said) && said.size < mostKept) {
      said.add(verdict.said)
      inputs.push(bytes)
    }
    const failure = verdict.failure ?? confirmedHold(target, bytes, verdict)
    if (failure === undefined) this.longest = Math.max(this.longest, Math.min(verdict.held, holdBound))
    else this.#report(target, bytes, failure)
  }

  #report(target: PureTarget, bytes: Buffer, failure: PureFailure): void {
    const kind = `${target.name}: ${shortened(failure.what)}`
    if (this.#known.has(kind)) return
    this.#known.add(kind)
    const isSame = (candidate: Buffer): boolean => {
      const found = judge(target, candidate)
      const again = found.failure ?? confirmedHold(target, candidate, found)
      return again !== undefined && shortened(again.what) === shortened(failure.what)
    }
    const shrunk = shrink(bytes, isSame)
    const file = writeFound(target, shrunk)
    this.#onFailure({
      what: `${target.name}: ${failure.what}`,
      detail: `${failure.detail}\n${JSON.stringify(shrunk.toString('latin1')).slice(0, 2000)}\n${file}`,
    })
  }
}

/** Runs one input and says what is wrong with what came of it. Stacks are costly to make: only a failure that shows has one. */
export function judge(target: PureTarget, bytes: Buffer): Verdict {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const verdict = judgeOnce(target, bytes)
    if (verdict.failure === undefined) return verdict
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
  return judgeOnce(target, bytes)
}

function judgeOnce(target: PureTarget, bytes: Buffer): Verdict {
  const clock = new StepClock()
  try {
    const said = target.run(bytes, clock.run)
    return { ...verdictOn(said), held: clock.stop() }
  } catch (error) {
    const held = clock.stop()
    if (!isForeign(error)) return { ...verdictOn((error as Error).message, error as Error), held }
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return { said: shortened(message), failure: { what: `throws ${message.slice(0, 200)}`, detail: stack ?? '' }, held }
  }
}

function verdictOn(said: string, error?: Error): Omit<Verdict, 'held'> {
  const own = said.replace(/(["'`]).*?\1/gs, '…')
  const words = engineWordsIn(own)
  if (words === undefined) return { said: shortened(own), failure: undefined }
  const failure = { what: `tells an error of the engine: ${words}`, detail: `${said}\n${error?.stack ?? ''}` }
  return { said: shortened(own), failure }
}

const shortened = (text: string): string => text.slice(0, 300).replace(/\d+/g, 'N')

/** Measures the time between steps, and from the last one to the end. */
class StepClock {
  #since = performance.now()
  #longest = 0

  readonly run: StepRunner = (steps) => {
    for (;;) {
      const step = steps.next()
      this.stop()
      if (step.done === true) return step.value
    }
  }

  stop(): number {
    const now = performance.now()
    this.#longest = Math.max(this.#longest, now - this.#since)
    this.#since = now
    return this.#longest
  }
}

/** By the processor time of the process: a busy machine makes everything long. */
function confirmedHold(target: PureTarget, bytes: Buffer, { held: seen }: Verdict): PureFailure | undefined {
  if (seen <= holdBound || target.isBeforeStart === true) return undefined
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < holdRepeats && least > holdBound; i++) {
    const before = process.cpuUsage()
    const { held } = judge(target, bytes)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, held, (user + system) / 1000)
  }
  return least > holdBound ? { what: 'keeps the loop', detail: `${least.toFixed(0)} ms` } : undefined
}

function mutated(random: Random, bytes: Buffer, { words }: PureTarget, others: readonly Buffer[]): Buffer {
  let result = bytes
  if (words !== undefined && random.chance(0.6)) {
    for (let edits = 1 + random.below(4); edits > 0; edits--) {
      const at = random.below(result.length + 1)
      const to = random.chance(0.5) ? at : Math.min(result.length, at + random.below(12))
      result = Buffer.concat([result.subarray(0, at), Buffer.from(random.pick(words)), result.subarray(to)])
    }
  } else result = mutatedBytes(random, bytes, others)
  return result.subarray(0, random.chance(longShare) ? longestInput : Math.max(usualInput, bytes.length))
}

/** Delta debugging: ever smaller parts are left out as long as the failure stays the same. */
function shrink(bytes: Buffer, isSame: (candidate: Buffer) => boolean): Buffer {
  let smallest = bytes
  const end = performance.now() + shrinkMs
  for (let size = smallest.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < smallest.length && performance.now() < end; ) {
      const candidate = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)])
      if (isSame(candidate)) smallest = candidate
      else at += size
    }
  }
  return smallest
}

function writeFound(target: PureTarget, bytes: Buffer): string {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  const file = path.join(foundFolder, `${target.name.replaceAll(' ', '-')}.${digest}`)
  mkdirSync(foundFolder, { recursive: true })
  writeFileSync(file, bytes)
  return file
}
