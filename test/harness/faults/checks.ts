/** Collects what held and what broke. */

import { engineWordsIn } from '../fuzz/verdict.ts'
import type { HarnessFailure } from '../harness.ts'

export class Checks {
  passed = 0
  readonly failed: HarnessFailure[] = []
  readonly #log: (line: string) => void

  constructor(log: (line: string) => void) {
    this.#log = log
  }

  check(holds: boolean, what: string, detail?: string): void {
    if (holds) this.passed++
    else {
      this.failed.push(detail === undefined ? { what } : { what, detail: detail.slice(0, 3000) })
      this.#log(`FAILED ${what}: ${(detail ?? '').slice(0, 300)}`)
    }
  }

  /** No words of the engine in what a client is told. */
  told(text: string, what: string): void {
    const words = engineWordsIn(text.replace(/"(?:[^"\\]|\\.)*"/gs, '"…"'))
    this.check(words === undefined, `${what}: an error of the engine is told: ${words}`, text)
  }
}

/** Resolves to undefined when it takes longer. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
