/**
 * Throws generated and damaged inputs at a server in this process (part `server`): requests of all kinds, verbs, encodings and
 * patch types, raw HTTP and stored bytes; and, many times faster, at the layers that are functions of bytes (part `layers`):
 * decoders, patches, selectors, expressions, schemas, configuration files, flags. Invariants: nothing crashes, no error of the engine is told to a client, no
 * input keeps the event loop for longer than the bound, and memory comes back once the server is closed.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { frameInputs } from './fuzz/frame-inputs.ts'
import { longestHold, watchTurns } from './fuzz/hold-monitor.ts'
import type { FuzzInput, InputSource } from './fuzz/input.ts'
import { PureFuzz } from './fuzz/pure/pure-fuzz.ts'
import { requestInputs } from './fuzz/request-inputs.ts'
import { storedInputs } from './fuzz/stored-inputs.ts'
import { startTarget, type Target } from './fuzz/target.ts'
import { engineWordsIn } from './fuzz/verdict.ts'
import type { HarnessContext, HarnessFailure, HarnessResult, HarnessRun } from './harness.ts'
import { type Random, seededRandom } from './random.ts'

/** A turn of the loop may take this many milliseconds of processor time. */
const holdBound = 50
/** A hold counts only if it shows every time: the engine compiles and collects in between. */
const holdRepeats = 3
/** An input that is not answered in this time hangs. */
const hangBound = 60_000
const inputsPerTarget = 5000
const inputsAtATime = 32
/** Of a round: a busy machine has long turns of its own. */
const mostSuspects = 500
/** What is left of a closed server may not grow by more than this from round to round. */
const leakBound = 4 * 1024 * 1024
const warmRounds = 2

/** The layers are called in groups of this many, then the loop goes round. */
const layerGroup = 50
const layerLogMs = 60_000

const parts: Readonly<Record<string, (context: HarnessContext) => Promise<HarnessResult>>> = {
  layers: fuzzLayers,
  server: fuzzServer,
}

export const run: HarnessRun = async (context) => {
  const { part, seconds } = context
  const names = part === undefined ? Object.keys(parts) : [part]
  const results: HarnessResult[] = []
  for (const name of names) {
    const runPart = parts[name]
    if (runPart === undefined) throw new Error(`fuzz has no part ${name}; it has ${Object.keys(parts).join(', ')}`)
    results.push(await runPart({ ...context, seconds: seconds / names.length }))
  }
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failed: results.flatMap(({ failed }) => failed),
    figures: Object.assign({}, ...results.map(({ figures }) => figures)) as HarnessResult['figures'],
  }
}

async function fuzzLayers({ seconds, seed, log }: HarnessContext): Promise<HarnessResult> {
  const failed: HarnessFailure[] = []
  const fuzz = new PureFuzz(seededRandom(seed), (failure) => {
    failed.push(failure)
    log(`FAILED ${failure.what}`)
  })
  const end = Date.now() + seconds * 1000
  for (let next = Date.now() + layerLogMs; Date.now() < end; await turn()) {
    fuzz.take(layerGroup)
    if (Date.now() < next) continue
    next += layerLogMs
    log(`layers: ${fuzz.inputs} inputs, ${fuzz.kept} kept for what was said of them, ${failed.length} failures`)
  }
  const byTarget = [...fuzz.byTarget].sort().map(([name, count]) => [`  layer: ${name}`, count])
  const figures = {
    'inputs of layers': fuzz.inputs,
    ...Object.fromEntries(byTarget),
    'inputs of layers that were kept': fuzz.kept,
    'longest input of a layer (ms, at most the bound)': Math.round(fuzz.longest),
  }
  return { passed: fuzz.inputs, failed, figures }
}

async function fuzzServer({ seconds, seed, log }: HarnessContext): Promise<HarnessResult> {
  const fuzz = new Fuzz(log)
  const random = seededRandom(seed)
  const end = Date.now() + seconds * 1000
  for (let round = 0; Date.now() < end; round++) {
    await fuzz.round(random.fork(), end)
    fuzz.noteMemory()
    log(
      `round ${round + 1}: ${fuzz.inputs} inputs, ${fuzz.failures.size} failures, longest turn ${fuzz.longest.toFixed(0)} ms`,
    )
  }
  return { passed: fuzz.inputs, failed: [...fuzz.failures.values(), ...fuzz.leaks()], figures: fuzz.figures() }
}

class Fuzz {
  inputs = 0
  longest = 0
  readonly failures = new Map<string, HarnessFailure>()
  readonly #byFamily = new Map<string, { inputs: number; ms: number }>()
  readonly #heap: number[] = []
  readonly #log: (line: string) => void

