/**
 * Keeps what happens on a test server, and writes it down as a page when a test fails. Only where `PILOTHOUSE_TRACE` names a
 * folder; nothing of it runs otherwise.
 *
 * What is seen between two resets belongs together. It is written once one of the tests that ran meanwhile is known to have
 * failed: at the reset, at the end of the server, or, when its runner has not said by then, a little later. Tests of
 * runners that do not say are taken for failed when the process ends with an error.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { Clock } from '../../lib/clock.ts'
import type { Store, Watch } from '../../store/store.ts'
import type { Answer } from '../api/calls.ts'
import type { FaultSpec } from '../api/faults.ts'
import type { RecordedRequest } from '../api/requests.ts'
import { currentTest, type RunningTest } from './current-test.ts'
import type { TracedWrite } from './object-history.ts'
import { bodyText, faultText, type Segment, type TracedFault, type TraceEntry, traceData } from './trace-data.ts'
import { tracePage } from './trace-page.ts'

export interface TraceOptions {
  readonly folder: string
  readonly server: string
  readonly clock: Clock
  readonly store: Store
  readonly requests: () => readonly RecordedRequest[]
}

interface Open {
  readonly segment: Segment
  readonly tests: readonly RunningTest[]
  readonly options: TraceOptions
}

/** The newest so many changes and notes of a segment. */
const maxChanges = 20_000
/** Segments whose outcome is not known yet. */
const maxOpen = 50
const pollMs = 20
const maxPolls = 250

export class TraceRecorder {
  readonly #options: TraceOptions
  #changes: TracedWrite[] = []
  #notes: TraceEntry[] = []
  #faults: { fault: Omit<TracedFault, 'hits'>; hits: () => number }[] = []
  #tests = new Set<RunningTest>()
  #watch: Watch | undefined
  #begin: number

  constructor(options: TraceOptions) {
    this.#options = options
    this.#begin = options.clock.now()
    this.#follow()
  }

  /** Changes are heard of from the store; a reset may put another state in its place without a word. */
  #follow(): void {
    this.#watch?.close()
    this.#watch = this.#options.store.watch('', {
      onEvents: ({ events }) => {
        const time = this.#options.clock.now()
        this.#seen()
        for (const { key, revision, entry, previous } of events) {
          this.#changes.push({ time, revision, key, before: previous?.value, after: entry?.value })
        }
        if (this.#changes.length > 2 * maxChanges) this.#changes = this.#changes.slice(-maxChanges)
      },
      onEnd: () => undefined,
    })
  }

  #seen(): void {
    const test = currentTest()
    if (test === undefined) return
    knowsTests = true
    this.#tests.add(test)
  }

  note(entry: Omit<TraceEntry, 'time'>): void {
    this.#seen()
    this.#notes.push({ time: this.#options.clock.now(), ...entry })
    if (this.#notes.length > 2 * maxChanges) this.#notes = this.#notes.slice(-maxChanges)
  }

  /** A request that the test made itself, past the network. */
  call(what: string, body: unknown, { status, warnings, auditAnnotations, body: answer }: Answer<object>): void {
    this.note({
      kind: 'call',
      title: what,
      outcome: String(status),
      isBad: status >= 400,
      warnings,
      body: bodyText(body),
      answer: bodyText(answer),
      annotations: auditAnnotations,
    })
  }

  fault(label: string, spec: FaultSpec, hits: () => number): void {
    const text = faultText(spec)
    this.note({ kind: 'fault', title: `${label} ${text}`, outcome: 'added' })
    this.#faults.push({ fault: { time: this.#options.clock.now(), label, text, spec: text }, hits })
  }

  /** What was seen so far belongs together; what comes is another story. */
  endSegment(): void {
    const open: Open = { segment: this.#segment(), tests: [...this.#tests], options: this.#options }
    this.#changes = []
    this.#notes = []
    this.#faults = []
    this.#tests = new Set()
    const test = currentTest()
    // A reset in the middle of a test: what comes is of the same one.
    if (test !== undefined && test.verdict() === undefined) this.#tests.add(test)
    this.#begin = this.#options.clock.now()
    judge(open)
  }

  /** The store has another state now. */
  restored(): void {
    this.#follow()
    this.note({ kind: 'state', title: 'the state was put back' })
  }

  close(): void {
    this.#watch?.close()
    this.endSegment()
  }

  #segment(): Segment {
    return {
      begin: this.#begin,
      requests: this.#options.requests(),
      changes: this.#changes.slice(-maxChanges),
      notes: this.#notes.slice(-maxChanges),
      faults: this.#faults.map(({ fault, hits }) => ({ ...fault, hits: hits() })),
    }
  }
}

const undecided = new Set<Open>()
let isListening = false
/** The runner says which test runs. */
let knowsTests = false

function judge(open: Open): void {
  if (isDecided(open)) return
  undecided.add(open)
  const [oldest] = undecided
  if (undecided.size > maxOpen && oldest !== undefined) undecided.delete(oldest)
  if (!isListening) process.once('exit', atExit)
  isListening = true
  if (open.tests.length > 0) poll(open, 0)
}

/** A server that a test closes itself ends before its runner knows how the test ended. */
function poll(open: Open, count: number): void {
  setTimeout(() => {
    if (!undecided.has(open)) return
    if (isDecided(open)) undecided.delete(open)
    else if (count < maxPolls) poll(open, count + 1)
  }, pollMs).unref()
}

function isDecided(open: Open): boolean {
  const { tests } = open
  const failed = tests.find((test) => test.verdict() === 'failed')
  if (failed !== undefined) {
    write(open, failed)
    return true
  }
  return tests.length > 0 && tests.every((test) => test.verdict() !== undefined)
}

function atExit(code: number): void {
  for (const open of undecided) {
    if (isDecided(open)) continue
    if (code !== 0 && !knowsTests && !isEmpty(open.segment)) write(open, undefined)
  }
}

const isEmpty = ({ requests, changes, notes }: Segment): boolean =>
  requests.length + changes.length + notes.length === 0

let count = 0

function write({ segment, options }: Open, test: RunningTest | undefined): void {
  const title = test?.name ?? `${path.basename(process.argv[1] ?? 'test')}`
  const name = title.replaceAll(/[^\w.-]+/g, '-').slice(-120)
  const file = path.resolve(options.folder, `${name}-${process.pid}-${++count}.html`)
  const page = tracePage(traceData(segment, { title, errors: test?.errors() ?? [], server: options.server }))
  try {
    mkdirSync(options.folder, { recursive: true })
    writeFileSync(file, page)
    process.stderr.write(`pilothouse: the trace of "${title}" is in ${file}\n`)
  } catch (error) {
    process.stderr.write(`pilothouse: the trace cannot be written: ${(error as Error).message}\n`)
  }
}
