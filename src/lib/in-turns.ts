/**
 * Long work on the one thread that all requests share, in slices: after each the event loop goes round, so that others
 * get their turn. However many such works there are, only one slice runs each time round.
 */
import type { Awaitable } from './awaitable.ts'

/** How long work goes on before others get their turn. */
const sliceMillis = 10

/** Works that wait for their turn: at most one for each request that is being served. */
const waiting: (() => void)[] = []

function next(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(next)
}

/**
 * Resolves when the event loop has gone round and those who asked before have had their slices. Also what goes between two
 * stages of a large request, each of which is short.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(next)
  })
}

/** When the time slice of this turn of the loop began; undefined before its first use. */
let roundBegan: number | undefined

/**
 * For many small asynchronous pieces of work, none of which need wait for anything (a memory store answers at once): awaited
 * between two of them, it lets the loop go round when all who ask have had their time of this round together.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (roundBegan !== undefined) return performance.now() - roundBegan < sliceMillis ? undefined : nextTurn()
  roundBegan = performance.now()
  setImmediate(() => {
    roundBegan = undefined
  })
  return undefined
}

/** Work that may be long, and what it comes to. */
export type Steps<T> = Generator<undefined, T>

/** Takes the steps to their end: at once where that is soon, else in slices and behind a promise. */
export function inTurns<T>(steps: Iterator<unknown, T>): Awaitable<T> {
  const end = proceed(steps)
  return end === undefined ? finish(steps) : end.value
}

/** All steps in one go: for those who know that they are few. */
export function runToEnd<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

async function finish<T>(steps: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    await nextTurn()
    const end = proceed(steps)
    if (end !== undefined) return end.value
  }
}

function proceed<T>(steps: Iterator<unknown, T>): IteratorReturnResult<T> | undefined {
  const slice = new TimeSlice()
  while (!slice.isOver) {
    const step = steps.next()
    if (step.done === true) return step
  }
  return undefined
}

/** For work that is asynchronous anyhow: looks at the time between its steps. */
export class TimeSlice {
  #begin = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#begin >= sliceMillis
  }

  /** Lets others have their turn and begins anew. */
  async yieldToEventLoop(): Promise<void> {
    await nextTurn()
    this.#begin = performance.now()
  }
}