  constructor(log: (line: string) => void) {
    this.#log = log
  }

  /** One server from its start to its end. */
  async round(random: Random, end: number): Promise<void> {
    const target = await startTarget()
    try {
      const sources = await sourcesOf(random, target)
      const last = this.inputs + inputsPerTarget
      const suspects = await this.#takeInputs(() => {
        return this.inputs < last && Date.now() < end ? random.pick(sources).next() : undefined
      })
      for (const input of suspects) await this.#confirmHold(input)
    } finally {
      await target.close()
    }
  }

  /**
   * Several at a time, so that one that waits (for a webhook that is not there, say) holds up no others. Returns those that ran
   * when the loop was kept too long: which of them did it is found out by having each run alone.
   */
  async #takeInputs(next: () => FuzzInput | undefined): Promise<ReadonlySet<FuzzInput>> {
    const running = new Set<FuzzInput>()
    const suspects = new Set<FuzzInput>()
    const stop = watchTurns((held) => {
      if (held <= holdBound) this.longest = Math.max(this.longest, held)
      else for (const input of running) if (suspects.size < mostSuspects) suspects.add(input)
    })
    const take = async (): Promise<void> => {
      for (let input = next(); input !== undefined; input = next()) {
        const { family } = input
        const spent = this.#byFamily.get(family) ?? { inputs: 0, ms: 0 }
        this.#byFamily.set(family, spent)
        this.inputs++
        spent.inputs++
        running.add(input)
        const began = performance.now()
        await this.#judge(input)
        spent.ms += performance.now() - began
        running.delete(input)
      }
    }
    await Promise.all(Array.from({ length: inputsAtATime }, take))
    stop()
    return suspects
  }

  async #judge(input: FuzzInput): Promise<void> {
    try {
      const told = await withinTime(input.run())
      const words = engineWordsIn(told)
      if (words !== undefined)
        this.#fail(`an error of the engine is told: ${words}`, `${told.slice(0, 600)}\n${input.show()}`)
    } catch (error) {
      const { message, stack } = error as Error
      this.#fail(`${input.family}: ${message.slice(0, 200)}`, `${stack}\n${input.show()}`)
    }
  }

  async #confirmHold(input: FuzzInput): Promise<void> {
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < holdRepeats && least > holdBound; i++) {
      least = Math.min(least, await longestHold(() => this.#judge(input)))
    }
    this.longest = Math.max(this.longest, least)
    if (least <= holdBound) return
    this.#fail(`${input.family} keeps the loop`, `${least.toFixed(0)} ms: ${input.show().slice(0, 2000)}`)
  }

  /** Of failures that read alike the first is enough. */
  #fail(what: string, detail: string): void {
    const key = what.replace(/\d+/g, 'N')
    if (this.failures.has(key)) return
    this.failures.set(key, { what, detail: detail.slice(0, 6000) })
    this.#log(`FAILED ${what}`)
  }

  noteMemory(): void {
    collectGarbage()
    this.#heap.push(process.memoryUsage().heapUsed)
  }

  /** The growth of a line through the heaps after each round, once the code is warm. */
  leaks(): HarnessFailure[] {
    const growth = slope(this.#heap.slice(warmRounds))
    return growth > leakBound
      ? [
          {
            what: `memory grows by ${megabytes(growth)} with every server`,
            detail: this.#heap.map(megabytes).join(', '),
          },
        ]
      : []
  }

  figures(): Record<string, number | string> {
    return {
      'inputs of the server': this.inputs,
      ...Object.fromEntries(
        [...this.#byFamily]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([family, { inputs, ms }]) => [`  ${family}`, `${inputs}, ${Math.round(ms / inputs)} ms each`]),
      ),
      'longest turn of the loop (processor time, ms)': Math.round(this.longest),
      'heap after the first and the last round': `${megabytes(this.#heap[0] ?? 0)}, ${megabytes(this.#heap.at(-1) ?? 0)}`,
    }
  }
}

async function sourcesOf(random: Random, target: Target): Promise<readonly InputSource[]> {
  const requests = await requestInputs(random.fork(), target)
  const stored = storedInputs(random.fork(), target)
  return [requests, requests, requests, requests, stored, frameInputs(random.fork(), target)]
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no end in time')), hangBound)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Least squares, per index. */
function slope(values: readonly number[]): number {
  const n = values.length
  if (n < 3) return 0
  const middle = (n - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  const above = values.reduce((sum, value, i) => sum + (i - middle) * (value - mean), 0)
  const below = values.reduce((sum, _, i) => sum + (i - middle) ** 2, 0)
  return above / below
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
}
