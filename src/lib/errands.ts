/**
 * Work that is begun and then left to itself, such as what a controller does before it can start. It signs up where queues
 * do, so that whoever waits for the server to come to rest waits for it, too.
 */
import type { Clock, Pausable } from './clock.ts'

export class Errands implements Pausable {
  readonly #running = new Set<Promise<void>>()

  constructor({ queues }: Pick<Clock, 'queues'>) {
    queues?.add(this)
  }

  /** Whoever gave it the work looks after its failure. */
  run(work: Promise<unknown>): void {
    const running = work.then(
      () => void this.#running.delete(running),
      () => void this.#running.delete(running),
    )
    this.#running.add(running)
  }

  get isIdle(): boolean {
    return this.#running.size === 0
  }

  /** What runs cannot be stopped half-way; it may have begun more by then. */
  async pause(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  resume(): void {}
}
